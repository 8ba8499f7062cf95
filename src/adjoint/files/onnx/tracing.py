"""Runs of a model, as the operations that they recorded: two of them, which differ in the size of the batch."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.errors import AdjointError, ArgumentError, ConversionError
from adjoint.errors.given import described
from adjoint.nn.module import Module
from adjoint.nn.state import as_array
from adjoint.transforms.trees import tree_leaves

FIXED = "export it for one size of batch, with dynamic_batch=False"


@dataclass
class Trace:
    """One run: what went in, what came out, and every operation between, each after its operands."""

    inputs: list[Any]  # Values, and plain arrays of whole numbers
    outputs: list[Tensor]
    nodes: list[Tensor]
    layers: dict[int, str]  # for each node, by its id, the layer that made it


def two_traces(model: Module, sample: Any, dynamic_batch: bool) -> tuple[Trace, Trace]:
    """Return a run on the sample, and one on other numbers, of which there are more if the batch may be of any size."""
    dtype = next((p.numpy().dtype for p in model.parameters() if isinstance(p, Tensor)), np.dtype("float64"))
    arrays = [_as_array(x, dtype) for x in (sample if isinstance(sample, tuple) else (sample,))]
    others = [_other_numbers(x, dynamic_batch) for x in arrays]
    training = [module for module in model.modules() if module.training]
    try:
        model.eval()
        first = _trace(model, arrays)
        try:
            second = _trace(model, others)
        except AdjointError as error:
            raise ConversionError(f"the model does not take a batch of another size ({error}); {FIXED}") from error
    finally:
        for module in training:
            vars(module).pop("training", None)
    if [x._rule for x in first.nodes] != [x._rule for x in second.nodes] or len(first.outputs) != len(second.outputs):
        raise ConversionError(
            "the model computes something else for other numbers or another size of batch; a graph has no branches"
        )
    return first, second


def _as_array(x: Any, dtype: np.dtype) -> np.ndarray:
    array = as_array(x)
    if array is None or array.dtype.kind not in "fiu" or not array.size:
        raise ArgumentError(f"a sample is an array of numbers, or a tuple of them, not {described(x)}")
    return array.astype(dtype if array.dtype.kind == "f" else np.int64)


def _other_numbers(x: np.ndarray, is_longer: bool) -> np.ndarray:
    """Return an input of other numbers from the same range, so that a model takes it as well."""
    if is_longer:
        if not x.ndim:
            raise ConversionError(f"a sample without axes has no batch; {FIXED}")
        x = np.concatenate([x[:1], x, x])  # not one more: half of a batch, rounded, might be the same
    x = np.flip(x).copy()
    return np.where(x == 0, 0.125, 0.875 * x).astype(x.dtype) if x.dtype.kind == "f" else x


def _trace(model: Module, arrays: list[np.ndarray]) -> Trace:
    inputs: list[Any] = [Tensor(x) if x.dtype.kind == "f" else x for x in arrays]
    layers: dict[int, str] = {}

    def note(path: str) -> Callable:
        def hook(module, given, output):
            before = {id(x) for x in tree_leaves(list(given))}
            for node in _in_order([y for y in tree_leaves(output) if isinstance(y, Tensor)], before):
                layers.setdefault(id(node), f"{path}, {module._headline()}" if path else module._headline())

        return hook

    removals = [module.register_forward_hook(note(path)) for path, module in model.named_modules()]
    try:
        outputs = tree_leaves(model(*inputs))
    finally:
        for remove in removals:
            remove()
    for y in outputs:
        if not isinstance(y, Tensor):
            raise ConversionError(f"the model returned {described(y)}, which no operation of adjoint made")
    return Trace(inputs, outputs, list(_in_order(outputs)), layers)


def _in_order(outputs: list[Tensor], before: Collection[int] = ()) -> Iterator[Tensor]:
    """Yield all nodes that outputs were made by, each after those that it was made of, but none made before those."""
    seen, waiting = set(before), [(y, False) for y in reversed(outputs)]
    while waiting:
        node, is_ready = waiting.pop()
        if is_ready:
            yield node
        elif id(node) not in seen and node._operands:
            seen.add(id(node))
            waiting.append((node, True))
            waiting += [(x, False) for x in reversed(node._operands) if isinstance(x, Tensor)]
