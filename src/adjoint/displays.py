"""How notebooks and consoles of rich show a Value or an explanation. What draws it is loaded when one is shown."""

from typing import Any


def mimebundle(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
    """Return what a notebook shows, by media type."""
    from adjoint.draw.notebook import bundle

    return bundle(self)


def rich_text(self) -> Any:
    """Return what a console of rich shows."""
    from adjoint.draw.notebook import console_text

    return console_text(self)


def explore(self) -> Any:
    """Return what a notebook shows of the graph of a Value: its steps, one by one, and sliders for its numbers.

    The numbers are moved on a copy. It needs the extra `notebook`.
    """
    from adjoint.lab.widget import Exploration

    return Exploration(self)
