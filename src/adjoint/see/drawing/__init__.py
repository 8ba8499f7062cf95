"""Pictures of a computation. `adjoint.draw(root)` shows the graph below a Value."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from adjoint.engine.value import Value

if TYPE_CHECKING:
    from adjoint.see.drawing.pictures import Drawing
    from adjoint.see.explanation.groups import Groups


def draw(
    root: Value,
    format: str = "text",
    *,
    direction: str = "LR",
    fields: Sequence[str] = ("label", "data", "grad"),
    numbers: str | None = None,
    width: int | None = None,
    groups: "Groups | None" = None,
    opened: Collection[str] | None = None,
    layout: str = "layered",
) -> "Drawing":
    """Return a picture of `root` and all that it was computed from: "text", "svg", "dot", "png" or "pdf".

    `fields` says what is shown of a node ("label", "data", "grad"), `numbers` how (".3g"). Pictures run from left to
    right, or with `direction="TB"` from top to bottom; text is cut at `width`. With `groups`, the result of `with
    grouping(model) as groups`, a large graph is drawn with one box for each layer; layers named in `opened` are drawn
    with what is in them. `layout="graphviz"`, by the extra of that name, has fewer crossings and draws up to 500 boxes
    instead of 150. PNG and PDF need the extra `images`, and are `bytes(draw(root, "png"))`.

    >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    >>> print(draw(a * b + a))
    v2 = v1 + a  data -4.0000  grad 0.0000
    ├── v1 = a * b  data -6.0000  grad 0.0000
    │   ├── a  data 2.0000  grad 0.0000
    │   └── b  data -3.0000  grad 0.0000
    └── a  (above)
    """
    from adjoint.see.drawing.pictures import drawn  # only for those who look

    return drawn(root, format, direction, fields, numbers, width, groups, opened, layout)


def to_dot(root: Value, **choices: Any) -> "Drawing":
    """Return the graph as source for Graphviz; takes what `draw` takes.

    >>> print(to_dot(Value(2.0, label="a")))
    digraph {
      rankdir=LR;
      node [fontname="monospace", fontsize=11];
      v0 [shape=record, label="{ a | data 2.0000 | grad 0.0000 }", tooltip="a"];
    }
    """
    return draw(root, "dot", **choices)
