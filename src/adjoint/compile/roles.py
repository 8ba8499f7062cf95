"""Which numbers of objects are inputs of programs: those that change. The others are constants of the program.

A number that a function changes is an input, or the program would never end to be another one. A number that was
assigned between two calls, such as a learning rate, is tried as an input; if the function cannot be recorded with it,
because Python needs the number itself, it stays a constant.
"""

from collections.abc import Iterable

from adjoint.compile.places import Place

_INPUT, _TRIED, _CONSTANT = range(3)


class Roles:
    """The roles of the numbers of objects in the programs of a function, by their paths."""

    def __init__(self) -> None:
        self._roles: dict[str, int] = {}
        self._last: dict[str, Place] = {}  # in the last call that was looked at

    @property
    def inputs(self) -> set[str]:
        """The paths of the numbers that are inputs."""
        return {path for path, role in self._roles.items() if role != _CONSTANT}

    def try_changed(self, numbers: Iterable[Place]) -> bool:
        """Try the numbers that have changed since the last call as inputs; return whether there are any."""
        last, self._last = self._last, {place.path: place for place in numbers}
        changed = [
            path
            for path, place in self._last.items()
            if path in last
            and path not in self._roles
            # a list may be a new one in each call: a batch
            and ((isinstance(place.holder, list) and place.inside is None) or last[path].is_same_as(place))
            and last[path].content != place.content
        ]
        self._roles |= dict.fromkeys(changed, _TRIED)
        return bool(changed)

    def make_inputs(self, paths: Iterable[str]) -> None:
        """Make numbers inputs for good: the function changes them."""
        self._roles |= dict.fromkeys(paths, _INPUT)

    def end_trial(self, succeeded: bool) -> bool:
        """Decide about the numbers that were tried; return whether there were any."""
        tried = [path for path, role in self._roles.items() if role == _TRIED]
        self._roles |= dict.fromkeys(tried, _INPUT if succeeded else _CONSTANT)
        return bool(tried)
