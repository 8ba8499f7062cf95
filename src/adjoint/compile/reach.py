"""What a call can reach, as the walk in `reachable.py` found it: places, containers, and what must stay as it is."""

import sys
from collections.abc import Callable, Collection

from adjoint.compile.places import Container, Place, TupleCopy
from adjoint.errors import TraceError


class Reach:
    """Everything that a call can reach."""

    def __init__(self, promoted: Collection[str]):
        self.promoted = promoted  # the paths of numbers in objects that programs take as inputs
        self.values: list = []  # each Value once
        self.value_places: list[Place] = []  # where each was found first
        self.places: list[Place] = []  # arrays, numbers that are inputs, and scalar Values
        self.numbers: list[Place] = []  # numbers that are part of the program as long as they do not change
        self.containers: list[Container] = []
        self.tuples: list[TupleCopy] = []
        self.known: list[object] = []  # every Value, container and object, in the order of the visit
        self.constants: list[object] = []  # other objects that are in the key by identity
        self.index: dict[int, int] = {}  # positions in `known`, by identity
        self.repeated: set[int] = set()  # the identities of objects in several places
        self.mixes_data = False  # whether an object is in the data twice, or in the data and in the state
        self.fixed: list[tuple[object, str, object]] = []  # attributes that stay as they are, such as `__class__`
        self.caches: list[Place] = []  # functions that keep what they returned: `functools.cache`
        self.reads: list[tuple[Callable, object, object]] = []  # what a function of an object must return again
        self.key_parts: list[object] = []
        self.key_paths: list[str] = []  # where each part of the key was found
        self._opaque: list[tuple[Place, str]] = []  # what a program cannot handle, and why
        self._names_used: set[str] = set()  # in the code of the functions

    @property
    def key(self) -> tuple:
        """Equal for two calls if and only if one program can serve both."""
        return tuple(self.key_parts)

    def require_open(self) -> None:
        """Raise an error if the code names an object that a program cannot handle."""
        for place, reason in self._opaque:
            name = place.path.split("[")[0].split(".")[-1]  # of the attribute or variable that it is in
            if place.is_argument or name in self._names_used or name in ("__defaults__", "__kwdefaults__"):
                raise TraceError(f"{place.path} is {reason}")

    # --- inputs of programs ---

    def state_places(self) -> list[Place]:
        """Return where the arrays and numbers of the state are."""
        places = [place for place in self.places if place.kind in ("array", "number") and not place.is_data]
        return sorted(places, key=lambda place: place.kind)  # arrays first

    def data_places(self) -> list[Place]:
        """Return where the arrays and numbers are in arguments that hold nothing else, such as a batch."""
        return [place for place in self.places if place.kind in ("array", "number") and place.is_data]

    def has_tracers(self) -> bool:
        """Return whether the call is inside a function that JAX traces."""
        jax = sys.modules.get("jax")
        arrays = [v._data for v in self.values]
        arrays += [place.content for place in self.places if place.kind == "array"]
        return jax is not None and any(isinstance(x, jax.core.Tracer) for x in arrays)
