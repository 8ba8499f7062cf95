"""Pictures of a computation. `adjoint.draw(root)` shows the graph below a Value, and other kinds of graphs."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from adjoint.engine.value import Value

if TYPE_CHECKING:
    from adjoint.compile.backend import Program
    from adjoint.compile.programs import NotCompiled
    from adjoint.nn.module import Module
    from adjoint.see.drawing.lookalikes import Lookalike
    from adjoint.see.drawing.pictures import Drawing
    from adjoint.see.drawing.torch_graphs import Differentiable
    from adjoint.see.explanation.groups import Groups


def draw(
    root: "Value | Module | Program | NotCompiled | Lookalike | Differentiable",
    format: str | None = None,
    *,
    direction: str | None = None,
    fields: Sequence[str] = ("label", "data", "grad"),
    numbers: str | None = None,
    width: int | None = None,
    groups: "Groups | None" = None,
    opened: Collection[str] | None = None,
) -> "Drawing":
    """Return a picture of the graph that computed `root`, as "text", "svg", "dot", "mermaid", "png" or "pdf".

    Without a format it is text, which notebooks display as an SVG picture.
    `fields` selects what is shown of a node ("label", "data", "grad") and `numbers` is a number format such as ".3g".
    Graphs run from left to right, or with `direction="TB"` from top to bottom. Lines of text are cut at `width`.
    With `groups`, the result of `with grouping(model) as groups`, a large graph has one box for each layer; layers
    named in `opened` show their contents. PNG and PDF are `bytes(draw(root, "png"))` and need the extra `images`.

    `root` may also be

    - a model. A small network is drawn with a circle for each neuron and a line for each weight, or with
      `fields=["grad"]` for each gradient; other models have a box for each layer;
    - a node of another class, such as micrograd's Value or your own, that has `data` and `_prev`, a tuple, list or set
      of operands; `grad`, `_op` and `label` are shown if they exist;
    - a tensor of PyTorch, for PyTorch's own graph: `grad_fn`, its `next_functions` and what they save;
    - the program of a compiled function of numbers, `draw(f.program)`. It has a box for the instructions of each kind
      and depth, such as the neurons of a layer, and runs from top to bottom by default.

    >>> from adjoint import Value, draw
    >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    >>> c = a * b + a
    >>> c.backward()
    >>> print(draw(c))
    v2 = v1 + a  data -4.0000  grad 1.0000
    ├── v1 = a * b  data -6.0000  grad 1.0000
    │   ├── a  data 2.0000  grad -2.0000
    │   └── b  data -3.0000  grad 2.0000
    └── a  (above)
    """
    from adjoint.see.drawing.pictures import make_drawing

    return make_drawing(root, format, direction, fields, numbers, width, groups, opened)


def to_dot(
    root: "Value | Module | Program | NotCompiled | Lookalike | Differentiable",
    *,
    direction: str | None = None,
    fields: Sequence[str] = ("label", "data", "grad"),
    numbers: str | None = None,
    groups: "Groups | None" = None,
    opened: Collection[str] | None = None,
) -> "Drawing":
    """Return the graph as source for Graphviz. The options are those of `draw`.

    >>> from adjoint import Value, to_dot
    >>> print(to_dot(Value(2.0, label="a")))
    digraph {
      rankdir=LR;
      node [fontname="monospace", fontsize=11];
      v0 [shape=record, label="{ a | data 2.0000 | no gradient yet }", tooltip="a"];
    }
    """
    return draw(root, "dot", direction=direction, fields=fields, numbers=numbers, groups=groups, opened=opened)


def draw_dot(root: "Value | Lookalike", format: str = "svg", rankdir: str = "LR") -> "Drawing":
    """Return a picture of the graph that computed `root`: `draw` with the name and arguments of micrograd's notebooks.

    >>> from adjoint import Value, draw_dot
    >>> print(draw_dot(Value(2.0, label="a") + 1.0, format="text"))
    v1 = a + 1  data 3.0000  no gradient yet
    └── a  data 2.0000  no gradient yet
    """
    return draw(root, format, direction=rankdir)
