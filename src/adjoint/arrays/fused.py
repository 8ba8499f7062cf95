"""Operations that a library computes in one piece, together with the way back.

Such kernels do not store the arrays in between. The first derivative is the library's own. Derivatives of higher order,
and forward mode, go through a composition of adjoint's operations with the same result.
"""

from collections.abc import Callable, Sequence
from typing import Any

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.backends import common_backend
from adjoint.arrays.backward_pass import pull
from adjoint.arrays.forward_mode import push
from adjoint.arrays.functions.shaping import identity
from adjoint.engine.modes import Switch, modes
from adjoint.engine.value import Value


class FusedOp(ArrayOp):
    """One application of an operation on whole arrays: it keeps the pullback of the forward pass.

    `compute(*arrays)` returns the result, and `compute_with_pullback(*arrays)` the result and a function from its
    cotangent to those of all operands. `composition(*operands)` computes the same from Values.
    """

    __slots__ = ("composition", "compute", "compute_with_pullback", "pullback")

    def __init__(self, name: str, compute: Callable, compute_with_pullback: Callable, composition: Callable):
        super().__init__(name, self._forward, (), None, self._along, "", "x", False)
        self.compute, self.compute_with_pullback, self.composition = compute, compute_with_pullback, composition
        self.pullback: Callable | None = None

    def _forward(self, m, *xs):
        if not modes.recording:
            return self.compute(*xs)
        y, self.pullback = self.compute_with_pullback(*xs)
        return y

    def contributions(self, m, g, y, operands, static, wanted):
        if isinstance(g, Value) or any(isinstance(x, Value) for x in operands):
            return self._differentiable_contributions(g, operands, wanted)
        assert self.pullback is not None
        m = common_backend([y], self.name)
        found = self.pullback(m.broadcast_to(m.astype(m.xp.asarray(g), y.dtype), y.shape))
        return [found[i] for i in wanted]

    def _differentiable_contributions(self, g, operands: Sequence, wanted: Sequence[int]) -> list:
        with Switch("recording", True):
            variables = [identity(x) if isinstance(x, Value) else x for x in operands]  # one Value may be two operands
            targets = {variables[i] for i in wanted}
            found = pull(self.composition(*variables), g, create_graph=True, targets=targets)
        return [found.get(variables[i]) for i in wanted]

    def _along(self, m, ts, y, *operands):
        is_differentiable = any(isinstance(x, Value) for x in operands)
        with Switch("recording", True):
            variables = [
                identity(x) if isinstance(x, Value) else x if t is None else make_leaf(x) for x, t in zip(operands, ts)
            ]
            moving: dict[Value, Any] = {x: t for x, t in zip(variables, ts) if t is not None}
            return push([self.composition(*variables)], moving, is_differentiable)[0]
