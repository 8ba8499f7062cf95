"""JAX arrays as data. They never change, and inside a traced function their numbers are not known."""

import numpy as np

from adjoint.arrays.backends.base import Backend, each_entry, on_host


class JAXBackend(Backend):
    name = "JAX"

    def __init__(self, jax):
        super().__init__(jax.numpy)
        self.jax = jax

    def default_float(self):
        return self.xp.result_type(float)

    def astype(self, x, dtype):
        return x.astype(dtype)

    def array(self, x, dtype=None):
        return self.xp.asarray(x, dtype=dtype)  # JAX arrays are immutable: no copy is needed

    def erf(self, x):
        return self.jax.scipy.special.erf(x)

    def rows_in_memory(self, x):
        # on CPUs XLA's fast product takes rows; products with a folded transpose are slower
        if self.is_traced(x) and self.jax.default_backend() == "cpu":
            return self.jax.lax.optimization_barrier(x)
        return x

    def as_condition(self, condition):
        return condition

    def getitem(self, x, index):
        self._require_within(x, index)
        return x[index]

    def scatter_add(self, x, index, values):
        self._require_within(x, index)
        return x.at[index].add(values)

    def scatter_set(self, x, index, values):
        self._require_within(x, index)
        return x.at[index].set(values)

    def is_traced(self, x):
        return isinstance(x, self.jax.core.Tracer)

    def optimization_barrier(self, arrays):
        return self.jax.lax.optimization_barrier(arrays)

    def _require_within(self, x, index) -> None:
        """Raise where NumPy would: JAX replaces an index out of range by the nearest one."""
        if not any(self.is_traced(entry) for entry in each_entry(index)):
            np.broadcast_to(np.zeros(()), x.shape)[tuple(on_host(entry) for entry in each_entry(index))]

    def owns(self, x):
        return isinstance(x, self.jax.Array)

    def is_writeable_alone(self, x):
        return True
