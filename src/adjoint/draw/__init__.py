"""Pictures of a computation. `adjoint.draw(root)` shows the graph below a Value."""

from adjoint.draw.text import tree
from adjoint.errors import ArgumentError
from adjoint.floats import described
from adjoint.value import Value

_FORMATS = {"text": tree}


def draw(root: Value, format: str = "text") -> str:
    """Return a picture of `root` and all that it was computed from.

    >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    >>> print(draw(a * b + a))
    v1 = v2 + a  data -4.0000  grad 0.0000
    ├── v2 = a * b  data -6.0000  grad 0.0000
    │   ├── a  data 2.0000  grad 0.0000
    │   └── b  data -3.0000  grad 0.0000
    └── a  (above)
    """
    if not isinstance(root, Value):
        raise ArgumentError(f"draw needs a Value, not {described(root)}")
    if format not in _FORMATS:
        known = ", ".join(_FORMATS)
        raise ArgumentError(f"draw has no format {format!r}; it has: {known}")
    return _FORMATS[format](root)
