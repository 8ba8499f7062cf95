"""A program bound to the objects of a call: the way of every call but the first.

A training loop calls the same function with the same model, again and again. A `Binding` knows where everything is:
it makes sure that nothing has been exchanged since (a few comparisons by identity), hands the arrays over, and
notes where the new ones are. That takes a few microseconds.
"""

import threading
from collections.abc import Callable
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from adjoint.backends import Resident
from adjoint.lots import Upload, lot_of, on_device, to_device
from adjoint.modes import modes
from adjoint.programs import FEW, Program
from adjoint.pullback import assigned, freed_back, tick
from adjoint.state import ABSENT, Attributes, Container, Reach, home_of, is_data, is_traceable_array
from adjoint.tensor import Tensor, make_leaf
from adjoint.tracing import Constant, NewArray, NewValue, Outcome, precision

CHANGED = object()  # the answer of a binding that does not fit the call


# --- arguments that may be others in each call ---------------------------------------------------------------


class Same:
    """An argument that is to be the very object it was."""

    def __init__(self, x):
        self.x = x

    def take(self, x, inputs: list) -> bool:
        return x is self.x


class Equal:
    """An argument that is part of the program."""

    def __init__(self, x):
        self.x = x

    def take(self, x, inputs: list) -> bool:
        return x is self.x or (type(x) is type(self.x) and x == self.x)


class Number:
    def __init__(self, x, is_used: bool, place: Callable | None):
        self.kind, self.is_used, self.place = type(x), is_used, place
        self.last: Any = x  # for what is computed from it in Python

    def take(self, x, inputs: list) -> bool:
        self.last = x
        if self.is_used:
            inputs.append(self.place(x) if self.place else x)
        return type(x) is self.kind


class Array:
    def __init__(self, x, is_used: bool, place: Callable | None):
        self.kind, self.shape, self.dtype = type(x), x.shape, x.dtype
        self.weak_type = getattr(x, "weak_type", None)
        self.upload = Upload(place) if is_used else None

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or x.shape != self.shape or x.dtype != self.dtype:
            return False
        if self.upload is not None:
            inputs.append(self.upload(x))
        return self.weak_type is None or x.weak_type == self.weak_type


class Sequence:
    def __init__(self, x, items: list):
        self.kind, self.items = type(x), items

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or len(x) != len(self.items):
            return False
        return all([item.take(each, inputs) for item, each in zip(self.items, x)])


class Mapping:
    def __init__(self, x: dict, items: list):
        self.kind, self.keys, self.items = type(x), list(x), items

    def take(self, x, inputs: list) -> bool:
        if type(x) is not self.kind or list(x) != self.keys:
            return False
        return all([item.take(each, inputs) for item, each in zip(self.items, x.values())])


class _Settings(threading.local):
    """The precision of a program, made once for each thread: it takes as long to make as to use."""

    def __init__(self, x64: bool):
        self.precision = precision(x64)


# --- the binding ---------------------------------------------------------------------------------------------


class Binding:
    """A program, and the Values, containers and places that it works on."""

    def __init__(self, program: Program, reach: Reach, arguments: list, options: dict, static, placement):
        self.program, self.reach, self.placement = program, reach, placement
        self.names, self.recording = tuple(options), modes.recording
        self.settings = _Settings(program.x64)
        self._bind_arguments(arguments, options, static)
        self._bind_state()
        self._bind_containers()
        self._bind_effects()

    def _bind_arguments(self, arguments: list, options: dict, static) -> None:
        used = set(self.program.data_places)
        data = iter([(j, j in used) for j, place in enumerate(self.reach.places) if place.is_data])
        self.numbers: dict[tuple[str, int], Number] = {}
        matchers = []
        for holder, keys in ((arguments, range(len(arguments))), (options, list(options))):
            for key in keys:
                matchers.append(Equal(holder[key]) if key in static else self._matcher(holder[key], data))
        self.positional, self.by_name = matchers[: len(arguments)], matchers[len(arguments) :]

    def _matcher(self, x, data) -> Any:
        """Return what recognises an argument like `x`; `data` yields the places of arrays and numbers in order."""
        if not is_data(x):
            return Same(x)
        if isinstance(x, (list, tuple)):
            return Sequence(x, [self._matcher(item, data) for item in x])
        if isinstance(x, dict):
            return Mapping(x, [self._matcher(item, data) for item in x.values()])
        if type(x) in (float, int):
            j, is_used = next(data)
            self.numbers["place", j] = found = Number(x, is_used, self.placement and self.placement.replicate)
            return found
        if is_traceable_array(x):
            _, is_used = next(data)
            return Array(x, is_used, self.placement and self.placement.split)
        return Equal(x)

    def _bind_state(self) -> None:
        values, program = self.reach.values, self.program
        self.lots = [lot_of([(values[s.value], s.attribute) for s in plan.slots]) for plan in program.lots]
        self.read_lots = [lot for lot, plan in zip(self.lots, program.lots) if plan.is_read]
        pairs = [
            (value, slot, resident, plan.is_read)
            for lot, plan in zip(self.lots, program.lots)
            for (value, slot), resident in zip(lot.members, lot.residents)
        ]
        self.data_read = [(v, resident) for v, slot, resident, is_read in pairs if is_read and slot == "_data"]
        self.grads_read = [(v, resident) for v, slot, resident, is_read in pairs if is_read and slot == "_grad"]
        self.data_written = [(v, resident) for v, slot, resident, is_read in pairs if not is_read and slot == "_data"]
        self.grads_written = [(v, resident) for v, slot, resident, is_read in pairs if not is_read and slot == "_grad"]
        place = self.placement and self.placement.replicate
        self.values_in = [(values[i], f"_{name}", Upload(place)) for name, i in program.values_in]
        self.scalars_in = [(values[i], name) for name, i in program.scalars_in]
        self.scalars = [(i, value) for i, value in enumerate(values) if not isinstance(value, Tensor)]
        self.scalars_in_python = [(values[s.value], s.attribute[1:], s.output) for s in program.scalars_in_python]
        self.scalars_out = [(values[slot.value], slot.attribute) for slot in program.scalars_out]
        self.jax_out = [(values[slot.value], slot.attribute) for slot in program.jax_out]
        self.zeroed = [values[i] for i in program.zeroed]
        self.replicate = place or to_device

    def _bind_containers(self) -> None:
        """Prepare what is compared in each call: whole containers at once, some names one by one."""
        reach = self.reach
        held_by = {id(container.of): container for container in reach.containers}
        self.live = []  # arrays and numbers in the state: (container, key, what held it before, how to recognise it)
        used = set(self.program.state_places)
        for j, place in enumerate(reach.places):
            if place.kind != "scalar" and not place.is_data:
                container = held_by.get(id(place.holder))
                before = None if container is None else container.before
                make = Number if place.kind == "number" else Array
                matcher = make(place.content, j in used, self.placement and self.placement.replicate)
                if isinstance(matcher, Number):
                    self.numbers["place", j] = matcher
                self.live.append((place.holder, place.key, before, matcher))
        lively = {(id(place.holder), place.key) for place in reach.places}
        self.wholes = [(c.of, c.before) for c in reach.containers if c.names is None and not c.is_data]
        self.cells, self.named = [], []
        for container in reach.containers:
            for name, content in container.before.items() if container.names is not None else ():
                if isinstance(content, _LASTING) or content is ABSENT or (id(container.of), name) in lively:
                    continue
                if isinstance(container.of, Attributes) and isinstance(container.of.of, CellType):
                    self.cells.append((container.of.of, content))
                else:
                    self.named.append((container.of.get, name, content))

    def _bind_effects(self) -> None:
        """Find out whether what the program puts into containers leaves this binding fit for the next call."""
        self.effects = [(self.reach.containers[c], key, template) for c, key, template in self.program.effects]
        live = {(id(holder), key): matcher for holder, key, _, matcher in self.live}
        self.is_lasting = not self.program.new_gradients
        self.uploads = {}  # by where the array is
        for container, key, template in self.effects:
            where = (id(container.of), key)
            if where in live and isinstance(template, (NewArray, Constant)):
                self.uploads[where] = getattr(live[where], "upload", None)
            elif not self._is_passing(container, key, template):
                self.is_lasting = False
        program, returned = self.program, self.program.returned
        self.is_simple = (  # a step that changes NumPy's Values and returns the loss
            isinstance(returned, NewValue)
            and not (returned.label or self.effects or program.new_gradients or program.in_python)
            and not (self.zeroed or self.jax_out or self.scalars_out or program.with_history)
        )
        self.back_of_result = freed_back if self.is_simple and returned.has_history else None

    def _is_passing(self, container: Container, key, template) -> bool:
        """Return whether a new Value takes the place of one that the program does not look at."""
        before = None if key is None or not isinstance(container.before, dict) else container.before.get(key)
        if not isinstance(template, NewValue) or not isinstance(before, Tensor) or container.is_data:
            return False
        i = next(i for i, v in enumerate(self.reach.values) if v is before)
        touched = {("data", i), ("grad", i)} & {*self.program.used}
        written = any(slot.value == i for plan in self.program.lots for slot in plan.slots)
        return not touched and not written and home_of(before._data) == self.program.home

    # --- a call ---

    def __call__(self, arguments: tuple, options: dict) -> Any:
        """Return the result, or CHANGED if this is not the call that the binding was made for."""
        if modes.recording is not self.recording or len(arguments) != len(self.positional):
            return CHANGED
        with self.settings.precision:
            data: list[Any] = []
            for matcher, x in zip(self.positional, arguments):
                if not matcher.take(x, data):
                    return CHANGED
            if options or self.names:
                if tuple(options) != self.names:
                    return CHANGED
                for matcher, x in zip(self.by_name, options.values()):
                    if not matcher.take(x, data):
                        return CHANGED
            live: list[Any] = []
            return self._run(live, data) if self._is_unchanged(live) else CHANGED

    def run_first(self, arguments: tuple, options: dict) -> Any:
        """Return the result of the call that the binding was made from."""
        data: list[Any] = []
        live: list[Any] = []
        with self.settings.precision:
            for matcher, x in zip((*self.positional, *self.by_name), (*arguments, *options.values())):
                matcher.take(x, data)
            for holder, key, _, matcher in self.live:
                matcher.take(holder[key], live)
            return self._run(live, data)

    def _is_unchanged(self, inputs: list) -> bool:
        """Return whether the state is made of the same objects as before, and add what is an input of it."""
        for holder, key, before, matcher in self.live:
            x = holder[key]
            if not matcher.take(x, inputs):
                return False
            if before is not None:
                before[key] = x
        try:
            for container, before in self.wholes:
                if container != before:
                    return False
            for cell, content in self.cells:
                if cell.cell_contents is not content:
                    return False
            for get, name, content in self.named:
                if get(name) is not content:
                    return False
        except Exception:  # objects with a comparison of their own, or a cell that is empty: something was exchanged
            return False
        return True

    def _run(self, live: list, data: list) -> Any:
        for value, resident in self.data_read:
            if value._data is not resident:
                self._refresh()
                break
        for value, resident in self.grads_read:
            if value._grad is not resident:
                self._refresh()
                break
        inputs = [lot.array for lot in self.read_lots]
        if self.scalars_in:
            inputs += self._scalars()
        for value, attribute, upload in self.values_in:
            held = getattr(value, attribute)
            inputs.append(upload(np.zeros(value.shape, value.dtype) if held is None else on_device(held)))
        numbers = self._numbers() if self.program.in_python else None
        results = self.program.run(*inputs, *live, *data)
        return self._take_back(results, numbers, (*inputs, *live, *data))

    def _refresh(self) -> None:
        for lot in self.read_lots:
            lot.refresh(self.replicate)

    def _scalars(self) -> list:
        numbers: list[Any] = [float(getattr(value, name)) for value, name in self.scalars_in]
        if len(numbers) > FEW:
            numbers = [np.array(numbers)]
        return [self.placement.replicate(x) for x in numbers] if self.placement else numbers

    def _numbers(self) -> dict:
        """Return the numbers that are inputs, for what is computed in Python."""
        numbers: dict[tuple[str, int], Any] = {source: number.last for source, number in self.numbers.items()}
        for i, value in self.scalars:
            numbers["data", i] = value.data
        return numbers

    def _take_back(self, results, numbers, inputs) -> Any:
        for lot, array in zip(self.lots, results):
            lot.array = array
        for value, resident in self.grads_read:
            value._grad = resident
        for value, resident in self.grads_written:
            value._grad = resident
        if self.data_written:
            now = assigned.last = tick()
            for value, resident in self.data_written:
                value._data, value._changed = resident, now
        if self.is_simple:
            leaf = make_leaf(Resident(results[-1]) if self.program.home == "NumPy" else results[-1])
            leaf._back = self.back_of_result
            return leaf
        return self._take_back_all(results, numbers, inputs)

    def _take_back_all(self, results, numbers, inputs) -> Any:
        for value in self.zeroed:
            value._grad = None if isinstance(value, Tensor) else 0.0
        k = len(self.lots)
        if self.jax_out:
            now = assigned.last = tick()
            for value, attribute in self.jax_out:
                setattr(value, attribute, results[k])
                value._changed = now
                k += 1
        if self.scalars_out:
            for (value, attribute), number in zip(self.scalars_out, np.asarray(results[k]).tolist()):
                setattr(value, attribute[1:], number)
            k += 1
        arrays = dict(zip(self.program.rest, results[k:]))
        if numbers is not None:
            arrays |= {k: compute(numbers) for k, compute in self.program.in_python.items()}
            for value, attribute, output in self.scalars_in_python:
                setattr(value, attribute, arrays[output])
        outcome = Outcome(arrays, self.reach.known, self.program.home, self._with_history(arrays, inputs))
        for i, gradient in self.program.new_gradients:
            self.reach.values[i]._grad = gradient.fill(outcome)
        for container, key, template in self.effects:
            self._put(container, key, ABSENT if template is None else template.fill(outcome), outcome, template)
        return self.program.returned.fill(outcome)

    def _with_history(self, arrays: dict[int, Any], inputs: tuple) -> dict[int, Any]:
        """Return the results of a function that changes nothing as Values that its inputs have gradients from."""
        op, program = self.program.op, self.program
        if op is None:
            return {}
        values = [value if name == "data" else value.grad for value, name in self.scalars_in]
        arrays_in = inputs[1 if len(values) > FEW else len(values) :]
        for (value, attribute, _), array in zip(self.values_in, arrays_in):
            values.append(value if attribute == "_data" else array)
        others = arrays_in[len(self.values_in) :]
        results = [arrays[k] for k in program.with_history]
        if program.home == "NumPy":
            results = [Resident(x) for x in results] if len(results) == 1 else [np.asarray(x) for x in results]
        return dict(zip(program.with_history, op.recorded((*values, *others), results)))

    def _put(self, container: Container, key, content, outcome, template) -> None:
        container.set(key, content)
        if not self.is_lasting:
            return
        container.before[key] = content
        upload = self.uploads.get((id(container.of), key))
        if upload is not None and isinstance(content, np.ndarray) and isinstance(template, NewArray):
            upload.remember(content, outcome.arrays[template.k])


_LASTING = (FunctionType, MethodType, ModuleType, type)  # names of these are not looked at again

