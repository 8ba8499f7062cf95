"""The back end of jit for single numbers: a tape of our own, without JAX and without a compiler.

The function runs once while a tape records every operation on a number (`recorder`; `engine/tape.py` is the tape). The
native core folds the tape into dot products and lanes and replays it (`_native/fold.h`, `_native/replay.h`); without
the core, `engine/replay.py` runs it one operation at a time. `program` connects it with the Values and numbers of a
call, and `history` lets gradients pass through a function that changes nothing.

People see what was found by `print(f.program)` (`description`), and each instruction in `f.program.listing()`
(`listing`): `instructions` reads the code of the program, and `names` names its numbers.
"""

from adjoint.arrays.tensor import Tensor
from adjoint.compile.backend import Unsuitable
from adjoint.compile.numbers.program import Program
from adjoint.compile.numbers.recorder import NumberRecorder
from adjoint.compile.reachable import Reach
from adjoint.compile.session import Trace
from adjoint.compile.state import home_of

_MOST_ELEMENTS = 100_000  # of an array that a function reads number by number


class Numbers:
    """Compiles functions of single numbers. Arrays among their inputs are read element by element."""

    def recorder(self, reach: Reach) -> NumberRecorder:
        arrays = [place.content for place in reach.places if place.kind == "array"]
        is_for_arrays = any(isinstance(v, Tensor) for v in reach.values) or (arrays and not reach.values)
        if is_for_arrays or any(home_of(x) == "JAX" for x in arrays) or sum(x.size for x in arrays) > _MOST_ELEMENTS:
            raise Unsuitable("a function of arrays")
        return NumberRecorder(reach)

    def compile(self, trace: Trace) -> Program:
        return Program(trace)
