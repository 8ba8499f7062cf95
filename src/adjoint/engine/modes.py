"""Modes: whether operations are recorded, whether NaN and infinity are errors, and the dtype of products.

Modes belong to a context, as guards do (`errors/guard_warnings.py`): `with no_grad():` in one thread or asyncio task
does not affect another, and a new thread starts with the defaults.
"""

from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, overload

from adjoint import errors
from adjoint.engine.locks import make_lock
from adjoint.engine.native import twin
from adjoint.errors.given import describe, number

if TYPE_CHECKING:
    from adjoint.engine.takeover import Takeover

F = TypeVar("F", bound=Callable)

# The bits of `_native/modes.h`. The first is set while operations are not recorded.
_FLAGS = {"recording": 1, "anomaly": 2, "reading": 4, "differentiating": 8, "takeover": 16}
_PRECISIONS = {"float32": 0, "bfloat16": 32, "float16": 64}


class _Modes:
    """The modes of the current context; `_native/modes.h` is the same in C.

    The context variable holds the flags, then the switches that give them. Every operation asks for `plain`, which
    looks at the context only while a switch is active somewhere in the process.
    """

    def __init__(self) -> None:
        self.variable: ContextVar[tuple] = ContextVar("adjoint_modes", default=(0,))
        self.active, self._lock = 0, make_lock()  # how many switches of the process are active

    def count(self, change: int) -> None:
        with self._lock:
            self.active += change

    @property
    def recording(self) -> bool:
        return not (self.active and self.variable.get()[0] & 1)

    @property
    def anomaly(self) -> bool:
        return bool(self.active and self.variable.get()[0] & 2)

    @property
    def reading(self) -> bool:
        """Whether a rule is being evaluated with Values: `float(value)` would lose a derivative."""
        return bool(self.active and self.variable.get()[0] & 4)

    @property
    def differentiating(self) -> bool:
        """Whether a transform evaluates a function: `float(value)` may lose a derivative."""
        return bool(self.active and self.variable.get()[0] & 8)

    @property
    def takeover(self) -> "Takeover | None":
        """The mode that does what Values do in place of the engine: see `takeover.py`."""
        flags, *entered = self.variable.get() if self.active else (0,)
        return next(switch for switch in reversed(entered) if switch._sets & 16) if flags & 16 else None

    @property
    def precision(self) -> str | None:
        """The dtype to which products cast their operands: "bfloat16" or "float16"; None where nothing is cast."""
        flags = self.variable.get()[0] & 96 if self.active else 0
        return None if not flags else "bfloat16" if flags & 32 else "float16"

    @property
    def plain(self) -> bool:
        return not (self.active and self.variable.get()[0] & 19)


modes = twin("modes", _Modes())


class _Entered:
    """How a switch is entered and left; `_native/modes.h` is the same in C, where no signal handler can run within."""

    _clears: int
    _sets: int

    def __enter__(self) -> None:
        modes.count(1)  # first: counted too often is slow, not wrong, if an exception comes between
        flags, *entered = modes.variable.get()
        modes.variable.set((self._change(flags), *entered, self))

    def __exit__(self, *exception) -> None:
        entered = list(modes.variable.get()[1:])
        if self in entered:  # not if it was entered in another context
            del entered[len(entered) - 1 - entered[::-1].index(self)]  # the last time that it was entered
            flags = 0
            for switch in entered:
                flags = switch._change(flags)
            modes.variable.set((flags, *entered))
        modes.count(-1)

    def _change(self, flags: int) -> int:
        return (flags & ~self._clears) | self._sets


if not TYPE_CHECKING:
    _Entered = twin("Switch", _Entered)


class Switch(_Entered, ContextDecorator):
    """Set a mode inside a `with` statement, or during the calls of a decorated function.

    A context keeps the switches that it has entered. Leaving one removes it and does not restore what was before, so
    that two generators may leave theirs in any order. One switch may be used by several threads.
    """

    def __init__(self, mode: str, on: bool | str):
        self._mode, self._on = mode, on
        if isinstance(on, str):
            self._clears, self._sets = 96, _PRECISIONS[on]
        else:
            self._clears = _FLAGS[mode]
            self._sets = _FLAGS[mode] if on is not (mode == "recording") else 0

    def _recreate_cm(self) -> "Switch":
        return Switch(self._mode, self._on)  # one for each call of a decorated function, so threads do not share it

    def __call__(self, func: F) -> F:
        if getattr(func, "__code__", None) and func.__code__.co_flags & _SUSPENDS:
            raise errors.ArgumentError(
                f"{func.__name__} is a generator or coroutine: its body runs after the decorator has ended; "
                "write the `with` statement inside it"
            )
        return super().__call__(func)


_SUSPENDS = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator: inspect's CO_ flags


# --- a mode that takes over: see takeover.py ---


def number_in_charge(x: Any, who: str) -> Any:
    """Return a number that was given as a float, or what stands for it in the mode that has taken over."""
    takeover = modes.takeover
    return takeover.number(x, who) if takeover else number(x, who)


def require_no_takeover() -> None:
    """Raise, for code of arrays, if a mode has taken over what single numbers do."""
    takeover = modes.takeover
    if takeover:
        raise takeover.refuse_arrays()


# --- the modes ---


@overload
def no_grad() -> Switch: ...
@overload
def no_grad(function: F) -> F: ...
def no_grad(function: Callable | None = None) -> Switch | Callable:
    """Do not record: Values computed inside are leaves, without history. Also a decorator.

    >>> from adjoint import Value, no_grad
    >>> a = Value(2.0)
    >>> with no_grad():
    ...     b = a * 3
    >>> b.data, b.parents
    (6.0, ())
    """
    switch = Switch("recording", False)
    return switch if function is None else switch(function)


def detect_anomaly() -> Switch:
    """Raise an error at the first NaN or infinity, forward or backward, that names the operation and the line.

    >>> from adjoint import Value, detect_anomaly
    >>> with detect_anomaly():
    ...     Value(0.0, label="a").log()  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    adjoint.errors.AnomalyError: log(a=0.0) gave -inf, at ...
    """
    return Switch("anomaly", True)


def precision(dtype: object) -> Switch:
    """Compute products in "bfloat16" or "float16"; "float32", the default, casts nothing. Also a decorator.

    Products (`matmul`, `linear`, `einsum`, convolutions, attention) and embedding lookups cast their operands to the
    dtype, and their results have it. Norms, softmax and losses compute in float32; norms return the dtype of their
    input, and losses float32. Parameters and their gradients keep their own dtype: the gradient of a cast is cast back.

    >>> import jax.numpy as jnp
    >>> from adjoint import Value, precision
    >>> w, x = Value(jnp.ones((2, 3))), jnp.ones((4, 3))
    >>> with precision("bfloat16"):
    ...     y = x @ w.mT
    >>> y.sum().backward()
    >>> y.dtype, w.grad.dtype
    (dtype(bfloat16), dtype('float32'))

    It acts on arrays of JAX and PyTorch, and so inside `jit`, which also has it as an option:
    `jit(fn, precision="bfloat16")`. NumPy has no products in these dtypes: it computes in the dtype of the operands,
    with a warning.
    """
    return Switch("precision", precision_name(dtype))


def precision_name(dtype: object) -> str:
    """Return the name of a precision that was given by name or as the dtype of any library."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    name = str(name or dtype).removeprefix("torch.")
    if name not in _PRECISIONS:
        raise errors.ArgumentError(f'a precision is "float32", "bfloat16" or "float16", not {describe(dtype)}')
    return name
