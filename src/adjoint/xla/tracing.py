"""Running a function once with JAX tracers in the place of its numbers, to see what it computes.

`trace` puts a tracer into every Value, array and number that the call can reach, calls the function, and then looks
at what has changed. What it saw is a `Trace`: the computation as a jaxpr, and what becomes of its results. Whatever
happens, everything is put back: a trace leaves nothing behind.
"""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from adjoint import tensor
from adjoint.errors import TraceError
from adjoint.floats import described
from adjoint.graph import leaves_of
from adjoint.pullback import tick
from adjoint.tensor import Tensor, make_leaf
from adjoint.value import Value
from adjoint.xla import load_jax, precision
from adjoint.xla.explanations import explain, users_line
from adjoint.xla.places import ABSENT, Place
from adjoint.xla.state import Reach, home_of, is_traceable_array
from adjoint.xla.templates import Constant, Known, Nest, NewArray, NewValue, Record, Scalar, Template


class _Thread(threading.local):
    """What one thread is doing: how many functions it is tracing, one inside the other."""

    depth = 0


thread = _Thread()


_one_at_a_time = threading.RLock()  # a trace puts tracers into objects that other threads may see


# --- tracing --------------------------------------------------------------------------------------------


class Trace:
    """What was seen when a function ran with tracers."""

    def __init__(self, reach: Reach):
        self.reach: Any = reach
        self.inputs: list[tuple[str, int]] = []  # ("data" or "grad", which Value) or ("place", which)
        self.jaxpr: Any = None  # closed; its outputs are `outputs`
        self.outputs: list[Any] = []
        self.data: dict[int, int] = {}  # the output that is the new data of a Value
        self.grads: dict[int, int | Template | None] = {}  # the same for its gradient; None for zero
        self.effects: list[tuple[int, Any, Template | None]] = []  # container, key, what is there now
        self.changed_numbers: list[Place] = []  # numbers of the state that the function changed
        self.returned: Template = Constant(None)
        arrays = [v._data for v in reach.values if isinstance(v, Tensor)]
        arrays += [place.content for place in reach.places if place.kind == "array"]
        self.home = "JAX" if any(home_of(x) == "JAX" for x in arrays) else "NumPy"
        # NumPy computes with 64 bits, and so does what comes from there; JAX's own arrays follow JAX's own setting
        doubles = any(home_of(x) == "NumPy" and x.dtype == np.float64 for x in arrays)
        scalars = any(not isinstance(v, Tensor) for v in reach.values)
        self.x64 = self.home == "NumPy" or doubles or scalars


def trace(
    fn: Callable, reach: Reach, arguments: list, options: dict,
    shape_of: Callable[[Place], tuple] = lambda place: tuple(place.content.shape), *, keeps_identity: bool = True,
) -> Trace:  # fmt: skip
    """Run `fn(*arguments, **options)` with tracers and return what was seen.

    `shape_of` says how the function is to see an array. Without `keeps_identity`, Values that it was given and
    returns are new ones.
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
            explained = explain(error, reach)
            if explained is None:
                raise
            raise explained from error
    found.outputs = []
    return found


def _abstract(jax, reach: Reach, source: tuple[str, int], shape_of) -> Any:
    """Return shape and dtype of an input. A number has no dtype of its own: it takes that of the arrays it meets."""
    name, i = source
    place = reach.places[i] if name == "place" else reach.value_places[i]
    x = place.content
    if place.kind in ("number", "scalar"):
        kind, is_weak, shape = np.int64 if type(x) is int else np.float64, True, ()
    else:
        kind, is_weak, shape = x.dtype, bool(getattr(x, "weak_type", False)), shape_of(place)
    return jax.ShapeDtypeStruct(
        shape, jax.dtypes.canonicalize_dtype(kind, allow_extended_dtype=True), weak_type=is_weak
    )


class _Session:
    """The time in which tracers are in the place of numbers."""

    def __init__(self, trace: Trace, tracers: Sequence, keeps_identity: bool):
        self.trace, self.reach, self.keeps_identity = trace, trace.reach, keeps_identity
        self.tracers = dict(zip(trace.inputs, tracers))
        self.saved: list[tuple[Any, tuple, dict]] = []
        self.stand_ins: dict[int, Tensor] = {}  # for Values of one number, which cannot hold a tracer
        self.index: dict[int, int] = dict(self.reach.index)
        self.templates: dict[int, Template | None] = {}
        self.positions: dict[int, int] = {}  # where in the outputs a tracer is
        self.unchangeable = {id(v) for v in self.reach.values if isinstance(v, Tensor) and home_of(v._data) == "JAX"}
        self.with_history: set[int] = set()  # of those that were computed outside
        self.kept: list[Any] = []  # so that no id is used twice
        self.put: list[Any] = []  # what each container held when the function began
        self.watch = _Watch(self)

    def __enter__(self) -> "_Session":
        thread.depth += 1
        self.began = tick()
        self.watch.begin()
        try:
            self._put_tracers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception) -> None:
        self.watch.end()
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
                if v._operands:
                    self.with_history.add(id(v))
                v._operands = ()
                v._rule, v._static, v._back = "", None, None
                v._data, v._grad = data, grad
            else:
                stand_in = make_leaf(data)
                stand_in._grad, stand_in.label = grad, v.label
                self.stand_ins[id(v)] = stand_in
                self.index[id(stand_in)] = self.index[id(v)]
                if v.parents:
                    self.with_history.add(id(stand_in))
        for j, place in enumerate(self.reach.places):
            stand_in = self.stand_ins[id(place.content)] if place.kind == "scalar" else self.tracers["place", j]
            place.holder[place.key] = stand_in
        for copied in reversed(self.reach.tuples):  # those inside before those around them
            if copied.place.holder is not None and any(a is not b for a, b in zip(copied.items, copied.place.content)):
                copied.place.holder[copied.place.key] = copied.tuple()
        self.put = [container.now() for container in self.reach.containers]

    # --- after ---

    def collect(self, returned) -> None:
        """Note what has become of everything."""
        for i, v in enumerate(self.reach.values):
            held: Any = v if isinstance(v, Tensor) else self.stand_ins[id(v)]
            if held._data is not self.tracers["data", i]:
                self.trace.data[i] = self._output(held._data)
            if held._grad is not self.tracers["grad", i]:
                self.trace.grads[i] = self._gradient(held._grad)
        for c, container in enumerate(self.reach.containers):
            for key in container.differences(self.put[c]):
                self._effect(c, key)
        self.trace.returned = self._template(returned)
        self.watch.require_nothing_lost()

    def _gradient(self, grad) -> Any:
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
        """Return the place of an array among the outputs of the program."""
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
            return self._shared(x)
        self.kept.append(x)
        self.templates[id(x)] = None
        self.templates[id(x)] = found = self._composite(x)
        return found

    def _shared(self, x) -> Template:
        found = self.templates[id(x)]
        if found is None:
            raise TraceError(f"jit cannot give back {described(x)}, which contains itself")
        return found

    def _composite(self, x) -> Template:
        kind: Any = type(x)
        if isinstance(x, Tensor):
            return NewValue(self._output(x._data), x.label, bool(x._operands))
        if isinstance(x, (list, tuple)):
            return Nest(kind, None, [self._template(item) for item in x])
        if isinstance(x, dict):
            return Nest(kind, [self._template(key) for key in x], [self._template(item) for item in x.values()])
        if hasattr(x, "__dict__") and not callable(x) and kind.__module__ != "builtins" and not isinstance(x, type):
            attributes = Nest(dict, [Constant(key) for key in vars(x)], [self._template(a) for a in vars(x).values()])
            return Constant(x) if _is_constant(attributes) else Record(kind, attributes)
        return Constant(x)


_SLOTS = ("_data", "_grad", "_operands", "_rule", "_static", "_back", "_serial")


def _item(content, key) -> Any:
    return content[key] if isinstance(content, list) else content.get(key, ABSENT)


def _is_constant(nest: Nest) -> bool:
    return all(isinstance(item, Constant) or (isinstance(item, Nest) and _is_constant(item)) for item in nest.items)


# --- what would go wrong without a word ---------------------------------------------------------------------


class _Watch:
    """Looks out for two things that tracing would lose: gradients of unknown leaves, and changes in place."""

    def __init__(self, session: _Session):
        self.session = session
        self.changed: list[tuple[Any, str]] = []  # tracers that met `+=` and the like, and where

    def begin(self) -> None:
        self.store = tensor.store
        tensor.store = self.guarded_store
        self.operators = _in_place(self)
        self.operators.__enter__()

    def end(self) -> None:
        tensor.store = self.store
        self.operators.__exit__(None, None, None)

    def guarded_store(self, root, gradient, retain_graph, create_graph) -> None:
        """Run a backward pass, unless it would leave a tracer in a Value that nobody will take it out of."""
        if thread.depth:
            for leaf in leaves_of(root):
                self._require_known(leaf)
        self.store(root, gradient, retain_graph, create_graph)

    def _require_known(self, leaf: Any) -> None:
        name = repr(leaf.label) if leaf.label else f"a Value of shape {getattr(leaf, 'shape', ())}"
        if id(leaf) in self.session.with_history:
            raise TraceError(
                f"backward() inside jit reaches {name}, which was computed outside: what it was computed from would "
                "get no gradient. Compute it inside, or give its .detach()"
            )
        if isinstance(leaf, Tensor) and leaf._serial < self.session.began and id(leaf) not in self.session.index:
            raise TraceError(
                f"backward() inside jit reaches {name}, which is not among the arguments of the function, its "
                "closure, its globals or the objects there; pass it as an argument"
            )

    def require_nothing_lost(self) -> None:
        """Raise if an array was changed in place and what it belongs to still holds the old one.

        NumPy would have changed it; a tracer cannot be changed, so `m *= 0.9` made a new one and named it m.
        """
        where = {id(tracer): line for tracer, line in self.changed}
        session = self.session
        for v in session.reach.values:
            held: Any = session.stand_ins.get(id(v), v)
            name = repr(v.label) if v.label else f"a Value of shape {held.shape}"
            for x, attribute in ((held._data, "data"), (held._grad, "grad")):
                if id(x) in where and id(v) not in session.unchangeable:
                    raise _lost(f"the {attribute} of {name}", where[id(x)])
        for place in session.reach.places:
            x = place.holder[place.key]
            if place.kind == "array" and id(x) in where and home_of(place.content) == "NumPy":
                raise _lost(place.path, where[id(x)])


def _lost(what: str, where: str) -> TraceError:
    return TraceError(
        f"{what} is changed in place at {where}; while jit traces, arrays cannot be changed, so the change would be "
        "lost: write x = x + … instead of x += …, and assign the result to where it belongs"
    )


_IN_PLACE = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"]


@contextmanager
def _in_place(watch: _Watch) -> Iterator[None]:
    """Let JAX's tracers note when they meet an in-place operator. They answer as before: with a new tracer."""
    Tracer = load_jax().core.Tracer

    def noted(self, other):
        watch.changed.append((self, users_line(sys._getframe(1))))
        return NotImplemented

    names = [f"__i{name}__" for name in _IN_PLACE if f"__i{name}__" not in vars(Tracer)]
    for name in names:
        setattr(Tracer, name, noted)
    try:
        yield
    finally:
        for name in names:
            delattr(Tracer, name)
