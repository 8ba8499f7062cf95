"""The back end of jit for arrays: XLA, through JAX, which is an optional extra.

A function is recorded with JAX tracers (`recorder`). The recorded computation (`jaxprs`) becomes a program
(`program`), which a call runs with its own objects (`bound`). Arrays stay on the device between calls
(`device_arrays`), and what depends on Python numbers alone is computed in Python (`formulas`). Nothing here loads JAX
before the first function is compiled.
"""

from typing import TYPE_CHECKING

from adjoint.compile.reachable import Reach
from adjoint.compile.session import Trace
from adjoint.compile.xla.jax_library import require_jax
from adjoint.errors.optional import require_numpy

if TYPE_CHECKING:
    from adjoint.compile.xla.program import Program
    from adjoint.compile.xla.recorder import XLARecorder


class XLA:
    """Compiles functions of arrays, for one device or for several (`devices`)."""

    def __init__(self, devices: object = None):
        self._devices, self._placement = devices, None

    def recorder(self, reach: Reach) -> "XLARecorder":
        require_numpy()
        require_jax("jit")
        from adjoint.compile.xla.devices import Placement
        from adjoint.compile.xla.recorder import XLARecorder

        if self._devices is None:
            return XLARecorder(reach)
        if self._placement is None:
            self._placement = Placement(self._devices)
        return XLARecorder(reach, self._placement.shape)

    def compile(self, trace: Trace) -> "Program":
        from adjoint.compile.xla.program import Program

        return Program(trace, self._placement)
