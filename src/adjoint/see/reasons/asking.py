"""`why`: ask for the reason of a gradient that is zero, NaN, infinite, huge or tiny, or that is not there at all."""

from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.errors.users_code import line_of, users_frame
from adjoint.see.reasons.answers import Why
from adjoint.see.reasons.judging import Judge, ancestors
from adjoint.see.reasons.phrases import place_of
from adjoint.see.reasons.watching import Watching, holds_gradient


def why(value: Value, of: Any = None, /, *arguments: Any) -> Why:
    """Say why a gradient is zero, NaN, infinite, huge or tiny, or why a Value has none.

    `of` is the result whose gradient is meant, or a function that computes it. Without it, the result is looked for
    among the caller's variables.

    >>> from adjoint import Value, why
    >>> w, x = Value(-2.0, label="w"), Value(3.0, label="x")
    >>> loss = (w * x).relu() * 5
    >>> loss.backward()
    >>> print(why(w, loss).sentence)
    ∂loss/∂w is 0: relu is closed: its input is −6, so its derivative is 0.

    The answer names the first node that made the gradient so, and `print(why(w, loss))` lists the factors of the chain
    rule on the way. To name lines of the program, and to see mistakes in the order of `backward()` and `zero_grad()`,
    give the function of a training step, with its arguments: `why(w, step, x, y)` runs it once, eagerly even if it is
    compiled, with all that it changes.

    >>> def step():
    ...     loss = (w * x).relu() * 5
    ...     loss.backward()
    >>> why(w, step).line.endswith(":2")
    True
    """
    if not isinstance(value, Value):
        raise ArgumentError(
            f"why needs a Value, such as model.weight, not {describe(value)}: nothing else has a gradient"
        )
    frame = users_frame()
    known = _names_in(frame, value)
    if of is None:
        return _ask_variables(value, frame, known)
    if isinstance(of, Value):
        return Judge(value, known).judge(of)
    if callable(of):
        return _run(value, of, arguments, known)
    raise ArgumentError(f"why(w, loss) needs a Value or a function that computes one, not {describe(of)}")


# --- which result ---------------------------------------------------------------------------------------


def _ask_variables(value: Value, frame: FrameType, known: dict[Value, str]) -> Why:
    """Explain the gradient of the result among the variables of the caller that depends on the Value."""
    found = {x: name for name, x in _variables(frame) if isinstance(x, Value) and x is not value and x.parents}
    results = {x: ancestors(x) for x in found}
    users = [x for x in results if value in results[x]]
    last = [x for x in users if not any(x in results[other] for other in users)]
    if len(last) > 1:
        last = [x for x in last if holds_gradient(x)] or last
    if len(last) > 1:
        names = ", ".join(sorted(found[x] for x in last))
        raise ArgumentError(f"why: several results depend on this Value: {names}; give one, as in why(w, loss)")
    judge = Judge(value, known)
    if last:
        return judge.judge(last[0])
    without = judge.without_gradient()
    if without is None and not found:
        raise ArgumentError(
            "why: no result is among the variables here; give one, as in why(w, loss), or the function of a step, as "
            "in why(w, step, x, y)"
        )
    names = ", ".join(sorted(found.values()))
    return without or judge.none("never used", f"none of the results among the variables here ({names}) depends on it")


def _run(value: Value, function: Callable, arguments: tuple, known: dict[Value, str]) -> Why:
    """Explain the gradient that a function gives to the Value, by running the function."""
    answers: list[tuple[Why, str]] = []

    def note(root: Value, seed: Any, frame: FrameType) -> None:
        judge.learn_names(frame)
        answers.append((judge.judge(root, seed), place_of(line_of(frame))))

    watching = Watching(value, note)
    judge = Judge(value, known, watching)
    had_gradient = holds_gradient(value)
    result = watching.run(function, arguments)
    name = getattr(function, "__name__", "the function")
    if not answers:
        root = next((x for x in _values_in(result) if x.parents or x in watching.cuts), None)
        if root is None:
            text = f"{name}() has not called backward(), and has returned no result that has a history"
            return judge.without_gradient() or judge.none("backward not called", text)
        if watching.last_frame is not None:
            judge.learn_names(watching.last_frame)
        return judge.judge(root)
    order = ("not finite", "huge", "ordinary", "tiny", "zero", "none")
    answer, place = min(answers, key=lambda found: order.index(found[0].kind))
    if answer.kind in ("none", "zero"):
        return answer
    if watching.zeroed_at and not holds_gradient(value):
        return judge.zeroed(answer, place, place_of(watching.zeroed_at))
    if had_gradient:
        answer.notes.append(
            f"{judge.name} had a gradient before the call, and backward() adds to it unless zero_grad() comes first."
        )
    return answer


def _values_in(result: Any) -> Iterator[Value]:
    waiting = [result]
    while waiting:
        x = waiting.pop(0)
        if isinstance(x, Value):
            yield x
        elif isinstance(x, (list, tuple, dict)):
            waiting += x.values() if isinstance(x, dict) else x


def _variables(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Yield the variables of a frame with their names, local ones first; not those that tools add, such as `_`."""
    spaces = [frame.f_locals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
    for space in spaces:
        yield from [(name, x) for name, x in space.items() if name.isidentifier() and not name.startswith("_")]


def _names_in(frame: FrameType, value: Value) -> dict[Value, str]:
    """Return names for Values: of the caller's variables, and of `value` if it is inside one of them."""
    found: dict[Value, str] = {}
    for name, x in _variables(frame):
        if isinstance(x, Value):
            found.setdefault(x, name)
        elif value not in found and not isinstance(x, (type, ModuleType)):
            for path in [path for path, inner in _parts_of(x) if inner is value][:1]:
                found[value] = name + path
    return found


def _parts_of(x: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds, with its place as a program writes it: `.w`, `[0]`; of a model, all parameters."""
    if hasattr(type(x), "named_parameters"):
        yield from ((f".{path}", p) for path, p in x.named_parameters())
    elif isinstance(x, (list, tuple)):
        yield from ((f"[{i}]", item) for i, item in enumerate(x))
    elif isinstance(x, dict):
        yield from ((f"[{key!r}]", item) for key, item in list(x.items()))
    else:
        yield from ((f".{key}", item) for key, item in list(getattr(x, "__dict__", {}).items()))
