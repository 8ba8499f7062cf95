"""How notebooks and rich consoles display a module: a foldable tree of layers and their parameters."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from adjoint.engine.value import Value
from adjoint.nn.members import frozen_note
from adjoint.nn.module import Module

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

_MOST_INSIDE = 40  # the most parts of one module that are shown
_MOST_LINES = 600  # the most lines in total

_STYLE = """\
<style>
.adjoint-module { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; max-width: 56em; }
.adjoint-module details, .adjoint-module .adjoint-leaf { margin-left: 1.4em; }
.adjoint-module > details { margin-left: 0; }
.adjoint-module summary { cursor: pointer; }
.adjoint-module summary, .adjoint-module .adjoint-leaf { border-bottom: 1px solid rgba(128, 128, 128, .25); }
.adjoint-module .adjoint-name { opacity: .7; }
.adjoint-module .adjoint-count { float: right; margin-left: 2em; font-variant-numeric: tabular-nums; }
</style>"""


class Line(NamedTuple):
    """A module, a parameter or a buffer in the tree, with its contents."""

    name: str
    what: str
    size: str
    inside: list["Line"]
    is_module: bool = False


def as_html(module: Module) -> str:
    """Return a foldable tree of the layers; each shows its parameters and buffers when it is opened.

    >>> from adjoint import nn
    >>> shown = as_html(nn.Sequential(nn.Linear(2, 3, seed=0), nn.ReLU()))
    >>> shown.count("<details"), "Linear(2, 3)" in shown
    (2, True)
    """
    return f'{_STYLE}\n<div class="adjoint-module">\n{_html(_lines(module), is_open=True)}\n</div>'


def as_tree(module: Module) -> "Tree":
    """Return the layers as a rich tree.

    >>> from adjoint import nn
    >>> tree = as_tree(nn.Sequential(nn.Linear(2, 3, seed=0), nn.ReLU()))
    >>> [branch.label.plain for branch in tree.children]
    ['0  Linear(2, 3)  9 parameters', '1  ReLU()']
    """
    from rich.tree import Tree

    root = _lines(module)
    tree = Tree(_text(root), guide_style="dim")
    waiting = [(tree, root)]
    while waiting:
        branch, line = waiting.pop(0)
        if any(each.is_module for each in line.inside):  # a console cannot fold, so a plain layer is one line
            waiting += [(branch.add(_text(each)), each) for each in line.inside]
    return tree


def _lines(module: Module) -> Line:
    """Return the tree of a module, with at most _MOST_LINES lines."""
    left = iter(range(_MOST_LINES))
    root = _line("", module, (), left)
    return root if module.training else root._replace(what=f"{root.what}, in evaluation mode")


def _line(name: str, module: Module, within: tuple[Module, ...], left: Iterator[int]) -> Line:
    inside: list[Line] = []
    if all(module is not other for other in within):  # a part that contains its own container is only named
        parts = list(_parts(module))
        for i, (part, x, kind) in enumerate(parts):
            if i == _MOST_INSIDE or next(left, None) is None:
                inside.append(Line("", f"… and {len(parts) - i} more", "", []))
                break
            nested = isinstance(x, Module)
            inside.append(_line(part, x, (*within, module), left) if nested else Line(part, _array(x), kind, []))
    what, count = module._headline(), _count(module)
    size = "" if count in what else count  # the headline of an MLP has the count
    return Line(name, what, size, inside, is_module=True)


def _parts(module: Module) -> Iterator[tuple[str, object, str]]:
    """Yield the name, the object and the size of each part: own parameters, buffers, then modules."""
    inner = {id(p) for _, child in module.named_children() for p in child.parameters()}
    for name, p in module.named_parameters():
        if id(p) not in inner:
            yield name, p, f"{_size(p):,}"
    for name, is_saved in module._buffers.items():
        if is_saved and getattr(module, name) is not None:
            yield name, getattr(module, name), "buffer"
    for name, child in module.named_children():
        yield name, child, ""


def _count(module: Module) -> str:
    count = sum(map(_size, module.parameters()))
    return f"{count:,} parameter{'s' if count != 1 else ''}{frozen_note(module.parameters())}" if count else ""


def _size(p: Value) -> int:
    return getattr(p, "size", 1)


def _array(x: object) -> str:
    """Return the shape and dtype of an array, or a single number."""
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if shape is not None and getattr(x, "_is_array", True):
        return f"{tuple(shape)} {dtype}"
    return f"{x.data:.4g}" if isinstance(x, Value) else str(x)


def _html(line: Line, is_open: bool = False) -> str:
    name = f'<span class="adjoint-name">{escape(line.name)}</span> ' if line.name else ""
    words = f'<span class="adjoint-count">{escape(line.size)}</span>{name}{escape(line.what)}'
    if not line.inside:
        return f'<div class="adjoint-leaf">{words}</div>'
    inside = "\n".join(map(_html, line.inside))
    return f"<details{' open' if is_open else ''}><summary>{words}</summary>\n{inside}\n</details>"


def _text(line: Line) -> "Text":
    from rich.text import Text

    shown = Text()
    if line.name:
        shown.append(f"{line.name}  ", style="dim")
    shown.append(line.what)
    if line.size:
        shown.append(f"  {line.size}", style="cyan")
    return shown
