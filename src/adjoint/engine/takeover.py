"""The one door for a mode that does what Values do, in place of the engine.

The engine computes: an operation gives a float, `value.data` is one. A mode may take this over in its context, for
example to write down what is computed. The engine then asks `modes.takeover`, the mode that was entered last, and knows
nothing of what it does. Such a mode may put other objects than floats into Values. Each of these objects has an
attribute `takeover`: the mode that it belongs to, or an error once that has ended.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adjoint.engine.modes import Switch

if TYPE_CHECKING:
    from adjoint.engine.rule import Op
    from adjoint.engine.value import Value


class Takeover(Switch):
    """A mode that does what Values do; `with` enters it. A subclass has all these methods."""

    def __init__(self) -> None:
        super().__init__("takeover", True)

    def number(self, x: Any, who: str) -> Any:
        """Return what stands for a number that is given as an operand or a gradient, or raise an error."""
        raise NotImplementedError

    def data(self, x: Any) -> Any:
        """Return what a new Value holds that is given `x`."""
        raise NotImplementedError

    def apply(self, make_node: Callable, kind: "type[Value]", rule: "Op", operands: tuple) -> "Value":
        """Return the result of an operation on Values, numbers and what stands for them."""
        raise NotImplementedError

    def compare(self, holds: Callable[..., Any], value: "Value", other: Any) -> Any:
        """Return whether a comparison holds, or what stands for the answer."""
        raise NotImplementedError

    def read_data(self, value: "Value") -> Any:
        """Return the data of a Value."""
        raise NotImplementedError

    def assign_data(self, value: "Value", data: Any) -> None:
        """Assign the data of a Value."""
        raise NotImplementedError

    def read_grad(self, value: "Value") -> Any:
        """Return the gradient of a Value."""
        raise NotImplementedError

    def assign_grad(self, value: "Value", grad: Any) -> None:
        """Assign the gradient of a Value."""
        raise NotImplementedError

    def backward(self, root: "Value", gradient: Any, retain_graph: bool, create_graph: bool) -> None:
        """Do what `Value.backward` does."""
        raise NotImplementedError

    def contributions(self, node: "Value", gradient: Any, create_graph: bool) -> list:
        """Return what each parent receives from a node with this gradient: one step of the chain rule."""
        raise NotImplementedError

    def require_unchanged(self, node: "Value") -> None:
        """Raise if a node or one of its operands was assigned after the node was computed."""
        raise NotImplementedError

    def refuse_arrays(self) -> Exception:
        """Return the error for a number that meets an array."""
        raise NotImplementedError
