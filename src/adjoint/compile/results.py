"""What a program returns, as templates: how to create new objects from the results of each call."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from adjoint.arrays.kinds import is_numpy_array
from adjoint.engine.value import Value, make_node


class Template:
    """How to make an object from the results of a program."""

    def fill(self, outcome: "Outcome") -> Any:
        """Return the object for the results of one call."""
        raise NotImplementedError

    def children(self) -> "Sequence[Template]":
        """Return the templates inside this one."""
        return ()


class Outcome:
    """The results of one call, from which templates make objects."""

    __slots__ = ("arrays", "home", "known", "made", "values")

    def __init__(self, arrays: Mapping[int, Any], known: Sequence, home: str, values: Mapping[int, Value]):
        self.arrays, self.known, self.home = arrays, known, home  # a program of numbers has floats as its arrays
        self.values = values  # results with a graph outside of the function
        self.made: dict[Template, Any] = {}  # an object that two places share is made once

    def value(self, k: int, has_history: bool) -> Value:
        """Return output `k` as a Value."""
        if k in self.values:
            return self.values[k]
        array = self.arrays[k]
        make_leaf, resident, freed_back = _of_arrays()
        made = make_leaf(resident(array) if self.home == "NumPy" else array)
        if has_history:
            made._back = freed_back  # its graph was inside the program: backward() from here raises an error
        return made


@cache
def _of_arrays() -> tuple[Any, ...]:
    """Return what makes a Value of an array."""
    from adjoint.arrays.apply import make_leaf
    from adjoint.arrays.backends import Resident
    from adjoint.arrays.backward_pass import freed_back

    return make_leaf, Resident, freed_back


class Known(Template):
    """An object that existed before the call: it keeps its identity."""

    def __init__(self, index: int):
        self.index = index

    def fill(self, outcome):
        return outcome.known[self.index]


class Constant(Template):
    """An object that does not depend on any input. The caller may change an array, so each call returns a copy."""

    def __init__(self, content: Any):
        self.content = content
        self._is_copied = is_numpy_array(content)

    def fill(self, outcome):
        return self.content.copy() if self._is_copied else self.content


class Scalar(Template):
    """A scalar Value that does not depend on any input."""

    def __init__(self, data: float):
        self.data = data

    def fill(self, outcome):
        return Value(self.data)


class NewValue(Template):
    """A Value with an array that the program computed."""

    def __init__(self, k: int, label: str, has_history: bool):
        self.k, self.label, self.has_history = k, label, has_history

    def fill(self, outcome):
        if self not in outcome.made:
            outcome.made[self] = made = outcome.value(self.k, self.has_history)
            if self.label:
                made.label = self.label
        return outcome.made[self]


class NewArray(Template):
    """A plain array, of NumPy if the inputs were. One that was computed from numbers alone is a number again."""

    def __init__(self, k: int, is_number: bool):
        self.k, self.is_number = k, is_number

    def fill(self, outcome):
        array = outcome.arrays[self.k]
        if self.is_number:
            return array.item() if hasattr(array, "item") else array
        if outcome.home == "JAX":
            return array
        if self not in outcome.made:
            import numpy as np

            outcome.made[self] = np.array(array) if array.shape else np.asarray(array)[()]
        return outcome.made[self]


class NewNumber(Template):
    """A number that the program computed, of the type that the function's arithmetic gives it."""

    def __init__(self, k: int, kind: type):
        self.k, self.kind = k, kind

    def fill(self, outcome):
        x = outcome.arrays[self.k]
        # an integer to a negative power is a float in Python
        return x if self.kind is float or (self.kind is int and not x.is_integer()) else self.kind(x)


class NewScalar(Template):
    """A scalar Value that the program computed."""

    def __init__(self, k: int, kind: type, label: str, has_history: bool):
        self.k, self.kind, self.label, self.has_history = k, kind, label, has_history

    def make(self, x: float) -> Value:
        """Return the Value; its graph was inside the program, so backward() from it raises an error."""
        if not self.has_history:
            return make_node(self.kind, x)
        made = make_node(self.kind, x, "jit", (_ZERO,), (0.0,))
        made._free()
        return made

    def fill(self, outcome):
        if self not in outcome.made:
            outcome.made[self] = made = outcome.values.get(self.k) or self.make(outcome.arrays[self.k])
            if self.label:
                made.label = self.label
        return outcome.made[self]


_ZERO = make_node(Value, 0.0)


class Nest(Template):
    """A list, tuple or dictionary of templates."""

    def __init__(self, kind: type, keys: list[Template] | None, items: list[Template], factory: Any = None):
        self.kind, self.keys, self.items = kind, keys, items
        self.factory = factory  # of a defaultdict

    def fill(self, outcome):
        if self in outcome.made:
            return outcome.made[self]
        items = [item.fill(outcome) for item in self.items]
        if self.keys is not None:
            made: Any = self.kind() if self.factory is None else self.kind(self.factory)
            made.update(zip([key.fill(outcome) for key in self.keys], items))
        else:
            made = self.kind(*items) if hasattr(self.kind, "_fields") else self.kind(items)
        outcome.made[self] = made
        return made

    def children(self):
        return self.items

    def is_constant(self) -> bool:
        """Return whether nothing in it depends on an input."""
        items = [item for item in self.items if not isinstance(item, Constant)]
        return all(isinstance(item, Nest) and item.is_constant() for item in items)


class Record(Template):
    """An object that the function made, with its attributes."""

    def __init__(self, kind: type, attributes: Nest):
        self.kind, self.attributes = kind, attributes

    def children(self):
        return (self.attributes,)

    def fill(self, outcome):
        if self not in outcome.made:
            outcome.made[self] = made = object.__new__(self.kind)
            for name, content in self.attributes.fill(outcome).items():
                object.__setattr__(made, name, content)
        return outcome.made[self]


def all_templates(templates: Iterable[Template]) -> Iterator[Template]:
    """Yield templates and those inside them."""
    pending = list(templates)
    while pending:
        template = pending.pop()
        yield template
        pending += template.children()
