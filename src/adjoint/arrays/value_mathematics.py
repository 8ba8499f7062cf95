"""The `m` of a rule that is read with Values of arrays: adjoint's own functions, which can be differentiated again."""

from collections.abc import Callable, Sequence
from functools import wraps
from types import ModuleType
from typing import Any

from adjoint.arrays.array_rule import pick
from adjoint.arrays.backends import Backend, common_backend, total
from adjoint.arrays.functions import Late, indexing, products, reductions, shaping
from adjoint.arrays.kinds import data_of, is_number_value
from adjoint.engine import ops
from adjoint.engine.modes import modes, precision
from adjoint.engine.value import Value


def _without_casts(function: Callable) -> Callable:
    """Return a product as a rule computes it: in the dtype of its operands, which were cast when the node was made."""

    @wraps(function)
    def product(*operands, **options):
        if modes.precision is None:
            return function(*operands, **options)
        with precision("float32"):
            return function(*operands, **options)

    return product


attention = Late("attention", lambda function: staticmethod(_without_casts(function)))
convolution = Late("convolution", lambda function: staticmethod(_without_casts(function)))
norms = Late("norms", staticmethod)
pooling = Late("pooling", staticmethod)
regularization = Late("regularization", staticmethod)
sorting = Late("sorting", staticmethod)


class ValueMathematics:
    """adjoint's functions; those in the array API standard have the standard's names."""

    total = staticmethod(total)

    # The rows of the table, element by element, are entered below.
    div = ops.div

    # --- reductions ---

    sum = staticmethod(reductions.sum)
    mean = staticmethod(reductions.mean)
    min = staticmethod(reductions.min)
    logsumexp = staticmethod(reductions.logsumexp)
    var = staticmethod(reductions.var)
    std = staticmethod(reductions.std)
    prod = staticmethod(reductions.prod)
    cumsum = staticmethod(reductions.cumsum)
    cumprod = staticmethod(reductions.cumprod)
    softmax = staticmethod(reductions.softmax)
    log_softmax = staticmethod(reductions.log_softmax)
    norm = norms.norm
    argmax = staticmethod(reductions.argmax)
    argmin = staticmethod(reductions.argmin)
    cumulative_sum = staticmethod(reductions.cumsum)
    cumulative_prod = staticmethod(reductions.cumprod)

    @property
    def linalg(self) -> ModuleType:
        """The functions of linear algebra: few rules need them."""
        from adjoint.arrays.functions import linalg

        return linalg

    def max(self, x, axis=None, keepdims=False):
        """Return a maximum that a rule subtracts and adds again: it needs no gradient."""
        return _backend(x).max(data_of(x), axis=axis, keepdims=keepdims)

    # --- shapes ---

    reshape = staticmethod(shaping.reshape)
    flatten = staticmethod(shaping.flatten)
    permute_dims = staticmethod(shaping.permute_dims)
    transpose = staticmethod(shaping.transpose)
    matrix_transpose = transposed_rows = staticmethod(shaping.matrix_transpose)
    swapaxes = staticmethod(shaping.swapaxes)
    moveaxis = staticmethod(shaping.moveaxis)
    squeeze = staticmethod(shaping.squeeze)
    expand_dims = staticmethod(shaping.expand_dims)
    broadcast_to = staticmethod(shaping.broadcast_to)
    astype = staticmethod(shaping.astype)
    flip = staticmethod(shaping.flip)
    roll = staticmethod(shaping.roll)
    tile = staticmethod(shaping.tile)
    pad = staticmethod(shaping.pad_constant)
    concat = staticmethod(shaping.concat)
    stack = staticmethod(shaping.stack)
    split = staticmethod(shaping.split)

    # --- indices and choices ---

    getitem = staticmethod(indexing.getitem)
    scatter_add = staticmethod(indexing.scatter_add)
    scatter_set = staticmethod(indexing.scatter_set)
    clip = staticmethod(indexing.clip)
    take = staticmethod(indexing.take)
    repeat = staticmethod(indexing.repeat)
    take_along_axis = staticmethod(indexing.take_along_axis)
    one_hot = staticmethod(indexing.one_hot)
    embedding = staticmethod(_without_casts(indexing.embedding))
    sort = sorting.sort
    topk = sorting.topk
    tril = staticmethod(indexing.tril)
    triu = staticmethod(indexing.triu)
    diagonal = staticmethod(indexing.diagonal)
    diag = staticmethod(indexing.diag)
    trace = staticmethod(indexing.trace)

    # --- products ---

    matmul = staticmethod(_without_casts(products.matmul))
    linear = staticmethod(_without_casts(products.linear))
    dot = staticmethod(_without_casts(products.dot))
    tensordot = staticmethod(_without_casts(products.tensordot))
    outer = staticmethod(products.outer)
    einsum = staticmethod(_without_casts(products.einsum))

    # --- layers of networks ---

    conv1d = convolution.conv1d
    conv2d = convolution.conv2d
    max_pool2d = pooling.max_pool2d
    avg_pool2d = pooling.avg_pool2d
    scaled_dot_product_attention = attention.scaled_dot_product_attention
    dropout = regularization.dropout

    def where(self, condition, x, z):
        if isinstance(x, (int, float)) and isinstance(z, (int, float)) and not isinstance(condition, bool):
            return _backend(condition).where(condition, float(x), float(z))
        return indexing.where(condition, x, z)

    # --- without gradients ---

    def with_an_array(self, operands: Sequence) -> Sequence:
        """Return the operands of an array operation; if all of them are numbers, as arrays without axes.

        This is what the operation itself computes with; see `apply_array_op`.
        """
        if not all(type(x) is float or is_number_value(x) for x in operands):
            return operands
        return [shaping.reshape(x, ()) for x in operands]

    def result(self, node: Value) -> Any:
        """Return a node as a rule sees the result: several results as a tuple of Values."""
        data = data_of(node)
        return tuple(pick(node, k) for k in range(len(data))) if isinstance(data, tuple) else node

    def equal(self, x, z):
        return data_of(x) == data_of(z)

    def less(self, x, z):
        return data_of(x) < data_of(z)

    def as_condition(self, condition):
        return condition

    def astype_float32(self, x):
        return shaping.astype(x, "float32")

    def select(self, condition, x, z, like):
        return _backend(like).select(condition, x, z, data_of(like))

    def zeros_like(self, x):
        return _backend(x).zeros_like(data_of(x))

    def scatter(self, like, index, values):
        return self.scatter_add(self.zeros_like(like), index, values)

    def ones_like(self, x):
        return _backend(x).ones_like(data_of(x))

    def full_like(self, x, number):
        return _backend(x).full_like(data_of(x), number)

    def triangle(self, x, k, upper):
        return _backend(x).triangle(data_of(x), k, upper)

    def upper_triangle(self, n, k, like):
        return _backend(like).upper_triangle(n, k, data_of(like))

    def eye(self, n, like):
        return _backend(like).eye(n, data_of(like))

    def quietly(self, function, *operands, **static):
        return function(*operands, **static)


def _backend(*xs) -> Backend:
    return common_backend([data_of(x) for x in xs], "a rule")


ops.install(ValueMathematics, lambda row: row)
maths = ValueMathematics()
