"""Running a function once with JAX tracers instead of its numbers, to record what it computes.

`trace` puts a tracer into every Value, array and number that the call can reach, calls the function, and finds out
what has changed. The result is a `Trace`: the computation as a jaxpr, and where its outputs belong. Afterwards
everything is put back, even if the function fails: a trace leaves nothing behind.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.assignments import tick
from adjoint.arrays.axes import name_of
from adjoint.arrays.tensor import Tensor
from adjoint.compile.explanations import explain_error
from adjoint.compile.jax_library import load_jax, precision
from adjoint.compile.lost_updates import LostUpdates
from adjoint.compile.places import ABSENT, Place
from adjoint.compile.reachable import Reach, attributes_of, home_of, is_state, is_traceable_array
from adjoint.compile.results import Constant, Known, Nest, NewArray, NewValue, Record, Scalar, Template
from adjoint.engine.value import Value
from adjoint.errors import ArrayError, TraceError
from adjoint.errors.given import describe

Source = tuple[str, int]  # an input of a program: ("data" or "grad", which Value) or ("place", which place)


class _Thread(threading.local):
    """How many functions a thread is tracing, one inside the other."""

    depth = 0


thread = _Thread()
_one_at_a_time = threading.RLock()  # a trace puts tracers into objects that other threads share


class Trace:
    """What a function did when it ran with tracers."""

    def __init__(self, reach: Reach):
        self.reach = reach
        self.inputs: list[Source] = []
        self.jaxpr: Any = None  # a ClosedJaxpr of JAX from `inputs` to `outputs`
        self.outputs: list = []
        self.data: dict[int, int] = {}  # the output that is the new data of a Value
        self.grads: dict[int, int | Template | None] = {}  # the same for its gradient; None for zero
        self.effects: list[tuple[int, object, Template | None]] = []  # container, key, its new content
        self.changed_numbers: list[Place] = []  # numbers of the state that the function changed
        self.returned: Template = Constant(None)
        arrays = [v._data for v in reach.values if isinstance(v, Tensor)]
        arrays += [place.content for place in reach.places if place.kind == "array"]
        self.home = "JAX" if any(home_of(x) == "JAX" for x in arrays) else "NumPy"
        # NumPy computes with 64 bits, and so do functions of its arrays; for JAX arrays the setting of JAX decides
        doubles = any(home_of(x) == "NumPy" and x.dtype == np.float64 for x in arrays)
        scalars = any(not isinstance(v, Tensor) for v in reach.values)
        self.x64 = self.home == "NumPy" or doubles or scalars


def trace(
    fn: Callable, reach: Reach, arguments: list, options: dict,
    shape_of: Callable[[Place], tuple] = lambda place: tuple(place.content.shape), *, keeps_identity: bool = True,
) -> Trace:  # fmt: skip
    """Run `fn(*arguments, **options)` with tracers and return what it did.

    `shape_of` gives the shape that the function sees for an array. Without `keeps_identity`, Values that the function
    is given and returns are new objects.
    """
    jax = load_jax()
    found = Trace(reach)
    for i in range(len(reach.values)):
        found.inputs += [("data", i), ("grad", i)]
    found.inputs += [("place", j) for j, place in enumerate(reach.places) if place.kind != "scalar"]

    def run(*tracers):
        with _Session(found, tracers, keeps_identity) as session:
            returned = fn(*arguments, **options)
            session.collect(returned)
        return found.outputs

    with _one_at_a_time, precision(found.x64):
        try:
            shapes = [_abstract(jax, reach, source, shape_of) for source in found.inputs]
            found.jaxpr = jax.make_jaxpr(run)(*shapes)
        except Exception as error:
            explained = explain_error(error, reach)
            if explained is None:
                raise
            raise explained from error
    found.outputs = []
    return found


def _abstract(jax, reach: Reach, source: Source, shape_of: Callable[[Place], tuple]):
    """Return shape and dtype of an input. The dtype of a number is weak: the arrays that it meets decide."""
    name, i = source
    place = reach.places[i] if name == "place" else reach.value_places[i]
    x = place.content
    if place.kind in ("number", "scalar"):
        kind, is_weak, shape = np.int64 if type(x) is int else np.float64, True, ()
    else:
        kind, is_weak, shape = x.dtype, bool(getattr(x, "weak_type", False)), shape_of(place)
    if isinstance(kind, np.dtype) and not kind.isnative:
        raise ArrayError(
            f"jit cannot compile an array of dtype {kind}, whose byte order is not that of this machine; convert it "
            'before the call: x.astype(x.dtype.newbyteorder("="))'
        )
    return jax.ShapeDtypeStruct(
        shape, jax.dtypes.canonicalize_dtype(kind, allow_extended_dtype=True), weak_type=is_weak
    )


class _Session:
    """The part of a trace in which Values and places hold tracers: `with _Session(...) as session:`."""

    def __init__(self, trace: Trace, tracers: Sequence, keeps_identity: bool):
        self.trace, self.reach, self.keeps_identity = trace, trace.reach, keeps_identity
        self.tracers = dict(zip(trace.inputs, tracers))
        self.saved: list[tuple[Tensor, tuple, dict]] = []
        self.stand_ins: dict[int, Tensor] = {}  # for scalar Values, which cannot hold a tracer
        self.index: dict[int, int] = dict(self.reach.index)
        self.templates: dict[int, Template | None] = {}
        self.positions: dict[int, int] = {}  # of tracers among the outputs
        self.changeable: list[Tensor] = []  # those with NumPy arrays
        self.kept: list[object] = []  # alive, so that no id is used twice
        self.put: list = []  # the content of each container when the function began

    def __enter__(self) -> "_Session":
        thread.depth += 1
        with_history = {id(v) for v in self.reach.values if v.parents}
        self.updates = LostUpdates(set(self.index), with_history, tick())
        self.updates.__enter__()
        try:
            self._put_tracers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception) -> None:
        self.updates.__exit__()
        thread.depth -= 1
        for container in reversed(self.reach.containers):
            container.restore()
        for copied in self.reach.tuples:
            place = copied.place
            copied.items[:] = place.content
            if place.holder is not None and place.holder[place.key] is not place.content:
                place.holder[place.key] = place.content
        for place in self.reach.places:
            place.holder[place.key] = place.content
        for v, slots, attributes in self.saved:
            for name, content in zip(_SLOTS, slots):
                setattr(v, name, content)
            vars(v).clear()
            vars(v).update(attributes)

    # --- before ---

    def _put_tracers(self) -> None:
        for i, v in enumerate(self.reach.values):
            data, grad = self.tracers["data", i], self.tracers["grad", i]
            if isinstance(v, Tensor):
                self.saved.append((v, tuple([getattr(v, name) for name in _SLOTS]), dict(vars(v))))
                if home_of(v._data) == "NumPy":
                    self.changeable.append(v)
                v._operands, v._rule, v._static, v._back = (), "", None, None
                v._data, v._grad = data, grad
            else:
                stand_in = make_leaf(data)
                stand_in._grad, stand_in.label = grad, v.label
                self.stand_ins[id(v)] = stand_in
                self.index[id(stand_in)] = self.index[id(v)]
                if v.parents:
                    self.updates.with_history.add(id(stand_in))
        for j, place in enumerate(self.reach.places):
            stand_in = self.stand_ins[id(place.content)] if place.kind == "scalar" else self.tracers["place", j]
            place.holder[place.key] = stand_in
        for copied in reversed(self.reach.tuples):  # inner tuples before outer ones
            if copied.place.holder is not None and any(a is not b for a, b in zip(copied.items, copied.place.content)):
                copied.place.holder[copied.place.key] = copied.tuple()
        self.put = [container.now() for container in self.reach.containers]

    # --- after ---

    def collect(self, returned) -> None:
        """Record what has changed, and what the function returned."""
        for i, v in enumerate(self.reach.values):
            held = v if isinstance(v, Tensor) else self.stand_ins[id(v)]
            if held._data is not self.tracers["data", i]:
                self.trace.data[i] = self._output(held._data)
            if held._grad is not self.tracers["grad", i]:
                self.trace.grads[i] = self._gradient(held._grad)
        for c, container in enumerate(self.reach.containers):
            for key in container.differences(self.put[c]):
                self._effect(c, key)
        self.trace.returned = self._template(returned)
        self._require_nothing_lost()

    def _require_nothing_lost(self) -> None:
        for v in self.changeable:
            name = name_of(v)
            self.updates.require_kept(v._data, f"the data of {name}")
            self.updates.require_kept(v._grad, f"the grad of {name}")
        for place in self.reach.places:
            if place.kind == "array" and home_of(place.content) == "NumPy":
                self.updates.require_kept(place.holder[place.key], place.path)

    def _gradient(self, grad) -> int | Template | None:
        if grad is None:
            return None
        return self._template(grad) if isinstance(grad, Value) else self._output(grad)

    def _effect(self, c: int, key) -> None:
        container = self.reach.containers[c]
        content = container.get(key)
        before = ABSENT if key is None else _item(container.before, key)
        if type(content) in (float, int) and type(before) in (float, int) and self.put[c][key] is before:
            path = next((p for p in self.reach.numbers if p.holder is container.of and p.key == key), None)
            if path is not None:
                self.trace.changed_numbers.append(path)
        self.trace.effects.append((c, key, None if content is ABSENT else self._template(content)))

    def _output(self, x) -> int:
        """Return the position of an array among the outputs of the program."""
        import jax.numpy as jnp

        if id(x) not in self.positions:
            self.kept.append(x)
            self.positions[id(x)] = len(self.trace.outputs)
            self.trace.outputs.append(jnp.asarray(x))
        return self.positions[id(x)]

    def _template(self, x) -> Template:
        kind = type(x)
        if id(x) in self.index:
            if not self.keeps_identity and isinstance(x, Tensor):
                return NewValue(self._output(x._data), x.label, has_history=True)
            return Known(self.index[id(x)])
        if isinstance(x, Value) and not isinstance(x, Tensor):
            return Scalar(x.data)
        if isinstance(x, np.generic) or kind in (float, int, bool, str, type(None)):
            return Constant(x)
        if is_traceable_array(x):
            is_number = not x.shape and bool(getattr(x, "weak_type", False))
            return NewArray(self._output(x), is_number)
        if id(x) in self.templates:
            return self._existing_template(x)
        self.kept.append(x)
        self.templates[id(x)] = None
        self.templates[id(x)] = found = self._composite(x)
        return found

    def _existing_template(self, x) -> Template:
        found = self.templates[id(x)]
        if found is None:
            raise TraceError(f"jit cannot return {describe(x)}, because it contains itself")
        return found

    def _composite(self, x) -> Template:
        kind = type(x)
        if isinstance(x, Tensor):
            return NewValue(self._output(x._data), x.label, bool(x._operands))
        if isinstance(x, (list, tuple)):
            return Nest(kind, None, [self._template(item) for item in x])
        if isinstance(x, dict):
            return Nest(kind, [self._template(key) for key in x], [self._template(item) for item in x.values()])
        if isinstance(x, (set, frozenset)) or hasattr(x, "__next__"):
            raise TraceError(f"jit cannot return {describe(x)}; make it a list or a tuple")
        if is_state(x):
            attributes = attributes_of(x)
            items = Nest(dict, [Constant(k) for k in attributes], [self._template(a) for a in attributes.values()])
            return Constant(x) if items.is_constant() else Record(kind, items)
        return Constant(x)


_SLOTS = ("_data", "_grad", "_operands", "_rule", "_static", "_back", "_serial")


def _item(content: list | dict, key):
    return content[key] if isinstance(content, list) else content.get(key, ABSENT)
