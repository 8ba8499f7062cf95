"""The contribution of an array operation to an operand, described in a line: `xᵀ @ out.grad   (3, 100) @ (100, 16)`.

The table has a text for each operand; the last text also serves the operands after it. `{g}` stands for the gradient of
the result, `{y}` for the result, `{x}` for the operand itself, `{0}`, `{1}`, … for all operands in order; `:T`
transposes. The texts describe the vector-Jacobian products of the array operations, which compute the numbers.
"""

from collections.abc import Sequence
from math import prod

_ANY = "the vector-Jacobian product of {op} with {g}"
_SELECTED = "{g} at the selected positions, 0 elsewhere"
_SLICE = "the slice of {g} that came from {x}"
_SENTENCES: dict[str, tuple[str, ...]] = {
    "@": ("{g} @ {1:T}", "{0:T} @ {g}"),
    "linear": ("{g} @ {1}", "{g:T} @ {0}", "{g} summed over the samples"),
    "einsum": ("the same product with {g} instead of {x}",),
    "sum": ("{g}, repeated for every element of the sum",),
    "mean": ("{g} / {count}, repeated for each of the {count} elements of the mean",),
    "max": ("{g} where {x} is largest, split between ties, 0 elsewhere",),
    "min": ("{g} where {x} is smallest, split between ties, 0 elsewhere",),
    "norm": ("{g} · {x} / {y}",),
    "logsumexp": ("{g} · softmax({x})",),
    "softmax": ("{y} · ({g} − sum({g} · {y}))",),
    "log_softmax": ("{g} − e^{y} · sum({g})",),
    "cumsum": ("the cumulative sum of {g} from the end",),
    "attention": ("scale · {y} · ({g} − sum({g} · {y}))", "{y} · ({g} − sum({g} · {y}))"),
    "layer_norm": (_ANY, "{g} times the normalized {0}, summed over the samples", "{g} summed over the samples"),
    "reshape": ("{g} reshaped to the shape of {x}",),
    "permute_dims": ("{g} with the axes in their original order",),
    "broadcast_to": ("{g} summed over the axes along which {x} was repeated",),
    "astype": ("{g} converted to the dtype of {x}",),
    "flip": ("{g} flipped back",),
    "roll": ("{g} rolled back",),
    "concat": (_SLICE,),
    "stack": (_SLICE,),
    "getitem": (_SELECTED,),
    "at_add": ("{g}", "{g} at the positions that {x} was added to"),
    "at_set": ("{g}, 0 at the positions that were set", "{g} at the positions that were set to {x}"),
    "clip": ("{g} where {x} is within the bounds, 0 elsewhere", _ANY),
    "where": ("{g} where {x} was chosen, 0 elsewhere",),
    "triangle": ("{g} in the same triangle, 0 elsewhere",),
    "max_pool": ("{g} at the largest element of each window, 0 elsewhere",),
    "inv": ("−{y:T} @ {g} @ {y:T}",),
    "identity": ("{g}",),
}


class _OperandName(str):
    """A name in a text; `:T` appends the sign of the transpose."""

    def __format__(self, spec: str) -> str:
        return f"{self}ᵀ" if spec else str(self)


class _Shape(tuple):
    """The shape of an array in place of its name; `:T` swaps the last two axes."""

    def __format__(self, spec: str) -> str:
        return str((*self[:-2], *self[-2:][::-1]) if spec else tuple(self))


def sentence(
    op: str, i: int, result: str, operands: Sequence[str], y: tuple[int, ...], shapes: Sequence[tuple[int, ...]]
) -> tuple[str, str]:
    """Return the contribution of an array operation to operand `i`, and the shapes that it is computed from.

    >>> sentence("@", 1, "out", ["x", "W"], (100, 16), [(100, 3), (3, 16)])
    ('xᵀ @ out.grad', '(3, 100) @ (100, 16)')
    """
    texts = _SENTENCES.get(op, (_ANY,))
    text = texts[min(i, len(texts) - 1)]
    names = [_OperandName(x) for x in operands]
    about = {"op": op, "count": prod(shapes[i]) // max(1, prod(y))}
    product = text.format(*names, g=_OperandName(f"{result}.grad"), y=_OperandName(result), x=names[i], **about)
    if "@" in text:
        measures = [_Shape(shape) for shape in shapes]
        return product, text.format(*measures, g=_Shape(y), y=_Shape(y), x=measures[i], **about)
    return product, str(y) if y == shapes[i] else f"{y} → {shapes[i]}"


def of_elements(factor: str, result: str, y: tuple[int, ...], shape: tuple[int, ...]) -> tuple[str, str]:
    """Return the same for an elementwise operation: the gradient times a factor, summed over the broadcast axes.

    >>> of_elements("b", "out", (100, 16), (16,))
    ('out.grad · b, summed over the broadcast axes', '(100, 16) → (16,)')
    """
    product = f"{result}.grad · {factor}"
    return (product, str(y)) if y == shape else (f"{product}, summed over the broadcast axes", f"{y} → {shape}")
