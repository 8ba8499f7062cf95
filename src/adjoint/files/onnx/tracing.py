"""Traces: the operations that a model records in two runs, which differ in the size of the batch."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.graph import backward_order
from adjoint.engine.value import Value
from adjoint.errors import AdjointError, ArgumentError, ConversionError
from adjoint.errors.given import describe
from adjoint.files.onnx.conditions import Made, compared, noted_conditions
from adjoint.nn.module import Module
from adjoint.nn.observation import forward_hooks
from adjoint.nn.state_entries import as_array
from adjoint.nn.training_modes import evaluation_mode
from adjoint.transforms.trees import tree_leaves

FIXED = "export it for a fixed batch size with dynamic_batch=False"


@dataclass
class OnnxTrace:
    """One run: its inputs, its outputs, and every operation, each after its operands."""

    inputs: list[Any]  # Values, and plain arrays of integers
    outputs: list[Tensor]
    nodes: list[Value]
    layers: dict[int, str]  # for each node, by its id, the layer that made it
    conditions: Made  # the comparisons, which are no nodes


def two_traces(model: Module, sample: object, dynamic_batch: bool) -> tuple[OnnxTrace, OnnxTrace]:
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


def _trace(model: Module, arrays: list[np.ndarray]) -> OnnxTrace:
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

    with forward_hooks(model, note), noted_conditions() as conditions:
        outputs = tree_leaves(model(*inputs))
    for y in outputs:
        if not isinstance(y, Tensor):
            raise ConversionError(f"the model returned {describe(y)}, which is not the result of adjoint's operations")
    return OnnxTrace(inputs, outputs, _nodes(outputs, conditions), layers, conditions)


def _nodes(outputs: list[Tensor], conditions: Made) -> list[Value]:
    """Return the operations that outputs and the conditions among their operands depend on, each after its operands."""
    roots: dict[int, Any] = {id(y): y for y in outputs}
    while True:
        nodes: list[Any] = backward_order(*roots.values())[::-1]
        used = [x for node in nodes for x in (*node._operands, (node._static or {}).get("condition"))]
        new = [x for x in compared(conditions, used) if x.parents and id(x) not in roots]
        if not new:  # what a condition compares is no operand of the node that uses it, but was computed before it
            return nodes if len(roots) == len(outputs) else sorted(nodes, key=attrgetter("_serial"))
        roots |= {id(x): x for x in new}
