"""The engine: a number that remembers how it was made, the table of rules, and the backward pass.

This layer uses `errors` alone. Start with `value.py`, then `ops.py` (all the calculus), `rule.py` (what a rule is)
and `graph.py` (the order of the pass). `mathematics/` reads a rule with floats and with symbols; `_native/` is the
same engine in C. `late.py` lists everything that the lower layers need from the higher ones.
"""

import lazy_loader as _lazy

# The public name `adjoint.ops` is this submodule, which is loaded when it is first used.
__getattr__, __dir__, _ = _lazy.attach(__name__, submodules=["ops"])
