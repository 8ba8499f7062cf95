"""Export of models to ONNX, a format that runs without Python: on phones, in browsers, and on servers.

Models are not exported layer by layer. The model runs in evaluation mode (`tracing`), and each recorded operation is
translated (`rules`): a row of the table by evaluating its expression with symbols, an array operation by a rule. So
every model that consists of adjoint's operations can be exported.

The model runs twice, with different numbers and batches of different sizes. Where the runs differ in a size, the graph
computes it, so that it accepts batches of any size. Where they differ in anything else, the model depends on its input
in a way that a graph cannot express, and an error is raised.
"""

import os
from typing import Any

import numpy as np

from adjoint.errors import ConversionError
from adjoint.errors.given import describe
from adjoint.errors.optional import library
from adjoint.errors.suggest import unknown_name_error
from adjoint.files import atomic
from adjoint.files.onnx.graphs import Graph
from adjoint.files.onnx.rules import translate
from adjoint.files.onnx.tracing import two_traces
from adjoint.nn.module import Module
from adjoint.nn.scalar import MLP

_DTYPES = ("float32", "float64")


def to_onnx(
    model: Module,
    sample: object,
    path: str | os.PathLike | None = None,
    *,
    dtype: str = "float32",
    dynamic_batch: bool = True,
) -> Any:
    """Return a model as an `onnx.ModelProto`, and write it to a file if a path is given.

    `sample` is an input of the model, or a tuple of several, with the batch on the first axis. The graph accepts
    batches of any size, or with `dynamic_batch=False` only of the size of the sample; all other sizes are fixed. It
    computes in `dtype`: all runtimes support float32, and only some support float64, for some operations.

    >>> from adjoint import nn, to_onnx
    >>> graph = to_onnx(nn.Sequential(nn.Linear(2, 3), nn.Tanh()), [[0.5, 1.0]]).graph
    >>> [node.op_type for node in graph.node]
    ['Gemm', 'Tanh']
    """
    onnx = library("onnx", "to_onnx", "onnx")
    if not isinstance(model, Module):
        raise ConversionError(f"to_onnx needs a model of adjoint.nn, not {describe(model)}")
    if dtype not in _DTYPES:
        raise unknown_name_error("dtype", dtype, _DTYPES)
    model = model.to_arrays() if isinstance(model, MLP) else model
    traces = two_traces(model, sample, dynamic_batch)
    graph = Graph(onnx, np.dtype(dtype), traces, dict(model.named_parameters()))
    for place in graph.places:
        graph.names[id(place.node)] = translate(graph, place)
    proto = graph.finish(type(model).__name__)
    if path is not None:
        atomic.write(path, proto.SerializeToString())
    return proto
