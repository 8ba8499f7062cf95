"""A program bound to the objects of a call.

A training loop calls the same function with the same model again and again. A `Binding` knows where everything is. It
makes sure, by a few comparisons of identity, that no object has been replaced since, passes the arrays to the program,
and stores the new ones. It takes few steps and touches few objects, so that a call takes microseconds even if the
computation between two calls has pushed everything out of the processor's caches.
"""

import threading
from collections.abc import Collection
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from adjoint.arrays.apply import make_leaf
from adjoint.arrays.assignments import assigned, tick
from adjoint.arrays.backends import Resident
from adjoint.arrays.backward_pass import freed_back
from adjoint.arrays.tensor import Tensor
from adjoint.compile.devices import Placement
from adjoint.compile.fast.arguments import Equal, JAXArray, Number, NumPyArray, argument_like, input_like
from adjoint.compile.fast.device_arrays import BlockPart, Upload, block_of, on_device, to_device
from adjoint.compile.fast.formulas import Read
from adjoint.compile.jax_library import precision
from adjoint.compile.places import ABSENT, Attributes, Container
from adjoint.compile.program import FEW, Program
from adjoint.compile.reachable import Reach, home_of
from adjoint.compile.results import Constant, NewArray, NewValue, Outcome, Template
from adjoint.compile.tracing import Source
from adjoint.engine.modes import modes

CHANGED = object()  # what a binding returns for a call that it does not recognize


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


class Binding:
    """A program, and the Values, containers and places that it works on."""

    def __init__(
        self, program: Program, reach: Reach, arguments: list, options: dict, static: Collection[int | str],
        placement: Placement | None,
    ):  # fmt: skip
        self.program, self.values, self.known = program, reach.values, reach.known
        self.names, self.recording = tuple(options), modes.recording
        self.settings = _Settings(program.x64)
        self.replicate = placement.replicate if placement else None
        self._bind_places(reach, placement)
        self._bind_arguments(reach, arguments, options, static)
        self._bind_values()
        self._bind_containers(reach)
        self._bind_numbers()
        self._bind_effects(reach)
        self._gather()

    # --- construction ---

    def _bind_places(self, reach: Reach, placement: Placement | None) -> None:
        """Make what recognizes the arrays and numbers that are inputs, for each place."""
        used = {*self.program.state_places, *self.program.data_places}
        split = placement.split if placement else None
        self.inputs: dict[int, Number | NumPyArray | JAXArray] = {}
        for j, place in enumerate(reach.places):
            if place.kind != "scalar":
                is_batch = place.is_data and place.kind == "array"
                self.inputs[j] = input_like(place.content, j in used, split if is_batch else self.replicate)

    def _bind_arguments(self, reach: Reach, arguments: list, options: dict, static: Collection[int | str]) -> None:
        data = iter([x for j, x in self.inputs.items() if reach.places[j].is_data])
        self.positional = [Equal(x) if i in static else argument_like(x, data) for i, x in enumerate(arguments)]
        self.by_name = [Equal(x) if name in static else argument_like(x, data) for name, x in options.items()]

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

    def _bind_containers(self, reach: Reach) -> None:
        """Collect what each call compares: whole containers at once, and the watched names of namespaces one by one."""
        places, containers = reach.places, reach.containers
        before = {id(container.of): container.before for container in containers}
        self.live = [  # arrays and numbers of the state, which may be new objects in each call
            (places[j].holder, places[j].key, before.get(id(places[j].holder)), recognizer)
            for j, recognizer in self.inputs.items()
            if not places[j].is_data
        ]
        live = {(id(place.holder), place.key) for place in places}
        self.wholes = [(c.of, c.before) for c in containers if not c.is_namespace and not c.is_data]
        self.cells, self.named = [], []
        for container in containers:
            for name, content in container.before.items() if container.is_namespace else ():
                if isinstance(content, _LASTING) or content is ABSENT or (id(container.of), name) in live:
                    continue
                if isinstance(container.of, Attributes) and isinstance(container.of.of, CellType):
                    self.cells.append((container.of.of, content))
                else:
                    self.named.append((container.of.get, name, content))

    def _bind_numbers(self) -> None:
        """Collect what is computed in Python."""
        values, program = self.values, self.program
        read: dict[Source, Read] = {}
        for j, x in self.inputs.items():
            if isinstance(x, Number):
                read["place", j] = lambda x=x: x.last
        for i, v in enumerate(values):
            if not isinstance(v, Tensor):
                read["data", i] = lambda v=v: v.data
        self.formulas = {k: formula.bind(read) for k, formula in program.in_python.items()}
        self.numbers_of_values = [(values[s.value], s.attribute[1:], s.output) for s in program.scalars_in_python]

    def _bind_effects(self, reach: Reach) -> None:
        """Collect what the program puts into containers, and find out whether the binding serves the next call too."""
        program, live = self.program, {(id(holder), key): x for holder, key, _, x in self.live}
        self.is_lasting = not program.new_gradients
        self.numbers_of_containers, self.effects = [], []
        for c, key, template in program.effects:
            container = reach.containers[c]
            recognizer = live.get((id(container.of), key))
            if isinstance(template, NewArray) and template.k in program.in_python and recognizer is not None:
                self.numbers_of_containers.append((container.of, container.before, key, template.k))
                continue
            is_same_kind = recognizer is not None and isinstance(template, (NewArray, Constant))
            if not is_same_kind and not self._replaces_unused(container, key, template):
                self.is_lasting = False
            upload = recognizer.upload if isinstance(recognizer, NumPyArray) else None
            self.effects.append((container, key, template, upload))
        returned = program.returned
        is_nothing = isinstance(returned, Constant) and returned.content is None
        self.result = None
        if isinstance(returned, NewValue) and not returned.label:
            self.result = OneValue(returned, program.home)
        more = self.effects or self.jax_out or self.scalars_out or program.new_gradients or program.op
        self.is_simple = (is_nothing or self.result is not None) and not more

    def _replaces_unused(self, container: Container, key: object, template: Template | None) -> bool:
        """Return whether a new Value replaces one that the program neither reads nor changes."""
        before = None if key is None or not isinstance(container.before, dict) else container.before.get(key)
        if not isinstance(template, NewValue) or not isinstance(before, Tensor) or container.is_data:
            return False
        i = next(i for i, v in enumerate(self.values) if v is before)
        is_used = ("data", i) in self.program.used or ("grad", i) in self.program.used
        is_changed = i in self.program.changed
        return not is_used and not is_changed and home_of(before._data) == self.program.home

    # --- a call ---

    def _gather(self) -> None:
        """Gather what every call needs in two tuples, to look up few attributes."""
        self._checks = (
            self.recording, len(self.positional), self.settings, [x.take for x in self.positional], self.names,
            self.live, self.wholes, self.cells, self.named,
        )  # fmt: skip
        self._steps = (
            self.grads_read, self.read_blocks, self.scalars_in, self.values_in, self.program.run, self.blocks,
            self.grads, self.new_data or self.zeroed or self.formulas, self.is_simple,
        )  # fmt: skip

    def __call__(self, arguments: tuple, options: dict) -> Any:
        """Return the result, or CHANGED if the binding does not serve this call."""
        recording, count, settings, takes, names, places, wholes, cells, named = self._checks
        if modes.recording is not recording or len(arguments) != count:
            return CHANGED
        with settings.precision:
            data: list = []
            live: list = []
            for take, x in zip(takes, arguments):
                if not take(x, data):
                    return CHANGED
            if (options or names) and not self._takes(options, data):
                return CHANGED
            if places and not self._takes_state(live):
                return CHANGED
            try:
                for container, before in wholes:
                    if container != before:
                        return CHANGED
                for cell, content in cells:
                    if cell.cell_contents is not content:
                        return CHANGED
                for get, name, content in named:
                    if get(name) is not content:
                        return CHANGED
            except Exception:  # an object that cannot be compared, or an empty cell: something was replaced
                return CHANGED
            return self._run(live, data)

    def run_first(self, arguments: tuple, options: dict) -> Any:
        """Return the result of the call that the binding was made from."""
        data: list = []
        live: list = []
        with self.settings.precision:
            for recognizer, x in zip((*self.positional, *self.by_name), (*arguments, *options.values())):
                recognizer.take(x, data)
            self._takes_state(live)
            return self._run(live, data)

    def _takes(self, options: dict, data: list) -> bool:
        """Return whether the keyword arguments are like those before, and add the inputs among them."""
        if len(options) != len(self.names) or not all(name in options for name in self.names):
            return False
        return all(recognizer.take(options[name], data) for recognizer, name in zip(self.by_name, self.names))

    def _takes_state(self, live: list) -> bool:
        """Return whether the arrays and numbers of the state are like those before, and add the inputs among them."""
        for holder, key, before, recognizer in self.live:
            x = holder[key]
            if not recognizer.take(x, live):
                return False
            if before is not None:
                before[key] = x
        return True

    def _run(self, live: list, data: list) -> Any:
        grads_read, read_blocks, scalars_in, values_in, run, blocks, grads, has_more, is_simple = self._steps
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
        results = run(*inputs, *live, *data)
        for block, array in zip(blocks, results):
            block.array = array
        for value, resident in grads:
            value._grad = resident
        numbers = self._assign_more() if has_more else {}
        if not is_simple:
            return self._store_results(results, numbers, [*inputs, *live, *data])
        return self.result.make(results) if self.result else None

    def _scalars(self) -> list:
        numbers: list = [float(getattr(value, name)) for value, name in self.scalars_in]
        if len(numbers) > FEW:
            numbers = [np.array(numbers)]
        return [self.replicate(x) for x in numbers] if self.replicate else numbers

    def _assign_more(self) -> dict[int, float | int]:
        """Assign zero gradients, data that was not read, and numbers computed in Python; return those numbers."""
        if self.new_data:
            self._assign_new_data()
        for value in self.zeroed:
            value._grad = None if isinstance(value, Tensor) else 0.0
        numbers = {k: compute() for k, compute in self.formulas.items()}  # all of them before any is assigned
        for value, attribute, k in self.numbers_of_values:
            setattr(value, attribute, numbers[k])
        for container, before, key, k in self.numbers_of_containers:
            container[key] = numbers[k]
            if before is not None:
                before[key] = numbers[k]
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
            if self.is_lasting:
                container.before[key] = content
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


_LASTING = (FunctionType, MethodType, ModuleType, type)  # names of these are not compared again
