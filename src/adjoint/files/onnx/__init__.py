"""Models as ONNX graphs, which run where there is no Python: on phones, in browsers, in servers of other languages.

Nothing is exported layer by layer. The model is run in evaluation, and the operations that the run recorded are written
down one by one (`tracing`): a row of the table by reading its expression with symbols (`rows`), an array operation by
its rule (`rules`). So whatever a model is made of exports, if it is made of adjoint's operations.

It is run twice, on batches of two sizes and with other numbers. Where the two runs differ in a size, the graph computes
it, so that it takes batches of any size; where they differ in anything else, the model did something that no graph can
hold, and is refused.
"""

import os
from typing import Any

import numpy as np

from adjoint.errors import ConversionError
from adjoint.errors.given import described
from adjoint.errors.optional import library
from adjoint.errors.suggest import unknown
from adjoint.files import atomic
from adjoint.files.onnx.graphs import Graph
from adjoint.files.onnx.rules import written
from adjoint.files.onnx.tracing import two_traces
from adjoint.nn.module import Module
from adjoint.nn.scalar import MLP

_DTYPES = ("float32", "float64")


def to_onnx(
    model: Module,
    sample: Any,
    path: str | os.PathLike | None = None,
    *,
    dtype: str = "float32",
    dynamic_batch: bool = True,
) -> Any:
    """Return a model as an ONNX graph, an `onnx.ModelProto`, and write it into a file if a path is given.

    `sample` is an input of the model, or a tuple of several, with the batch along the first axis. The graph takes
    batches of any size, or with `dynamic_batch=False` only of that of the sample; all other sizes are those of the
    sample. It computes in `dtype`: float32 is what all runtimes know, and float64 only some, for some operations.

    >>> from adjoint import nn
    >>> graph = to_onnx(nn.Sequential(nn.Linear(2, 3), nn.Tanh()), [[0.5, 1.0]]).graph
    >>> [node.op_type for node in graph.node]
    ['Gemm', 'Tanh']
    """
    onnx = library("onnx", "to_onnx", "onnx")
    if not isinstance(model, Module):
        raise ConversionError(f"to_onnx takes a model of adjoint.nn, not {described(model)}")
    if dtype not in _DTYPES:
        raise unknown("dtype", dtype, _DTYPES)
    model = model.to_arrays() if isinstance(model, MLP) else model
    traces = two_traces(model, sample, dynamic_batch)
    graph = Graph(onnx, np.dtype(dtype), traces, dict(model.named_parameters()))
    for place in graph.places:
        graph.names[id(place.node)] = written(graph, place)
    proto = graph.finished(type(model).__name__)
    if path is not None:
        atomic.write(path, proto.SerializeToString())
    return proto
