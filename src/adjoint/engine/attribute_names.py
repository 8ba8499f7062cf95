"""The attributes of a Value are fixed: assigning any other name is an error that suggests the nearest one.

A subclass of `Value` that a user defines may have attributes of its own, as any Python class. Reading an unknown name
is Python's own AttributeError, whose traceback suggests the nearest name: a `__getattr__` would make every method call
slower, because Python then looks up attributes without its caches.
"""

from typing import TYPE_CHECKING

from adjoint.errors import UnknownAttributeError

if TYPE_CHECKING:
    from adjoint.engine.attachments import Attachments


_ASSIGNABLE = ("data", "grad", "label", "requires_grad", "_backward")


def require_attribute(value: "Attachments", name: str) -> None:
    """Raise if `name` is not an attribute of the class of `value`, and the class is one of adjoint's own."""
    kind = type(value)
    if hasattr(kind, name) or not kind.__module__.startswith("adjoint."):
        return
    from adjoint.errors.suggest import nearest  # only errors need it

    meant = nearest(name, _ASSIGNABLE)
    hint = f" (did you mean {meant!r}?)" if meant else ""
    raise UnknownAttributeError(
        f"a {kind.__name__} has no attribute {name!r}{hint}; keep data of your own in its label, in a dict whose keys "
        "are Values, or in a subclass of Value, which may have any attribute"
    )
