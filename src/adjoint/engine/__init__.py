"""The engine: a number that records how it was computed, the table of rules, and the backward pass.

This layer uses `errors` only. Start with `value.py`, then `ops.py` (the elementwise derivatives), `rule.py` (what a
rule is) and `graph.py` (the order of the pass). Unusual cases begin in `special.py`; `chain_rule.py` is the general
backward pass, and `marks.py` says how a node keeps what few nodes have. `attachments.py` and `micrograd.py` are base
classes of `Value`. `mathematics/` evaluates a rule with floats and symbols, and `_native/` is the same engine in C.
`late.py` declares what lower layers need from higher ones.
"""

import lazy_loader as _lazy

# Loaded when they are first used: the public name `adjoint.ops`; what a plain program does not need, for `special.py`,
# which writes `engine.chain_rule.backward(…)`; and Value, with which programs for micrograd begin.
_SUBMODULES = ["anomaly", "backward_guards", "chain_rule", "ops"]
__getattr__, __dir__, _ = _lazy.attach(__name__, submodules=_SUBMODULES, submod_attrs={"value": ["Value"]})
