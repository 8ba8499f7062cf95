"""How a function is recorded for XLA: with JAX tracers, in every Value, array and number that the call can reach."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.assignments import tick
from adjoint.arrays.axes import name_of
from adjoint.arrays.backends import deferred_checks
from adjoint.arrays.backends.deferred_checks import DeferredCheck
from adjoint.arrays.backends.jax import placed_on
from adjoint.arrays.tensor import Tensor
from adjoint.compile.backend import UNCHANGED, Source
from adjoint.compile.places import Place
from adjoint.compile.reachable import Reach
from adjoint.compile.results import NewArray, NewValue, Scalar, Template
from adjoint.compile.state import home_of, is_traceable_array
from adjoint.compile.xla.jax_settings import precision
from adjoint.compile.xla.lost_updates import LostUpdates
from adjoint.compile.xla.numpy_tracers import follow_numpy
from adjoint.compile.xla.traced_values import TracedValues, View
from adjoint.compile.xla.tracer_errors import explain_error
from adjoint.engine.value import Value
from adjoint.errors import ArrayError, TraceError
from adjoint.errors.optional_jax import load_jax


class XLARecorder:
    """Records a function as a jaxpr from `inputs` to outputs.

    `shape_of` gives the shape that it sees for an array, `platform` and `devices` say where the program will run.
    """

    def __init__(
        self,
        reach: Reach,
        shape_of: Callable[[Place], tuple] = lambda place: tuple(place.content.shape),
        platform: str | None = None,
        devices: int = 1,
    ):
        self.reach: Reach | None = reach
        self._shape_of, self._platform, self._devices = shape_of, platform, devices
        values = range(len(reach.values))
        self.inputs: list[Source] = [(name, i) for i in values for name in ("data", "grad")]
        self.inputs += [("place", j) for j, place in enumerate(reach.places) if place.kind in ("array", "number")]
        self.jaxpr: Any = None  # a ClosedJaxpr of JAX
        arrays = [v._data for v in reach.values if isinstance(v, Tensor)]
        arrays += [place.content for place in reach.places if place.kind == "array"]
        self.home = "JAX" if any(home_of(x) == "JAX" for x in arrays) else "NumPy"
        # NumPy computes with 64 bits, and so do functions of its arrays; for JAX arrays the setting of JAX decides
        doubles = any(home_of(x) == "NumPy" and x.dtype == np.float64 for x in arrays)
        scalars = any(not isinstance(v, Tensor) for v in reach.values)
        self.x64 = self.home == "NumPy" or doubles or scalars
        self._outputs: list = []
        self._positions: dict[int, int] = {}  # of tracers among the outputs
        self._kept: list[object] = []  # alive, so that no id is used twice
        self._stand_ins: Mapping[Source, Any] = {}
        self._seen: list[Tensor] = []  # the Values that the function sees, in the order of reach.values
        self._replacements: dict[int, Tensor] = {}  # of scalar Values, which cannot hold a tracer
        self._traced = TracedValues()
        self._changeable: list[Tensor] = []  # Values with NumPy arrays, which code may update in place
        self._updates: LostUpdates | None = None
        self.checks: list[tuple[int, DeferredCheck]] = []  # of indices, with the number of the place
        self._outer_note = None

    def record(self, run: Callable[[Mapping[Source, Any]], None]) -> None:
        jax = load_jax()

        def function(*tracers):
            run({source: self._stand_in(source, tracer) for source, tracer in zip(self.inputs, tracers)})
            return self._outputs

        with precision(self.x64), placed_on(self._platform, self._devices):
            self.jaxpr = jax.make_jaxpr(function)(*[self._abstract(jax, source) for source in self.inputs])
        self._outputs, self._kept, self._stand_ins = [], [], {}
        self.reach = None  # a program serves all Values of these shapes, and keeps none of them alive

    def _stand_in(self, source: Source, tracer):
        """Return what stands for an input; arrays of NumPy follow its rules for dtypes."""
        is_array = source[0] == "place" and self._reach.places[source[1]].kind == "array"
        return follow_numpy(tracer) if is_array and self.home == "NumPy" else tracer

    def _abstract(self, jax, source: Source):
        """Return shape and dtype of an input. The dtype of a number is weak: the arrays that it meets decide."""
        name, i = source
        place = self._reach.places[i] if name == "place" else self._reach.value_places[i]
        x = place.content
        if place.kind in ("number", "scalar"):
            kind, is_weak, shape = np.int64 if type(x) is int else np.float64, True, ()
        else:
            kind, is_weak, shape = x.dtype, bool(getattr(x, "weak_type", False)), self._shape_of(place)
        if isinstance(kind, np.dtype) and not kind.isnative:
            raise ArrayError(
                f"jit cannot compile an array of dtype {kind}, whose byte order is not that of this machine; convert "
                'it before the call: x.astype(x.dtype.newbyteorder("="))'
            )
        return jax.ShapeDtypeStruct(
            shape, jax.dtypes.canonicalize_dtype(kind, allow_extended_dtype=True), weak_type=is_weak
        )

    @property
    def _reach(self) -> Reach:
        assert self.reach is not None
        return self.reach

    # --- before the function runs ---

    def enter(self, stand_ins: Mapping[Source, Any]) -> None:
        self._stand_ins = stand_ins
        self._outer_note = deferred_checks.note.get()
        deferred_checks.note.set(self._note_check)
        with_history = {id(v) for v in self._reach.values if v.parents}
        self._updates = LostUpdates(set(self._reach.index), with_history, tick())
        self._updates.__enter__()
        views: list[View] = []
        for i, v in enumerate(self._reach.values):
            data, grad = stand_ins["data", i], stand_ins["grad", i]
            if isinstance(v, Tensor):
                if home_of(v._data) == "NumPy":
                    self._changeable.append(v)
                views.append(View(v, data, grad))
                self._seen.append(v)
            else:
                self._seen.append(self._make_replacement(v, data, grad))
        self._traced.enter(views)

    def _make_replacement(self, v: Value, data, grad) -> Tensor:
        made = self._replacements[id(v)] = make_leaf(data)
        made._grad, made.label, made._frozen = grad, v.label, v._frozen
        updates = self._updates
        assert updates is not None
        updates.known.add(id(made))
        if v.parents:
            updates.with_history.add(id(made))
        return made

    def replacement(self, value: Value) -> Value:
        return self._replacements[id(value)]

    def _note_check(self, x: object, check: DeferredCheck) -> bool:
        """Note the check of an index; return False for one that is not an input, or whose numbers are on a device."""
        source = next((source for source, stand_in in self._stand_ins.items() if stand_in is x), ("", -1))
        if source[0] != "place":
            return False
        place = self._reach.places[source[1]]
        if place.kind == "array" and home_of(place.content) != "NumPy":
            return False
        if not any(j == source[1] and other.implies(check) for j, other in self.checks):
            self.checks.append((source[1], check))
        return True

    def leave(self) -> None:
        deferred_checks.note.set(self._outer_note)
        if self._updates is not None:
            self._updates.__exit__()
        self._traced.leave()
        self._seen, self._changeable, self._replacements = [], [], {}

    # --- after the function has run ---

    def content(self, i: int) -> tuple[Any, Any]:
        v, stand_ins = self._seen[i], self._stand_ins
        data = UNCHANGED if v._data is stand_ins["data", i] else v._data
        return data, UNCHANGED if v._grad is stand_ins["grad", i] else v._grad

    def output(self, x) -> int:
        import jax.numpy as jnp

        if id(x) not in self._positions:
            self._kept.append(x)
            self._positions[id(x)] = len(self._outputs)
            self._outputs.append(jnp.asarray(x))
        return self._positions[id(x)]

    def template(self, x) -> Template | None:
        if isinstance(x, Tensor):
            has_history = bool(x._operands) or id(x) in self._reach.index
            return NewValue(self.output(x._data), x.label, has_history)
        if isinstance(x, Value):
            return Scalar(x.data)
        if is_traceable_array(x):
            return NewArray(self.output(x), not x.shape and bool(getattr(x, "weak_type", False)))
        return None

    def finish(self) -> None:
        """Raise an error if an array was updated in place, but is still the content of a Value or place."""
        updates = self._updates
        assert updates is not None
        for v in self._changeable:
            updates.require_kept(v._data, f"the data of {name_of(v)}")
            updates.require_kept(v._grad, f"the grad of {name_of(v)}")
        for place in self._reach.places:
            if place.kind == "array" and home_of(place.content) == "NumPy":
                updates.require_kept(place.holder[place.key], place.path)

    def explain(self, error: Exception) -> TraceError | None:
        numbers = [place.path for place in self._reach.places if place.kind == "number"]
        return explain_error(error, numbers)
