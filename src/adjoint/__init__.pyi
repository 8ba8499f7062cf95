"""The public names of adjoint, each written once: `lazy_loader` reads them at run time, type checkers from here."""

from . import (
    data as data,
    distributed as distributed,
    errors as errors,
    fft as fft,
    linalg as linalg,
    metrics as metrics,
    nn as nn,
    optim as optim,
    sklearn as sklearn,
    special as special,
    stats as stats,
)
from .arrays.dtypes import (
    float32 as float32,
    float64 as float64,
    int32 as int32,
    int64 as int64,
    long as long,
)
from .arrays.functions.activations import (
    gelu as gelu,
    glu as glu,
    hardtanh as hardtanh,
    prelu as prelu,
    softmin as softmin,
    softplus as softplus,
    threshold as threshold,
)
from .arrays.functions.adaptive_pooling import (
    adaptive_avg_pool1d as adaptive_avg_pool1d,
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_avg_pool3d as adaptive_avg_pool3d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool3d as adaptive_max_pool3d,
)
from .arrays.functions.arranging import (
    delete as delete,
    fliplr as fliplr,
    flipud as flipud,
    geomspace as geomspace,
    insert as insert,
    linspace as linspace,
    logspace as logspace,
    meshgrid as meshgrid,
    ravel as ravel,
    resize as resize,
    rollaxis as rollaxis,
    rot90 as rot90,
    sliding_window_view as sliding_window_view,
    unflatten as unflatten,
    unfold as unfold,
)
from .arrays.functions.attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from .arrays.functions.calculus import (
    cumulative_simpson as cumulative_simpson,
    cumulative_trapezoid as cumulative_trapezoid,
    diff as diff,
    ediff1d as ediff1d,
    gradient as gradient,
    interp as interp,
    simpson as simpson,
    trapezoid as trapezoid,
)
from .arrays.functions.choosing import (
    where as where,
)
from .arrays.functions.columns import (
    col2im as col2im,
    im2col as im2col,
)
from .arrays.functions.convolution import (
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
)
from .arrays.functions.cumulative import (
    cummax as cummax,
    cummin as cummin,
    logcumsumexp as logcumsumexp,
)
from .arrays.functions.elementwise import (
    add as add,
    deg2rad as deg2rad,
    div as div,
    divmod as divmod,
    fmax as fmax,
    fmin as fmin,
    heaviside as heaviside,
    lerp as lerp,
    logaddexp2 as logaddexp2,
    mod as mod,
    nan_to_num as nan_to_num,
    positive as positive,
    rad2deg as rad2deg,
    reciprocal as reciprocal,
    round as round,
    rsqrt as rsqrt,
    sinc as sinc,
    sub as sub,
)
from .arrays.functions.indexing import (
    clip as clip,
    diag as diag,
    diagonal as diagonal,
    embedding as embedding,
    one_hot as one_hot,
    repeat as repeat,
    take as take,
    take_along_axis as take_along_axis,
    trace as trace,
    tril as tril,
    triu as triu,
)
from .arrays.functions.nan_statistics import (
    nancumprod as nancumprod,
    nancumsum as nancumsum,
    nanmax as nanmax,
    nanmean as nanmean,
    nanmedian as nanmedian,
    nanmin as nanmin,
    nanpercentile as nanpercentile,
    nanprod as nanprod,
    nanquantile as nanquantile,
    nanstd as nanstd,
    nansum as nansum,
    nanvar as nanvar,
)
from .arrays.functions.norms import (
    cdist as cdist,
    cosine_similarity as cosine_similarity,
    norm as norm,
    normalize as normalize,
    pairwise_distance as pairwise_distance,
)
from .arrays.functions.padding import (
    pad as pad,
)
from .arrays.functions.polynomials import (
    polyval as polyval,
    vander as vander,
)
from .arrays.functions.pooling import (
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    lp_pool1d as lp_pool1d,
    lp_pool2d as lp_pool2d,
    lp_pool3d as lp_pool3d,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    max_unpool1d as max_unpool1d,
    max_unpool2d as max_unpool2d,
    max_unpool3d as max_unpool3d,
)
from .arrays.functions.products import (
    dot as dot,
    einsum as einsum,
    linear as linear,
    matmul as matmul,
    outer as outer,
    tensordot as tensordot,
)
from .arrays.functions.reductions import (
    argmax as argmax,
    argmin as argmin,
    cumprod as cumprod,
    cumsum as cumsum,
    log_softmax as log_softmax,
    logsumexp as logsumexp,
    max as max,
    mean as mean,
    min as min,
    prod as prod,
    softmax as softmax,
    std as std,
    sum as sum,
    var as var,
)
from .arrays.functions.regularization import (
    dropout as dropout,
)
from .arrays.functions.resampling import (
    interpolate as interpolate,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
)
from .arrays.functions.scattering import (
    gather as gather,
    scatter as scatter,
    scatter_add as scatter_add,
    scatter_reduce as scatter_reduce,
)
from .arrays.functions.selection import (
    choose as choose,
    masked_fill as masked_fill,
    masked_select as masked_select,
    select as select,
)
from .arrays.functions.shaping import (
    astype as astype,
    broadcast_to as broadcast_to,
    concat as concat,
    expand_dims as expand_dims,
    flatten as flatten,
    flip as flip,
    matrix_transpose as matrix_transpose,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    reshape as reshape,
    roll as roll,
    split as split,
    squeeze as squeeze,
    stack as stack,
    swapaxes as swapaxes,
    tile as tile,
    transpose as transpose,
)
from .arrays.functions.signals import (
    convolve as convolve,
    correlate as correlate,
)
from .arrays.functions.sorting import (
    argpartition as argpartition,
    argsort as argsort,
    partition as partition,
    sort as sort,
    topk as topk,
)
from .arrays.functions.special_functions import (
    digamma as digamma,
    erfc as erfc,
    erfinv as erfinv,
    i0 as i0,
    lgamma as lgamma,
    logit as logit,
    xlogy as xlogy,
)
from .arrays.functions.stacking import (
    append as append,
    array_split as array_split,
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    block as block,
    broadcast_arrays as broadcast_arrays,
    c_ as c_,
    column_stack as column_stack,
    dsplit as dsplit,
    dstack as dstack,
    hsplit as hsplit,
    hstack as hstack,
    r_ as r_,
    unstack as unstack,
    vsplit as vsplit,
    vstack as vstack,
)
from .arrays.functions.statistics import (
    average as average,
    corrcoef as corrcoef,
    cov as cov,
    median as median,
    percentile as percentile,
    ptp as ptp,
    quantile as quantile,
    std_mean as std_mean,
    var_mean as var_mean,
)
from .arrays.functions.vector_products import (
    cross as cross,
    inner as inner,
    kron as kron,
    matvec as matvec,
    vdot as vdot,
    vecdot as vecdot,
    vecmat as vecmat,
)
from .arrays.tensor import (
    Tensor as Tensor,
)
from .compat.torch_creation import (
    arange as arange,
    as_tensor as as_tensor,
    eye as eye,
    from_numpy as from_numpy,
    full as full,
    full_like as full_like,
    ones as ones,
    ones_like as ones_like,
    rand as rand,
    rand_like as rand_like,
    randint as randint,
    randn as randn,
    randn_like as randn_like,
    randperm as randperm,
    tensor as tensor,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .compat.torch_functions import (
    addmm as addmm,
    amax as amax,
    amin as amin,
    bmm as bmm,
    cat as cat,
    chunk as chunk,
    clamp as clamp,
    clamp_max as clamp_max,
    clamp_min as clamp_min,
    clone as clone,
    concatenate as concatenate,
    index_select as index_select,
    mm as mm,
    multinomial as multinomial,
    mv as mv,
    numel as numel,
    permute as permute,
    repeat_interleave as repeat_interleave,
    take_along_dim as take_along_dim,
    unbind as unbind,
    unsqueeze as unsqueeze,
)
from .compile.batching import (
    vmap as vmap,
)
from .compile.compiled import (
    jit as jit,
)
from .compile.loops import (
    fori_loop as fori_loop,
    scan as scan,
    while_loop as while_loop,
)
from .compile.xla.cache_directory import (
    compilation_cache as compilation_cache,
)
from .engine import (
    ops as ops,
)
from .engine.modes import (
    detect_anomaly as detect_anomaly,
    no_grad as no_grad,
    precision as precision,
)
from .engine.native import (
    accelerated as accelerated,
)
from .engine.ops import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cbrt as cbrt,
    ceil as ceil,
    celu as celu,
    copysign as copysign,
    cos as cos,
    cosh as cosh,
    elu as elu,
    erf as erf,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    floor as floor,
    floor_divide as floor_divide,
    fmod as fmod,
    gelu_tanh as gelu_tanh,
    hardshrink as hardshrink,
    hardsigmoid as hardsigmoid,
    hardswish as hardswish,
    hypot as hypot,
    leaky_relu as leaky_relu,
    log as log,
    log1p as log1p,
    log2 as log2,
    log10 as log10,
    logaddexp as logaddexp,
    logsigmoid as logsigmoid,
    maximum as maximum,
    minimum as minimum,
    mish as mish,
    mul as mul,
    neg as neg,
    pow as pow,
    quick_gelu as quick_gelu,
    relu as relu,
    relu6 as relu6,
    remainder as remainder,
    selu as selu,
    sigmoid as sigmoid,
    sign as sign,
    silu as silu,
    sin as sin,
    sinh as sinh,
    softshrink as softshrink,
    softsign as softsign,
    sqrt as sqrt,
    square as square,
    tan as tan,
    tanh as tanh,
    tanhshrink as tanhshrink,
    trunc as trunc,
)
from .engine.randomness import (
    manual_seed as manual_seed,
)
from .engine.rule import (
    Op as Op,
    op as op,
)
from .engine.value import (
    Value as Value,
)
from .errors.guard_warnings import (
    guards as guards,
)
from .files.checkpoints import (
    load as load,
    save as save,
)
from .files.onnx import (
    to_onnx as to_onnx,
)
from .files.pytorch import (
    from_torch as from_torch,
    to_torch as to_torch,
)
from .see import (
    plots as plots,
)
from .see.drawing import (
    draw as draw,
    draw_dot as draw_dot,
    to_dot as to_dot,
)
from .see.explanation.groups import (
    grouping as grouping,
)
from .see.explanation.steps import (
    explain as explain,
)
from .see.plots.film import (
    Film as Film,
)
from .see.reasons.asking import (
    why as why,
)
from .training.callbacks import (
    Callback as Callback,
)
from .training.evaluation import (
    evaluate as evaluate,
)
from .training.history import (
    History as History,
)
from .training.logs import (
    CSVLogger as CSVLogger,
    JSONLogger as JSONLogger,
    TensorBoardLogger as TensorBoardLogger,
)
from .training.loop import (
    fit as fit,
)
from .training.rate_finder import (
    LearningRates as LearningRates,
    find_lr as find_lr,
)
from .training.stopping import (
    EarlyStopping as EarlyStopping,
)
from .transforms.constants import (
    stop_gradient as stop_gradient,
)
from .transforms.custom import (
    custom_vjp as custom_vjp,
)
from .transforms.derivatives import (
    grad as grad,
    hessian as hessian,
    hvp as hvp,
    jacobian as jacobian,
    jvp as jvp,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from .transforms.gradient_check import (
    GradientCheck as GradientCheck,
    check_gradients as check_gradients,
)
from .transforms.raveling import (
    ravel_pytree as ravel_pytree,
)
from .transforms.recompute import (
    checkpoint as checkpoint,
)
from .transforms.trees import (
    tree_flatten as tree_flatten,
    tree_leaves as tree_leaves,
    tree_map as tree_map,
    tree_unflatten as tree_unflatten,
)

__version__: str
