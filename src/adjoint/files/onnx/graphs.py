"""The ONNX graph under construction: its nodes, constants and names, and the sizes that depend on the batch."""

from collections.abc import Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np

from adjoint.engine.value import Value
from adjoint.errors import ConversionError
from adjoint.errors.optional import DISTRIBUTION
from adjoint.files.onnx.conditions import LOGICAL, find
from adjoint.files.onnx.tracing import FIXED, OnnxTrace

OPSET, IR = 18, 8  # of 2022, which all current runtimes support


class TracedOperation:
    """An operation to translate, as it was in the first run and in the second."""

    def __init__(self, node: Any, twin: Any, layer: str):
        self.node, self.twin, self.layer = node, twin, layer
        self.pair: tuple[Any, Any] = node, twin
        self.rule: Any = node._rule
        self.shape, self.other_shape = node.shape, twin.shape
        self.static, self.other = node._static or {}, twin._static or {}

    def operand_shapes(self) -> list[tuple[int, ...]]:
        """Return the shape of the first operand in the two runs."""
        return [tuple(getattr(node._operands[0], "shape", ())) for node in self.pair]

    def refuse(self, reason: str) -> ConversionError:
        """Return the error for an operation that cannot be translated; it names the layer."""
        name = getattr(self.rule, "name", self.rule)
        where = f"layer {self.layer}: " if self.layer else ""
        return ConversionError(f"{where}the operation {name!r} {reason}")

    def static_argument(self, name: str) -> Any:
        """Return a static argument; raise if it depends on the batch."""
        if not _same(self.static[name], self.other[name]):
            raise self.refuse(f"has a {name} that depends on the input or on the size of the batch; {FIXED}")
        return self.static[name]


class Graph:
    """The nodes of a graph; a call adds a node and returns the name of its result."""

    def __init__(
        self, onnx: ModuleType, dtype: np.dtype, traces: tuple[OnnxTrace, OnnxTrace], parameters: dict[str, Value]
    ):
        first, second = traces
        self.onnx, self.dtype, self.first, self.second = onnx, dtype, first, second
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        self.parameters = {id(p): name for name, p in parameters.items()}
        self._written: dict[tuple, str] = {}
        self._constants: dict[tuple, str] = {}
        self._counts: dict[str, int] = {}
        self.used: set[str] = set()
        self.taken = set(parameters)
        self.outputs: list[str] = []
        self.inputs = [self._fresh("input", len(first.inputs) > 1) for _ in first.inputs]
        self.names |= {id(x): name for x, name in zip(first.inputs, self.inputs)}
        self.places = [TracedOperation(a, b, first.layers.get(id(a), "")) for a, b in zip(first.nodes, second.nodes)]

    def __call__(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; return the name of its result."""
        self.used |= set(inputs)
        same = (kind, inputs, repr(attributes))  # an equal node is reused
        if same not in self._written:
            name = self._written[same] = self._fresh(kind.lower())
            self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return self._written[same]

    # --- constants ---

    def constant(self, x: object, name: str = "constant") -> str:
        """Return the name of a constant: floats in the dtype of the graph, integers and booleans unchanged."""
        array = np.asarray(x)
        array = array.astype({"f": self.dtype, "i": np.int64, "u": np.int64, "b": np.bool_}[array.dtype.kind])
        same = (name, array.dtype.str, array.shape, array.tobytes())
        if same not in self._constants:
            self._constants[same] = name if name in self.parameters.values() else self._fresh(name)
            found = self._constants[same]
            self.initializers[found] = self.onnx.numpy_helper.from_array(np.array(array, order="C"), found)
        return self._constants[same]

    def integers(self, *numbers: int) -> str:
        """Return the name of a vector of integers, such as axes or a shape."""
        return self.constant(np.array(numbers, np.int64))

    def sizes(self, shape: Sequence[int], other: Sequence[int]) -> str:
        """Return the name of a shape; a size that differs between the runs is computed from the batch size."""
        if tuple(shape) == tuple(other):
            return self.integers(*shape)
        if self.batch is None:
            raise ConversionError("the model computes sizes from its input, which an ONNX graph cannot do")
        parts = []
        for a, b in zip(shape, other):
            if a == b:
                parts.append(self.integers(a))
                continue
            slope, left = divmod(b - a, self.batch[1] - self.batch[0])
            offset = a - slope * self.batch[0]
            if left or len(shape) != len(other):
                raise ConversionError(f"a size is {a} for one batch size and {b} for another; {FIXED}")
            part = self("Slice", self("Shape", self.inputs[0]), self.integers(0), self.integers(1))
            part = part if slope == 1 else self("Mul", part, self.integers(slope))
            parts.append(part if not offset else self("Add", part, self.integers(offset)))
        return parts[0] if len(parts) == 1 else self("Concat", *parts, axis=0)

    @property
    def batch(self) -> tuple[int, int] | None:
        """The batch sizes of the two runs; None if they are equal."""
        a, b = self.first.inputs[0].shape, self.second.inputs[0].shape
        return (a[0], b[0]) if a != b else None

    # --- operands ---

    def operands(self, place: TracedOperation) -> list[str]:
        """Return the names of the operands of an operation."""
        return [self.operand(a, b, place) for a, b in zip(place.node._operands, place.twin._operands, strict=True)]

    def operand(self, x: object, other: object, place: TracedOperation) -> str:
        """Return the name of an operand, given its values in the two runs."""
        if id(x) in self.names:
            return self.names[id(x)]
        if find(self.first.conditions, x):
            return self(
                "Cast", self.condition(x, other, place), to=self.onnx.helper.np_dtype_to_tensor_dtype(self.dtype)
            )
        name = self.parameters.get(id(x), "constant")
        x, other = (np.asarray(y.data if isinstance(y, Value) else y, np.float64) for y in (x, other))
        return self.same(x, other, place, name)

    def condition(self, x: object, other: object, place: TracedOperation) -> str:
        """Return the name of an array of truth values, which the graph computes if the model compared its numbers."""
        made, twin = find(self.first.conditions, x), find(self.second.conditions, other)
        if made is None or twin is None or made[0] != twin[0]:
            return self.same(x, other, place)
        (kind, operands), name = made, self.condition if made[0] in LOGICAL else self.operand
        return self(kind, *(name(a, b, place) for a, b in zip(operands, twin[1], strict=True)))

    def same(self, x: object, other: object, place: TracedOperation, name: str = "constant") -> str:
        """Return the name of a constant; raise if the runs differ in more than the batch size."""
        x, other = np.asarray(x), np.asarray(other)
        if x.shape == other.shape:
            if not np.array_equal(x, other, equal_nan=x.dtype.kind == "f"):
                raise place.refuse("uses numbers that were computed from the input without adjoint's operations")
            return self.constant(x, name)
        one = tuple(slice(0, 1) if a != b else slice(None) for a, b in zip(x.shape, other.shape))
        is_repeated = x.ndim == other.ndim and all(
            np.array_equal(np.broadcast_to(x[one], y.shape), y) for y in (x, other)
        )
        if not is_repeated:
            raise place.refuse(f"uses an array that depends on the input or on the size of the batch; {FIXED}")
        return self("Expand", self.constant(x[one]), self.sizes(x.shape, other.shape))

    # --- the result ---

    def finish(self, title: str) -> Any:
        """Return the model, after ONNX has checked it."""
        helper, outputs = self.onnx.helper, []
        for y, other in zip(self.first.outputs, self.second.outputs):
            name = self._fresh("output", len(self.first.outputs) > 1)
            self._rename(self.names.get(id(y)) or self.operand(y, other, TracedOperation(y, other, "")), name)
            self.outputs.append(name)
            outputs.append(self._info(name, y, other))
        for name in self.inputs:
            if name not in self.used:
                raise ConversionError(f"the output does not depend on {name} through operations of adjoint")
        inputs = [self._info(*parts) for parts in zip(self.inputs, self.first.inputs, self.second.inputs)]
        graph = helper.make_graph(self.nodes, title, inputs, outputs, list(self.initializers.values()))
        model = helper.make_model(
            graph,
            producer_name="adjoint",
            producer_version=version(DISTRIBUTION),
            ir_version=IR,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        self.onnx.checker.check_model(model, full_check=True)
        return model

    def _rename(self, old: str, new: str) -> None:
        """Rename a result to an output; an input, a constant or another output is copied."""
        makers = [node for node in self.nodes if old in node.output]
        if not makers or old in self.outputs:
            self.nodes.append(self.onnx.helper.make_node("Identity", [old], [new]))
            self.used.add(old)
            return
        for node in self.nodes:
            node.output[:] = [new if name == old else name for name in node.output]
            node.input[:] = [new if name == old else name for name in node.input]
        self.names = {key: new if name == old else name for key, name in self.names.items()}

    def _info(self, name: str, x: Any, other: Any) -> Any:
        kind = np.dtype(np.int64) if isinstance(x, np.ndarray) else self.dtype
        shape = [a if a == b else "batch" if (a, b) == self.batch else None for a, b in zip(x.shape, other.shape)]
        tensor_type = self.onnx.helper.np_dtype_to_tensor_dtype(kind)
        return self.onnx.helper.make_tensor_value_info(name, tensor_type, shape)

    def _fresh(self, name: str, is_numbered: bool = False) -> str:
        """Return an unused name that starts with this one."""
        count = self._counts.get(name, 0)
        while True:
            found = f"{name}_{count}" if count or is_numbered else name
            count += 1
            if found not in self.taken:
                self._counts[name] = count
                self.taken.add(found)
                return found


def _same(a: object, b: object) -> bool:
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    if hasattr(a, "dtype") or hasattr(b, "dtype"):
        return np.array_equal(np.asarray(a), np.asarray(b))
    return a == b
