"""Less common attributes and methods of a Value, which other modules set and implement."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Self, cast

from adjoint import engine, errors
from adjoint.engine import late
from adjoint.engine.array_methods import ArrayMethods
from adjoint.engine.freezing import Freezable
from adjoint.engine.hooks import register
from adjoint.engine.marks import BY_HAND, DOUBTFUL, GRAD_READ, GRAD_REPLACED, GRAD_USED, PASSED, SPENT, Mark, Rare
from adjoint.engine.modes import modes
from adjoint.engine.operators import CheckedOperators
from adjoint.engine.special import leaf_like, require_constant, unsupported
from adjoint.errors.given import Operand, describe, is_number, is_traced

if TYPE_CHECKING:
    from adjoint.engine.value import Value


class Attachments(ArrayMethods, Freezable, CheckedOperators):
    """The base class of `Value` with its less common attributes and methods."""

    __slots__ = ()
    _static: dict[str, object] | None  # the static arguments of an array operation, such as an axis; in `Tensor` only
    _by_hand = Mark(BY_HAND)  # whether it has a user-defined `_backward` or hook, which `chain_rule.backward` runs
    _spent = Mark(SPENT)  # whether an optimizer has used the gradient since it was last set
    _closure: Rare[Callable[[], None] | None] = Rare(None)  # a `_backward` assigned by hand, as in micrograd
    _hooks: Rare[tuple] = Rare(())  # functions that see each gradient that reaches the node: see `hooks.py`
    _made_at: Rare[str | None] = Rare(None)  # the line of the user's program, kept under `detect_anomaly()`
    _constant_leaves: Rare[tuple] = Rare(())  # the constants among the operands as leaves, once `_prev` has shown them
    # What `backward_guards.py` notes about a number or an array:
    _grad_read = Mark(GRAD_READ)  # whether the user's program has read the gradient since gradient or data was assigned
    _grad_used = Mark(GRAD_USED)  # whether the data was assigned after that, and the gradient is still there
    _grad_replaced = Mark(GRAD_REPLACED)  # whether its gradient was assigned without being read before
    _passed = Mark(PASSED)  # whether a backward pass went through it while the guard `second_backward` was on
    _doubtful = Mark(DOUBTFUL)  # whether a backward pass from a result that is not finite has reached it
    _read_at: Rare[int] = Rare(0)  # when the gradient of the sum of a Value and a constant was first read
    _updates: Rare[int] = Rare(0)  # how many such sums below it were computed after their gradient had been read
    _is_reported: Rare[bool] = Rare(False)  # whether a guard has warned of the graph below it, or of it as a parameter
    _assigned_at: Rare[int] = Rare(0)  # when the data of a number was last assigned
    _retains_grad: Rare[bool] = Rare(False)  # whether an inner array keeps its gradient: see `retain_grad()`
    _changed: Rare[int] = Rare(0)  # when the data of an array was last assigned, in ticks
    # What transforms note:
    _constant: Rare[bool] = Rare(False)  # a number lifted by a transform, or chosen by `where`; never differentiated
    _is_variable: Rare[bool] = Rare(False)  # what a transform differentiates with respect to
    _is_boundary: Rare[bool] = Rare(False)  # a variable of a transform, made from a Value
    _known_since: Rare[int] = Rare(0)  # when a transform made it, or a checkpoint found it, in ticks; 0 for unknown

    __array_ufunc__, __array_function__ = late.array_ufunc, late.array_function
    _repr_mimebundle_, __rich__, explore = late.mimebundle, late.rich_text, late.explore
    register_hook = register

    @property
    def _mask(self) -> None:
        """What `numpy.ma` asks for before it would take a Value as a plain array and lose the graph."""
        raise errors.ArrayError("a masked array would lose its mask; fill it first, for instance with x.filled(0)")

    label = Rare("", "The name that drawings, explanations and errors show; empty by default.")

    # --- what a number holds ---

    @property
    def op(self) -> str:
        """The name of the operation that computed this Value; empty for a leaf."""
        rule = cast("Value", self)._rule
        return rule if isinstance(rule, str) else rule.name

    def zero_grad(self) -> None:
        """Set the gradient to zero."""
        cast("Value", self).grad = 0.0

    def detach(self) -> "Value":
        """Return a leaf with the same number and label, and no history."""
        value = cast("Value", self)
        leaf = leaf_like(value)
        leaf._unrecorded = True
        if modes.anomaly:
            engine.anomaly.note_cut(leaf, (value,))
        if value.label:
            leaf.label = value.label
        return leaf

    def item(self) -> float:
        """Return the number as a plain float."""
        return float(self)

    def __float__(self) -> float:
        if modes.reading:
            raise errors.OpError(
                "a rule must use the functions of m, such as m.cos(x); math.cos(x) loses the derivative"
            )
        value = cast("Value", self)
        if modes.differentiating:
            require_constant(value)
        return float(value.data)

    def _free(self) -> None:
        """Free the history; `_derivatives` is None for a freed node and () for a leaf."""
        value = cast("Value", self)
        if value.parents:
            value._operands, value.parents, value._derivatives = (), (), None

    def __format__(self, spec: str) -> str:
        return format(cast("Value", self).data, spec) if spec else repr(self)

    def __repr__(self) -> str:
        value = cast("Value", self)
        label = f", label={value.label!r}" if value.label else ""
        data, grad = short(_known(value, "data")), short(_known(value, "grad"))
        return f"{type(self).__name__}(data={data}, grad={grad}{label})"

    def __pos__(self):
        return self

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    # --- identity ---

    def __init_subclass__(cls) -> None:
        # Nodes are told apart by identity, whatever `==` means for a subclass.
        type.__setattr__(cls, "__hash__", object.__hash__)
        super().__init_subclass__()

    if not TYPE_CHECKING:  # `array_methods.pyi` has the types of these methods
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            if is_number(other):
                _warn_of_identity(self, other)
                return False
            return NotImplemented  # Python then compares identity

        def __matmul__(self, other: object, /) -> object:
            return unsupported("@", self, other, other, "__rmatmul__")

        def __rmatmul__(self, other: object, /) -> object:
            return unsupported("@", other, self, other, "__matmul__")

    def conjugate(self) -> Self:
        """Return the Value itself: it is real. NumPy calls this for `np.std([a, b])`."""
        return self

    def __int__(self) -> int:
        return int(cast("Value", self).__float__())

    def __copy__(self) -> object:
        return late.copying().copy_value(self)

    def __reduce__(self) -> tuple:
        return late.copying().reduce_value(self)


def _known(value: "Value", name: str) -> float | str:
    """Return the data or gradient of a Value for its display: `?` for a number that is not known."""
    try:
        x = getattr(value, name)
        x = cast("Value", x).data if isinstance(x, Operand) else x
    except errors.TraceError:
        return "?"
    return "?" if is_traced(x) else x


def short(x: float | str) -> str:
    """Return a number with four decimals, or with an exponent if it is too small or too large for them."""
    if isinstance(x, str):
        return x
    return f"{x:.4f}" if x == 0 or 1e-4 <= abs(x) < 1e9 or x != x else f"{x:.4e}"


def _warn_of_identity(value: object, other: object) -> None:
    """Warn that `value == other` is always False for a Value of one number and a plain number."""
    from adjoint.errors.guard_warnings import is_on, warn  # `import adjoint` stays fast without them

    if is_on("identity_comparison"):
        warn(
            "identity_comparison",
            errors.IdentityComparisonWarning,
            f"{value!r} == {describe(other)} is always False, and != always True: == tells Values of numbers apart by "
            "identity, so that they can be found in lists and sets. Compare v.data to compare numbers.",
        )
