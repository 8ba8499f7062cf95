"""What a check of an exercise may claim about the learner's program.

`check.py` of an exercise defines `check(check, learner)`. `learner` has the names that the learner's program defines,
and each method of `check` makes one claim. The first claim that does not hold ends the check:

    def check(check, learner):
        for x in (3.0, 2 / 3):
            check.close(f"slope(f, {x:g})", learner.slope(f, x), 6 * x - 4, tolerance=1e-4)
        check.note("the slope at 2/3 is 0: there the function is flat")

`check.random` draws the same numbers at every run, so that a result can be discussed, and so that the behavior of
wrong answers can be compared with the learner's.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjoint_learn.results import Graph

_MISSING = object()
KIND = "kind of mistake"
_MOST_DRAWN = 9  # named Values of a graph that is drawn after success


class Mismatch(Exception):
    """A claim that does not hold: what it is about, what the learner's program gave, and the message."""

    def __init__(self, message: str, got: object = None, graph: Graph | None = None):
        super().__init__(message)
        self.got = got
        self.graph = graph


class Check:
    """The claims of a check. Each method raises `Mismatch` if its claim does not hold.

    With `failures`, a check goes on until so many claims have failed. Two programs are compared by all of them.
    """

    def __init__(self, seed: str = "", failures: int = 1):
        self.random = random.Random(seed)
        self.held = 0  # claims that held
        self.failed: list[tuple[int, object]] = []  # the numbers of claims that failed, and what the program gave
        self._most = failures
        self.notes: list[str] = []
        self._seen: tuple[Any, dict[int, str]] | None = None  # a graph that was right, and the names of nodes

    def equal(self, what: str, got: object, expected: object, *, because: str = "") -> None:
        """Claim that the learner's object equals the expected one: an integer, a text, a list."""
        try:
            same = bool(got == expected) and (type(got) is not bool or type(expected) is bool)
        except Exception:  # the learner's __eq__ may fail
            same = False
        if not same:
            return self._reject(what, got, expected, because)
        self.held += 1

    def close(self, what: str, got: object, expected: Any, *, tolerance: float = 1e-6, because: str = "") -> None:
        """Claim that a number, or each number in lists of numbers, is near the expected one.

        The difference may be `tolerance` times the larger of 1 and the expected number.

        >>> Check().close("slope(f, 3.0)", 14.0000001, 14.0)
        """
        difference = _first_difference(got, expected, tolerance)
        if difference is not None:
            return self._reject(what, got, expected, difference + because if difference else because)
        self.held += 1

    def true(self, what: str, condition: object, *, got: object = _MISSING, because: str = "") -> None:
        """Claim that a condition holds. `what` is a whole sentence that says what is expected."""
        if not condition:
            seen = "" if got is _MISSING else f" You have {show(got)}."
            text = _sentences(f"{what}{'' if what.endswith('.') else '.'}{seen}", because)
            return self._fail(Mismatch(text, None if got is _MISSING else got))
        self.held += 1

    def raises(self, what: str, kind: type[BaseException], call: Callable[[], object], *, because: str = "") -> None:
        """Claim that a call raises an exception of this kind."""
        try:
            got = call()
        except kind:
            self.held += 1
            return
        self._fail(Mismatch(_sentences(f"{what} should raise {kind.__name__}, and returns {show(got)}.", because), got))

    def statements(
        self,
        make: Callable[[float], Any],
        program: str,
        *,
        gradients: bool = True,
        tolerance: float = 1e-6,
        **inputs: float,
    ) -> None:
        """Claim that the learner's Value computes a program, and the gradient of its last line, as adjoint does.

        `program` has one statement such as `d = a*b` in a line (or separated by `;`) and may call methods of a Value.
        `make` is the learner's class. The message names the first statement with a wrong value, or else the first
        gradient that is wrong on the way back.

        >>> from adjoint import Value
        >>> Check().statements(Value, "d = a*b; L = d + a", a=2.0, b=-3.0)
        """
        from adjoint_learn.statements import call_backward, compare

        problem = compare(make, program, inputs, call_backward if gradients else None, tolerance, self._keep)
        self._hold(problem)

    def rules(self, make: Callable[[float], Any], program: str, *, tolerance: float = 1e-6, **inputs: float) -> None:
        """Claim that the `_backward` of each of the learner's Values is right, before the learner has `backward()`.

        Computes a program as `statements` does, sets the gradient of the result to 1, and calls `_backward()` of each
        node before those of its parents. The gradients must be those of adjoint, and those of the inputs must agree
        with central differences of the learner's own values.

        >>> from adjoint_learn.course import load
        >>> learner = {}
        >>> exec(load().exercise("backward").solution, learner)
        >>> Check().rules(learner["Value"], "d = a*b; L = d + a", a=2.0, b=-3.0)
        """
        from adjoint_learn.statements import call_rules, compare, compare_with_nudges

        problem = compare(make, program, inputs, call_rules, tolerance, self._keep)
        problem = problem or compare_with_nudges(make, program, inputs, call_rules)
        self._hold(problem)

    def nudges(self, make: Callable[[float], Any], program: str, **inputs: float) -> None:
        """Claim that the gradients of the learner's `backward()` agree with central differences of their own values.

        >>> from adjoint import Value
        >>> Check().nudges(Value, "d = a*b; L = d.tanh()", a=0.5, b=-3.0)
        """
        from adjoint_learn.statements import call_backward, compare_with_nudges

        problem = compare_with_nudges(make, program, inputs, call_backward)
        self._hold(problem)

    def parents_first(self, what: str, got: object, root: Any) -> None:
        """Claim that a list has all nodes of the graph of `root`, each once, and each after its parents in `_prev`.

        >>> from types import SimpleNamespace as Node
        >>> a = Node(_prev=())
        >>> b = Node(_prev=(a, a))
        >>> Check().parents_first("topological_order(b)", [a, b], b)
        """
        from adjoint_learn.nodes import order_problem

        problem = order_problem(what, got, root)
        self._hold(problem)

    def has_parents(self, what: str, node: Any, *expected: Any) -> None:
        """Claim that the graph of a learner's node has the expected nodes.

        An operation may be composed of others, so they need not be the node's own parents.
        """
        from adjoint_learn.nodes import missing_parent

        self._hold(missing_parent(what, node, expected))

    def evaluate(self, code: str, **names: Any) -> Any:
        """Return the value of an expression of the learner's objects, such as `2 * a`.

        An expression that the objects do not support ends the check with a message that contains the expression. An
        exception inside of the learner's code is shown at their line, as everywhere.

        >>> Check().evaluate("2 * a", a=3)
        6
        """
        from adjoint_learn.statements import evaluate

        return evaluate(code, names, code)

    def graph(self) -> Graph | None:
        """Return a drawing of one of the learner's graphs that were compared and were right."""
        if self._seen is None:
            return None
        from adjoint_learn.graphs import draw_graph

        root, labels = self._seen
        return draw_graph(root, labels, {})

    def _keep(self, root: Any, named: Mapping[str, Any]) -> None:
        """Remember the largest graph that can be taken in at a glance."""
        if len(named) <= _MOST_DRAWN and (self._seen is None or len(named) > len(self._seen[1])):
            self._seen = root, {id(value): name for name, value in named.items()}

    def fail(self, message: str, got: object = None) -> None:
        """End the check with a message.

        A text as `got` names a kind of mistake that the check has recognized; programs with the same kind are alike.
        """
        self._fail(Mismatch(message, (KIND, got) if isinstance(got, str) else got))

    def note(self, text: str) -> None:
        """Add a sentence that is shown with the result, such as a measured time."""
        self.notes.append(text)

    def _reject(self, what: str, got: object, expected: object, because: str) -> None:
        if got is None:
            missing = "" if what.endswith(")") else " Replace the TODO."
            text = f"`{what}` is None, and should be {show(expected)}.{missing}"
        elif callable(got) and not callable(expected):
            text = f"`{what}` is a function or a method, and should be {show(expected)}: call it, with parentheses."
        elif got is ...:
            text = f"`{what}` is still `...`: replace the TODO."
        else:
            is_now, should_be = show_pair(got, expected)
            text = f"`{what}` is {is_now}, and should be {should_be}.{_other_kind(got, expected)}"
        self._fail(Mismatch(_sentences(text, because), got))

    def _hold(self, problem: Mismatch | None) -> None:
        """Count a claim as held, or fail with its problem."""
        if problem is None:
            self.held += 1
        else:
            self._fail(problem)

    def _fail(self, problem: Mismatch) -> None:
        self.failed.append((self.held + len(self.failed), fingerprint(problem.got)))
        if len(self.failed) >= self._most:
            raise problem


def _other_kind(got: object, expected: object) -> str:
    """Return a sentence if a result is of another kind than the expected one."""
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        if isinstance(got, bool):
            return " A number is expected, and not True or False."
        if isinstance(got, list | tuple | dict | set):
            return f" A single number is expected, and not a {type(got).__name__}."
        if isinstance(got, str):
            return " A number is expected, and not a text."
    if isinstance(expected, list | tuple):
        if isinstance(got, dict | set | str):
            return f" A list is expected, and not a {type(got).__name__}."
        if isinstance(got, int | float):
            return " A list is expected, and not a single number."
    if isinstance(got, str) and isinstance(expected, str) and got.lower() == expected.lower():
        return " Capital and small letters are different."
    return ""


def show(x: object) -> str:
    """Return a short description of a learner's object, in backquotes.

    >>> show(0.1 + 0.2), show([1, 2.5])
    ('`0.3`', '`[1, 2.5]`')
    """
    return f"`{_short(x)}`"


def show_pair(got: object, expected: object) -> tuple[str, str]:
    """Return the descriptions of two different objects, with as many digits as are needed to tell them apart.

    >>> show_pair(14.0, 15.0), show_pair(14.00003, 14.0)
    (('`14`', '`15`'), ('`14.00003`', '`14`'))
    """
    texts = "", ""
    for digits in (6, 9, 12, 17):
        texts = f"`{_short(got, digits)}`", f"`{_short(expected, digits)}`"
        if texts[0] != texts[1]:
            break
    return texts


def _short(x: object, digits: int = 6) -> str:
    if isinstance(x, bool) or x is None:
        return str(x)
    if isinstance(x, float):
        return f"{x:.{digits}g}" if math.isfinite(x) else str(x)
    if isinstance(x, list | tuple) and len(x) <= 12:
        items = ", ".join(_short(item, digits) for item in x)
        return f"[{items}]" if isinstance(x, list) else f"({items}{',' * (len(x) == 1)})"
    try:
        text = repr(x)
    except Exception as error:  # the learner's __repr__ may fail
        return f"{type(x).__name__} whose __repr__ raises {type(error).__name__}"
    text = _one_line(text)
    return text if len(text) <= 80 else f"{text[:60]}…{text[-15:]}"


def _one_line(text: str) -> str:
    """Return a text on one line, without backquotes. Spaces inside of a line stay."""
    return " ".join(map(str.strip, text.splitlines())).replace("`", "'") if "\n" in text else text.replace("`", "'")


def as_code(text: str) -> str:
    """Return a text that is not Markdown, such as that of an exception, in backquotes on one line.

    >>> as_code("TypeError: Value.__init__() takes 1 positional argument.")
    '`TypeError: Value.__init__() takes 1 positional argument`'
    """
    return f"`{_one_line(text.strip())[:500].rstrip('.')}`"


def fingerprint(x: object) -> object:
    """Return what two wrong results are compared by: numbers to six digits, other objects by their description."""
    if hasattr(x, "tolist"):  # an array or a number of NumPy
        x = x.tolist()  # pyright: ignore[reportAttributeAccessIssue]
    if isinstance(x, int | float) and not isinstance(x, bool):
        return f"{x:.6g}" if isinstance(x, float) or abs(x) < 1e300 else "a huge integer"
    if isinstance(x, list | tuple):
        return tuple(map(fingerprint, x))
    if x is None or isinstance(x, str | bool):
        return x
    return type(x).__name__


def _first_difference(got: Any, expected: Any, tolerance: float, place: str = "") -> str | None:
    """Return None if all numbers agree; otherwise where lists differ first, or an empty text for single numbers."""
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        if hasattr(got, "tolist"):
            got = got.tolist()
        if not isinstance(got, Sequence) or isinstance(got, str):
            return ""
        if len(got) != len(expected):
            elements = f"{len(got)} element{'s' * (len(got) != 1)} instead of {len(expected)}. "
            return f"At index {place} it has {elements}" if place else f"It has {elements}"
        for i, (a, b) in enumerate(zip(got, expected)):
            inner = _first_difference(a, b, tolerance, f"{place}[{i}]")
            if inner is not None:
                return inner or f"The first difference is at index {place}[{i}]. "
        return None
    if isinstance(got, bool | str):
        return ""
    try:
        x, y = float(got), float(expected)
    except (TypeError, ValueError, OverflowError):
        return ""
    if math.isnan(y):
        return None if math.isnan(x) else ""
    return None if x == y or abs(x - y) <= tolerance * max(1.0, abs(y)) else ""


def _sentences(*texts: str) -> str:
    return " ".join(text.strip() for text in texts if text)
