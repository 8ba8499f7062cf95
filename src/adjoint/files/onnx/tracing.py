"""Traces: the operations that a model records in two runs, which differ in the size of the batch."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError, ConversionError
from adjoint.errors.given import describe
from adjoint.nn.modes import evaluation_mode
from adjoint.nn.module import Module
from adjoint.nn.observation import forward_hooks
from adjoint.nn.state import as_array
from adjoint.transforms.trees import tree_leaves

FIXED = "export it for a fixed batch size with dynamic_batch=False"


@dataclass
class Trace:
    """One run: its inputs, its outputs, and every operation, each after its operands."""

    inputs: list[Any]  # Values, and plain arrays of integers
    outputs: list[Tensor]
    nodes: list[Value]
    layers: dict[int, str]  # for each node, by its id, the layer that made it


def two_traces(model: Module, sample: object, dynamic_batch: bool) -> tuple[Trace, Trace]:
    """Return a run on the sample, and one on other numbers, in a larger batch if the batch may have any size."""
    dtype = next((p.numpy().dtype for p in model.parameters() if isinstance(p, Tensor)), np.dtype("float64"))
    arrays = [_as_array(x, dtype) for x in (sample if isinstance(sample, tuple) else (sample,))]
    others = [_other_numbers(x, dynamic_batch) for x in arrays]
    with evaluation_mode(model):
        first = _trace(model, arrays)
        try:
            second = _trace(model, others)
        except AdjointError as error:
            raise ConversionError(f"the model does not accept a batch of another size ({error}); {FIXED}") from error
    if [x._rule for x in first.nodes] != [x._rule for x in second.nodes] or len(first.outputs) != len(second.outputs):
        raise ConversionError(
            "the model runs different operations depending on its input or batch size; an ONNX graph has no branches"
        )
    return first, second


def _as_array(x: object, dtype: np.dtype) -> np.ndarray:
    array = as_array(x)
    if array is None or array.dtype.kind not in "fiu" or not array.size:
        raise ArgumentError(f"the sample must be an array of numbers, or a tuple of them, not {describe(x)}")
    return array.astype(dtype if array.dtype.kind == "f" else np.int64)


def _other_numbers(x: np.ndarray, is_longer: bool) -> np.ndarray:
    """Return an input with other numbers from the same range, which the model accepts too."""
    if is_longer:
        if not x.ndim:
            raise ConversionError(f"a sample without axes has no batch axis; {FIXED}")
        x = np.concatenate([x[:1], x, x])  # at least two more rows, because half of the batch, rounded, could be equal
    x = np.flip(x).copy()
    return np.where(x == 0, 0.125, 0.875 * x).astype(x.dtype) if x.dtype.kind == "f" else x


def _trace(model: Module, arrays: list[np.ndarray]) -> Trace:
    inputs: list[Any] = [Tensor(x) if x.dtype.kind == "f" else x for x in arrays]
    layers: dict[int, str] = {}

    names = {
        id(module): f"{path}, {module._headline()}" if path else module._headline()
        for path, module in model.named_modules()
    }

    def note(module: Module, given: tuple, output: object) -> None:
        before = {x for x in tree_leaves(list(given)) if isinstance(x, Value)}
        for node in backward_order(*(y for y in tree_leaves(output) if isinstance(y, Tensor)), until=before):
            layers.setdefault(id(node), names[id(module)])

    with forward_hooks(model, note):
        outputs = tree_leaves(model(*inputs))
    for y in outputs:
        if not isinstance(y, Tensor):
            raise ConversionError(f"the model returned {describe(y)}, which is not the result of adjoint's operations")
    return Trace(inputs, outputs, backward_order(*outputs)[::-1], layers)
