"""adjoint: an autograd engine that people can read, see and scale."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from adjoint import errors, nn, ops
from adjoint.check import check_gradients
from adjoint.draw import draw, to_dot
from adjoint.explain import explain
from adjoint.modes import detect_anomaly, no_grad
from adjoint.native import accelerated
from adjoint.ops import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    ceil,
    cos,
    cosh,
    div,
    elu,
    erf,
    exp,
    expm1,
    floor,
    gelu,
    leaky_relu,
    log,
    log1p,
    log2,
    log10,
    maximum,
    minimum,
    mul,
    neg,
    pow,
    relu,
    round,
    sigmoid,
    sign,
    silu,
    sin,
    sinh,
    softplus,
    sqrt,
    square,
    sub,
    tan,
    tanh,
    trunc,
)
from adjoint.rules import Op, op
from adjoint.value import Value
from adjoint.version import __version__ as __version__

if TYPE_CHECKING:
    from adjoint import data, linalg, optim
    from adjoint.checkpoints import load, save
    from adjoint.convolution import avg_pool2d, conv1d, conv2d, max_pool2d
    from adjoint.draw.film import Film
    from adjoint.explain.grouping import grouping
    from adjoint.indexing import (
        clip,
        diag,
        diagonal,
        embedding,
        one_hot,
        sort,
        take,
        take_along_axis,
        topk,
        trace,
        tril,
        triu,
        where,
    )
    from adjoint.jit import (
        jit,
        vmap,
    )
    from adjoint.mistakes import guards
    from adjoint.networks import dropout, scaled_dot_product_attention
    from adjoint.onnx import to_onnx
    from adjoint.products import (
        dot,
        einsum,
        linear,
        matmul,
        outer,
        tensordot,
    )
    from adjoint.pytorch import from_torch, to_torch
    from adjoint.reductions import (
        argmax,
        argmin,
        cumprod,
        cumsum,
        log_softmax,
        logsumexp,
        max,
        mean,
        min,
        norm,
        prod,
        softmax,
        std,
        sum,
        var,
    )
    from adjoint.shaping import (
        astype,
        broadcast_to,
        concat,
        expand_dims,
        flatten,
        flip,
        matrix_transpose,
        moveaxis,
        pad,
        permute_dims,
        repeat,
        reshape,
        roll,
        split,
        squeeze,
        stack,
        swapaxes,
        tile,
        transpose,
    )
    from adjoint.tensor import (
        Tensor,
    )
    from adjoint.train import fit
    from adjoint.training.evaluation import evaluate
    from adjoint.training.history import History
    from adjoint.training.stopping import EarlyStopping
    from adjoint.transforms import (
        checkpoint,
        custom_vjp,
        grad,
        hessian,
        hvp,
        jacobian,
        jvp,
        value_and_grad,
        vjp,
    )

# What needs NumPy or JAX is loaded when it is first asked for: `import adjoint` stays instant.
_ROOMS = {
    "checkpoints": "load save",
    "onnx": "to_onnx",
    "pytorch": "from_torch to_torch",
    "reductions": "argmax argmin cumprod cumsum log_softmax logsumexp max mean min norm prod softmax std sum var",
    "shaping": "astype broadcast_to concat expand_dims flatten flip matrix_transpose moveaxis pad "
    "permute_dims repeat reshape roll split squeeze stack swapaxes tile transpose",
    "indexing": "clip diag diagonal embedding one_hot sort take take_along_axis topk trace tril triu where",
    "products": "dot einsum linear matmul outer tensordot",
    "convolution": "avg_pool2d conv1d conv2d max_pool2d",
    "networks": "dropout scaled_dot_product_attention",
    "transforms": "checkpoint custom_vjp grad hessian hvp jacobian jvp value_and_grad vjp",
    "jit": "jit vmap",
    "tensor": "Tensor",
    "mistakes": "guards",
    "training.history": "History",
    "training.stopping": "EarlyStopping",
    "training.evaluation": "evaluate",
    "explain.grouping": "grouping",
    "train": "fit",
    "draw.film": "Film",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str):
    if name in ("data", "linalg", "optim"):
        return _import_module(f"adjoint.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'adjoint' has no attribute {name!r}")
    found = getattr(_import_module(f"adjoint.{_ROOM_OF[name]}"), name)
    globals()[name] = found  # also where a module has the same name, as jit
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "EarlyStopping",
    "Film",
    "History",
    "Op",
    "Tensor",
    "Value",
    "abs",
    "accelerated",
    "acos",
    "acosh",
    "add",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "avg_pool2d",
    "broadcast_to",
    "ceil",
    "check_gradients",
    "checkpoint",
    "clip",
    "concat",
    "conv1d",
    "conv2d",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "custom_vjp",
    "data",
    "detect_anomaly",
    "diag",
    "diagonal",
    "div",
    "dot",
    "draw",
    "dropout",
    "einsum",
    "elu",
    "embedding",
    "erf",
    "errors",
    "evaluate",
    "exp",
    "expand_dims",
    "explain",
    "expm1",
    "fit",
    "flatten",
    "flip",
    "floor",
    "from_torch",
    "gelu",
    "grad",
    "grouping",
    "guards",
    "hessian",
    "hvp",
    "jacobian",
    "jit",
    "jvp",
    "leaky_relu",
    "linalg",
    "linear",
    "load",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logsumexp",
    "matmul",
    "matrix_transpose",
    "max",
    "max_pool2d",
    "maximum",
    "mean",
    "min",
    "minimum",
    "moveaxis",
    "mul",
    "neg",
    "nn",
    "no_grad",
    "norm",
    "one_hot",
    "op",
    "ops",
    "optim",
    "outer",
    "pad",
    "permute_dims",
    "pow",
    "prod",
    "relu",
    "repeat",
    "reshape",
    "roll",
    "round",
    "save",
    "scaled_dot_product_attention",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "sub",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "to_dot",
    "to_onnx",
    "to_torch",
    "topk",
    "trace",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "value_and_grad",
    "var",
    "vjp",
    "vmap",
    "where",
]  # fmt: skip
