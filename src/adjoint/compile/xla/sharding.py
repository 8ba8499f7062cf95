"""How the state of a program is split over the devices: the rules of `jit(shard=...)`, and what they give.

A rule is "parameters", which splits a large array along its largest axis that the devices of the batch divide, or a
tuple with an axis of the mesh, or None, for each axis of the array. The gradient of a Value, and what an optimizer
keeps for it, have the sharding of its data.
"""

import math
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.compile.reachable import Reach
from adjoint.compile.shard_rules import Axes, Rule, axes_in
from adjoint.compile.xla.device_arrays import SMALL
from adjoint.errors import ArgumentError, ShapeError

if TYPE_CHECKING:
    from adjoint.compile.xla.devices import Placement

_SHOWN = 8  # names in an error


class Stored(NamedTuple):
    """An array of the state on the devices: what it is, how it is split, and how much of it each device holds."""

    name: str  # of the parameter
    what: str  # "data", "grad", or what an optimizer calls it
    shape: tuple[int, ...]
    dtype: str
    split: str  # such as "axis 0 over batch"; empty if each device holds all of it
    bytes_per_device: int


class StateTable(list[Stored]):
    """What a compiled function keeps on its devices, array by array. It prints as a table of the parameters."""

    @property
    def bytes_per_device(self) -> int:
        """The bytes of all arrays that each device holds."""
        return sum(stored.bytes_per_device for stored in self)

    def __str__(self) -> str:
        head = ("name", "shape", "dtype", "arrays", "split", "bytes per device")
        groups: dict[tuple, list[Stored]] = {}
        small = [x for x in self if not x.split and x.bytes_per_device <= SMALL]
        for x in self if len(small) == 1 else [x for x in self if x not in small]:
            groups.setdefault((x.name, x.shape, x.dtype, x.split), []).append(x)
        rows = [
            (name, str(shape), dtype, ", ".join(x.what for x in held), split or "no", _total(held))
            for (name, shape, dtype, split), held in groups.items()
        ]
        if len(small) > 1:
            rows.append((f"{len(small)} small arrays", "", "", "", "no", _total(small)))
        rows.append(("total", "", "", "", "", _total(self)))
        widths = [max(map(len, column)) for column in zip(head, *rows)]
        *left, last = zip(widths, range(len(head)))
        lines = [[row[i].ljust(width) for width, i in left] + [row[last[1]].rjust(last[0])] for row in (head, *rows)]
        return "\n".join("  ".join(line) for line in lines)


def _total(arrays: Iterable[Stored]) -> str:
    return f"{sum(x.bytes_per_device for x in arrays):,}"


class Shardings:
    """The shardings of the Values that a call can reach, by their position in `reach.values`."""

    def __init__(self, placement: "Placement", reach: Reach):
        self._placement, self._values = placement, reach.values
        self.names = names_of(reach)
        self._owners = _owners(reach)
        rules = placement.rules
        if isinstance(rules, Mapping):
            self._require_matches(rules)

    def of(self, i: int) -> Any:
        """Return the `NamedSharding` of the data and the gradient of a Value."""
        value, placement = self._values[i], self._placement
        if not isinstance(value, Tensor):
            return placement.everywhere
        shape, dtype = tuple(value._data.shape), np.dtype(value._data.dtype)
        owner, _ = self._owners.get(id(value), (value, ""))
        if tuple(getattr(owner, "shape", ())) != shape:
            owner = value
        name = self.names[id(owner)]
        rule = rule_for(placement.rules, name)
        if rule is None:
            return placement.everywhere
        if isinstance(rule, str):
            return self._split_largest_axis(shape, dtype.itemsize)
        self._require_divisible(rule, shape, name)
        return placement.sharding(rule)

    def _split_largest_axis(self, shape: tuple[int, ...], itemsize: int) -> Any:
        """Split a large array over the devices of the batch; small arrays are on each device, packed together."""
        placement = self._placement
        divisible = [axis for axis, size in enumerate(shape) if size % placement.parts == 0]
        if itemsize * math.prod(shape) <= SMALL or not divisible:
            return placement.everywhere
        axis = max(divisible, key=lambda axis: shape[axis])
        return placement.sharding((None,) * axis + (placement.axis,))

    def _require_divisible(self, rule: Axes, shape: tuple[int, ...], name: str) -> None:
        if len(rule) > len(shape):
            raise ShapeError(
                f"shard splits {name} by {rule!r}, along {len(rule)} axes, but its shape is {shape}; give one axis of "
                "the mesh, or None, for each of its axes"
            )
        for axis, names in enumerate(rule):
            count = math.prod(self._placement.mesh.shape[name] for name in axes_in((names,)))
            if shape[axis] % count:
                raise ShapeError(
                    f"shard splits {name} of shape {shape} by {rule!r}, but {count}, the number of devices along "
                    f"{names!r}, does not divide the size {shape[axis]} of axis {axis}; split another axis, or take a "
                    "mesh of another size"
                )

    def name(self, i: int) -> tuple[str, str]:
        """Return the name of a parameter in its model, or where the function finds it, and what a Value is to it."""
        value = self._values[i]
        owner, what = self._owners.get(id(value), (value, "data"))
        return self.names[id(owner)], what

    def _require_matches(self, rules: Mapping[str, Rule]) -> None:
        names = [self.names[id(value)] for value in self._values if id(value) not in self._owners]
        for pattern in rules:
            if not any(fnmatchcase(name, pattern) for name in names):
                shown = ", ".join(map(repr, names[:_SHOWN])) + ", …" * (len(names) > _SHOWN)
                raise ArgumentError(
                    f"the pattern {pattern!r} of shard matches no parameter that the function uses; they are {shown}"
                )


def rule_for(rules: Mapping[str, Rule] | Rule, name: str) -> Rule:
    """Return the rule of a parameter: that of the first pattern that matches its name."""
    if not isinstance(rules, Mapping):
        return rules
    return next((rule for pattern, rule in rules.items() if fnmatchcase(name, pattern)), None)


def names_of(reach: Reach) -> dict[int, str]:
    """Return the names of Values by identity: those of `named_parameters()` of a model, otherwise their path.

    A parameter of a model that is inside another one has the name that the outer one gives it, which is longer.
    """
    names: dict[int, str] = {}
    for x in reach.known:
        for name, p in _call(x, "named_parameters"):
            if len(name) > len(names.get(id(p), "")):
                names[id(p)] = name
    paths = {id(value): place.path for value, place in zip(reach.values, reach.value_places)}
    return paths | {key: name for key, name in names.items() if key in paths}


def _owners(reach: Reach) -> dict[int, tuple[Any, str]]:
    """Return the parameters that Values of an optimizer belong to, and what they are to it, such as "exp_avg"."""
    found: dict[int, tuple[Any, str]] = {}
    reached = reach.index
    for x in reach.known:
        for parameter, name, value in _call(x, "parameter_state"):
            if id(parameter) in reached:
                found[id(value)] = parameter, name
    return found


def _call(x: object, name: str) -> Iterable[Any]:
    """Return what a method that the class of an object defines returns; nothing if it defines none."""
    is_defined = not isinstance(x, (type, Tensor)) and callable(getattr(type(x), name, None))
    return getattr(x, name)() if is_defined else ()


def describe_split(sharding: Any) -> str:
    """Return how an array is split in words, such as "axis 0 over batch"; "" if it is not split."""
    split = [(axis, " and ".join(axes_in((names,)))) for axis, names in enumerate(sharding.spec) if names is not None]
    return ", ".join(f"axis {axis} over {names}" for axis, names in split)
