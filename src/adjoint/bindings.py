"""Every reference from a lower layer to a higher one, each with its reason.

Imports in all other files point downward. A lower layer calls these functions by their names in `engine/late.py`, and
each imports what it needs when it is called, so `import adjoint` loads neither NumPy nor the drawings.
"""

import os
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from adjoint.engine import late
from adjoint.errors.given import is_array, is_table
from adjoint.errors.optional import installed_numpy, library, needs_numpy

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor
    from adjoint.engine.rule import Op
    from adjoint.engine.value import Value
    from adjoint_lab.widget import Exploration


def install() -> None:
    """Bind each name that `engine/late.py` declares to the function of that name in this file."""
    for name in late.__annotations__:
        setattr(late, name, globals()[name])


# --- engine -> its own higher files: what a rule and a node need of the table and of the class ----------------------


def value() -> ModuleType:
    """Return the module of numbers: its base classes make constants and leaves."""
    from adjoint.engine import value

    return value


def row_doc(op: "Op") -> str | None:
    """Return the documentation of a row of the table."""
    from adjoint.engine.row_docs import doc_of

    return doc_of(op)


def rule_as_text(op: "Op") -> str:
    """Return a rule as mathematics, which the repr of an operation shows."""
    from adjoint.engine.mathematics.printing import rule_as_mathematics

    return rule_as_mathematics(op)


# --- engine -> arrays: a number that meets an array --------------------------------------------------------------


def tensor() -> ModuleType:
    """Return the module of arrays: an operation on a number and an array gives an array."""
    try:
        from adjoint.arrays import tensor
    except ModuleNotFoundError as error:
        raise needs_numpy(error) or error from None
    return tensor


def class_for(data: object) -> "type[Tensor] | None":
    """Return `Tensor` if `data` is an array, nested lists or a table, None for a number: `Value([1.0])` is an array."""
    return tensor().Tensor if isinstance(data, (list, tuple)) or is_array(data) or is_table(data) else None


def compute(op: "Op", operands: Sequence) -> object:
    """Apply a row of the table to plain arrays: `adjoint.tanh(np_array)`."""
    from adjoint.arrays.kernels import compute

    return compute(op, operands)


def number_like(y: float, operands: Sequence) -> object:
    """Return the result of a row on NumPy's numbers in their dtype, if it is narrower than a float."""
    from adjoint.arrays.convert import number_like

    return number_like(y, operands)


def array_contributions(node: "Value", gradient: object, create_graph: bool) -> list:
    """Return what an array node passes back: a graph may hold numbers and arrays."""
    from adjoint.arrays.backward_pass import contributions_of_array

    return contributions_of_array(node, gradient, create_graph)


def array_ufunc(self: object, ufunc: Callable, method: str, *inputs: object, **options: object) -> object:
    """Compute `np.exp(value)` and the like: NumPy calls this method of a Value."""
    from adjoint.arrays.numpy_protocol import array_ufunc

    return array_ufunc(ufunc, method, inputs, options)


def array_function(self: object, function: Callable, types: object, arguments: tuple, options: dict) -> object:
    """Compute `np.sum(value)` and the like: NumPy calls this method of a Value."""
    from adjoint.arrays.numpy_protocol import array_function

    return array_function(function, arguments, options)


def float64() -> object:
    """Return the dtype of a number, as NumPy names it; a number has none where NumPy is not installed."""
    if not installed_numpy():
        raise AttributeError("the dtype of a Value is one of NumPy, which is not installed")
    from adjoint.arrays.convert import NUMBER_DTYPE

    return NUMBER_DTYPE


def copying() -> ModuleType:
    """Return the module that copies and pickles graphs: one graph may hold numbers and arrays."""
    from adjoint.arrays import copying

    return copying


# --- arrays -> operations on arrays that are made of others ---------------------------------------------------------


def astype(x: Any, dtype: Any) -> Any:
    """Convert an array: operations compute arrays of half precision in float32."""
    from adjoint.arrays.functions.shaping import astype

    return astype(x, dtype)


def take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    """Return the elements at indices: `x.max(dim=1)` returns them with their gradient."""
    from adjoint.arrays.functions.indexing import take_along_axis

    return take_along_axis(x, indices, axis)


def nuclear_norm(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    """Return the sum of the singular values of matrices: `adjoint.norm(x, "nuc")`."""
    from adjoint.arrays.functions.linalg import norm

    return norm(x, "nuc", axes, keepdims)


# --- arrays -> compat: methods under PyTorch's names ----------------------------------------------------------------


def torch_functions() -> ModuleType:
    """Return the module of functions with PyTorch's parameters, which are methods of arrays: `x.permute(1, 0)`."""
    from adjoint.compat import torch_functions

    return torch_functions


# --- data -> files: the file of a tokenizer is replaced atomically -----------------------------------------------


def write_file(path: str | os.PathLike, content: bytes) -> None:
    """Replace the content of a file atomically."""
    from adjoint.files.atomic import write

    write(path, content)


# --- nn -> files: pretrained weights ------------------------------------------------------------------------------


def gpt2_files() -> ModuleType:
    """Return the module that reads and writes GPT-2 models in the layout of Hugging Face."""
    from adjoint.files import gpt2

    return gpt2


# --- engine, compile, nn, training -> see, adjoint_lab: how an object displays itself ---------------------------


def mimebundle(self: Any, include: object = None, exclude: object = None) -> dict[str, str]:
    """Return what a notebook shows for a Value, an explanation or a compiled program of numbers, by media type."""
    from adjoint.see.drawing.notebook import bundle

    return bundle(self)


def rich_text(self: Any) -> object:
    """Return what a rich console shows for a Value or an explanation."""
    from adjoint.see.drawing.notebook import console_text

    return console_text(self)


def explore(self: Any) -> "Exploration":
    """Return a notebook widget for the graph of a Value: its steps one by one, and a slider for each input.

    The sliders move a copy; the Value itself stays as it is. This needs the extra `notebook`.
    """
    library("adjoint_lab", "value.explore()", "notebook")
    from adjoint_lab.widget import Exploration

    return Exploration(self)


def module_drawing() -> ModuleType:
    """Return the module that draws an `nn.Module` in notebooks and consoles."""
    from adjoint.see.drawing import modules

    return modules


def history_plots() -> ModuleType:
    """Return the module that plots a `History` in notebooks and consoles."""
    from adjoint.see.plots import histories

    return histories


def plot_loss(*arguments: Any, **options: Any) -> Any:
    """Plot a `History`: the method `history.plot()`."""
    from adjoint.see.plots import plot_loss

    return plot_loss(*arguments, **options)
