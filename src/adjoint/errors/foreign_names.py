"""What PyTorch, JAX and NumPy call otherwise, and the names that adjoint has for it.

An unknown name of `adjoint`, or of a Value, is looked up here for the error message, and `docs/functions_page.py` makes
a page of the tables. Each line maps a name to what adjoint's users write.
"""

import importlib

from adjoint.errors.suggest import nearest

# Functions of `torch` that are called otherwise.
TORCH = {
    "absolute": "`adjoint.abs`",
    "addbmm": "`beta * x + alpha * (a @ b).sum(axis=0)`",
    "addcdiv": "`x + value * a / b`",
    "addcmul": "`x + value * a * b`",
    "addmv": "`beta * x + alpha * (a @ b)`",
    "addr": "`beta * x + alpha * adjoint.outer(a, b)`",
    "adjoint": "`adjoint.matrix_transpose`, of real matrices",
    "aminmax": "`adjoint.min` and `adjoint.max`",
    "arccos": "`adjoint.acos`",
    "arccosh": "`adjoint.acosh`",
    "arcsin": "`adjoint.asin`",
    "arcsinh": "`adjoint.asinh`",
    "arctan": "`adjoint.atan`",
    "arctan2": "`adjoint.atan2`",
    "arctanh": "`adjoint.atanh`",
    "baddbmm": "`beta * x + alpha * (a @ b)`",
    "batch_norm": "`nn.BatchNorm1d`, `nn.BatchNorm2d`, `nn.BatchNorm3d`",
    "bilinear": '`adjoint.einsum("bi,oij,bj->bo", x, w, z)`',
    "block_diag": "`adjoint.block`",
    "broadcast_tensors": "`adjoint.broadcast_arrays`",
    "chain_matmul": "`linalg.multi_dot`",
    "cholesky": "`linalg.cholesky`",
    "constant_pad_nd": "`adjoint.pad`",
    "conv_tbc": "`adjoint.conv1d`",
    "cosine_embedding_loss": "`nn.cosine_embedding`",
    "ctc_loss": "`nn.ctc`",
    "det": "`linalg.det`",
    "detach": "`v.detach()`",
    "diag_embed": "`adjoint.diag`, of one vector",
    "diagflat": "`adjoint.diag(v.ravel())`",
    "dist": "`adjoint.norm(x - z)`",
    "divide": "`adjoint.div`",
    "fix": "`adjoint.trunc`",
    "float_power": "`adjoint.pow`",
    "frac": "`x - adjoint.trunc(x)`",
    "frobenius_norm": "`linalg.matrix_norm`",
    "ger": "`adjoint.outer`",
    "group_norm": "`nn.GroupNorm`",
    "gru": "`nn.GRU`",
    "hinge_embedding_loss": "`nn.hinge_embedding`",
    "igamma": "`special.gammainc`",
    "igammac": "`special.gammaincc`",
    "index_add": "`v.at[index].add(x)`",
    "index_copy": "`v.at[index].set(x)`",
    "index_fill": "`v.at[index].set(x)`",
    "index_put": "`v.at[index].set(x)`",
    "index_reduce": "`adjoint.scatter_reduce`",
    "instance_norm": "`nn.InstanceNorm1d`, `nn.InstanceNorm2d`, `nn.InstanceNorm3d`",
    "inverse": "`linalg.inv`",
    "kl_div": "`nn.kl_div`",
    "kthvalue": "`adjoint.partition`",
    "layer_norm": "`nn.LayerNorm`, a layer",
    "ldexp": "`x * adjoint.exp2(n)`",
    "logdet": "`linalg.slogdet`",
    "lstm": "`nn.LSTM`",
    "margin_ranking_loss": "`nn.margin_ranking`",
    "masked_scatter": "`v.at[mask].set(x)`",
    "matrix_power": "`linalg.matrix_power`",
    "movedim": "`adjoint.moveaxis`",
    "msort": "`adjoint.sort(v, axis=0)`",
    "multiply": "`adjoint.mul`",
    "mvlgamma": "`special.multigammaln`",
    "narrow": "`v[start:stop]`",
    "negative": "`adjoint.neg`",
    "nuclear_norm": '`linalg.matrix_norm(x, "nuc")`',
    "pdist": "`adjoint.cdist`",
    "pinverse": "`linalg.pinv`",
    "poisson_nll_loss": "`nn.poisson_nll`",
    "polygamma": "`special.polygamma`",
    "put": "`v.at[index].set(x)`",
    "qr": "`linalg.qr`",
    "rms_norm": "`nn.RMSNorm`",
    "rnn_relu": "`nn.RNN`",
    "rnn_tanh": "`nn.RNN`",
    "row_stack": "`adjoint.vstack`",
    "rsub": "`z - x`",
    "select": "`v[..., index]`",
    "sgn": "`adjoint.sign`",
    "slogdet": "`linalg.slogdet`",
    "split_with_sizes": "`adjoint.split(v, sizes, dim=0)`",
    "subtract": "`adjoint.sub`",
    "svd": "`linalg.svd`",
    "swapdims": "`adjoint.swapaxes`",
    "t": "`v.T`",
    "tensor_split": "`adjoint.array_split`",
    "trapz": "`adjoint.trapezoid`",
    "triangular_solve": "`linalg.solve`",
    "triplet_margin_loss": "`nn.triplet_margin`",
    "true_divide": "`adjoint.div`",
}

# Layers of `torch.nn`, `keras.layers` and `flax.linen` that are called otherwise.
LAYERS = {
    "LazyLinear": "`nn.Linear`, with the number of inputs",
    **{
        f"Lazy{name}{n}d": f"`nn.{name}{n}d`, with the number of inputs"
        for name in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm")
        for n in (1, 2, 3)
    },
    **{f"MaxUnpool{n}d": f"`nn.functional.max_unpool{n}d`" for n in (1, 2, 3)},
    "UpsamplingNearest2d": '`nn.Upsample(scale_factor=…, mode="nearest")`',
    "UpsamplingBilinear2d": '`nn.Upsample(scale_factor=…, mode="bilinear", align_corners=True)`',
    "SyncBatchNorm": "`nn.BatchNorm2d`: adjoint computes on one device",
    "DataParallel": "the model itself: adjoint computes on one device",
    "RReLU": "`nn.LeakyReLU`, or `nn.PReLU`, which learns its slope",
    "Transformer": "`nn.TransformerEncoderLayer`, or `nn.TransformerBlock(…, causal=True)` for a language model",
    "TransformerEncoder": "`nn.Sequential` of `nn.TransformerEncoderLayer`",
    "TransformerDecoderLayer": "`nn.TransformerBlock(…, causal=True)`, and `nn.MultiheadAttention` for cross-attention",
    "TransformerDecoder": "`nn.Sequential` of `nn.TransformerBlock(…, causal=True)`",
    "ChannelShuffle": "`adjoint.reshape` and `adjoint.swapaxes`",
    "AdaptiveLogSoftmaxWithLoss": "`nn.Linear` and `nn.functional.cross_entropy`",
    "TripletMarginWithDistanceLoss": "`nn.TripletMarginLoss`",
    "FeatureAlphaDropout": "`nn.AlphaDropout`",
    "FractionalMaxPool2d": "`nn.AdaptiveMaxPool2d`",
    "FractionalMaxPool3d": "`nn.AdaptiveMaxPool3d`",
    "CrossMapLRN2d": "`nn.LocalResponseNorm`",
    "NLLLoss2d": "`nn.NLLLoss`",
    "Buffer": "`self.register_buffer(name, data)`",
    "utils": "`adjoint.optim.clip_grad_norm` and `clip_grad_value`; `adjoint.ravel_pytree` for one vector",
    "Dense": "`nn.Linear`",
    "Conv": "`nn.Conv1d`, `nn.Conv2d` or `nn.Conv3d`",
    "BatchNormalization": "`nn.BatchNorm1d`, `nn.BatchNorm2d` or `nn.BatchNorm3d`",
    "LayerNormalization": "`nn.LayerNorm`",
    "Model": "`nn.Module` or `nn.Sequential`",
}

# Names of `torch`, `jax` and `jax.numpy` that are no functions of tensors, or whose results have no gradients.
OTHERS = {
    "MultiHeadAttention": "`nn.MultiheadAttention`, or `nn.Attention`, whose mask is True where a query may attend",
    **dict.fromkeys(("all", "any"), "`(v.data != 0).all()`, `(v.data > 0).any()`"),
    **dict.fromkeys(("allclose", "isclose", "equal"), "`numpy.allclose(v.data, w.data)`"),
    "amp": '`adjoint.precision("bfloat16")`, and `adjoint.optim.LossScaler` for float16',
    "argwhere": "`numpy.argwhere(v)`",
    "array": "`adjoint.Value`, or `adjoint.tensor`",
    "asarray": "`adjoint.Value`, or `adjoint.tensor`",
    "autograd": "`adjoint.grad`, `adjoint.vjp`; a function of your own: `adjoint.custom_vjp`",
    "autocast": '`adjoint.precision("bfloat16")`, or `adjoint.jit(precision="bfloat16")`',
    "backends": "nothing: after `adjoint.manual_seed`, each run gives the same results",
    "bernoulli": "`adjoint.rand(…).data < p`",
    "bincount": "`numpy.bincount`",
    "bool": "`bool`, for plain arrays",
    "clip_grad_norm_": "`adjoint.optim.clip_grad_norm`",
    "compile": "`adjoint.jit`",
    "cond": "`adjoint.where(condition, x, z)`, or Python's `if` outside of `jit`",
    "count_nonzero": "`numpy.count_nonzero(v)`",
    "cuda": "arrays of PyTorch, JAX or CuPy on the GPU: `Value(torch_tensor)`; `adjoint.jit` uses JAX's devices",
    "default_collate": "`adjoint.data.collate`",
    "device": "nothing: a Value stays on the device of its array",
    "device_put": "`Value(jax_array)`, which stays on the device of its array",
    "distributions": "`adjoint.stats`",
    "double": "`adjoint.float64`",
    "empty": "`adjoint.zeros`",
    "empty_like": "`adjoint.zeros_like`",
    "enable_grad": "a block without `adjoint.no_grad()`",
    "eq": "`v == w`",
    "finfo": "`numpy.finfo`",
    "float": "`adjoint.float32`, or `float` for float64",
    "float16": '`"float16"` or `numpy.float16`',
    "bfloat16": '`"bfloat16"` or `ml_dtypes.bfloat16`',
    "FloatTensor": "`adjoint.tensor(x, dtype=adjoint.float32)`",
    "fori_loop": "Python's `for`, or `adjoint.scan`",
    "func": "`adjoint.grad`, `adjoint.vmap`, `adjoint.jvp`, `nn.functional_call`",
    "functional_call": "`adjoint.nn.functional_call`",
    "ge": "`v >= w`",
    "Generator": "`numpy.random.default_rng(0)`, or `adjoint.manual_seed`",
    "get_default_dtype": "`adjoint.float64`",
    "gt": "`v > w`",
    "GradScaler": "`adjoint.optim.LossScaler`",
    "gumbel_softmax": "`adjoint.softmax((x + g) / tau)` with `g = numpy.random.gumbel(size=x.shape)`",
    "half": '`"float16"` or `numpy.float16`',
    "histc": "`numpy.histogram(v.data)`",
    "inf": "`math.inf`",
    "inference_mode": "`adjoint.no_grad()`",
    "int": "`int`, for plain arrays",
    "is_tensor": "`isinstance(x, adjoint.Value)`",
    "isfinite": "`numpy.isfinite(v)`",
    "isinf": "`numpy.isinf(v)`",
    "isnan": "`numpy.isnan(v)`",
    "IterableDataset": "a generator: `adjoint.fit` takes any iterable of batches",
    "jacfwd": "`adjoint.jacobian`",
    "jacrev": "`adjoint.jacobian`",
    "jnp": "`adjoint.sum` and the others: adjoint's own functions, and NumPy's, work on Values",
    "lax": "`adjoint.scan`, `adjoint.stop_gradient`",
    "le": "`v <= w`",
    "linearize": "`adjoint.jvp`",
    "logical_and": "`(v > 0) & (w > 0)`, of plain arrays",
    "logical_not": "`~(v > 0)`, of plain arrays",
    "logical_or": "`(v > 0) | (w > 0)`, of plain arrays",
    "LongTensor": "`adjoint.tensor(x)`: of integers, a plain array",
    "lt": "`v < w`",
    "nan": "`math.nan`",
    "ne": "`v != w`",
    "nonzero": "`numpy.nonzero(v)`",
    "normal": "`adjoint.randn(…) * std + mean`",
    "numpy": "`adjoint.sum` and the others: adjoint's own functions, and NumPy's, work on Values",
    "pi": "`math.pi`",
    "pmap": "`adjoint.jit(step, devices=…)`",
    "random": "`adjoint.randn`, `adjoint.rand`, `adjoint.randint`, `adjoint.manual_seed`",
    "relu_": "`adjoint.relu`",
    "remat": "`adjoint.checkpoint`",
    "searchsorted": "`numpy.searchsorted(v.data, …)`",
    "seed": "`adjoint.manual_seed`",
    "set_default_dtype": "nothing: floats are float64 unless an array has another dtype",
    "set_grad_enabled": "`adjoint.no_grad()`",
    "set_num_threads": "nothing: NumPy and JAX choose the number of threads",
    "set_printoptions": "`numpy.set_printoptions`",
    "set_seed": "`adjoint.manual_seed`",
    "Size": "`tuple`: shapes are tuples",
    "swa_utils": "`adjoint.optim.EMA`",
    "tree": "`adjoint.tree_map`, `adjoint.tree_leaves`",
    "tree_util": "`adjoint.tree_map`, `adjoint.tree_leaves`, `adjoint.ravel_pytree`",
    "unique": "`numpy.unique(v.data)`",
    "use_deterministic_algorithms": "nothing: after `adjoint.manual_seed`, each run gives the same results",
    "utils": "`adjoint.data`: `Dataset` and `DataLoader`",
    "while_loop": "Python's `while`, or `adjoint.scan`",
}

_IN_PLACE = """
    add_ addcdiv_ addcmul_ addmm_ ceil_ clamp_ clip_ cos_ cumsum_ div_ exp_ floor_ index_add_ index_fill_ lerp_ log_
    masked_fill_ mul_ neg_ pow_ relu_ round_ scatter_ scatter_add_ sigmoid_ sin_ sqrt_ squeeze_ sub_ t_ tanh_ transpose_
    tril_ triu_ unsqueeze_
"""

# Methods of `torch.Tensor` that Values do not have.
METHODS = {
    **dict.fromkeys(_IN_PLACE.split(), "`v = …`, a new Value, or `v.data[...] = …`: no method changes a Value"),
    "addmm": "`beta * v + alpha * (a @ b)`",
    "all": "`(v.data != 0).all()`",
    "allclose": "`numpy.allclose(v.data, w.data)`",
    "any": "`(v.data != 0).any()`",
    "apply_": "a function of arrays, or `adjoint.op`",
    "bool": "`v.data != 0`",
    "copy": "`v.clone()`, with a gradient, or `v.data.copy()`",
    "copy_": "`v.data[...] = w.data`",
    "count_nonzero": "`numpy.count_nonzero(v)`",
    "detach_": "`v = v.detach()`",
    "element_size": "`v.data.itemsize`",
    "eq": "`v == w`",
    "equal": "`numpy.array_equal(v.data, w.data)`",
    "fill_": "`v.data[...] = x`",
    "ge": "`v >= w`",
    "get_device": "`v.device`",
    "grad_fn": "`v.op`, the operation, and `v.parents`, its operands",
    "gt": "`v > w`",
    "index_add": "`v.at[index].add(x)`",
    "index_copy": "`v.at[index].set(x)`",
    "index_fill": "`v.at[index].set(x)`",
    "index_put": "`v.at[index].set(x)`",
    "is_contiguous": "`v.data.flags.c_contiguous`",
    "is_cuda": "`v.device`",
    "is_leaf": "`not v.parents`",
    "isfinite": "`numpy.isfinite(v)`",
    "isinf": "`numpy.isinf(v)`",
    "isnan": "`numpy.isnan(v)`",
    "le": "`v <= w`",
    "logical_not": "`v.data == 0`",
    "lt": "`v < w`",
    "masked_scatter": "`v.at[mask].set(x)`",
    "movedim": "`v.moveaxis(0, 1)`",
    "narrow": "`v[start:stop]`, or `v[:, start:stop]`",
    "ne": "`v != w`",
    "new_ones": "`adjoint.ones`",
    "new_tensor": "`adjoint.tensor`",
    "new_zeros": "`adjoint.zeros`",
    "nonzero": "`numpy.nonzero(v)`",
    "normal_": "`nn.init.normal(v)`",
    "select": "`v[index]`, or `v[:, index]`",
    "stride": "`v.data.strides`, in bytes",
    "swapdims": "`v.swapaxes(0, 1)`",
    "tensor_split": "`adjoint.array_split`",
    "true_divide": "`v / w`",
    "type": "`v.dtype`, or `v.astype(…)`",
    "uniform_": "`nn.init.uniform(v)`",
    "unique": "`numpy.unique(v.data)`",
    "where": "`adjoint.where(condition, v, w)`",
    "zero_": "`v.zero_grad()` for a gradient, or `v.data[...] = 0`",
}


_ROOMS = ("adjoint", "nn", "nn.functional", "optim", "data", "metrics", "linalg", "special", "stats", "fft")


def unknown_name(package: str, name: str) -> AttributeError:
    """Return the error for an unknown name of a package: it says what adjoint calls it, or the nearest name.

    >>> unknown_name("adjoint", "movedim")
    AttributeError("adjoint has no 'movedim'; write `adjoint.moveaxis`")
    >>> unknown_name("adjoint", "MSELoss")
    AttributeError("adjoint has no 'MSELoss'; write `adjoint.nn.MSELoss`")
    >>> unknown_name("adjoint", "sofmax")
    AttributeError("adjoint has no 'sofmax'; did you mean 'softmax'?")
    """
    tables = (LAYERS, TORCH, OTHERS) if package == "adjoint.nn" else (TORCH, OTHERS)
    ours = next((table[name] for table in tables if name in table), None)
    if not ours:
        for room in (room if room == "adjoint" else f"adjoint.{room}" for room in _ROOMS):
            if room != package and name in _names_in(room):
                ours = f"`{room}.{name}`"
                break
    meant = None if ours else nearest(name, dir(importlib.import_module(package)))
    hint = f"; write {ours}" if ours else f"; did you mean {meant!r}?" if meant else ""
    return AttributeError(f"{package} has no {name!r}{hint}", name=name)


def _names_in(room: str) -> list[str]:
    try:
        return dir(importlib.import_module(room))
    except ModuleNotFoundError:  # it needs NumPy, which is not installed
        return []


class ForeignMethod:
    """A method of PyTorch's tensors that Values do not have: reading it raises an error that names adjoint's way."""

    __slots__ = ("_name",)

    def __init__(self, name: str):
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> object:
        kind = owner.__name__ if owner else type(instance).__name__
        raise AttributeError(f"a {kind} has no attribute {self._name!r}; write {METHODS[self._name]}", name=self._name)
