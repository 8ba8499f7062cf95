"""Drawings of a learner's own Value: any object with `data` and `_prev`, and `grad`, `_op` and `label` if it has them.

The checker of the course uses public names of `adjoint.see`, to mark nodes:

    scene = lookalike_scene(root, {id(node): "should be -4.0000"})
    print(scene_as_text(scene))
    page = scene_as_svg(scene)
    message = dataclasses.asdict(scene)     # as JSON: only texts, indices and lists

`lookalike_scene(root, notes)` returns a `Scene`. `notes` maps the id of a node to a short text, which its box shows in
a highlighted style: in red in a picture, after `<--` in text. `labels` names nodes by their id, instead of their own
label. `scene.boxes` are in the order of evaluation, each operand before the nodes that use it, and the last box is the
root. A box has `kind` ("leaf", "result" or "root"), `name`, `rows` ("data 2.0000", "grad 1.0000"), `op`, `title`
("v1 = a * b") and `note`. `scene.edges` are operands: `source` and `target` are indices of boxes. A graph with a cycle
raises a GraphError, and a `_prev` that is not a tuple, list or set an ArgumentError; both are meant to be shown to the
learner.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, shortened
from adjoint.see.drawing.node_graphs import Content, as_summary, compose, name_in_errors
from adjoint.see.drawing.scene import MOST_BOXES, NAME_LENGTH, Choices, Scene
from adjoint.see.explanation.naming import one_line

_WITH_NUMBER = re.compile(r"(\*\*|[-+*/%@])\s*([-+.\w]+)")  # an operator with its constant operand: **2
_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@")


class Lookalike(Protocol):
    """A node like micrograd's Value."""

    data: Any
    _prev: Any


def is_lookalike(x: object) -> bool:
    """Return whether `x` is a node like micrograd's Value: an object with `data` and `_prev`.

    >>> from adjoint import Value
    >>> from adjoint.see import is_lookalike
    >>> is_lookalike(Value(2.0)), is_lookalike(2.0)
    (True, False)
    """
    return not isinstance(x, type) and hasattr(x, "_prev") and hasattr(x, "data")


def lookalike_scene(
    root: object,
    notes: Mapping[int, str] | None = None,
    labels: Mapping[int, str] | None = None,
    *,
    choices: Choices | None = None,
    most: int = MOST_BOXES,
) -> Scene:
    """Return the content of a picture of the graph below `root`. `notes` has remarks and `labels` has names, by id.

    >>> from adjoint import Value
    >>> from adjoint.see import lookalike_scene
    >>> a = Value(2.0, label="a")
    >>> [box.title for box in lookalike_scene(a * a).boxes]
    ['a', 'v1 = a * a']
    """
    names = labels or {}
    return compose(
        root, _operands, lambda node: _content(node, names.get(id(node), "")), choices or Choices(), most, notes
    )


def _operands(node: object) -> Sequence[object]:
    if isinstance(node, Value):
        return list(node._operands)
    if not is_lookalike(node):  # a plain number among the operands
        return ()
    operands = getattr(node, "_prev")  # noqa: B009
    if operands is None:
        return ()
    if isinstance(operands, set | frozenset):  # a set has no order of its own; the picture must not change between runs
        return sorted(operands, key=_rank)
    if not isinstance(operands, tuple | list):
        raise ArgumentError(
            f"the _prev of {name_in_errors(node)} must be a tuple, a list or a set of its operands, "
            f"not {describe(operands)}"
        )
    return operands


def _rank(node: object) -> tuple[str, str, str]:
    return str(getattr(node, "label", "")), _op(node), shortened(getattr(node, "data", node))


def _op(node: object) -> str:
    op = getattr(node, "_op", "")
    return one_line(op) if op else ""


def _content(node: object, given: str = "") -> Content:
    if not is_lookalike(node):
        shown = as_summary(node)
        return Content(f"{shown:g}" if isinstance(shown, float) else str(shown))
    op, label = _op(node), given or getattr(node, "label", "")
    is_set = isinstance(getattr(node, "_prev", ()), set | frozenset) and not isinstance(node, Value)
    content = Content(
        one_line(label, NAME_LENGTH) if isinstance(label, str) else "", op or "?", getattr(node, "data", None)
    )
    if hasattr(node, "grad"):
        content.grad = getattr(node, "grad", None)
    content.formula = lambda names: format_operation(op, names, is_set)
    return content


def format_operation(op: str, names: Sequence[str], is_set: bool = False) -> str:
    """Return an operation as text. In a set, an operand that is used twice occurs once.

    >>> format_operation("+", ["a", "b"]), format_operation("+", ["a"], is_set=True), format_operation("**2", ["a"])
    ('a + b', 'a + a', 'a ** 2')
    >>> format_operation("ReLU", ["a"]), format_operation("-", ["a"]), format_operation("", ["a"])
    ('ReLU(a)', '-a', '?(a)')
    """
    if op in _OPERATORS and is_set and len(names) == 1 and op not in ("-", "neg"):
        names = [*names, *names]
    if op in _OPERATORS and len(names) > 1:
        return f" {op} ".join(names)
    if op in ("-", "neg") and len(names) == 1:
        return f"-{names[0]}"
    constant = _WITH_NUMBER.fullmatch(op)
    if constant and len(names) == 1:
        return f"{names[0]} {constant[1]} {constant[2]}"
    return f"{op or '?'}({', '.join(names)})"
