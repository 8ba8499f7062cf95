"""The back end of jit for single numbers: a tape of our own, without JAX and without a compiler.

The function runs once while a tape records every operation on a number (`recorder`, `recording`, `tape`). The native
core folds the tape into dot products and lanes and replays it (`_native/fold.h`, `_native/replay.h`); without the
core, `replay` runs it one operation at a time. `program` connects it with the Values and numbers of a call, and
`history` lets gradients pass through a function that changes nothing.

People see what was found by `print(f.program)` (`description`), and each instruction in `f.program.listing()`
(`listing`): `instructions` reads the code of the program, and `names` names its numbers.
"""

from adjoint.arrays.kinds import is_tensor
from adjoint.compile.backend import Unsuitable
from adjoint.compile.numbers.program import Program
from adjoint.compile.numbers.recorder import NumberRecorder, needs_arrays
from adjoint.compile.reachable import Reach
from adjoint.compile.session import Trace
from adjoint.compile.state import home_of

_DTYPES = ("float64", "int64", "bool")  # of arrays whose numbers are those of Python
_MOST_ELEMENTS = 100_000  # of an array that a function reads number by number


class Numbers:
    """Compiles functions of single numbers. Arrays among their inputs are read element by element."""

    def recorder(self, reach: Reach) -> NumberRecorder:
        places = [place for place in reach.places if place.kind == "array"]
        is_for_arrays = any(is_tensor(v) for v in reach.values) or (places and not reach.values)
        if is_for_arrays or any(home_of(place.content) == "JAX" for place in places):
            raise Unsuitable("a function of arrays")
        for place in places:
            dtype, size = place.content.dtype, place.content.size
            if dtype not in _DTYPES:  # the products of two numbers of uint8, for example, wrap around
                raise needs_arrays(
                    reach, f"the numbers of {place.path} are {dtype}, and those of a program are float64: use "
                    f"{place.path}.astype(float)",
                )  # fmt: skip
            if size > _MOST_ELEMENTS:
                raise needs_arrays(
                    reach, f"{place.path} has {size:,} numbers, and each would be an input of the program"
                )
        return NumberRecorder(reach)

    def compile(self, trace: Trace) -> Program:
        return Program(trace)
