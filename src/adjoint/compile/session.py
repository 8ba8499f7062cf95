"""Running a function once with stand-ins for its numbers, to find out what it changes and returns.

`trace` puts a stand-in into every place that the call can reach, calls the function, and compares. The back end's
`Recorder` makes the stand-ins and records what is computed with them. The result is a `Trace`: which outputs of the
recorded computation belong where. Afterwards everything is put back, even if the function fails: a trace leaves
nothing behind.
"""

import functools
import threading
from collections.abc import Callable, Mapping
from typing import Any

from adjoint.arrays.kinds import is_numpy_number, is_tensor
from adjoint.compile.backend import UNCHANGED, Recorder, Source
from adjoint.compile.places import ABSENT, Place
from adjoint.compile.random_numbers import RandomNumbers
from adjoint.compile.reachable import Reach
from adjoint.compile.results import Constant, Known, Nest, NewNumber, Record, Template
from adjoint.compile.state import attributes_of, is_state
from adjoint.engine.locks import make_lock
from adjoint.engine.value import Value
from adjoint.errors import TraceError
from adjoint.errors.given import describe
from adjoint.errors.interruptions import raise_interruption
from adjoint.transforms.trees import tree_leaves


class _Thread(threading.local):
    """How many functions a thread is tracing, one inside the other."""

    depth = 0


thread = _Thread()

# Held by a thread that looks at all that a call can reach, traces a function, or changes state by a compiled program: a
# trace puts stand-ins into containers that threads share, and steps that change the same state come one after another.
exclusive = make_lock()


class Trace:
    """What a function did when it ran with stand-ins. Numbers are those of the recorder's outputs."""

    def __init__(self, reach: Reach, recorder: Recorder):
        self.reach, self.recorder = reach, recorder
        self.data: dict[int, int] = {}  # the output that is the new data of a Value
        self.grads: dict[int, int | Template | None] = {}  # the same for its gradient; None for zero
        self.effects: list[tuple[int, object, Template | None]] = []  # container, key, its new content
        self.changed_numbers: list[Place] = []  # numbers of the state that the function changed
        self.returned: Template = Constant(None)

    @property
    def is_pure(self) -> bool:
        """Whether the function changes nothing."""
        return not (self.data or self.grads or self.effects)


def trace(
    fn: Callable, reach: Reach, arguments: list, options: dict, recorder: Recorder, *, keeps_identity: bool = True
) -> Trace:
    """Run `fn(*arguments, **options)` with stand-ins and return what it did.

    Without `keeps_identity`, Values that the function is given and returns are new objects.
    """
    found = Trace(reach, recorder)
    sessions: list[Session] = []

    def run(stand_ins: Mapping[Source, Any]) -> None:
        session = Session(found, stand_ins, keeps_identity)
        sessions.append(session)
        with session:
            with RandomNumbers(reach) as drawn:
                returned = fn(*arguments, **options)
            drawn.warn(getattr(fn, "__name__", "the function"))
            session.collect(returned)

    with exclusive:
        try:
            try:
                recorder.record(run)
            finally:
                for session in sessions:
                    session.finish()  # an interrupt may have come before it ended
        except Exception as error:
            raise_interruption(error)
            explained = recorder.explain(error)
            if explained is None:
                raise
            raise explained from error
    return found


class Session:
    """The part of a trace in which the function runs: `with Session(...) as session:`."""

    def __init__(self, trace: Trace, stand_ins: Mapping[Source, Any], keeps_identity: bool):
        self.trace, self.reach, self.recorder = trace, trace.reach, trace.recorder
        self.stand_ins, self.keeps_identity = stand_ins, keeps_identity
        self.index: dict[int, int] = dict(self.reach.index)
        self.templates: dict[int, Template | None] = {}
        self.kept: list[object] = []  # alive, so that no id is used twice
        self._constants = {(id(place.holder), place.key): place for place in self.reach.numbers}
        self.put: list = []  # the content of each container when the function began
        self._depth, self._is_restored = thread.depth, False

    def __enter__(self) -> "Session":
        thread.depth = self._depth + 1
        try:
            self.recorder.enter(self.stand_ins)
            self._put_stand_ins()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception) -> None:
        self.finish()

    def finish(self) -> None:
        """Put everything back, unless that is done: once more if an interrupt comes meanwhile."""
        if self._is_restored:
            return
        try:
            self._restore()
        except BaseException:
            self._restore()
            raise

    def _restore(self) -> None:
        thread.depth = self._depth
        for container in reversed(self.reach.containers):
            container.restore()
        for copied in self.reach.tuples:
            copied.items[:] = copied.content
            for place in copied.places:
                if place.holder is not None and place.holder[place.key] is not place.content:
                    place.holder[place.key] = place.content
        for place in (*self.reach.places, *self.reach.caches):
            place.holder[place.key] = place.content
        self.recorder.leave()
        self._is_restored = True

    # --- before ---

    def _put_stand_ins(self) -> None:
        for j, place in enumerate(self.reach.places):
            if place.kind == "scalar":
                stand_in = self.recorder.replacement(place.content)
                self.index[id(stand_in)] = self.index[id(place.content)]
            else:
                stand_in = self.stand_ins["place", place.same_as.number if place.same_as else j]
            if stand_in is not place.content:
                place.holder[place.key] = stand_in
        for place in self.reach.caches:
            place.holder[place.key] = _without_cache(place)
        for copied in reversed(self.reach.tuples):  # inner tuples before outer ones
            if any(a is not b for a, b in zip(copied.items, copied.content)):
                made = copied.tuple()
                for place in copied.places:
                    if place.holder is not None:
                        place.holder[place.key] = made
        self.put = [container.now() for container in self.reach.containers]

    # --- after ---

    def collect(self, returned) -> None:
        """Record what has changed, and what the function returned."""
        for i in range(len(self.reach.values)):
            data, grad = self.recorder.content(i)
            if data is not UNCHANGED:
                self.trace.data[i] = self.recorder.output(data)
            if grad is not UNCHANGED:
                self.trace.grads[i] = self._gradient(grad)
        for c, container in enumerate(self.reach.containers):
            for key in container.differences(self.put[c]):
                self._effect(c, key)
        self.trace.returned = self._template(returned)
        self.recorder.finish()

    def _gradient(self, grad) -> int | Template | None:
        if grad is None:
            return None
        return self._template(grad) if isinstance(grad, Value) else self.recorder.output(grad)

    def _effect(self, c: int, key) -> None:
        container = self.reach.containers[c]
        content = container.get(key)
        before = ABSENT if key is None else _item(container.before, key)
        template = None if content is ABSENT else self._template(content)
        is_number = type(content) in (float, int) or isinstance(template, NewNumber)
        if is_number and type(before) in (float, int) and self.put[c][key] is before:
            path = self._constants.get((id(container.of), key))
            if path is not None:
                self.trace.changed_numbers.append(path)
        self.trace.effects.append((c, key, template))

    def _template(self, x) -> Template:
        if id(x) in self.index:
            computed = None
            if not self.keeps_identity and is_tensor(x):
                computed = self.recorder.template(x)
            return computed or Known(self.index[id(x)])
        if type(x) in (float, int, bool, str, type(None)) or is_numpy_number(x):
            return Constant(x)
        if id(x) in self.templates:
            return self._existing_template(x)
        self.kept.append(x)
        self.templates[id(x)] = None
        self.templates[id(x)] = found = self.recorder.template(x) or self._composite(x)
        return found

    def _existing_template(self, x) -> Template:
        found = self.templates[id(x)]
        if found is None:
            raise TraceError(f"jit cannot return {describe(x)}, because it contains itself")
        return found

    def _composite(self, x) -> Template:
        kind = type(x)
        if isinstance(x, (list, tuple)):
            return Nest(kind, None, [self._template(item) for item in x])
        if isinstance(x, dict):
            items = [self._template(item) for item in x.values()]
            return Nest(kind, [self._template(key) for key in x], items, getattr(x, "default_factory", None))
        if isinstance(x, (set, frozenset)) or hasattr(x, "__next__"):
            raise TraceError(f"jit cannot return {describe(x)}; make it a list or a tuple")
        if is_state(x):
            attributes = attributes_of(x)
            items = Nest(dict, [Constant(k) for k in attributes], [self._template(a) for a in attributes.values()])
            return Constant(x) if items.is_constant() else Record(kind, items)
        return Constant(x)


def _item(content: list | dict, key):
    return content[key] if isinstance(content, list) else content.get(key, ABSENT)


def _without_cache(place: Place) -> Callable:
    """Return what stands for a function with `functools.cache`: a trace must neither fill the cache nor read it."""
    wrapped = place.content.__wrapped__

    @functools.wraps(wrapped)
    def call(*arguments, **options):
        found = wrapped(*arguments, **options)
        if any(isinstance(leaf, Value) or hasattr(leaf, "dtype") for leaf in tree_leaves(found)):
            raise TraceError(
                f"{place.path} keeps what it returns, Values or arrays, by functools.cache, where jit does not notice "
                "a change of them; call it outside of the function, and pass its result as an argument"
            )
        return found

    return call
