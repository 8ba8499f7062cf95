"""The argument `shard` of jit: which parts of the state are split over devices. It is checked before JAX is loaded."""

from collections.abc import Iterable, Mapping
from typing import Any

from adjoint.errors import ArgumentError
from adjoint.errors.given import describe

PARAMETERS = "parameters"  # the rule that splits a large array along its largest divisible axis
Axes = tuple["str | tuple[str, ...] | None", ...]  # an axis of the mesh, several, or None for each axis of an array
Rule = str | Axes | None
Shard = str | Mapping[str, Any] | None


def check_shard(shard: Shard, devices: object) -> "Mapping[str, Rule] | Rule":
    """Return the rules with tuples for axes; raise an error for what is no rule."""
    if shard is None:
        return None
    if devices is None:
        raise ArgumentError(
            f"jit(shard={shard!r}) needs devices to split the state over: a number, such as devices=8, a list of JAX "
            "devices, or a mesh"
        )
    if isinstance(shard, Mapping):
        if not shard:
            raise ArgumentError("shard is an empty dictionary; give patterns of names and rules, or shard=None")
        return {_pattern(pattern): _rule(rule, f"shard[{pattern!r}]") for pattern, rule in shard.items()}
    if shard != PARAMETERS:
        raise ArgumentError(
            f'shard must be "parameters", a dictionary of patterns of names, or None, not {describe(shard)}'
        )
    return shard


def _pattern(pattern: object) -> str:
    if not isinstance(pattern, str):
        raise ArgumentError(f'a key of shard must be a pattern of names such as "*.weight", not {describe(pattern)}')
    return pattern


def _rule(rule: Any, where: str) -> Rule:
    if rule is None or (isinstance(rule, str) and rule == PARAMETERS):
        return rule
    if isinstance(rule, str) or not isinstance(rule, Iterable):
        raise ArgumentError(
            f'{where} must be "parameters", None, or a tuple with an axis of the mesh or None for each axis of the '
            f'array, such as ("model", None), not {describe(rule)}'
        )
    axes = tuple(tuple(names) if isinstance(names, list) else names for names in rule)
    named = axes_in(axes)
    several = [name for names in axes if isinstance(names, tuple) for name in names]
    if not all(isinstance(name, str) for name in (*named, *several)):
        raise ArgumentError(
            f"{where} must have an axis of the mesh, a tuple of axes or None for each axis of the array, not {axes!r}"
        )
    if len(set(named)) < len(named):
        raise ArgumentError(f"{where} is {axes!r}, but an axis of the mesh can split an array only once")
    return axes


def axes_in(axes: Axes) -> list[str]:
    """Return the axes of the mesh that a rule names."""
    return [name for names in axes for name in (names if isinstance(names, tuple) else (names,)) if name is not None]
