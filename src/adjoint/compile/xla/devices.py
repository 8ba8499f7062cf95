"""Several devices: the batch of a compiled function is split over them, and the state too if `shard` says so.

XLA does the splitting. It computes what one device would compute, with a part of the batch on each device, and sums
the gradients. It gathers the weights that are split where it needs them (`sharding`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from adjoint.compile.places import Place
from adjoint.compile.shard_rules import Axes, Rule, axes_in
from adjoint.distributed.processes import require_joined
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe
from adjoint.errors.optional_jax import load_jax


class Placement:
    """Where arrays go: the batch is split along one axis of a mesh of devices, the state by the rules of `shard`."""

    def __init__(self, devices: object, rules: Mapping[str, Rule] | Rule = None):
        jax = load_jax()
        self._jax, self.rules = jax, rules
        require_joined(jax)
        self.mesh = _mesh(jax, devices)
        names = self.mesh.axis_names
        self._require_axes(names)
        self.axis = "batch" if "batch" in names else names[0]
        self.parts = self.mesh.shape[self.axis]
        self.platform: str = self.mesh.devices.flat[0].platform
        self._find_local_parts()
        self.processes = len(self.members)
        self._split = self.sharding((self.axis,))
        self.everywhere = self.sharding(())

    def sharding(self, axes: Axes) -> Any:
        """Return the sharding that splits each axis of an array along the given axis of the mesh, or not."""
        return self._jax.sharding.NamedSharding(self.mesh, self._jax.sharding.PartitionSpec(*axes))

    def _require_axes(self, names: Sequence[str]) -> None:
        for pattern, rule in self.rules.items() if isinstance(self.rules, Mapping) else ():
            for name in axes_in(rule) if isinstance(rule, tuple) else ():
                if name not in names:
                    known = ", ".join(map(repr, names))
                    raise ArgumentError(
                        f"shard[{pattern!r}] splits along {name!r}, but the axes of the mesh are {known}; make a mesh "
                        'with this axis, such as jax.make_mesh((2, 4), ("batch", "model"))'
                    )

    def _find_local_parts(self) -> None:
        """Find out how many parts of the batch this process holds, and which processes hold the same."""
        along = np.moveaxis(self.mesh.devices, self.mesh.axis_names.index(self.axis), 0).reshape(self.parts, -1)
        held: dict[int, set[int]] = {}
        for part, devices in enumerate(along):
            for device in devices:
                held.setdefault(device.process_index, set()).add(part)
        here = self._jax.process_index()
        if here not in held:
            raise ArgumentError(
                f"the {self.mesh.size} devices include none of this process, number {here}; use all "
                f"{len(self._jax.devices())} devices of jax.devices()"
            )
        self.members = sorted(held)  # the processes whose devices are in the mesh
        self.local_parts = len(held[here])
        self.mates = [process for process in self.members if held[process] == held[here]]
        if self.local_parts * len(held) != self.parts * len(self.mates):
            raise ArgumentError(
                "the processes hold different numbers of parts of the batch; use a mesh in which each has as many "
                f"devices along {self.axis!r} as any other"
            )

    def shape(self, place: Place) -> tuple[int, ...]:
        """Return the shape of an input over all processes: each holds its part of the batch."""
        x = place.content
        if not place.is_data or not x.shape:
            return tuple(x.shape)
        if x.shape[0] % self.local_parts:
            held = f" in each of {self.processes} processes" if self.processes > 1 else ""
            raise ShapeError(
                f"{place.path} of shape {tuple(x.shape)}{held} cannot be split over {self.parts} devices: the size of "
                f"its first axis must be a multiple of {self.local_parts}. Arrays that are not a batch "
                "belong to the state: make them attributes, or variables of the function's closure"
            )
        return (x.shape[0] * self.parts // self.local_parts, *x.shape[1:])

    def split(self, x):
        """Return an array with its first axis split over the devices; each process has a part of it."""
        if not np.ndim(x):
            return self.put(x, self.everywhere)
        jax = self._jax
        if self.processes == 1 or (isinstance(x, jax.Array) and not x.is_fully_addressable):
            return self.put(x, self._split)
        return jax.make_array_from_process_local_data(self._split, np.asarray(x))

    def replicate(self, x):
        """Return an array that is the same on every device."""
        return self.put(x, self.everywhere)

    def put(self, x, sharding):
        """Return an array on the devices, split as `sharding` says. Every process has the whole of a NumPy array."""
        jax = self._jax
        if isinstance(x, jax.Array):
            if x.sharding == sharding:
                return x
            if self.processes == 1 or not x.is_fully_addressable:
                return jax.device_put(x, sharding)
        if self.processes == 1:
            return jax.device_put(x, sharding)
        whole = np.asarray(x)
        return jax.make_array_from_callback(whole.shape, sharding, lambda index: whole[index])


def _mesh(jax, devices):
    if isinstance(devices, jax.sharding.Mesh):
        if not devices.size or not devices.axis_names:
            raise ArgumentError(
                f"the mesh has {devices.size} devices and the axes {devices.axis_names}; it needs at least one of "
                'each, such as jax.make_mesh((8,), ("batch",))'
            )
        # XLA decides how results are sharded. With explicit axes, the default of jax.make_mesh, the traced function
        # would have to say it for each lookup and each product.
        return jax.sharding.Mesh(devices.devices, devices.axis_names)
    if isinstance(devices, (int, np.integer)) and not isinstance(devices, bool):
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
    if len(set(chosen)) < len(chosen):
        raise ArgumentError(
            f"devices names a device more than once: {describe(chosen)}; each can hold only one part of the batch, so "
            "list different ones, such as jax.devices()"
        )
    return jax.sharding.Mesh(np.array(chosen), ("batch",))
