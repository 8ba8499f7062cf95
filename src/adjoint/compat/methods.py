"""Methods of PyTorch's tensors that Values do not have, and what adjoint's users write.

Reading one of them raises an error that says so. The names are attributes of the class, since Python 3.11 reads every
attribute of a class with `__getattr__` more slowly: the Python engine would need a sixth more time for a training step.
"""

_IN_PLACE = """
    add_ addcdiv_ addcmul_ addmm_ ceil_ clamp_ clip_ cos_ cumsum_ div_ exp_ floor_ index_add_ index_fill_ lerp_ log_
    masked_fill_ mul_ neg_ pow_ relu_ round_ scatter_ scatter_add_ sigmoid_ sin_ sqrt_ squeeze_ sub_ t_ tanh_ transpose_
    tril_ triu_ unsqueeze_
"""

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


class ForeignMethod:
    """A method that Values do not have: reading it raises an error that names adjoint's way."""

    __slots__ = ("_name",)

    def __init__(self, name: str):
        self._name = name

    def __get__(self, instance: object, owner: type | None = None) -> object:
        kind = owner.__name__ if owner else type(instance).__name__
        raise AttributeError(f"a {kind} has no attribute {self._name!r}; write {METHODS[self._name]}", name=self._name)
