"""A program of XLA with the objects of a call: it passes their arrays to XLA, and stores the new ones."""

import threading
import zlib
from collections.abc import Callable, Collection, Sequence
from functools import partial
from operator import itemgetter, setitem
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends import Resident
from adjoint.arrays.backends.resident import reading
from adjoint.arrays.backward_pass import freed_back
from adjoint.arrays.tensor import Tensor
from adjoint.compile.backend import Source
from adjoint.compile.places import ABSENT, Assignment, Place
from adjoint.compile.reachable import Reach
from adjoint.compile.results import Constant, Nest, NewArray, NewValue, Outcome, Template
from adjoint.compile.slots import slot_of
from adjoint.compile.state import home_of
from adjoint.compile.xla.device_arrays import FEW, Upload, block_of, leave_block, on_device, to_device
from adjoint.compile.xla.devices import Placement
from adjoint.compile.xla.formulas import Read
from adjoint.compile.xla.jax_op import JAXOp
from adjoint.compile.xla.jax_settings import leave_precision, precision
from adjoint.compile.xla.stores import Stores, run_and_store, store
from adjoint.compile.xla.variants import Variant
from adjoint.distributed.agreement import Announcement, checksum, require_agreement
from adjoint.errors.optional_jax import load_jax

if TYPE_CHECKING:
    from adjoint.compile.xla.program import Program


class _Settings(threading.local):
    """The context that sets the precision of a program, made once per thread: making it takes as long as using it."""

    def __init__(self, x64: bool):
        self.precision = precision(x64)


class OneValue:
    """How to return a single Value, such as the loss of a training step."""

    __slots__ = ("back", "is_jax")

    def __init__(self, returned: NewValue, home: str):
        self.back, self.is_jax = freed_back if returned.has_history else None, home == "JAX"

    def make(self, results) -> Tensor:
        """Return the Value for the results of a call."""
        leaf = make_leaf(results[-1] if self.is_jax else Resident(results[-1]))
        leaf._back = self.back
        return leaf


def _picked(returned: Template, outputs: Sequence[int]) -> Callable[[Sequence], Any] | None:
    """Return what takes an array, or a tuple of arrays, from the results of a program; None for other templates."""
    is_tuple = isinstance(returned, Nest) and returned.kind is tuple and len(returned.items) > 1
    items: Sequence[Template] = returned.items if isinstance(returned, Nest) and is_tuple else [returned]
    if not all(isinstance(item, NewArray) and not item.is_number and item.k in outputs for item in items):
        return None
    return itemgetter(*[outputs.index(item.k) for item in items if isinstance(item, NewArray)])


class Bound:
    """A program, and the Values and containers that it works on."""

    def __init__(self, program: "Program", reach: Reach, placement: Placement | None):
        self.program, self.values, self.known = program, reach.values, reach.known
        self.changes_state = not program.is_pure
        self.settings = _Settings(program.x64)
        self.replicate = placement.replicate if placement else None
        self.placement = placement
        self._bind_places(reach, placement)
        self._bind_values(placement)
        self._bind_numbers(reach)
        self._bind_effects(reach)
        self._bind_stores()

    # --- construction ---

    def _bind_places(self, reach: Reach, placement: Placement | None) -> None:
        """Decide how each array and number that the program reads is handed over."""
        split = placement.split if placement else None
        self.uploads: dict[int, Upload] = {}  # of the NumPy arrays of the state, by their place
        self.state_in, self.data_in = [], []
        self.data_paths = [place.path for place in reach.data_places()]
        self.checks = []  # of indices: whether they are data, which input it is, and the check
        for places, used, found in (
            (reach.state_places(), self.program.state_places, self.state_in),
            (reach.data_places(), self.program.data_places, self.data_in),
        ):
            positions = {place.number: k for k, place in enumerate(places)}
            found += [(positions[j], self._hand_over(reach.places[j], split)) for j in used]
            noted = [(j, check) for j, check in self.program.checks if j in positions]
            self.checks += [(found is self.data_in, positions[j], check) for j, check in noted]

    def _hand_over(self, place: Place, split: Callable | None) -> Callable | None:
        """Return the function that moves an input to the devices; None if JAX does it."""
        transfer = split if place.is_data and place.kind == "array" else self.replicate
        if place.kind == "array" and home_of(place.content) == "NumPy":
            transfer = self.uploads[place.number] = Upload(transfer)
        return transfer

    def _bind_values(self, placement: Placement | None) -> None:
        values, program = self.values, self.program

        def transfer(sharding) -> Callable | None:
            return None if placement is None else partial(placement.put, sharding=sharding)

        devices = [] if placement is None else [device.id for device in placement.mesh.devices.flat]
        self.blocks = [
            block_of([(values[s.value], s.attribute) for s in plan.slots], devices) for plan in program.blocks
        ]
        self.read_blocks = [
            (block, plan.read, transfer(plan.sharding) or to_device, plan.sharding)
            for block, plan in zip(self.blocks, program.blocks)
            if plan.read
        ]
        scratch = program.scratch if program.donates else []
        self.scratch = [(self.blocks[k], program.blocks[k].sharding) for k in scratch]
        members = [
            (value, slot, resident, i in plan.read)
            for block, plan in zip(self.blocks, program.blocks)
            for i, ((value, slot), resident) in enumerate(zip(block.members, block.residents))
        ]
        self.grads_read = [(v, resident) for v, slot, resident, is_read in members if is_read and slot == "_grad"]
        self.grads = [(v, resident) for v, slot, resident, _ in members if slot == "_grad"]
        self.new_data = [(v, resident) for v, slot, resident, is_read in members if not is_read and slot == "_data"]
        self.values_in = [
            (values[i], f"_{name}", Upload(transfer(sharding)))
            for (name, i), sharding in zip(program.values_in, program.shardings_in)
        ]
        self.gradients_in = [(k, v) for k, (v, attribute, _) in enumerate(self.values_in) if attribute == "_grad"]
        self.scalars_in = [(values[i], name) for name, i in program.scalars_in]
        self.scalars_out = [(values[slot.value], slot.attribute) for slot in program.scalars_out]
        self.jax_out = [(values[slot.value], slot.attribute) for slot in program.jax_out]
        self.zeroed = [values[i] for i in program.zeroed]

    def _bind_numbers(self, reach: Reach) -> None:
        """Collect what is computed in Python."""
        values, program = self.values, self.program
        read: dict[Source, Read] = {}
        for k, place in enumerate(reach.state_places()):
            read["place", place.number] = lambda state, data, k=k: state[k]
        for k, place in enumerate(reach.data_places()):
            read["place", place.number] = lambda state, data, k=k: data[k]
        for i, v in enumerate(values):
            if not isinstance(v, Tensor):
                read["data", i] = lambda state, data, v=v: v.data
        self.formulas = {k: formula.bind(read) for k, formula in program.in_python.items()}
        self.numbers_in = [formula.bind(read) for formula in program.numbers_in]
        self.numbers_of_values = [(values[s.value], s.attribute[1:], s.output) for s in program.scalars_in_python]

    def _bind_effects(self, reach: Reach) -> None:
        """Collect what the program puts into containers, and what it returns."""
        program = self.program
        live = {(id(place.holder), place.key): place.number for place in reach.state_places()}
        self.early, self.effects = [], []  # numbers that are known before the program runs, and all effects
        for e, (c, key, template) in enumerate(program.effects):
            container = reach.containers[c]
            upload = self.uploads.get(live.get((id(container.of), key), -1))
            self.effects.append((container, key, template, upload))
            if e in program.early and isinstance(template, NewArray):
                self.early.append((container.of, key, template.k))
        returned = program.returned
        is_nothing = isinstance(returned, Constant) and returned.content is None
        self.result = None
        if isinstance(returned, NewValue) and not returned.label:
            self.result = OneValue(returned, program.home)
        more = self.jax_out or self.scalars_out or program.op
        self.is_simple = (is_nothing or self.result is not None) and not more
        self.pick = None if self.changes_state or more or program.home != "JAX" else _picked(returned, program.rest)

    def _bind_stores(self) -> None:
        """Collect what each call assigns: results, fixed objects, the time of the assignment, and numbers."""
        results = [(block, "array") for block in self.blocks] + self.jax_out
        self.count = len(results)  # of the results that are stored
        stamped = [value for value, _ in self.new_data] + [v for v, attribute in self.jax_out if attribute == "_data"]
        self.stamped = len(stamped)
        self.fixed: list[object] = [resident for _, resident in self.grads]
        self.fixed += [None if isinstance(value, Tensor) else 0.0 for value in self.zeroed]
        self.fixed += [resident for _, resident in self.new_data]
        others = [(value, "_grad") for value, _ in self.grads]
        others += [(value, "_grad" if isinstance(value, Tensor) else slot_of("grad")) for value in self.zeroed]
        others += [(value, "_data") for value, _ in self.new_data]
        others += [(value, "_changed") for value in stamped]
        others += [(value, slot_of(name)) for value, name, _ in self.numbers_of_values]
        self.stores = Stores(results + others)
        # The same for a call whose results take Python code to store: other threads may have fetched arrays meanwhile
        self.members = [(*member, resident) for b in self.blocks for member, resident in zip(b.members, b.residents)]
        changed = [value for value, slot, _ in self.members if slot == "_data"]
        self.changed = len(changed)
        late = [(value, slot) for value, slot, _ in self.members] + [(value, "_changed") for value in changed]
        late += [(block, "is_current") for block in self.blocks]
        late += [(value, slot_of(attribute[1:])) for value, attribute in self.scalars_out]
        late += [(self.values[i], "_grad") for i, _ in self.program.new_gradients]
        self.late_stores = Stores(results + others + late)

    # --- a call ---

    def run(self, state: Sequence, data: Sequence) -> Any:
        """Run the program with these arrays and numbers, store the results, and return what the function returns.

        If an exception comes at any time, the state is that before or that after the call.
        """
        if self.checks:
            self._check(state, data)
        if not self.program.is_agreed:
            self._agree(state, data)
        context = self.settings.precision
        try:
            with context:
                numbers = {k: compute(state, data) for k, compute in self.formulas.items()} if self.formulas else {}
                if not self.changes_state:
                    results, inputs = self._compute(state, data)
                elif not self.program.donates:
                    return self._run_and_keep(state, data, numbers)
                else:
                    early = [(setitem, of, key, numbers[k]) for of, key, k in self.early]
                    with reading:
                        variant, inputs = self._variant_and_inputs(state, data)
                        contents = self._contents(numbers)
                        results = variant.run_safely(
                            inputs,
                            partial(run_and_store, variant.run, inputs, self.count, self.stores, contents, early),
                        )
                if self.pick is not None:
                    return self.pick(results)
                if self.is_simple:
                    return self.result.make(results) if self.result else None
                return self.program.returned.fill(self._outcome(results, numbers, inputs))
        except BaseException:
            leave_precision(context)
            raise

    def _agree(self, state: Sequence, data: Sequence) -> None:
        """Raise an error if other processes are about to run another program, or have another state."""
        program, placement = self.program, self.placement
        arrays = [getattr(self.values[i], f"_{slot}") for slot, i in program.held]
        if placement is not None:
            members, mates = placement.members, placement.mates
        elif all(getattr(on_device(x), "is_fully_addressable", True) for x in arrays):
            return  # this process computes alone
        else:
            members = mates = range(load_jax().process_count())
        rows = zip(program.placement, program.held, arrays)
        held = [(stored.name, x) for stored, source, x in rows if source in program.used]
        held += [("a number of the state", float(getattr(value, name))) for value, name in self.scalars_in]
        held += [(f"array {k} of the state", state[k]) for k, _ in self.state_in]
        sums: dict[str, int] = {}
        for name, x in held:
            sums[name] = zlib.crc32(checksum(x).to_bytes(4, "little"), sums.get(name, 0))
        batch = [data[k] for k, _ in self.data_in]
        shapes = {self.data_paths[k]: list(np.shape(data[k])) for k, _ in self.data_in}
        of_batch = zlib.crc32(repr([checksum(x) for x in batch]).encode())
        own = Announcement(shapes, program.checksum(), sums, of_batch)
        require_agreement(own, load_jax().process_index(), members, mates)
        program.is_agreed = True

    def _check(self, state: Sequence, data: Sequence) -> None:
        """Raise an error if an index is out of range."""
        for is_data, k, check in self.checks:
            check((data if is_data else state)[k])

    def _compute(self, state: Sequence, data: Sequence) -> tuple[list, list]:
        """Run a program that changes nothing."""
        variant = self.program.variants.of()
        if not self.values_in:
            inputs = self._inputs(state, data)
            return variant.run(*inputs), inputs
        if variant.is_warm:
            with reading:
                inputs = self._inputs(state, data)
                return variant.run(*inputs), inputs
        with reading:  # not while the program is compiled: copies, which no other program deletes
            inputs = [x.copy() if hasattr(x, "copy") else x for x in self._inputs(state, data)]
        results = variant.run(*inputs)
        variant.is_warm = True
        return results, inputs

    def _run_and_keep(self, state: Sequence, data: Sequence, numbers: dict) -> Any:
        """Run the program, make the objects that it stores and returns, and then store everything at once.

        This is for programs whose results take Python code to store. They do not delete their inputs.
        """
        with reading:
            variant, inputs = self._variant_and_inputs(state, data)
        results = variant.run(*inputs)
        outcome = self._outcome(results, numbers, inputs)
        late, effects = self._late_contents(results, outcome), self._assignments(outcome)
        returned = self.program.returned.fill(outcome)
        with reading:
            store(self.late_stores, [*results[: self.count], *self._contents(numbers), *late], effects)
        return returned

    def _variant_and_inputs(self, state: Sequence, data: Sequence) -> tuple[Variant, list]:
        """Return the variant of the program for the gradients that are zero now, and its inputs."""
        zero = {k for k, value in self.gradients_in if value._grad is None}
        return self.program.variants.of(zero), self._inputs(state, data, zero)

    def _inputs(self, state: Sequence, data: Sequence, zero: Collection[int] = ()) -> list:
        for value, resident in self.grads_read:
            if value._grad is not resident:
                resident.array.block.is_current = False
        inputs = []
        for block, needed, transfer, sharding in self.read_blocks:
            if not block.is_current:
                block.refresh(transfer, needed, sharding)
            inputs.append(block.array)
        for block, sharding in self.scratch:
            inputs.append(block.zeros(sharding) if block.array is None else block.array)
        if self.scalars_in:
            inputs += self._scalars()
        for k, (value, attribute, upload) in enumerate(self.values_in):
            if k in zero:
                continue
            held = getattr(value, attribute)
            inputs.append(upload(np.zeros(value.shape, value.dtype) if held is None else on_device(held)))
        for k, transfer in self.state_in:
            inputs.append(transfer(state[k]) if transfer else state[k])
        for k, transfer in self.data_in:
            inputs.append(transfer(data[k]) if transfer else data[k])
        for compute in self.numbers_in:
            inputs.append(self.replicate(compute(state, data)) if self.replicate else compute(state, data))
        return inputs

    def _scalars(self) -> list:
        numbers: list = [float(getattr(value, name)) for value, name in self.scalars_in]
        if len(numbers) > FEW:
            numbers = [np.array(numbers)]
        return [self.replicate(x) for x in numbers] if self.replicate else numbers

    def _contents(self, numbers: dict[int, float | int]) -> list:
        """Return what is stored besides the results, in the order of `stores`."""
        for value, resident in self.new_data:
            if value._data is not resident:
                leave_block(value._data)
        if not self.stamped and not self.numbers_of_values:
            return self.fixed
        now = assigned.last = tick()
        return [*self.fixed, *[now] * self.stamped, *[numbers[k] for _, _, k in self.numbers_of_values]]

    # --- other results of a call ---

    def _outcome(self, results, numbers: dict, inputs: list) -> Outcome:
        program = self.program
        arrays = dict(zip(program.rest, results[self.count + bool(self.scalars_out) :]))
        arrays.update(numbers)
        history = {} if program.op is None else self._with_history(program.op, arrays, inputs)
        return Outcome(arrays, self.known, program.home, history)

    def _late_contents(self, results, outcome: Outcome) -> list:
        """Return what `late_stores` has in addition to `stores`."""
        contents: list = [resident for _, _, resident in self.members]
        if self.changed:
            now = assigned.last = tick()
            contents += [now] * self.changed
        contents += [True] * len(self.blocks)
        if self.scalars_out:
            contents += np.asarray(results[self.count]).tolist()
        return contents + [gradient.fill(outcome) for _, gradient in self.program.new_gradients]

    def _assignments(self, outcome: Outcome) -> list[Assignment]:
        """Return how the objects that the function puts into containers are assigned."""
        found = []
        for container, key, template, upload in self.effects:
            content = ABSENT if template is None else template.fill(outcome)
            found += container.assignments(key, content)
            if upload is not None and isinstance(content, np.ndarray) and isinstance(template, NewArray):
                upload.remember(content, outcome.arrays[template.k])
        return found

    def _with_history(self, op: JAXOp, arrays: dict, inputs: list) -> dict[int, Tensor]:
        """Return the results of a function that changes nothing as Values that pass gradients to its inputs."""
        program = self.program
        values = [value if name == "data" else value.grad for value, name in self.scalars_in]
        arrays_in = inputs[1 if len(values) > FEW else len(values) :]
        for (value, attribute, _), array in zip(self.values_in, arrays_in):
            values.append(value if attribute == "_data" else array)
        others = arrays_in[len(self.values_in) :]
        results = [arrays[k] for k in program.with_history]
        if program.home == "NumPy":
            results = [Resident(x) for x in results] if len(results) == 1 else [np.asarray(x) for x in results]
        return dict(zip(program.with_history, op.record((*values, *others), results)))
