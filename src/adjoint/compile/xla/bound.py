"""A program of XLA with the objects of a call: it passes their arrays to XLA, and stores the new ones."""

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends import Resident
from adjoint.arrays.backward_pass import freed_back
from adjoint.arrays.tensor import Tensor
from adjoint.compile.backend import Source
from adjoint.compile.places import ABSENT, Place
from adjoint.compile.reachable import Reach, home_of
from adjoint.compile.results import Constant, NewArray, NewValue, Outcome
from adjoint.compile.xla.device_arrays import FEW, BlockPart, Upload, block_of, on_device, to_device
from adjoint.compile.xla.devices import Placement
from adjoint.compile.xla.formulas import Read
from adjoint.compile.xla.jax_library import precision

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


class Bound:
    """A program, and the Values and containers that it works on."""

    def __init__(self, program: "Program", reach: Reach, placement: Placement | None):
        self.program, self.values, self.known = program, reach.values, reach.known
        self.changes_state = not program.is_pure
        self.settings = _Settings(program.x64)
        self.replicate = placement.replicate if placement else None
        self._bind_places(reach, placement)
        self._bind_values()
        self._bind_numbers(reach)
        self._bind_effects(reach)
        self._steps = (
            self.grads_read, self.read_blocks, self.scalars_in, self.values_in, self.state_in, self.data_in,
            self.program.run, self.blocks, self.grads, self.new_data or self.zeroed or self.formulas, self.is_simple,
        )  # fmt: skip

    # --- construction ---

    def _bind_places(self, reach: Reach, placement: Placement | None) -> None:
        """Decide how each array and number that the program reads is handed over."""
        split = placement.split if placement else None
        self.uploads: dict[int, Upload] = {}  # of the NumPy arrays of the state, by their place
        self.state_in, self.data_in = [], []
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

    def _bind_values(self) -> None:
        values, program = self.values, self.program
        self.blocks = [block_of([(values[s.value], s.attribute) for s in plan.slots]) for plan in program.blocks]
        self.read_blocks = [(block, plan.read) for block, plan in zip(self.blocks, program.blocks) if plan.read]
        members = [
            (value, slot, resident, i in plan.read)
            for block, plan in zip(self.blocks, program.blocks)
            for i, ((value, slot), resident) in enumerate(zip(block.members, block.residents))
        ]
        self.grads_read = [(v, resident) for v, slot, resident, is_read in members if is_read and slot == "_grad"]
        self.grads = [(v, resident) for v, slot, resident, _ in members if slot == "_grad"]
        self.new_data = [(v, resident) for v, slot, resident, is_read in members if not is_read and slot == "_data"]
        self.values_in = [(values[i], f"_{name}", Upload(self.replicate)) for name, i in program.values_in]
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
        """Collect what the program puts into containers."""
        program = self.program
        live = {(id(place.holder), place.key): place.number for place in reach.state_places()}
        self.numbers_of_containers, self.effects = [], []
        for c, key, template in program.effects:
            container = reach.containers[c]
            number = live.get((id(container.of), key))
            if isinstance(template, NewArray) and template.k in program.in_python and number is not None:
                self.numbers_of_containers.append((container.of, key, template.k))
            else:
                self.effects.append((container, key, template, self.uploads.get(-1 if number is None else number)))
        returned = program.returned
        is_nothing = isinstance(returned, Constant) and returned.content is None
        self.result = None
        if isinstance(returned, NewValue) and not returned.label:
            self.result = OneValue(returned, program.home)
        more = self.effects or self.jax_out or self.scalars_out or program.new_gradients or program.op
        self.is_simple = (is_nothing or self.result is not None) and not more

    # --- a call ---

    def run(self, state: Sequence, data: Sequence) -> Any:
        """Run the program with these arrays and numbers, store the results, and return what the function returns."""
        for is_data, k, check in self.checks:
            check((data if is_data else state)[k])
        with self.settings.precision:
            return self._run(state, data)

    def _run(self, state: Sequence, data: Sequence) -> Any:
        (
            grads_read, read_blocks, scalars_in, values_in, state_in, data_in, run, blocks, grads, has_more, is_simple,
        ) = self._steps  # fmt: skip
        for value, resident in grads_read:
            if value._grad is not resident:
                resident.array.block.is_current = False
        inputs = []
        for block, needed in read_blocks:
            if not block.is_current:
                block.refresh(self.replicate or to_device, needed)
            inputs.append(block.array)
        if scalars_in:
            inputs += self._scalars()
        for value, attribute, upload in values_in:
            held = getattr(value, attribute)
            inputs.append(upload(np.zeros(value.shape, value.dtype) if held is None else on_device(held)))
        for k, transfer in state_in:
            inputs.append(transfer(state[k]) if transfer else state[k])
        for k, transfer in data_in:
            inputs.append(transfer(data[k]) if transfer else data[k])
        for compute in self.numbers_in:
            inputs.append(self.replicate(compute(state, data)) if self.replicate else compute(state, data))
        results = run(*inputs)
        for block, array in zip(blocks, results):
            block.array = array
        for value, resident in grads:
            value._grad = resident
        numbers = self._assign_more(state, data) if has_more else {}
        if not is_simple:
            return self._store_results(results, numbers, inputs)
        return self.result.make(results) if self.result else None

    def _scalars(self) -> list:
        numbers: list = [float(getattr(value, name)) for value, name in self.scalars_in]
        if len(numbers) > FEW:
            numbers = [np.array(numbers)]
        return [self.replicate(x) for x in numbers] if self.replicate else numbers

    def _assign_more(self, state: Sequence, data: Sequence) -> dict[int, float | int]:
        """Assign zero gradients, data that was not read, and numbers computed in Python; return those numbers."""
        if self.new_data:
            self._assign_new_data()
        for value in self.zeroed:
            value._grad = None if isinstance(value, Tensor) else 0.0
        numbers = {k: compute(state, data) for k, compute in self.formulas.items()}  # all before any is assigned
        for value, attribute, k in self.numbers_of_values:
            setattr(value, attribute, numbers[k])
        for container, key, k in self.numbers_of_containers:
            container[key] = numbers[k]
        return numbers

    def _assign_new_data(self) -> None:
        """Assign the new data of Values whose old data the program did not read."""
        now = assigned.last = tick()
        for value, resident in self.new_data:
            held = value._data
            if held is not resident and type(held) is Resident and type(held.array) is BlockPart:
                held.array.block.is_current = False
            value._data, value._changed = resident, now

    # --- other results of a call ---

    def _store_results(self, results, numbers: dict, inputs: list) -> Any:
        """Store all results where they belong, and return what the function returns."""
        program, at = self.program, len(self.blocks)
        if self.jax_out:
            now = assigned.last = tick()
            for value, attribute in self.jax_out:
                setattr(value, attribute, results[at])
                value._changed = now
                at += 1
        if self.scalars_out:
            for (value, attribute), number in zip(self.scalars_out, np.asarray(results[at]).tolist()):
                setattr(value, attribute[1:], number)
            at += 1
        arrays = dict(zip(program.rest, results[at:])) | numbers
        outcome = Outcome(arrays, self.known, program.home, self._with_history(arrays, inputs))
        for i, gradient in program.new_gradients:
            self.values[i]._grad = gradient.fill(outcome)
        for container, key, template, upload in self.effects:
            content = ABSENT if template is None else template.fill(outcome)
            container.set(key, content)
            if upload is not None and isinstance(content, np.ndarray) and isinstance(template, NewArray):
                upload.remember(content, outcome.arrays[template.k])
        return program.returned.fill(outcome)

    def _with_history(self, arrays: dict, inputs: list) -> dict[int, Tensor]:
        """Return the results of a function that changes nothing as Values that pass gradients to its inputs."""
        program = self.program
        if program.op is None:
            return {}
        values = [value if name == "data" else value.grad for value, name in self.scalars_in]
        arrays_in = inputs[1 if len(values) > FEW else len(values) :]
        for (value, attribute, _), array in zip(self.values_in, arrays_in):
            values.append(value if attribute == "_data" else array)
        others = arrays_in[len(self.values_in) :]
        results = [arrays[k] for k in program.with_history]
        if program.home == "NumPy":
            results = [Resident(x) for x in results] if len(results) == 1 else [np.asarray(x) for x in results]
        return dict(zip(program.with_history, program.op.record((*values, *others), results)))
