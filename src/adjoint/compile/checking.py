"""`jit(f, check=True)`: the function also runs eagerly, on copies of its state, and the first difference is an error.

The eager run is a session like that of a trace, with copies as stand-ins. So it leaves nothing behind.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adjoint.arrays.kinds import is_numpy_array, is_tensor
from adjoint.compile.backend import Source
from adjoint.compile.random_numbers import RandomNumbers
from adjoint.compile.reachable import Reach
from adjoint.compile.session import Session, Trace
from adjoint.compile.slots import slot_of
from adjoint.compile.state import attributes_of, is_state, is_traceable_array
from adjoint.engine.checkpoint_draws import recorded_draws
from adjoint.engine.value import Value
from adjoint.errors import CompiledResultWarning, TraceError
from adjoint.errors.guard_warnings import collect_warnings, warn
from adjoint.errors.interruptions import raise_interruption

Seen = dict[str, Any]  # the numbers and arrays that a call leaves, by what they are


class EagerRun:
    """The recorder of a session in which the function computes at once, with copies."""

    def __init__(self, reach: Reach):
        self._values = reach.values
        self.stand_ins: dict[Source, Any] = {}
        copies: dict[int, Any] = {}  # an array in two places has one copy
        for j, place in enumerate(reach.places):
            x = place.content
            if is_numpy_array(x):
                x = copies.setdefault(id(x), x.copy())
            self.stand_ins["place", j] = x
        self._before: list[tuple[Any, dict[str, Any]]] = []

    def enter(self, stand_ins: Mapping[Source, Any]) -> None:
        """Give each Value a copy of its data and its gradient."""
        for v in self._values:
            held: Any = v
            before = {name: getattr(held, name) for name in _MARKS}
            if is_tensor(held):
                before |= {"_data": held._data, "_grad": held._grad, "_rare": dict(held._rare or {})}
            else:
                before |= {slot_of(name): getattr(held, name) for name in ("data", "grad")}
            self._before.append((held, before))
            if is_tensor(held):
                held._data, held._grad = _copy(held.data), _copy(held.grad)

    def replacement(self, value: Value) -> Value:
        """Return the Value itself: it can hold a number."""
        return value

    def leave(self) -> None:
        """Let the Values hold what they held."""
        for v, before in self._before:
            for name, content in before.items():
                setattr(v, name, content)
        self._before = []


_MARKS = ("_grad_read", "_grad_used")  # by which guards remember what the user's program did


def _copy(x: Any) -> Any:
    if isinstance(x, Value):
        return x
    return x.copy() if is_numpy_array(x) else x


def run_eagerly(fn: Callable, reach: Reach, arguments: list, options: dict, is_strict: bool = True) -> Seen | None:
    """Return what the function computes eagerly; None if it draws random numbers, which a program would not repeat.

    Unless it `is_strict`, a function that fails eagerly is not compared: it may be written for stand-ins.
    """
    run: Any = EagerRun(reach)
    session = Session(Trace(reach, run), run.stand_ins, True)
    try:
        with session, RandomNumbers(reach, restores=True) as drawn, recorded_draws() as draws, collect_warnings():
            returned = fn(*arguments, **options)
            return None if draws or drawn.names() else seen(reach, returned)
    except Exception as error:
        raise_interruption(error)
        if is_strict:
            raise
        return None


def seen(reach: Reach, returned: object) -> Seen:
    """Return copies of the numbers and arrays that a function has returned, or left in its state."""
    found: Seen = {}
    for path, x in _leaves(returned, "the result"):
        found[path] = _host(x)
    for v, place in zip(reach.values, reach.value_places):
        found[f"the data of {place.path}"] = _host(v)
        is_read = v._grad_read
        found[f"the gradient of {place.path}"] = _host(v.grad)
        v._grad_read = is_read  # not by the user's program
    for container in reach.containers:
        if container.is_namespace:
            continue
        for key, x in enumerate(container.of) if not isinstance(container.of, dict) else container.of.items():
            if _is_leaf(x) and not isinstance(x, Value):
                found[f"{container.path}[{key!r}]"] = _host(x)
    return found


def _leaves(x: object, path: str, around: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    if _is_leaf(x):
        yield path, x
    elif id(x) in around:
        return
    elif isinstance(x, dict):
        for key, item in x.items():
            yield from _leaves(item, f"{path}[{key!r}]", (*around, id(x)))
    elif isinstance(x, (list, tuple)):
        for i, item in enumerate(x):
            yield from _leaves(item, f"{path}[{i}]", (*around, id(x)))
    elif is_state(x):
        for name, item in attributes_of(x).items():
            yield from _leaves(item, f"{path}.{name}", (*around, id(x)))


def _is_leaf(x: object) -> bool:
    return isinstance(x, (Value, float, int, str)) or is_traceable_array(x)


def _host(x: Any) -> Any:
    """Return a number, a text, or a copy of an array as one of NumPy."""
    while isinstance(x, Value):
        x = x.data
    if not hasattr(x, "shape"):
        return x
    import numpy as np

    try:
        return np.array(x)
    except (TypeError, ValueError):  # random keys have no numbers
        return None


def first_difference(eager: Seen, compiled: Seen, names: tuple[str, ...] = ("",), tolerance: float = 0.0) -> str:
    """Return what differs first between two calls, of what begins with one of these names; nothing if all is equal.

    Gradients are compared on the scale of the largest one: one of them may be rounding alone. What is allowed is the
    square root of the rounding of one operation, and at least the relative `tolerance`.
    """
    gradients = [x for what, x in eager.items() if what.startswith("the gradient") and not isinstance(x, str)]
    scale = max(map(_largest, gradients), default=0.0)
    for what, expected in eager.items():
        if what.startswith(names) and what not in compiled:
            return f"eagerly, {what} is {_shown(expected)}, and the compiled program does not have it"
        at_least = scale if what.startswith("the gradient") else 0.0
        if what.startswith(names) and not _is_close(expected, compiled[what], at_least, tolerance):
            return f"{what} is {_shown(compiled[what])}, and eagerly it is {_shown(expected)}"
    return ""


def report_difference(eager: Seen, compiled: Seen, function: str, is_strict: bool) -> None:
    """Raise an error that names the first difference, or warn of one of results and gradients."""
    if is_strict:
        found = first_difference(eager, compiled)
    else:  # products of float32 on a GPU may have the precision of TensorFloat32
        found = first_difference(eager, compiled, ("the result", "the gradient"), tolerance=0.01)
    if not found:
        return
    message = (
        f"{function} computes something else under jit than eagerly: {found}. jit records the function with stand-ins: "
        "does the code ask for the type of a number, or read something that jit treats as a constant?"
    )
    if is_strict:
        raise TraceError(message)
    warn("compiled_results", CompiledResultWarning, message)


def _shown(x: object) -> str:
    text = " ".join(str(x).split())
    return text if len(text) <= _LONG else text[:_LONG] + "…"


_LONG = 80  # characters


def _largest(x: Any) -> float:
    if _is_number(x):
        return abs(float(x)) if math.isfinite(x) else 0.0
    import numpy as np

    found = np.abs(np.asarray(x, dtype=float))
    return float(np.max(found, initial=0.0, where=np.isfinite(found)))


def _is_number(x: object) -> bool:
    return isinstance(x, (float, int))


def _is_close(expected: Any, found: Any, scale: float, tolerance: float) -> bool:
    """Return whether two results differ by rounding at most: sums may be added in another order."""
    if not _is_number(expected) and not hasattr(expected, "dtype"):
        return expected == found
    if not _is_number(found) and not hasattr(found, "dtype"):
        return False
    if _is_number(expected) and _is_number(found):
        is_float = isinstance(expected, float) or isinstance(found, float)
        rounding = max(tolerance, sys.float_info.epsilon**0.5 if is_float else 0.0)
        least = rounding * max(scale, _largest(expected)) + 1e-4 * tolerance
        are_nan = expected != expected and found != found
        return are_nan or math.isclose(found, expected, rel_tol=rounding, abs_tol=least)
    import numpy as np

    expected, found = np.asarray(expected), np.asarray(found)
    floats = [x.dtype for x in (expected, found) if x.dtype.kind == "f"]
    if expected.shape != found.shape or not {expected.dtype.kind, found.dtype.kind} <= set("fiub"):
        return expected.shape == found.shape and expected.dtype == found.dtype
    rounding = max(tolerance, max([float(np.finfo(dtype).eps) for dtype in floats], default=0.0) ** 0.5)
    expected, found = expected.astype(float), found.astype(float)
    scale = max(scale, _largest(expected))
    least = rounding * scale + 1e-4 * tolerance
    return bool(np.allclose(found, expected, rtol=rounding, atol=least, equal_nan=True))
