"""The operators of a Tensor and its methods that compute: rows of the table, and functions of `functions/`.

The types of the methods are in `engine/array_methods.pyi`; after a change here, run `make stubs`.
"""
# pyright: reportAssignmentType=false, reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjoint.arrays.apply import apply_op, comparison, row_method, row_operator
from adjoint.arrays.functions import Late, indexing, products, reductions, shaping
from adjoint.engine import late, ops
from adjoint.engine.value import Value

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor

arranging = Late("arranging")
calculus = Late("calculus")
cumulative = Late("cumulative")
elementwise = Late("elementwise")
nan_statistics = Late("nan_statistics")
norms = Late("norms")
padding = Late("padding")
scattering = Late("scattering")
selection = Late("selection")
sorting = Late("sorting")
special_functions = Late("special_functions")
stacking = Late("stacking")
statistics = Late("statistics")
torch_functions = Late(late.torch_functions)
vector_products = Late("vector_products")


class Operations(Value):
    """The base class of `Tensor`: the operations under the names that NumPy and PyTorch give them."""

    __slots__ = ()

    # --- the operations: element by element, the rows of the table ---

    _apply = staticmethod(apply_op)

    __add__, __radd__ = row_operator(ops.add, "add")
    __sub__, __rsub__ = row_operator(ops.sub, "sub")
    __mul__, __rmul__ = row_operator(ops.mul, "mul")
    __truediv__, __rtruediv__ = row_operator(ops.div, "truediv")
    __pow__, __rpow__ = row_operator(ops.pow, "pow")
    __mod__, __rmod__ = row_operator(ops.remainder, "mod")
    __floordiv__, __rfloordiv__ = row_operator(ops.floor_divide, "floordiv")
    __neg__, __abs__ = row_method(ops.neg), row_method(ops.abs)
    __lt__, __le__ = comparison(operator.lt), comparison(operator.le)
    __gt__, __ge__ = comparison(operator.gt), comparison(operator.ge)
    __eq__, __ne__ = comparison(operator.eq), comparison(operator.ne)
    __hash__ = object.__hash__  # by identity: a Tensor can be the key of a dictionary
    # exp, tanh, relu, …: `ops.install` below gives the class all rows

    # --- the operations on whole arrays: each is the function of that name in `functions/` ---

    __matmul__: "Callable[..., Tensor]" = products.matmul
    __rmatmul__: "Callable[..., Tensor]" = products.rmatmul
    __getitem__: "Callable[..., Tensor]" = indexing.getitem
    T = property(shaping.transpose, doc="The array with its axes reversed.")
    mT = property(shaping.matrix_transpose, doc="The array with its last two axes exchanged.")

    deg2rad = elementwise.deg2rad
    div = elementwise.div
    fmax = elementwise.fmax
    fmin = elementwise.fmin
    heaviside = elementwise.heaviside
    lerp = elementwise.lerp
    logaddexp2 = elementwise.logaddexp2
    mod = elementwise.mod
    nan_to_num = elementwise.nan_to_num
    positive = elementwise.positive
    rad2deg = elementwise.rad2deg
    reciprocal = elementwise.reciprocal
    rsqrt = elementwise.rsqrt
    sinc = elementwise.sinc

    digamma = special_functions.digamma
    erfc = special_functions.erfc
    erfinv = special_functions.erfinv
    i0 = special_functions.i0
    lgamma = special_functions.lgamma
    logit = special_functions.logit
    xlogy = special_functions.xlogy

    sum = reductions.sum
    mean = reductions.mean
    prod = reductions.prod
    var = reductions.var
    std = reductions.std
    max = reductions.max
    min = reductions.min
    argmax = reductions.argmax
    argmin = reductions.argmin
    logsumexp = reductions.logsumexp
    norm = norms.norm
    cumsum = reductions.cumsum
    cumprod = reductions.cumprod
    softmax = reductions.softmax
    log_softmax = reductions.log_softmax

    reshape = shaping.reshape
    flatten = shaping.flatten
    permute_dims = shaping.permute_dims
    transpose = shaping.transpose
    matrix_transpose = shaping.matrix_transpose
    swapaxes = shaping.swapaxes
    moveaxis = shaping.moveaxis
    squeeze = shaping.squeeze
    expand_dims = shaping.expand_dims
    broadcast_to = shaping.broadcast_to
    astype = shaping.astype
    flip = shaping.flip
    roll = shaping.roll
    tile = shaping.tile
    pad = padding.pad
    split = shaping.split

    dsplit = stacking.dsplit
    fliplr = arranging.fliplr
    flipud = arranging.flipud
    hsplit = stacking.hsplit
    ravel = arranging.ravel
    rot90 = arranging.rot90
    unflatten = arranging.unflatten
    unfold = arranging.unfold
    unstack = stacking.unstack
    vsplit = stacking.vsplit

    clip = indexing.clip
    take = indexing.take
    take_along_axis = indexing.take_along_axis
    repeat = torch_functions.repeat
    tril = indexing.tril
    triu = indexing.triu
    diagonal = indexing.diagonal
    diag = indexing.diag
    trace = indexing.trace

    cummax = cumulative.cummax
    cummin = cumulative.cummin
    logcumsumexp = cumulative.logcumsumexp

    gather = scattering.gather
    scatter = scattering.scatter
    scatter_add = scattering.scatter_add
    scatter_reduce = scattering.scatter_reduce

    masked_fill = selection.masked_fill
    masked_select = selection.masked_select

    argsort = sorting.argsort
    argpartition = sorting.argpartition
    partition = sorting.partition
    sort = sorting.sort
    topk = sorting.topk

    median = statistics.median
    quantile = statistics.quantile

    nanmean = nan_statistics.nanmean
    nanmedian = nan_statistics.nanmedian
    nanquantile = nan_statistics.nanquantile
    nansum = nan_statistics.nansum

    diff = calculus.diff

    cross = vector_products.cross
    inner = vector_products.inner
    kron = vector_products.kron
    vdot = vector_products.vdot

    matmul = products.matmul
    dot = products.dot
    tensordot = products.tensordot
    outer = products.outer

    # --- PyTorch's names: of the functions above, and those with parameters of PyTorch ---

    bmm = mm = mv = products.matmul
    clamp = indexing.clip
    repeat_interleave = indexing.repeat
    reshape_as = view_as = torch_functions.view_as
    take_along_dim = torch_functions.take_along_dim
    unbind = stacking.unstack
    unsqueeze = shaping.expand_dims
    view = shaping.reshape

    amax = torch_functions.amax
    amin = torch_functions.amin
    chunk = torch_functions.chunk
    clamp_max = torch_functions.clamp_max
    clamp_min = torch_functions.clamp_min
    clone = torch_functions.clone
    contiguous = torch_functions.contiguous
    cpu = torch_functions.cpu
    cuda = torch_functions.cuda
    dim = ndimension = torch_functions.ndim_of
    double = torch_functions.as_float64
    expand = torch_functions.expand
    expand_as = torch_functions.expand_as
    float = torch_functions.as_float32
    half = torch_functions.as_float16
    index_select = torch_functions.index_select
    int = long = torch_functions.as_integers
    nelement = numel = torch_functions.numel
    permute = torch_functions.permute
    t = torch_functions.t
    to = torch_functions.to
    type_as = torch_functions.type_as


ops.install(Operations, row_method)
