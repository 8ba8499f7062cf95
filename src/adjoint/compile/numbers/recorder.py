"""How a function of single numbers is recorded: on a tape, with traced numbers in place of numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from adjoint.compile.backend import UNCHANGED, Source, Unsuitable
from adjoint.compile.explanations import explain_need, line_of_error
from adjoint.compile.numbers.recording import TapeRecording
from adjoint.compile.numbers.replay import INPUT
from adjoint.compile.numbers.tape import ArraysNeeded, Tape, TracedNumber
from adjoint.compile.numbers.traced import refusals
from adjoint.compile.reachable import Reach
from adjoint.compile.results import NewNumber, NewScalar, Template
from adjoint.engine.value import Value
from adjoint.errors import TraceError

if TYPE_CHECKING:
    import numpy as np

_KINDS = {"f": 0, "i": 1, "u": 1, "b": 2}  # the kind of a traced number, by the kind of a dtype
_FEW_VALUES = 32  # XLA compiles a function of that many single Values and arrays within seconds
_TYPES = {float: 0, int: 1, bool: 2}


def needs_arrays(reach: Reach, why: str) -> TraceError:
    """Return the error for a function that must be compiled for arrays: XLA does it, unless there are many Values."""
    if len(reach.values) <= _FEW_VALUES:
        return Unsuitable(why)
    return TraceError(
        f"jit cannot compile a function of {len(reach.values)} single Values with whole arrays. {why}, and pass the "
        "numbers as arguments; or hold the parameters in arrays"
    )


class NumberArray:
    """Stands for a NumPy array whose elements the function reads: `for x, y in zip(X, Y)`, `X[i, 0]`, `X[[3, 1]]`.

    NumPy does the indexing, on an array of the positions of the elements. Computing with the array needs XLA.
    """

    def __init__(self, positions: "np.ndarray", elements: Sequence):
        self._positions, self._elements = positions, elements
        self.shape, self.ndim, self.size = positions.shape, positions.ndim, positions.size

    def _of(self, positions: Any) -> Any:
        return NumberArray(positions, self._elements) if positions.ndim else self._elements[positions]

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator:
        return map(self._of, self._positions)

    def __getitem__(self, key) -> Any:
        if any(isinstance(k, (TracedNumber, NumberArray, Value)) for k in (key if isinstance(key, tuple) else (key,))):
            raise ArraysNeeded("an array is indexed with numbers that are not known while jit records the function")
        return self._of(self._positions[key])

    @property
    def T(self) -> Any:
        return self._of(self._positions.T)

    def reshape(self, *shape, **options) -> Any:
        return self._of(self._positions.reshape(*shape, **options))

    def ravel(self, *arguments, **options) -> Any:
        return self._of(self._positions.ravel(*arguments, **options))

    flatten = ravel

    def __setitem__(self, key, x) -> None:
        raise ArraysNeeded("the function changes an element of an array")

    def tolist(self) -> list:
        return [x.tolist() if isinstance(x, NumberArray) else x for x in self]

    def __getattr__(self, name: str):
        raise ArraysNeeded(f"the function uses {name} of an array")

    def __array__(self, *arguments, **options):
        raise ArraysNeeded("the function computes with a whole array")


def _needs_arrays(self, *others):
    raise ArraysNeeded("the function computes with a whole array")


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    for _prefix in ("", "r"):
        setattr(NumberArray, f"__{_prefix}{_name}__", _needs_arrays)
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "abs"):
    setattr(NumberArray, f"__{_name}__", _needs_arrays)


class NumberRecorder:
    """Records a function on a tape. Values need no stand-ins: the tape keeps what they hold."""

    def __init__(self, reach: Reach):
        self.reach, self.tape = reach, Tape()
        self.sources: list[tuple[Source, int]] = []  # of the inputs: a place, or a Value; which element of an array
        self.outputs: list[int] = []  # entries
        self.with_history: dict[int, Value] = {}  # Values that the function returns, by their output
        self._positions: dict[int, int] = {}  # of entries among the outputs
        self._used: set[int] | None = None  # the Values that the function used, by identity
        self._entries = memoryview(b"").cast("i")
        self.index = {id(v): i for i, v in enumerate(reach.values)}
        # gradients that are Values, since an earlier call differentiated with create_graph=True
        self._gradients = {id(v.grad): i for i, v in enumerate(reach.values) if isinstance(v.grad, Value)}
        self.replacements: dict[int, Value] = {}  # of Values that were computed outside
        self._first_entries: dict[int, tuple[int, Any]] = {}  # of the data and gradient of replacements

    def record(self, run: Callable[[Mapping[Source, Any]], None]) -> None:
        stand_ins: dict[Source, Any] = {}
        for j, place in enumerate(self.reach.places):
            if place.kind == "number":
                stand_ins["place", j] = self._input(("place", j), 0, _TYPES[type(place.content)])
            elif place.kind == "array":
                import numpy as np

                x = place.content
                elements = [self._input(("place", j), k, _KINDS[x.dtype.kind]) for k in range(x.size)]
                positions = np.arange(x.size).reshape(x.shape)
                stand_ins["place", j] = NumberArray(positions, elements) if x.shape else elements[0]
        refusals.last = None
        try:
            copy_context().run(self._record, run, stand_ins)  # in a context of its own, where the mode ends for sure
            if refusals.last is not None:  # the function caught it, and went on without the number
                raise refusals.last
        finally:
            refusals.last = None

    def _record(self, run: Callable[[Mapping[Source, Any]], None], stand_ins: Mapping[Source, Any]) -> None:
        with TapeRecording(self.tape):
            run(stand_ins)

    def _input(self, source: Source, element: int, kind: int) -> TracedNumber:
        self.sources.append((source, element))
        return self.tape.input(kind)

    def enter(self, stand_ins: Mapping[Source, Any]) -> None:
        pass

    def replacement(self, value: Value) -> Value:
        """Return a leaf for a Value that was computed outside, and any other Value itself."""
        if not value.parents:
            return value
        if id(value) not in self.replacements:
            i = self.index[id(value)]
            data: Any = self._input(("data", i), 0, 0)
            grad = self._input(("grad", i), 0, 0)
            self.replacements[id(value)] = made = Value(data, label=value.label)
            made.grad = grad
            self._first_entries[id(value)] = self.tape.entry(made), self.tape.grad_entry(made)
        return self.replacements[id(value)]

    def leave(self) -> None:
        """Remove numbers that the function kept in attributes of Values that it did not have before."""
        for _, name, attributes in self._kept_numbers():
            del attributes[name]

    def _kept_numbers(self) -> list[tuple[Value, str, dict]]:
        found = []
        for v in self.reach.values:
            attributes = getattr(v, "__dict__", {})  # of a subclass
            found += [(v, name, attributes) for name, x in attributes.items() if isinstance(x, TracedNumber)]
        return found

    # --- after the function has run ---

    def content(self, i: int) -> tuple[Any, Any]:
        tape, v = self.tape, self.reach.values[i]
        if id(v) in self.replacements:
            return self._content_of_replacement(v)
        if self._used is None:
            self._used, self._entries = set(map(id, tape.values)), memoryview(tape.entries()).cast("i")
        if id(v) not in self._used:
            return UNCHANGED, UNCHANGED
        data_input, grad_input, data, grad = tape.state(v)
        new_data = UNCHANGED if self._is_input(data, data_input) else tape.number(data)
        if isinstance(grad, Value):
            return new_data, grad
        return new_data, UNCHANGED if self._is_input(grad, grad_input) else tape.number(grad)

    def _content_of_replacement(self, v: Value) -> tuple[Any, Any]:
        tape, made = self.tape, self.replacements[id(v)]
        first_data, first_grad = self._first_entries[id(v)]
        data, grad = tape.entry(made), tape.grad_entry(made)
        if grad not in (first_grad, tape.entry(0.0)):  # neither as it was, nor cleared
            name = f"the Value {v.label!r}" if v.label else "a Value"
            raise TraceError(
                f"backward() inside jit reaches {name} that was computed outside, so the Values it was computed from "
                "would get no gradient. Compute it inside the function, or pass its .detach()"
            )
        new_data = UNCHANGED if data == first_data else tape.number(data)
        return new_data, UNCHANGED if grad == first_grad else tape.number(grad)

    def _is_input(self, entry: int, number: int) -> bool:
        return entry < 0 or tuple(self._entries[4 * entry : 4 * entry + 2]) == (INPUT, number)

    def output(self, x) -> int:
        entry = self.tape.entry(x)
        if entry not in self._positions:
            self._positions[entry] = len(self.outputs)
            self.outputs.append(entry)
        return self._positions[entry]

    def template(self, x) -> Template | None:
        if isinstance(x, TracedNumber):
            return NewNumber(self.output(x), (float, int, bool)[self.tape.kind(self.tape.entry(x))])
        if not isinstance(x, Value):
            return None
        k, has_history = self.output(x), bool(x.parents)
        if has_history:
            self.with_history[k] = x
        return NewScalar(k, type(x), x.label, has_history)

    def finish(self) -> None:
        """Raise an error if the function used a Value that the front did not find, or kept numbers in one."""
        known = {(id(place.holder), place.key) for place in (*self.reach.places, *self.reach.numbers)}
        for _, name, attributes in self._kept_numbers():
            if (id(attributes), name) not in known:
                raise TraceError(
                    f"the function adds the attribute {name!r} to a Value. jit keeps numbers in attributes that the "
                    f"Value has before the first call: set it there, as in p.{name} = 0.0, or use a list"
                )
        for v in self.tape.values:
            if id(v) not in self.index and id(v) not in self._gradients:
                name = f"the Value {v.label!r}" if v.label else "a Value"
                raise TraceError(
                    f"the function uses {name}, which is not among its arguments, its closure, its globals or the "
                    "objects there, so jit could not notice if it was replaced; pass it as an argument"
                )
        self.sources += [(("", 0), 0)] * (self.tape.input_count - len(self.sources))
        for v in self.tape.values:
            data_input, grad_input, _, _ = self.tape.state(v)
            if data_input >= 0:
                i = self.index.get(id(v))
                self.sources[data_input] = ("data", i) if i is not None else ("grad", self._gradients[id(v)]), 0
            if grad_input >= 0 and id(v) in self.index:
                self.sources[grad_input] = ("grad", self.index[id(v)]), 0

    def explain(self, error: Exception) -> TraceError | None:
        if isinstance(error, ArraysNeeded):
            return needs_arrays(self.reach, f"{line_of_error(error)}: {error}. Do this outside of the function")
        return explain_need(error, [place.path for place in self.reach.places if place.kind == "number"])
