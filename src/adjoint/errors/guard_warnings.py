"""Guards: warnings for common mistakes, which of them are on, and where they go.

A guard warns once, says what it saw and what to do, and is then silent. `guards(name=False)` switches it off. One
guard, `second_backward`, is off until `guards(second_backward=True)` switches it on.

Guards follow the rule of the modes in `engine/modes.py`: they belong to a context. Switching one affects the thread or
asyncio task that does it and no other, and a new thread starts with the defaults.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from weakref import ref

from adjoint.errors import AdjointWarning, ArgumentError, switched_on
from adjoint.errors.given import describe
from adjoint.errors.kinds import cut
from adjoint.errors.settings import Setting
from adjoint.errors.suggest import unknown_name_error
from adjoint.errors.users_code import users_frame

_NAMES = (
    "stale_gradients",  # a step with gradients that were not set to zero since the last one
    "stale_graph",  # a backward pass through results that are older than the data they were computed from
    "second_backward",  # a second backward pass through the same graph; off by default
    "overwritten_gradients",  # a `_backward` written by hand that assigns gradients instead of adding to them
    "missing_backward",  # steps that all use the gradients of the first one
    "missing_history",  # a backward pass from a leaf, which reaches no other Value
    "missing_gradients",  # a parameter that no gradient reaches
    "missing_parameters",  # a parameter of the model that the optimizer does not have
    "hidden_layers",  # layers in a generator, in a set or as attributes of the class, whose parameters are not found
    "lost_updates",  # an update such as `p -= lr * p.grad`, which makes a new Value; `p = p - lr * p.grad` in a loop
    "identity_comparison",  # a Value of one number compared with a plain number by ==
    "recompilation",  # a function that is compiled for the third time for the same shapes
    "random_numbers",  # random numbers that a compiled function draws once, while it is recorded
    "compiled_results",  # a step of `fit(jit=True)` that computes something else than the eager one
    "not_finite_loss",  # a loss that became NaN or infinite, which ends training by `fit`; an update by its gradients
    "diverging_loss",  # a loss a thousand times that of the first epoch, which ends training
    "probabilities_as_scores",  # probabilities, or the result of a softmax, in `cross_entropy`
    "precision",  # products of NumPy arrays under `precision("bfloat16")`, which computes nothing in bfloat16 there
    "input_scale",  # inputs or targets so large that training fails
    "attention_fallback",  # attention on a GPU without the kernels of cuDNN
)


_OFF_BY_DEFAULT = frozenset({"second_backward"})
_off: Setting[frozenset[str]] = Setting(_OFF_BY_DEFAULT)
_mark: Setting["_Mark | None"] = Setting(None)
# The list that collects warnings; None for Python's own warnings.
_collected: Setting[list[AdjointWarning] | None] = Setting(None)


class guards:
    """Switch guards on or off in this context from now on; in a `with` statement, until it ends.

    `stale_gradients` warns of a step with gradients that were not set to zero since the last one, and
    `missing_gradients` of parameters that never receive a gradient. `missing_backward` warns of a loop that calls
    `step()` without `backward()`, and `missing_history` of a `backward()` that reaches no other Value. `stale_graph`
    warns of a `backward()` through results that are older than the data they were computed from, such as a loss that is
    kept across steps. `second_backward` warns of a second `backward()` through the same graph, where PyTorch raises an
    error; it is off by default. `overwritten_gradients` warns of a `_backward` written by hand that sets the gradient
    of a parent instead of adding to it. `lost_updates` warns of `p -= lr * p.grad`, which makes a new Value and does
    not change the parameter, and of `p = p - lr * p.grad` in a loop. `identity_comparison` warns of `v == 2.0`, which
    is always False for a Value of one number. `hidden_layers` warns of layers in a generator, in a set or as attributes
    of the class, whose parameters are not found. `probabilities_as_scores` warns of the result of a softmax in
    `cross_entropy`, which applies a softmax itself. `recompilation` warns of a function that `jit` compiles for the
    third time for the same shapes, and `random_numbers` of random numbers that such a function draws once, while it is
    recorded. `precision` warns of products of NumPy arrays under `adjoint.precision`, which are not cast. In `fit`,
    `missing_parameters` warns of parameters that the optimizer does not have, `compiled_results` of a step with
    `jit=True` that computes something else than without it, `not_finite_loss` ends training when the loss becomes NaN
    or infinite (in a loop of your own it names the operation), `diverging_loss` when it is a thousand times that of the
    first epoch, and `input_scale` warns of inputs so large that training fails. `attention_fallback` warns of attention
    on a GPU without the faster kernels of cuDNN, and gives the reason.

    >>> from adjoint import Value, guards
    >>> from adjoint.optim import SGD
    >>> w = Value([1.0])
    >>> optimizer = SGD([w], lr=0.1)
    >>> with guards(stale_gradients=False):
    ...     for _ in range(2):
    ...         (w * w).sum().backward()
    ...         optimizer.step()
    """

    def __init__(self, **switches: bool):
        for name, on in switches.items():
            if name not in _NAMES:
                raise unknown_name_error("guard", name, _NAMES)
            if not isinstance(on, bool):
                raise ArgumentError(f"guards: {name} must be True or False, not {describe(on)}")
        self._before = {name: is_on(name) for name in switches}
        _switch(switches)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _switch(self._before)


class _Mark:
    """Held by the contexts in which a guard is on that is off by default, and by nothing else."""


def _switch(switches: dict[str, bool]) -> None:
    _off.set(frozenset(name for name in _NAMES if not switches.get(name, is_on(name))))
    if not any(map(is_on, _OFF_BY_DEFAULT)):
        _mark.set(None)
    elif _mark.get() is None:
        mark = _Mark()
        switched_on.add(ref(mark, switched_on.discard))  # until the last of these contexts ends or switches it off
        _mark.set(mark)


def is_on(name: str) -> bool:
    """Return whether a guard is on in this context."""
    return name not in _off.get()


@contextmanager
def collect_warnings() -> Iterator[list[AdjointWarning]]:
    """Collect the warnings of guards in this context while the context lasts, instead of issuing them.

    `warnings.catch_warnings` would catch those of all threads. The lab, which shows warnings in its own page, uses this
    instead.

    >>> from adjoint import Value, optim
    >>> from adjoint.errors import collect_warnings
    >>> w = Value([1.0])
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> with collect_warnings() as collected:
    ...     for _ in range(2):
    ...         (w * w).sum().backward()
    ...         optimizer.step()
    >>> [type(warning).__name__ for warning in collected]
    ['StaleGradientWarning']
    """
    collected = []
    with _collected.to(collected):
        yield collected


def warn(name: str, category: type[AdjointWarning], message: str) -> None:
    """Warn at the user's line, and say how to switch the guard off."""
    text, collected = _text(name, message), _collected.get()
    if collected is not None:
        collected.append(category(text))
        return
    frame = users_frame()
    warnings.warn_explicit(text, category, frame.f_code.co_filename, frame.f_lineno)


def warn_once(
    name: str, category: type[AdjointWarning], message: str, function: Callable[..., object] | None = None
) -> None:
    """Warn once at the user's line, or at the first line of a function of the user's.

    As for Python's own warnings, a filter such as `warnings.simplefilter("always")` repeats the warning.
    """
    text, collected = _text(name, message), _collected.get()
    if collected is not None:
        if all(type(known) is not category or str(known) != text for known in collected):
            collected.append(category(text))
        return
    if isinstance(function, FunctionType):
        file, line, namespace = function.__code__.co_filename, function.__code__.co_firstlineno, function.__globals__
    else:
        frame = users_frame()
        file, line, namespace = frame.f_code.co_filename, frame.f_lineno, frame.f_globals
    warnings.warn_explicit(text, category, file, line, registry=namespace.setdefault("__warningregistry__", {}))


def _text(name: str, message: str) -> str:
    return f"{cut(message)} (adjoint.guards({name}=False) switches this warning off.)"
