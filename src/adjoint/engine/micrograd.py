"""The names that tutorials use: `_prev`, `_op`, `_backward` of micrograd; `_children`, `_local_grads` of microgpt."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from adjoint import engine, errors
from adjoint.engine import late
from adjoint.engine.attachments import Attachments
from adjoint.engine.modes import modes

if TYPE_CHECKING:
    from adjoint.engine.value import Value


class MicrogradNames(Attachments):
    """A base class of `Value`: the same node under the names of tutorials."""

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
    def _children(self) -> tuple["Value", ...]:
        """The Values that this one was computed from; constants have no gradient and are not among them."""
        return cast("Value", self).parents

    @property
    def _local_grads(self) -> tuple[float, ...]:
        """The local derivative for each of `_children`."""
        node = cast("Value", self)
        if node._is_array and node.parents:
            raise errors.ArrayError("an operation on arrays has no local gradients that are numbers; call backward()")
        return node._derivatives or ()

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
        contributions = engine.chain_rule.contributions(node, getattr(node, grad))
        for parent, contribution in zip(node.parents, contributions):
            if not parent._frozen:
                setattr(parent, grad, getattr(parent, grad) + contribution)
