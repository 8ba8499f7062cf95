"""What an operand of an array operation receives, in a line for people to read: `xᵀ @ out.grad   (3, 100) @ (100, 16)`.

A line of the table is a text for each operand. `{g}` stands for the gradient of the result, `{y}` for the result, `{x}`
for the operand itself, `{0}`, `{1}`, … for the operands in their order; `:T` asks for the transpose. Nothing is
computed from these texts: what they describe is the vector-Jacobian product in the table of operations.
"""

from collections.abc import Sequence

_ANY = "what the rule of {op} makes of {g}"
_PLACES = "{g} at the places that were taken, 0 elsewhere"
_PART = "the part of {g} that is at the place of {x}"
_SENTENCES: dict[str, tuple[str, ...]] = {
    "@": ("{g} @ {1:T}", "{0:T} @ {g}"),
    "linear": ("{g} @ {1}", "{g:T} @ {0}", "{g} added up over the samples"),
    "einsum": ("the same product with {g} in the place of {x}",),
    "sum": ("{g}, the same for every element that was added up",),
    "mean": ("{g} / {count}, the same for each of the {count} elements of a mean",),
    "max": ("{g} where {x} is largest, shared where several are, 0 elsewhere",),
    "min": ("{g} where {x} is smallest, shared where several are, 0 elsewhere",),
    "norm": ("{g} · {x} / {y}",),
    "logsumexp": ("{g} · softmax({x})",),
    "softmax": ("{y} · ({g} − the sum of {g} · {y})",),
    "log_softmax": ("{g} − e^{y} · the sum of {g}",),
    "cumsum": ("{g} added up from the end",),
    "attention": ("softmax's derivative times {g}, times the scale", "softmax's derivative times {g}"),
    "reshape": ("{g} in the shape of {x}",),
    "permute_dims": ("{g} with the axes in their old order",),
    "broadcast_to": ("{g} added up over the axes along which {x} was repeated",),
    "astype": ("{g} in the dtype of {x}",),
    "flip": ("{g} turned round again",),
    "roll": ("{g} rolled back",),
    "concat": (_PART,),
    "stack": (_PART,),
    "getitem": (_PLACES,),
    "at_add": ("{g}", "{g} at the places that {x} was added to"),
    "at_set": ("{g}, 0 at the places that were set", "{g} at the places that {x} was set to"),
    "clip": ("{g} where {x} is within the bounds, 0 elsewhere", _ANY),
    "where": ("{g} where {x} was chosen, 0 elsewhere",),
    "triangle": ("{g} in the same triangle, 0 elsewhere",),
    "max_pool": ("{g} at the largest element of each window, 0 elsewhere",),
    "inv": ("−{y:T} @ {g} @ {y:T}",),
    "identity": ("{g}",),
}


class _Name(str):
    """A name in a sentence."""

    def __format__(self, spec: str) -> str:
        return f"{self}ᵀ" if spec else str(self)


class _Shape(tuple):
    """The shape of an array, in the place of its name."""

    def __format__(self, spec: str) -> str:
        return str((*self[:-2], *self[-2:][::-1]) if spec else tuple(self))


def sentence(
    op: str, i: int, result: str, operands: Sequence[str], y: tuple[int, ...], shapes: Sequence[tuple[int, ...]]
) -> tuple[str, str]:
    """Return what operand `i` receives from an operation on arrays, and the shapes that it is computed from.

    >>> sentence("@", 1, "out", ["x", "W"], (100, 16), [(100, 3), (3, 16)])
    ('xᵀ @ out.grad', '(3, 100) @ (100, 16)')
    """
    texts = _SENTENCES.get(op, (_ANY,))
    text = texts[min(i, len(texts) - 1)]
    names, size, count = [_Name(x) for x in operands], 1, 1
    for length in shapes[i]:
        size *= length
    for length in y:
        count *= length
    about = {"op": op, "count": size // max(1, count)}
    said = text.format(*names, g=_Name(f"{result}.grad"), y=_Name(result), x=names[i], **about)
    if "@" in text:
        measures = [_Shape(shape) for shape in shapes]
        return said, text.format(*measures, g=_Shape(y), y=_Shape(y), x=measures[i], **about)
    return said, str(y) if y == shapes[i] else f"{y} → {shapes[i]}"


def of_elements(factor: str, result: str, y: tuple[int, ...], shape: tuple[int, ...]) -> tuple[str, str]:
    """Return the same for an operation on each element: the gradient times a factor, added up where it broadcast.

    >>> of_elements("b", "out", (100, 16), (16,))
    ('out.grad · b, added up over what was broadcast', '(100, 16) → (16,)')
    """
    said = f"{result}.grad · {factor}"
    return (said, str(y)) if y == shape else (f"{said}, added up over what was broadcast", f"{y} → {shape}")
