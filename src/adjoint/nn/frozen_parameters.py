"""Freezing parts of a model: `Module.freeze`, `Module.unfreeze`, and the counts that summaries show."""

from collections.abc import Iterable

from adjoint.engine.freezing import trainable
from adjoint.engine.value import Value
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.members import Members


def set_requires_grad(model: Members, names: Iterable[object], on: bool) -> None:
    """Set `requires_grad` of all parameters, or of those with these names; a name may be that of a submodule."""
    parameters = list(model.named_parameters())
    chosen = [_parameters_named(model, parameters, name) for name in names] or [[p for _, p in parameters]]
    for p in (p for part in chosen for p in part):
        p.requires_grad = on


def _parameters_named(model: Members, parameters: list[tuple[str, Value]], name: object) -> list[Value]:
    if isinstance(name, Members):  # model.freeze(model.encoder)
        return name.parameters()
    known = [known for known, _ in (*model.named_modules(), *parameters) if known]
    if name not in known:
        raise unknown_name_error(f"layer or parameter of {type(model).__name__}", name, known)
    return [p for place, p in parameters if place == name or place.startswith(f"{name}.")]


def frozen_note(parameters: list[Value]) -> str:
    """Return ` (frozen)`, or the number of parameters that are not frozen, or nothing if none is frozen."""
    free = trainable(parameters)
    if len(free) == len(parameters):
        return ""
    return f" ({sum(p.size for p in free):,} trainable)" if free else " (frozen)"
