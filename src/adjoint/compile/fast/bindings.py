"""Recognizing a call like an earlier one.

A training loop calls the same function with the same model again and again. A `Binding` remembers where everything
was in a call. It makes sure, by a few comparisons of identity, that no object has been replaced since, reads the
arrays and numbers, and runs the program of that call. It takes few steps and touches few objects, so that a call takes
microseconds even if the computation between two calls has pushed everything out of the processor's caches.
"""

from collections.abc import Collection
from itertools import repeat
from operator import is_
from types import CellType
from typing import Any

from adjoint.arrays.kinds import is_tensor
from adjoint.compile.backend import Bound, Program
from adjoint.compile.fast.arguments import Argument, ArgumentMaker, Distinct, Equal, Floats, input_like
from adjoint.compile.fast.contents import same_contents
from adjoint.compile.fast.tuples import ItemOfTuple, TupleLike, has_inputs
from adjoint.compile.places import ABSENT, Attributes, ClassAttributes, Container, Place
from adjoint.compile.reachable import Reach
from adjoint.compile.results import Constant, Nest, NewArray, NewNumber, NewValue, Template
from adjoint.engine.hooks import changes
from adjoint.engine.modes import modes
from adjoint.errors.interruptions import raise_interruption

CHANGED = object()  # what a binding returns for a call that it does not recognize


def _is_same(now: object, before: object) -> bool:
    """Return whether a function of an object returns what it did: a number, text or tuple may be an equal one."""
    return now is before or (type(now) in (tuple, bytes, str) and type(now) is type(before) and now == before)


_ALL = slice(None)  # the key of all items of a list


def _live(places: list[Place], before: dict[int, Any]) -> list[tuple[Any, Any, Any, Argument]]:
    """Return the arrays and numbers of the state, which may be new objects in each call: holder, key, copy, recognizer.

    Lists of floats, such as the buffers of an optimizer written by hand, are read at once.
    """
    found, k = [], 0
    while k < len(places):
        place = places[k]
        holder, copy = place.holder, before.get(id(place.holder))
        count = len(holder) if isinstance(holder, list) and place.key == 0 else 0
        items = places[k : k + count]
        if place.inside is not None:
            found.append((ItemOfTuple(place), None, None, input_like(place.content)))
            k += 1
        elif count > 1 and [x.key for x in items if x.holder is holder and type(x.content) is float] == [*range(count)]:
            found.append((holder, _ALL, copy, Floats(count)))
            k += count
        else:
            found.append((holder, place.key, copy, input_like(place.content)))
            k += 1
    return found


class Binding:
    """What recognizes a call, and the bound program that serves it."""

    def __init__(
        self, program: Program, bound: Bound, reach: Reach, arguments: list, options: dict,
        static: Collection[int | str], is_ordered: bool = False,
    ):  # fmt: skip
        self.run, self.names, self.is_ordered = bound.run, tuple(options), is_ordered
        self.changes_state = bound.changes_state
        like = ArgumentMaker(reach)
        self.positional = [Equal(x) if i in static else like(x) for i, x in enumerate(arguments)]
        self.by_name = [Equal(x) if name in static else like(x) for name, x in options.items()]
        self.distinct = Distinct(reach, like.containers)
        self._remember_containers(reach)
        self._remember_effects(program, reach)
        self._checks = (
            modes.recording, modes.precision, changes.count, len(self.positional), [x.take for x in self.positional],
            self.names, self.tuples, self.live, self.aliases, self.distinct if self.distinct.is_needed else None,
            self.wholes, self.cells, self.named, bool(self.others or self.attributes or self.reads), self.stored,
        )  # fmt: skip

    # --- construction ---

    def _remember_containers(self, reach: Reach) -> None:
        """Collect what each call compares: containers as a whole, and the watched names of namespaces."""
        before = {id(container.of): container.before for container in reach.containers}
        places = reach.state_places()
        self.live = _live(places, before)
        self.tuples = [TupleLike(copied, before) for copied in reach.tuples if has_inputs(copied, places)]
        positions = {place.number: k for k, place in enumerate(places)}
        self.aliases = [  # the same array as that at a position in the state
            (place.holder, place.key, positions[place.same_as.number])
            for place in reach.places
            if place.same_as is not None and place.same_as.number in positions
        ]
        inputs = [place.outermost()[0] for place in reach.places if place.kind != "scalar"]  # read in each call
        changing = {(id(place.holder), place.key) for place in inputs}
        self.wholes, self.others, self.cells, self.named = [], [], [], []
        self.attributes, self.reads = list(reach.fixed), reach.reads
        for container in reach.containers:
            self._remember_container(container, changing)
        self._objects, self._names, self._contents = zip(*self.attributes) if self.attributes else ((), (), ())

    def _remember_container(self, container: Container, changing: set[tuple[int, object]]) -> None:
        of = container.of
        if isinstance(of, ClassAttributes):
            self.wholes.append((of.dictionary(), container.before))
        elif not container.is_namespace:
            if not container.is_data:
                (self.wholes if isinstance(of, (list, dict)) else self.others).append((of, container.before))
        else:
            watched = [(name, x) for name, x in container.before.items() if (id(of), name) not in changing]
            if not isinstance(of, Attributes):
                contents = [None if x is ABSENT else x for _, x in watched]
                self.named.append((of.get, [name for name, _ in watched], contents))
            elif isinstance(of.of, CellType):
                self.cells += [(of.of, x) for _, x in watched if x is not ABSENT]
            else:
                self.attributes += [(of.of, name, x) for name, x in watched]

    def _remember_effects(self, program: Program, reach: Reach) -> None:
        """Collect the containers that the program changes, and find out whether the next call can be like this one."""
        trace = program.trace
        live = {(id(place.holder), place.key) for place in reach.state_places()}
        tuples = {(id(like.holder), like.key) for like in self.tuples}
        self.is_lasting = not any(isinstance(grad, Template) for grad in trace.grads.values())
        self.stored: list[tuple[Container, object]] = []
        for c, key, template in trace.effects:
            container = reach.containers[c]
            is_same_kind = (id(container.of), key) in live and isinstance(template, (NewArray, NewNumber, Constant))
            is_same_kind |= (id(container.of), key) in tuples and isinstance(template, Nest)
            if not is_same_kind and not self._replaces_unused(program, reach, container, key, template):
                self.is_lasting = False
            whole = (container, _ALL) if isinstance(container.of, list) else (container, key)
            if not self.stored or self.stored[-1] != whole:
                self.stored.append(whole)

    @staticmethod
    def _replaces_unused(
        program: Program, reach: Reach, container: Container, key: object, template: Template | None
    ) -> bool:
        """Return whether a new Value replaces one that the program neither reads nor changes."""
        before = None if key is None or not isinstance(container.before, dict) else container.before.get(key)
        if not isinstance(template, NewValue) or not is_tensor(before) or container.is_data:
            return False
        i = next(i for i, v in enumerate(reach.values) if v is before)
        return program.ignores(i, before)

    # --- a call ---

    def __call__(self, arguments: tuple, options: dict) -> Any:
        """Return the result, or CHANGED if the binding does not serve this call."""
        (
            recording, precision, hooks, count, takes, names, tuples, live, aliases, distinct, wholes, cells, named,
            more, stored,
        ) = self._checks  # fmt: skip
        if modes.recording is not recording or len(arguments) != count or changes.count != hooks:
            return CHANGED
        if modes.precision is not precision:
            return CHANGED
        data: list = []
        state: list = []
        around: list[int] = []
        for take, x in zip(takes, arguments):
            if not take(x, data, around):
                return CHANGED
        if (options or names) and not self._takes(options, data, around):
            return CHANGED
        try:
            for like in tuples:
                if not like.take():
                    return CHANGED
            for holder, key, before, recognizer in live:
                x = holder[key]
                if not recognizer.take(x, state, around):
                    return CHANGED
                if before is not None:
                    before[key] = x
            for holder, key, k in aliases:
                if holder[key] is not state[k]:
                    return CHANGED
        except (LookupError, TypeError):  # an item or a name was deleted, or is no tuple
            return CHANGED
        if distinct is not None and not distinct(state, data, around):
            return CHANGED
        try:
            if not same_contents(wholes):
                return CHANGED
            for cell, content in cells:
                if cell.cell_contents is not content:
                    return CHANGED
            for get, keys, contents in named:
                if not all(map(is_, map(get, keys), contents)):
                    return CHANGED
            if more and not self._has_same_objects():
                return CHANGED
        except Exception as error:  # an object that cannot be compared, or an empty cell: something was replaced
            raise_interruption(error)
            return CHANGED
        result = self.run(state, data)
        if stored:
            self.note_effects()
        return result

    def _has_same_objects(self) -> bool:
        """Return whether deques, sets, slots and defaults hold what they held."""
        for of, before in self.others:
            if len(of) != len(before) or not all(map(is_, of, before)):
                return False
        if not all(map(is_, map(getattr, self._objects, self._names, repeat(ABSENT)), self._contents)):
            return False
        return all(_is_same(read(of), content) for read, of, content in self.reads)

    def note_effects(self) -> None:
        """Remember what the program has put into containers."""
        for container, key in self.stored:
            content = container.get(key)
            if content is ABSENT:
                container.before.pop(key, None)
            elif key is None:
                container.before[:] = content
            else:
                container.before[key] = content

    def _takes(self, options: dict, data: list, around: list[int]) -> bool:
        """Return whether the keyword arguments are like those before, and add the inputs among them."""
        if len(options) != len(self.names) or not all(name in options for name in self.names):
            return False
        if self.is_ordered and tuple(options) != self.names:
            return False
        return all(recognizer.take(options[name], data, around) for recognizer, name in zip(self.by_name, self.names))
