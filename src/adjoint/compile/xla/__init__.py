"""The back end of jit for arrays: XLA, through JAX, which is an optional extra.

A function is recorded with JAX tracers (`recorder`). The recorded computation (`jaxprs`) becomes a program
(`program`), which a call runs with its own objects (`bound`). Arrays stay on the device between calls
(`device_arrays`), and what depends on Python numbers alone is computed in Python (`formulas`). Nothing here loads JAX
before the first function is compiled.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from adjoint.compile.reachable import Reach
from adjoint.compile.session import Trace
from adjoint.compile.shard_rules import Rule
from adjoint.errors.optional import require_numpy
from adjoint.errors.optional_jax import require_jax

if TYPE_CHECKING:
    from adjoint.compile.xla.program import Program
    from adjoint.compile.xla.recorder import XLARecorder


class XLA:
    """Compiles functions of arrays, for one device or for several (`devices`), which hold the state by `rules`."""

    def __init__(self, devices: object = None, rules: Mapping[str, Rule] | Rule = None):
        self._devices, self._rules, self._placement = devices, rules, None

    def recorder(self, reach: Reach) -> "XLARecorder":
        require_numpy()
        require_jax("jit")
        from adjoint.compile.xla.devices import Placement
        from adjoint.compile.xla.recorder import XLARecorder

        if self._devices is None:
            return XLARecorder(reach)
        if self._placement is None:
            self._placement = Placement(self._devices, self._rules)
        return XLARecorder(reach, self._placement.shape, self._placement.platform, self._placement.parts)

    def compile(self, trace: Trace) -> "Program":
        from adjoint.compile.xla.program import Program

        return Program(trace, self._placement)
