"""A trace as a program that XLA compiles.

Changes that are overwritten before the function returns are left out, and so are inputs that the function never reads,
such as a gradient that it first sets to zero. What is computed from Python numbers alone, such as the number of steps
of an optimizer, stays in Python.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.compile.backend import Source
from adjoint.compile.places import Attributes
from adjoint.compile.reachable import Reach
from adjoint.compile.results import NewArray, NewValue, Template, all_templates
from adjoint.compile.session import Trace
from adjoint.compile.state import home_of
from adjoint.compile.xla.bound import Bound
from adjoint.compile.xla.device_arrays import FEW, SMALL, pack, unpack
from adjoint.compile.xla.devices import Placement
from adjoint.compile.xla.formulas import Formula, exact_inputs, formula_of, number_formulas
from adjoint.compile.xla.jax_op import JAXOp
from adjoint.compile.xla.jax_settings import single_thread_options
from adjoint.compile.xla.jaxprs import RecordedJaxpr, Variable, dtype_of, is_literal, is_python_number
from adjoint.compile.xla.recorder import XLARecorder
from adjoint.compile.xla.sharding import Shardings, StateTable, Stored, describe_split
from adjoint.compile.xla.variants import Variants, Zero
from adjoint.distributed.agreement import checksum_of_text
from adjoint.engine.value import Value
from adjoint.errors.optional_jax import load_jax

_KINDS = 4  # primitives that are named in a summary
_LINES = 150  # of a listing
LITTLE = 1 << 15  # elements: computing on smaller arrays takes less time than waking another thread


class Slot(NamedTuple):
    """The data or the gradient of a Value, and the output that is its new content."""

    value: int
    attribute: str  # "_data" or "_grad"
    output: int

    @property
    def source(self) -> Source:
        """The input that is the old content."""
        return self.attribute[1:], self.value


class BlockPlan(NamedTuple):
    """Which slots share one array on the device, and which of them the program reads before it writes them."""

    slots: list[Slot]
    shapes: list[tuple[int, ...]]
    read: list[int]
    sharding: Any  # a NamedSharding of JAX; None on one device
    nbytes: int


class Program:
    """What XLA compiled, and how its inputs and outputs belong to Values and places."""

    def __init__(self, trace: Trace, placement: Placement | None = None, *, computes_numbers: bool = True):
        record = trace.recorder
        assert isinstance(record, XLARecorder)
        self.trace, self.sources, self._placement = trace, list(record.inputs), placement
        self._reach: Reach = trace.reach
        self._shardings = None if placement is None else Shardings(placement, trace.reach)
        self.kept = trace.reach.constants  # alive, so that the ids in the key stay theirs
        self._recording = recording = RecordedJaxpr(record.jaxpr)
        self._variables = dict(zip(record.inputs, recording.inputs))
        formulas = self._formulas() if computes_numbers else {}
        self.in_python = self._numbers_in_python(formulas)
        outputs = [var for k, var in enumerate(recording.outputs) if k not in self.in_python]
        recording.restrict_to(outputs)
        exact = exact_inputs(recording, formulas, outputs)
        self.numbers_in = list(exact.values())  # inputs that are computed in Python
        if exact:
            recording.make_inputs(list(exact))
            self.sources += [("exact", n) for n in range(len(exact))]
        used = recording.restrict_to(outputs)
        self.used = {source for source, var in self._variables.items() if var in used}
        self._plan_state()
        self.rest = sorted(self._outputs_of_templates())
        self.returned, self.effects = trace.returned, trace.effects
        self.home, self.x64 = record.home, record.x64
        self.zeroed = [i for i, grad in trace.grads.items() if grad is None]
        self.new_gradients = [(i, grad) for i, grad in trace.grads.items() if isinstance(grad, Template)]
        self.is_pure, self.checks = trace.is_pure, record.checks
        kept = {t.k for t in all_templates([trace.returned]) if isinstance(t, NewValue) and t.has_history}
        self.with_history = sorted(kept) if self.is_pure else []
        # the effects on lists and dictionaries that are numbers, which Python computes before the program runs
        self.early = {e for e in range(len(trace.effects)) if self._is_early(e)}
        # whether XLA may compute in the memory of the old state: only if the new one is stored without Python code
        self.donates = not self.scalars_out and not self.new_gradients and len(self.early) == len(trace.effects)
        self.is_checked = False
        # whether all processes run the same program; one without devices too if it reads state that others hold
        processes = load_jax().process_count() if placement is None else placement.processes
        self.is_agreed = processes == 1
        donated = sum(bool(block.read) for block in self.blocks) + len(self.scratch) if self.donates else 0
        options: dict[str, Any] = {} if placement is None else {"out_shardings": self._output_shardings(placement)}
        if recording.largest_size() < LITTLE:
            options["compiler_options"] = single_thread_options()
        self.op = JAXOp("jit", self.function(self.with_history), record.x64) if self.with_history else None
        self.variants = Variants(self._compute, donated, record.x64, options)
        self.placement = self._describe_placement()
        del (
            self._reach,
            self._shardings,
            trace.reach,
        )  # a program serves all Values of these shapes, and keeps none of them alive

    def checksum(self) -> str:
        """Return a checksum of what is computed, the same in every process that computes the same."""
        return checksum_of_text(f"{self._recording} {self.inputs} {self.placement}")

    def bind(self, reach: Reach) -> Bound:
        """Return the program for the objects of a call."""
        return Bound(self, reach, self._placement)

    def ignores(self, i: int, value: Value) -> bool:
        """Return whether another Value that the program makes could be in the place of Value `i` in the next call."""
        is_used = ("data", i) in self.used or ("grad", i) in self.used
        is_changed = i in self.trace.data or i in self.trace.grads
        is_at_home = isinstance(value, Tensor) and home_of(value._data) == self.home
        return is_at_home and not is_used and not is_changed

    # --- for people ---

    def listing(self, full: bool = False) -> str:
        """Return the equations as JAX prints them; the first lines, or all of them if `full`."""
        lines = str(self._recording).splitlines()
        if len(lines) > _LINES and not full:
            lines[_LINES:] = [f"… of {len(lines):,} lines; listing(full=True) has them all"]
        return "\n".join([str(self), "", *lines])

    def __str__(self) -> str:
        kinds, inputs, outputs = (
            self._recording.primitives(),
            len(self.used) + len(self.exact_in),
            len({*self._outputs()}),
        )
        named = ", ".join(f"{number:,} {name}" for name, number in kinds.most_common(_KINDS))
        most = f", most of them {named}" if len(kinds) > _KINDS else f" ({named})" if kinds else ""
        return (
            f"{_count(kinds.total(), 'equation')} on arrays{most}, compiled by XLA; {_count(inputs, 'input')}, "
            f"{_count(outputs, 'output')}"
        )

    def __repr__(self) -> str:
        return f"<program of arrays: {self}>"

    # --- the plan ---

    def _plan_state(self) -> None:
        """Decide how each Value and each place goes in and comes out."""
        values, trace = self._reach.values, self.trace
        slots = [Slot(i, "_data", k) for i, k in trace.data.items()]
        slots += [Slot(i, "_grad", k) for i, k in trace.grads.items() if isinstance(k, int)]
        scalars = [slot for slot in slots if not isinstance(values[slot.value], Tensor)]
        self.scalars_in_python = [slot for slot in scalars if slot.output in self.in_python]
        self.scalars_out = [slot for slot in scalars if slot.output not in self.in_python]
        arrays = [slot for slot in slots if isinstance(values[slot.value], Tensor)]
        at_home = [slot for slot in arrays if home_of(values[slot.value]._data) == "NumPy"]
        self.jax_out = [slot for slot in arrays if slot not in at_home]
        self.blocks = sorted(self._plan_blocks(at_home), key=lambda block: not block.read)
        # large arrays that are only written, such as gradients: the new ones are computed in the memory of the old
        self.scratch = [k for k, block in enumerate(self.blocks) if not block.read and block.nbytes > SMALL]
        inside = {slot.source for block in self.blocks for slot in block.slots}
        read = [source for source in self.sources if source in self.used and source not in inside]
        values_read = [(name, i) for name, i in read if name != "place"]
        self.scalars_in = [(name, i) for name, i in values_read if not isinstance(values[i], Tensor)]
        self.values_in = [(name, i) for name, i in values_read if isinstance(values[i], Tensor)]
        self.shardings_in = [self._sharding_of(i) for _, i in self.values_in]
        self.likes = [(values[i].shape, values[i].dtype) for _, i in self.values_in]
        places = [j for name, j in read if name == "place"]
        self.state_places = [j for j in places if not self._reach.places[j].is_data]
        self.data_places = [j for j in places if self._reach.places[j].is_data]
        self.places_in = [("place", j) for j in (*self.state_places, *self.data_places)]
        self.exact_in = [("exact", n) for n in range(len(self.numbers_in))]
        self.inputs = [*self.scalars_in, *self.values_in, *self.places_in, *self.exact_in]  # in addition to the blocks

    def _plan_blocks(self, slots: Sequence[Slot]) -> Iterator[BlockPlan]:
        """Yield how arrays are packed: the small ones of a dtype in one block, each large or split one in its own."""
        together: dict[np.dtype | Slot, list[Slot]] = {}
        # on a GPU, calls do not wait for their arrays, and XLA would take long to compile a block of hundreds of them
        most = SMALL if load_jax().default_backend() == "cpu" else 0
        for slot in slots:
            data = self._reach.values[slot.value]._data
            dtype = np.dtype(data.dtype)
            is_small = 0 < dtype.itemsize * math.prod(data.shape) <= most and not self._is_split(slot.value)
            together.setdefault(dtype if is_small else slot, []).append(slot)
        for block in together.values():
            shapes = [tuple(self._reach.values[slot.value]._data.shape) for slot in block]
            read = [i for i, slot in enumerate(block) if slot.source in self.used]
            sharding = self._sharding_of(block[0].value)
            if len(block) > 1 and self._placement is not None:
                sharding = self._placement.everywhere  # an axis of size 1 splits none of them
            dtype = np.dtype(self._reach.values[block[0].value]._data.dtype)
            yield BlockPlan(block, shapes, read, sharding, dtype.itemsize * sum(map(math.prod, shapes)))

    # --- on several devices ---

    def _sharding_of(self, i: int) -> Any:
        """Return how the data and the gradient of a Value are split; None on one device."""
        return None if self._shardings is None else self._shardings.of(i)

    def _is_split(self, i: int) -> bool:
        sharding = self._sharding_of(i)
        return sharding is not None and not sharding.is_fully_replicated

    def _output_shardings(self, placement: Placement) -> list:
        """Return the shardings of the results of `_compute`: state stays where it is, the rest is on every device."""
        state = [block.sharding for block in self.blocks] + [self._sharding_of(slot.value) for slot in self.jax_out]
        return state + [placement.everywhere] * (bool(self.scalars_out) + len(self.rest))

    def _describe_placement(self) -> StateTable:
        """Return what the program keeps on each device."""
        slots = [slot for block in self.blocks for slot in block.slots] + self.jax_out
        self.held = list(dict.fromkeys([*(slot.source for slot in slots), *self.values_in]))
        return StateTable(self._stored(i, name) for name, i in self.held)

    def _stored(self, i: int, slot: str) -> Stored:
        data, sharding = self._reach.values[i]._data, self._sharding_of(i)
        path = self._reach.value_places[i].path
        name, what = (path, "data") if self._shardings is None else self._shardings.name(i)
        shape, dtype = tuple(data.shape), np.dtype(data.dtype)
        part, split = (shape, "") if sharding is None else (sharding.shard_shape(shape), describe_split(sharding))
        nbytes = math.prod(part) * dtype.itemsize
        return Stored(name, slot if slot == "grad" else what, shape, dtype.name, split, nbytes)

    def _outputs_of_templates(self) -> set[int]:
        templates = [self.trace.returned, *(t for _, _, t in self.trace.effects if t is not None)]
        templates += [grad for grad in self.trace.grads.values() if isinstance(grad, Template)]
        found = {template.k for template in all_templates(templates) if isinstance(template, (NewValue, NewArray))}
        return found - set(self.in_python)

    # --- numbers that stay in Python ---

    def _is_early(self, e: int) -> bool:
        c, key, template = self.trace.effects[e]
        of = self._reach.containers[c].of
        if not isinstance(template, NewArray) or template.k not in self.in_python or isinstance(of, Attributes):
            return False
        return any(place.holder is of and place.key == key for place in self._reach.state_places())

    def _formulas(self) -> dict[Variable, Formula]:
        """Return formulas for the variables that depend on Python numbers alone."""
        numbers = {var: source for source, var in self._variables.items() if self._is_number(source)}
        return number_formulas(self._recording, numbers)

    def _numbers_in_python(self, formulas: Mapping[Variable, Formula]) -> dict[int, Formula]:
        """Return formulas for the outputs that depend on Python numbers alone."""
        outputs = enumerate(self._recording.outputs) if formulas else ()
        found = {k: formula_of(var, formulas) for k, var in outputs if is_python_number(var)}
        return {k: formula for k, formula in found.items() if formula is not None}

    def _is_number(self, source: Source) -> bool:
        name, i = source
        if name == "place":
            return self._reach.places[i].kind == "number"
        return name == "data" and not isinstance(self._reach.values[i], Tensor)

    # --- the computation, as XLA sees it ---

    def _compute(self, zero: Zero, *arrays) -> list:
        import jax.numpy as jnp

        remaining = iter(arrays)
        known: dict[Source, object] = {}
        for block in self.blocks:
            if block.read:
                whole = next(remaining)
                parts = unpack(whole, block.shapes) if len(block.slots) > 1 else [whole]
                known.update((slot.source, part) for slot, part in zip(block.slots, parts))
        for _ in self.scratch if self.donates else ():
            next(remaining)
        if self.scalars_in:
            scalars = next(remaining) if len(self.scalars_in) > FEW else remaining
            known.update((source, x) for source, x in zip(self.scalars_in, scalars))
        for k, source in enumerate(self.values_in):
            known[source] = jnp.zeros(*self.likes[k]) if k in zero else next(remaining)
        known.update((source, next(remaining)) for source in (*self.places_in, *self.exact_in))
        results = self._results([known.get(source) for source in self.sources])
        out = []
        for block in self.blocks:
            parts = [results[slot.output] for slot in block.slots]
            out.append(pack(jnp, parts) if len(parts) > 1 else parts[0])
        out += [results[slot.output] for slot in self.jax_out]
        if self.scalars_out:
            out.append(jnp.stack([results[slot.output].astype(float) for slot in self.scalars_out]))
        return out + [results[k] for k in self.rest]

    def function(self, outputs: Sequence[int]) -> Callable[..., list]:
        """Return the program as a function from its `inputs` to some of its outputs."""

        def function(*inputs):
            known = dict(zip(self.inputs, inputs))
            results = self._results([known.get(source) for source in self.sources])
            return [results[k] for k in outputs]

        return function

    def _results(self, inputs: list) -> dict:
        """Return the outputs by their number, each in its own array, even if it equals an input or another output."""
        import jax.numpy as jnp

        recording, wanted = self._recording, sorted(set(self._outputs()))
        variables = [recording.outputs[k] for k in wanted]
        found = recording.evaluate(variables, inputs)
        shared = Counter(recording.outputs[k] for k in self._outputs() if not is_literal(recording.outputs[k]))
        shared.update(recording.inputs)
        results = {}
        for k, var, x in zip(wanted, variables, found):
            if is_literal(var):
                x = jnp.asarray(x, dtype=dtype_of(var))
            elif shared[var] > 1:
                x = jnp.copy(x)
            results[k] = x
        return results

    def _outputs(self) -> Iterator[int]:
        for block in self.blocks:
            yield from (slot.output for slot in block.slots)
        yield from (slot.output for slot in (*self.jax_out, *self.scalars_out))
        yield from self.rest


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"
