"""The names that tutorials and notebooks of the micrograd family use: `_prev`, `_op` and `_backward`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from adjoint.engine import late
from adjoint.engine.attachments import Attachments
from adjoint.engine.chain_rule import contributions
from adjoint.engine.modes import modes

if TYPE_CHECKING:
    from adjoint.engine.value import Value


class MicrogradNames(Attachments):
    """A base class of `Value`: the same node under micrograd's names."""

    __slots__ = ()

    @property
    def _prev(self) -> set["Value"]:
        """The operands as a set. Constants appear as leaves, the same ones each time."""
        Value = late.value().Value
        operands = cast("Value", self)._operands
        constants = [x for x in operands if not isinstance(x, Value)]
        if len(self._constant_leaves) != len(constants):
            self._constant_leaves = tuple(map(Value, constants))
        return {x for x in operands if isinstance(x, Value)}.union(self._constant_leaves)

    @property
    def _op(self) -> str:
        return cast("Value", self).op

    @property
    def _backward(self) -> Callable[[], None]:
        return self._closure or self._add_to_parents

    @_backward.setter
    def _backward(self, closure: Callable[[], None]) -> None:
        self._closure, self._by_hand = closure, True

    def _add_to_parents(self) -> None:
        node = cast("Value", self)
        grad = "grad" if modes.takeover else "_grad"
        for parent, contribution in zip(node.parents, contributions(node, getattr(node, grad))):
            if not parent._frozen:
                setattr(parent, grad, getattr(parent, grad) + contribution)
