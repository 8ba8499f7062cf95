"""`functional_call`: a module as a function of its parameters, as in `torch.func`."""

from collections.abc import Mapping
from typing import Any

from adjoint.errors import ArgumentError, StateError
from adjoint.errors.given import describe
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.members import named_values
from adjoint.nn.module import Module


def functional_call(module: Module, params: Mapping[str, Any], args: Any = (), kwargs: dict | None = None) -> Any:
    """Return `module(*args, **kwargs)` computed with other parameters and buffers, given by their names.

    The module itself stays as it is, and parameters that `params` does not name are its own. Together with `grad`,
    `vmap` and `jit` this makes a module a function of its parameters. No other thread may use the module meanwhile.

    >>> import numpy as np
    >>> from adjoint import grad, nn
    >>> layer = nn.Linear(2, 1)
    >>> params = {name: p.data for name, p in layer.named_parameters()}
    >>> loss = lambda params: nn.functional_call(layer, params, np.ones((3, 2))).sum()
    >>> grad(loss)(params)["weight"]
    array([[3., 3.]])
    """
    if not isinstance(params, Mapping):
        raise ArgumentError(f"functional_call needs a dict of parameters by name, not {describe(params)}")
    values = named_values(module)
    buffers = [name for name, _ in module.named_buffers()]
    for name in params:
        if name not in dict(values) and name not in buffers:
            raise unknown_name_error("parameter", name, [*dict(values), *buffers])
    new: dict[int, Any] = {}  # a shared parameter is replaced everywhere
    for name, x in values:
        if name in params and new.setdefault(id(x), params[name]) is not params[name]:
            tied = " and ".join(repr(other) for other, y in values if y is x and other in params)
            raise ArgumentError(f"functional_call got several values for {tied}, which are one parameter; give one")
    replaced = {name: new[id(x)] for name, x in values if id(x) in new}
    replaced.update({name: params[name] for name in buffers if name in params})
    before: list[tuple[Any, Any, Any]] = []
    try:
        for name, x in replaced.items():
            holder, key = _place(module, name)
            before.append((holder, key, holder[key]))
            holder[key] = x
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for holder, key, x in reversed(before):
            holder[key] = x


def _place(module: Module, name: str) -> tuple[Any, Any]:
    """Return the container that holds a parameter, the attributes of a module or a list or dict, and its key there."""
    holder: Any = module
    *path, last = name.split(".")
    for part in path:
        items = vars(holder) if isinstance(holder, Module) else holder
        holder = items[_key(items, part)]
    items = vars(holder) if isinstance(holder, Module) else holder
    if not isinstance(items, (dict, list)):
        raise StateError(f"functional_call cannot replace {name!r} in {describe(items)}; keep parameters in a list")
    return items, _key(items, last)


def _key(items: Any, part: str) -> Any:
    """Return the key of a container that has this text as its name."""
    if isinstance(items, dict):
        return part if part in items else next(key for key in items if str(key) == part)
    return int(part)
