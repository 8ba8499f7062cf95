"""Several devices: the batch of a compiled function is split over them, and each holds the whole state.

XLA does the splitting. It computes what one device would compute, with a part of the batch on each device, and sums
the gradients.
"""

from collections.abc import Iterable

import numpy as np

from adjoint.compile.places import Place
from adjoint.compile.xla.jax_library import load_jax
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe


class Placement:
    """Where arrays go: the batch is split along one axis of a mesh of devices, everything else is on each device."""

    def __init__(self, devices: object):
        jax = load_jax()
        self.mesh = _mesh(jax, devices)
        names = self.mesh.axis_names
        axis = "batch" if "batch" in names else names[0]
        self.parts = self.mesh.shape[axis]
        self.processes = len({device.process_index for device in self.mesh.devices.flat})
        self._jax = jax
        self._split = jax.sharding.NamedSharding(self.mesh, jax.sharding.PartitionSpec(axis))
        self._everywhere = jax.sharding.NamedSharding(self.mesh, jax.sharding.PartitionSpec())

    def shape(self, place: Place) -> tuple[int, ...]:
        """Return the shape of an input over all processes: each holds its part of the batch."""
        x = place.content
        if not place.is_data or not x.shape:
            return tuple(x.shape)
        size = x.shape[0] * self.processes
        if size % self.parts:
            held = f" in {self.processes} processes" if self.processes > 1 else ""
            raise ShapeError(
                f"{place.path} of shape {tuple(x.shape)}{held} cannot be split over {self.parts} devices: the size of "
                f"its first axis must be a multiple of {self.parts // self.processes}. Arrays that are not a batch "
                "belong to the state: make them attributes, or variables of the function's closure"
            )
        return (size, *x.shape[1:])

    def split(self, x):
        """Return an array with its first axis split over the devices."""
        return self._place(x, self._split if np.ndim(x) else self._everywhere)

    def replicate(self, x):
        """Return an array that is the same on every device."""
        return self._place(x, self._everywhere)

    def _place(self, x, sharding):
        jax = self._jax
        if isinstance(x, jax.Array) and x.sharding == sharding:
            return x
        if self.processes == 1:
            return jax.device_put(x, sharding)
        if sharding is self._everywhere:
            return jax.make_array_from_process_local_data(sharding, np.asarray(x), np.shape(x))
        return jax.make_array_from_process_local_data(sharding, np.asarray(x))

    def results(self):
        """Return the sharding of the results of a program: the same on every device."""
        return self._everywhere


def _mesh(jax, devices):
    if isinstance(devices, jax.sharding.Mesh):
        # XLA decides how results are sharded. With explicit axes, the default of jax.make_mesh, the traced function
        # would have to say it for each lookup and each product.
        return jax.sharding.Mesh(devices.devices, devices.axis_names)
    if isinstance(devices, int) and not isinstance(devices, bool):
        found = jax.devices()
        if not 1 <= devices <= len(found):
            raise ArgumentError(
                f"jit was asked to use {devices} devices, but JAX has {len(found)}; on a CPU, set "
                "XLA_FLAGS=--xla_force_host_platform_device_count=8 in the environment to get 8"
            )
        return jax.sharding.Mesh(np.array(found[:devices]), ("batch",))
    chosen = list(devices) if isinstance(devices, Iterable) else []
    if not chosen or not all(isinstance(device, jax.Device) for device in chosen):
        raise ArgumentError(
            f"devices must be a number, a list such as jax.devices(), or a mesh, not {describe(devices)}"
        )
    return jax.sharding.Mesh(np.array(chosen), ("batch",))
