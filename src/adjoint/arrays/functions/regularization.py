"""Dropout, of elements or of whole channels."""

import math
from operator import methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import Axis, all_axes, keepdims_shape, shape_of
from adjoint.arrays.backends import Backend, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.engine import ops
from adjoint.engine.checkpoint_draws import drawn, same_generator
from adjoint.engine.randomness import shared_generator
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def dropout(
    x,
    p: float = 0.5,
    *,
    generator: object = None,
    key: Any = None,
    training: bool = True,
    broadcast_axes: Axis = (),
) -> "Tensor":
    """Return `x` with each element set to zero with probability `p`, and the others divided by 1 - p.

    The zeros are drawn from the generator of `adjoint.manual_seed`, or from a given one: for NumPy arrays
    `generator=numpy.random.default_rng(0)`, or a seed; for PyTorch's a `torch.Generator`, or a seed. JAX's arrays, and
    functions under `jit`, need `key=jax.random.key(0)`, or the layer `nn.Dropout`. A key serves NumPy arrays too, and
    gives the same zeros there. Without `training`, `x` stays as it is. Elements that differ only along
    `broadcast_axes` are dropped together: (2, 3) drops whole channels of images.

    >>> import numpy as np
    >>> from adjoint import Value, dropout
    >>> sorted(set(dropout(Value(np.ones(1000)), 0.2, generator=np.random.default_rng(0)).tolist()))
    [0.0, 1.25]
    """
    x = as_operand(x)
    if not is_number(p) or not 0 <= p <= 1:
        raise ArgumentError(f"dropout: p is a probability from 0 to 1, not {describe(p)}")
    if not training or p == 0:
        return x
    if p == 1:
        return ops.mul(x, 0.0)
    data = data_of(x)
    m = common_backend([data], "dropout")
    kept = _draw(m, data, float(p), generator, key, broadcast_axes)
    if not hasattr(data, "dtype"):
        return ops.mul(x, float(kept) / (1 - p))
    return ops.mul(x, m.select(kept, 1 / (1 - p), 0.0, data))


_ALPHA = -1.7580993408473766  # what SELU tends to at minus infinity


def alpha_dropout(x, p: float = 0.5, *, generator: object = None, key: Any = None, training: bool = True) -> "Tensor":
    """Return `x` with each element set to the limit of SELU with probability `p`, scaled to keep mean and variance.

    It is the dropout for networks with SELU. The randomness is that of `dropout`.

    >>> import numpy as np
    >>> from adjoint.arrays.functions.regularization import alpha_dropout
    >>> y = alpha_dropout(np.zeros(10_000), 0.2, generator=0)
    >>> len(set(y)), bool(abs(y.mean()) < 0.05)
    (2, True)
    """
    x = as_operand(x)
    if not training or p == 0:
        return x
    if p == 1:
        return ops.mul(x, 0.0)
    ones = common_backend([data_of(x)], "alpha_dropout").xp.ones_like(data_of(x))
    kept, p = data_of(dropout(ones, p, generator=generator, key=key)) * float(1 - p), float(p)
    scale = 1 / math.sqrt((1 - p) * (1 + p * _ALPHA**2))
    return ops.add(ops.mul(x, kept * scale), (1 - kept) * (scale * _ALPHA) - scale * _ALPHA * p)


def _draw(m: Backend, data, p: float, generator: object, key: Any, broadcast_axes: Axis):
    """Return which elements are kept."""
    shape = shape_of(data)
    shape = keepdims_shape(shape, all_axes(broadcast_axes, len(shape), "dropout"))
    if generator is not None and key is not None:
        raise ArgumentError("dropout: give a generator or a key, not both")
    if key is not None and m.name in ("JAX", "NumPy"):
        import jax

        if not getattr(key, "shape", ()) and "key<" not in str(getattr(key, "dtype", "")):
            key = jax.random.key(key)
        return m.xp.asarray(jax.random.bernoulli(key, 1 - p, shape))
    if m.name == "JAX":
        raise ArgumentError(
            "dropout: JAX arrays need key=jax.random.key(0), another one for each call (jax.random.split); a "
            "generator would be used only while compiling. nn.Dropout has keys of its own. For evaluation give "
            "training=False"
        )
    if generator is None and key is None:
        generator = drawn(lambda: shared_generator().getrandbits(62))
    seed = int(generator) if isinstance(generator, (int, np.integer)) else None
    if m.name == "PyTorch":
        if seed is not None:
            generator = m.torch.Generator(device=data.device).manual_seed(seed)
        if not isinstance(generator, m.torch.Generator):
            raise _no_randomness("PyTorch", "torch.Generator().manual_seed(0)", generator, key)
        generator = same_generator(generator, methodcaller("clone_state"))
        return m.torch.rand(shape, generator=generator, device=data.device) >= p
    if seed is not None:
        generator = np.random.default_rng(seed)
    if not isinstance(generator, np.random.Generator):
        raise _no_randomness("NumPy", "numpy.random.default_rng(0)", generator, key)
    return m.xp.asarray(same_generator(generator).random(shape, np.float32) >= p)


def _no_randomness(library: str, example: str, generator, key) -> ArgumentError:
    given = key if generator is None else generator
    instead = "" if given is None else f", not {describe(given)}"
    return ArgumentError(
        f"dropout: {library} arrays need generator={example}, or a seed{instead}; for evaluation give training=False"
    )
