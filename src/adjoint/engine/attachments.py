"""Optional attributes and methods of a Value, which other modules set and implement."""

from collections.abc import Callable

from adjoint.engine import late
from adjoint.engine.hooks import register
from adjoint.engine.operands import unsupported
from adjoint.errors.given import Operand


class Attachments(Operand):
    """The base class of `Value` with its less common attributes and methods.

    Class attributes are defaults: only few nodes have their own value of one of them.
    """

    __slots__ = ()
    _is_array = False  # True in `Tensor`
    _static: dict[str, object] | None  # the static arguments of an array operation, such as an axis; in `Tensor` only
    _by_hand = False  # whether it has a user-defined `_backward` or hook, which `chain_rule.backward` runs
    _closure: Callable[[], None] | None = None  # a `_backward` assigned by hand, as in micrograd
    _hooks: tuple = ()  # functions that see each gradient that reaches the node: see `hooks.py`
    _made_at: str  # the line of the user's program, kept under `detect_anomaly()`
    _spent = False  # whether an optimizer has used the gradient since it was last set
    _constant = False  # a number lifted by a transform; never differentiated
    _is_boundary = False  # a variable of a transform, made from a Value
    _constant_leaves: tuple = ()  # the constants among the operands as leaves, once `_prev` has shown them

    __array_ufunc__, __array_function__ = late.array_ufunc, late.array_function
    _repr_mimebundle_, __rich__, explore = late.mimebundle, late.rich_text, late.explore
    register_hook = register

    def __matmul__(self, other: object, /) -> object:
        return unsupported("@", self, other, other, "__rmatmul__")

    def __rmatmul__(self, other: object, /) -> object:
        return unsupported("@", other, self, other, "__matmul__")

    def __copy__(self) -> object:
        return late.copying().copy_value(self)

    def __reduce__(self) -> tuple:
        return late.copying().reduce_value(self)
