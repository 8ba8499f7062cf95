"""Dropout, with randomness that the caller provides."""

from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import Backend, common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.engine import ops
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def dropout(x, p: float = 0.5, *, generator: object = None, key: Any = None, training: bool = True) -> "Tensor":
    """Return `x` with each element set to zero with probability `p`, and the others divided by 1 - p.

    Where the randomness comes from is explicit: for NumPy arrays `generator=numpy.random.default_rng(0)`, or
    a seed; for PyTorch's a `torch.Generator`, or a seed; for JAX's, and under `jit`, `key=jax.random.key(0)`.
    A key serves NumPy arrays too, and gives the same zeros there. Without `training`, `x` stays as it is.

    >>> import numpy as np
    >>> from adjoint import Value, dropout
    >>> sorted(set(dropout(Value(np.ones(1000)), 0.2, generator=np.random.default_rng(0)).tolist()))
    [0.0, 1.25]
    """
    x = as_operand(x)
    if not is_number(p) or not 0 <= p < 1:
        raise ArgumentError(f"dropout: p is a probability, at least 0 and less than 1, not {describe(p)}")
    if not training or p == 0:
        return x
    data = data_of(x)
    m = common_backend([data], "dropout")
    kept = _draw(m, data, float(p), generator, key)
    if not hasattr(data, "dtype"):
        return ops.mul(x, float(kept) / (1 - p))
    return ops.mul(x, m.select(kept, 1 / (1 - p), 0.0, data))


def _draw(m: Backend, data, p: float, generator: object, key: Any):
    """Return which elements are kept."""
    shape = shape_of(data)
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
            "generator would be used only while compiling. For evaluation give training=False"
        )
    seed = int(generator) if isinstance(generator, (int, np.integer)) else None
    if m.name == "PyTorch":
        if seed is not None:
            generator = m.torch.Generator(device=data.device).manual_seed(seed)
        if not isinstance(generator, m.torch.Generator):
            raise _no_randomness("PyTorch", "torch.Generator().manual_seed(0)", generator, key)
        return m.torch.rand(shape, generator=generator, device=data.device) >= p
    if seed is not None:
        generator = np.random.default_rng(seed)
    if not isinstance(generator, np.random.Generator):
        raise _no_randomness("NumPy", "numpy.random.default_rng(0)", generator, key)
    return m.xp.asarray(generator.random(shape, np.float32) >= p)


def _no_randomness(library: str, example: str, generator, key) -> ArgumentError:
    given = key if generator is None else generator
    instead = "" if given is None else f", not {describe(given)}"
    return ArgumentError(
        f"dropout: {library} arrays need generator={example}, or a seed{instead}; for evaluation give training=False"
    )
