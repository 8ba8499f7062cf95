"""The room Explore: turns an expression and a number for each name into a graph with every step of both passes."""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from adjoint import Value, guards
from adjoint.errors import unknown_name_error
from adjoint.see import Expression, as_json
from adjoint_lab.export import page_of
from adjoint_lab.programs import write_programs
from adjoint_lab.scenes import Scene, numbers_of, scene_of
from adjoint_lab.serve import messages
from adjoint_lab.serve.dispatcher import Push
from adjoint_lab.serve.messages import Message

MAX_INPUT = 1e6  # the largest absolute value of an input
_INITIAL = (2.0, -3.0, 1.0, 0.5, -1.0, 1.5)  # the initial numbers of the names, in their order


class Preset(TypedDict):
    """An example expression."""

    title: str
    expression: str
    numbers: dict[str, float]


PRESETS: list[Preset] = [
    {
        "title": "tanh neuron",
        "expression": "tanh(x1*w1 + x2*w2 + b)",
        "numbers": {"x1": 2.0, "w1": -3.0, "x2": 0.0, "w2": 1.0, "b": 6.881373587019543},
    },
    {
        "title": "L = (a·b + c)·f",
        "expression": "d = a*b\ne = d + c\nL = e*f",
        "numbers": {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0},
    },
    {
        "title": "tanh neuron, named",
        "expression": "x1w1 = x1*w1\nx2w2 = x2*w2\nx1w1x2w2 = x1w1 + x2w2\nn = x1w1x2w2 + b\no = tanh(n)",
        "numbers": {"x1": 2.0, "w1": -3.0, "x2": 0.0, "w2": 1.0, "b": 6.881373587019543},
    },
    {
        "title": "sigmoid neuron with loss",
        "expression": "0.5*(sigmoid(w1*x1 + w2*x2 + b) - 1)**2",
        "numbers": {"w1": 0.5, "x1": 2.0, "w2": -0.5, "x2": 3.0, "b": 0.1},
    },
    {"title": "a + a", "expression": "a + a", "numbers": {"a": 3.0}},
    {"title": "diamond", "expression": "(2*a) * (a + 3)", "numbers": {"a": 2.0}},
    {"title": "square of a line", "expression": "(a*b + c)**2", "numbers": {"a": 2.0, "b": -3.0, "c": 10.0}},
    {
        "title": "vanishing sigmoids",
        "expression": "sigmoid(sigmoid(sigmoid(sigmoid(sigmoid(sigmoid(w*x))))))",
        "numbers": {"w": 1.5, "x": 1.0},
    },
    {"title": "residual", "expression": "x + tanh(w*x)", "numbers": {"x": 1.5, "w": 2.0}},
    {"title": "dead ReLU", "expression": "relu(w*x + b)", "numbers": {"w": -1.0, "x": 2.0, "b": 0.5}},
]


class Explore:
    """The room; it keeps no state between messages."""

    NEWEST_WINS = frozenset({"set", "move"})

    def __init__(self, push: Push):
        self._actions: dict[str, Callable[[Message], Mapping[str, object]]] = {
            "presets": lambda message: {"presets": PRESETS},
            "set": self._set,
            "move": self._move,
            "nudge": self._nudge,
            "program": self._program,
            "export": self._export,
        }

    def handle(self, do: str, message: Message) -> Mapping[str, object]:
        """Carry out a message."""
        if do not in self._actions:
            raise unknown_name_error("action", do, self._actions)
        return self._actions[do](message)

    def close(self) -> None:
        """Do nothing: the room has no threads."""

    def _set(self, message: Message) -> Mapping[str, object]:
        expression, numbers = _read(message)
        notes = " ".join(expression.notes)
        return {"scene": _scene(expression, numbers), "numbers": numbers, "notes": notes}

    def _move(self, message: Message) -> Mapping[str, object]:
        root = _compute(*_read(message))
        return numbers_of(root, messages.whole(message, "at", 0, 10**6, None))

    def _nudge(self, message: Message) -> Mapping[str, object]:
        expression, numbers = _read(message)
        name = messages.one_of(message, "name", _inputs(expression))
        h = messages.number(message, "h", -MAX_INPUT, MAX_INPUT)
        return nudge(lambda moved: expression.value(moved), numbers, name, h)

    def _program(self, message: Message) -> Mapping[str, object]:
        return write_programs(*_read(message))

    def _export(self, message: Message) -> Mapping[str, object]:
        expression, numbers = _read(message)
        scene = _scene(expression, numbers)
        at = messages.whole(message, "at", 0, len(scene["steps"]), None)
        return {"html": page_of(scene, expression.title, at)}


def _read(message: Message) -> tuple[Expression, dict[str, float]]:
    """Return the expression of a message and a number for each input: from the text, the message, or an initial one."""
    expression = Expression(messages.text(message, "expression", 2000))
    given = messages.fields(message, "numbers", {})
    numbers = {}
    for i, name in enumerate(expression.names):
        source = expression.given if name in expression.given else given
        numbers[name] = messages.number(source, name, -MAX_INPUT, MAX_INPUT, _INITIAL[i % len(_INITIAL)])
    return expression, numbers


def _scene(expression: Expression, numbers: Mapping[str, float]) -> Scene:
    return scene_of(_compute(expression, numbers), _inputs(expression))


def _inputs(expression: Expression) -> list[str]:
    """Return the inputs that are in the graph."""
    used = expression.used
    return [name for name in expression.names if name in used]


def _compute(expression: Expression, numbers: Mapping[str, float]) -> Value:
    values = expression.values(numbers)
    root = values[expression.result]
    if root.parents and not root.label and "out" not in values:
        root.label = "out"
    return root


def nudge(
    compute: Callable[[Mapping[str, Any]], Value], numbers: Mapping[str, float], name: str, h: float
) -> dict[str, object]:
    """Change one input by `h`, and return the change of the result that the gradient predicts and the actual one.

    >>> nudge(lambda moved: Expression("a*a").value(moved), {"a": 3.0}, "a", 0.5)["predicted"]
    3.0
    """
    inputs = {key: Value(x, label=key) for key, x in numbers.items()}
    before = compute(inputs)
    with guards(missing_history=False):  # the result may be an input
        before.backward()
    gradient = inputs[name].grad
    after = compute(dict(numbers) | {name: numbers[name] + h}).data
    found = {"before": before.data, "after": after, "gradient": gradient, "predicted": gradient * h}
    return {key: as_json(float(x)) for key, x in (found | {"real": after - before.data}).items()}
