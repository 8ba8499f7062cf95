"""Drawings of PyTorch's own graph: `tensor.grad_fn`, its `next_functions`, and the leaves below them.

A node of this graph is a function of the backward pass. It keeps the tensors that its derivative needs, which
`backward()` frees. The numbers that it computed in the forward pass are not part of the graph.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from adjoint.see.drawing.node_graphs import Content, as_summary, compose
from adjoint.see.drawing.scene import Choices, Scene, in_a_box

_SAVED = "_saved_"
_NUMBERS = (
    "exponent",
    "index",
    "negative_slope",
    "p",
    "threshold",
)  # operands; other numbers are settings


class Differentiable(Protocol):
    """A tensor of PyTorch, for type checkers that do not have PyTorch."""

    @property
    def grad_fn(self) -> Any: ...


def is_torch(x: object) -> bool:
    """Return whether `x` is a tensor of PyTorch or a node of its graph; this does not import PyTorch."""
    is_tensor = any(cls.__module__ == "torch" and cls.__name__ == "Tensor" for cls in type(x).__mro__)
    return is_tensor or (hasattr(x, "next_functions") and hasattr(x, "name"))


def torch_scene(root: Any, choices: Choices, most: int) -> Scene:
    """Return the content of a picture of the graph that `root.backward()` walks, from the leaves to `root`."""
    scene = compose(root, _operands, lambda node: _content(node, choices), choices, most)
    if not _operands(root) and not getattr(root, "requires_grad", True):
        scene.note = "PyTorch recorded no graph: this tensor does not require a gradient"
    return scene


def _operands(node: Any) -> Sequence[Any]:
    if hasattr(node, "next_functions"):
        return [function for function, _ in node.next_functions if function is not None]  # None: no gradient is needed
    return [] if node.grad_fn is None else [node.grad_fn]


def _content(node: Any, choices: Choices) -> Content:
    if not hasattr(node, "next_functions"):
        return _tensor(node, "tensor")
    variable = getattr(node, "variable", None)
    if variable is not None:  # a node AccumulateGrad, which adds to the gradient of a leaf
        return _tensor(variable, "AccumulateGrad")
    return Content(node.name().rpartition("::")[2], rows=list(_saved(node, choices)))


def _tensor(tensor: Any, kind: str) -> Content:
    label = getattr(tensor, "label", None)
    content = Content(label if isinstance(label, str) and label else kind, data=tensor.detach())
    if content.label != kind:
        content.rows.append(kind)
    if tensor.is_leaf or tensor.retains_grad:
        if tensor.requires_grad:
            content.grad = tensor.grad
    else:
        content.rows.insert(0, "grad not kept")  # reading it would warn
    return content


def _saved(node: Any, choices: Choices) -> Iterator[str]:
    """Yield a row for each tensor or number that the derivative needs; the numbers are missing once they are freed."""
    for name in dir(node):
        if not name.startswith(_SAVED):
            continue
        shown = name.removeprefix(_SAVED)
        try:
            saved = getattr(node, name)
        except RuntimeError as error:
            yield f"saved {shown} {'changed in place' if 'inplace' in str(error) else 'freed'}"
            continue
        if hasattr(saved, "detach"):
            yield f"saved {shown} {in_a_box(as_summary(saved.detach()), choices)}"
        elif isinstance(saved, float | int) and shown in _NUMBERS:
            yield f"saved {shown} {saved:g}"
