"""A tape as a program, and the program with the Values and numbers of a call."""

from collections import deque
from collections.abc import Sequence
from itertools import starmap
from operator import call, setitem
from typing import Any

from adjoint.compile.numbers.description import describe_program
from adjoint.compile.numbers.instructions import instructions_of
from adjoint.compile.numbers.integers import exact_entries, inexact_integer
from adjoint.compile.numbers.listing import as_lines
from adjoint.compile.numbers.program_gradients import ProgramGradients
from adjoint.compile.numbers.replay import DATA, EXACT, GRAD, NUMBER
from adjoint.compile.numbers.value_names import Slots, ValueNames
from adjoint.compile.places import ABSENT
from adjoint.compile.reachable import Reach
from adjoint.compile.results import NewNumber, NewScalar, Outcome, Template, all_templates
from adjoint.compile.session import Trace
from adjoint.compile.slots import slot_of
from adjoint.engine import late
from adjoint.engine.modes import modes
from adjoint.engine.value import Value


class Program:
    """A compiled function of numbers. It serves all calls with one key, and keeps none of their Values alive."""

    def __init__(self, trace: Trace):
        recorder: Any = trace.recorder
        self.trace, self.is_checked, tape = trace, False, recorder.tape
        templates = [template for _, _, template in trace.effects if template is not None]
        self.new_gradients = [(i, grad) for i, grad in trace.grads.items() if isinstance(grad, Template)]
        found = [*all_templates([trace.returned, *templates, *(grad for _, grad in self.new_gradients)])]
        self.results = sorted({t.k for t in found if isinstance(t, (NewNumber, NewScalar))})
        self.history = (
            ProgramGradients(recorder) if trace.is_pure and modes.recording and recorder.with_history else None
        )
        outputs = [(recorder.outputs[k], (NUMBER, n)) for n, k in enumerate(self.results)]
        outputs += [(recorder.outputs[k], (DATA, i)) for i, k in trace.data.items()]
        for i, grad in trace.grads.items():
            if not isinstance(grad, Template):
                outputs.append((tape.entry(0.0) if grad is None else recorder.outputs[grad], (GRAD, i)))
        if self.history:
            first = len(self.results)
            outputs += [(entry, (NUMBER, first + n)) for n, entry in enumerate(self.history.outputs)]
        integers = {recorder.outputs[t.k] for t in found if isinstance(t, NewNumber) and t.kind is int}
        outputs += [(entry, (EXACT, 0)) for entry in exact_entries(tape, [entry for entry, _ in outputs], integers)]
        self._tape = tape.fold([entry for entry, _ in outputs], self._shared(trace, recorder))
        self._inputs, self._outputs = self._connect_inputs(recorder), [connection for _, connection in outputs]
        self._tape.connect(self._inputs, self._outputs)
        if self.history:
            self.history.inputs = self._inputs
        self._names = ValueNames(trace.reach, trace, self.results)
        self.kept = trace.reach.constants  # alive, so that the ids in the key stay theirs
        del trace.recorder, trace.reach  # the program serves all Values, and keeps none of them alive

    @staticmethod
    def _shared(trace: Trace, recorder: Any) -> bytes:
        """Return which inputs are parameters, whose identity distinguishes lanes: the Values that the function trains.

        If it trains none, these are all Values.
        """
        trained = trace.data.keys() or range(len(trace.reach.values))
        return bytes(name == "data" and i in trained for (name, i), _ in recorder.sources)

    def _connect_inputs(self, recorder: Any) -> list[tuple[int, int]]:
        """Return where each input comes from. The numbers of a call are those of the state, then those of the data."""
        reach: Reach = recorder.reach
        first, count = {}, 0
        for place in (*reach.state_places(), *reach.data_places()):
            first[place.number] = count
            count += place.content.size if place.kind == "array" else 1
        self.has_arrays = any(place.kind == "array" for place in reach.places)
        found = []
        for (name, i), element in recorder.sources:
            if name == "place":
                found.append((NUMBER, first[i] + element))
            else:
                found.append((DATA if name == "data" else GRAD, i))
        return found

    def bind(self, reach: Reach) -> "Bound":
        return Bound(self, reach)

    def ignores(self, i: int, value: Value) -> bool:
        return False

    # --- for people ---

    def slots(self) -> Slots:
        """Return the instructions, and what is in each slot."""
        return Slots(self._tape, instructions_of(self._tape), self._names, self._inputs, self._outputs)

    def listing(self, full: bool = False) -> str:
        """Return the instructions, one in each line, and what is stored and returned.

        Of many instructions in a row that are alike, a few are listed, and all of them if `full`.
        """
        return "\n".join([str(self), "", *as_lines(self.slots(), full)])

    def __str__(self) -> str:
        return describe_program(self._tape)

    def __repr__(self) -> str:
        return f"<program of numbers: {self}>"

    def __len__(self) -> int:
        """Return the number of instructions."""
        return self._tape.describe()["instructions"]

    def __bool__(self) -> bool:
        return True

    _repr_mimebundle_, __rich__ = late.mimebundle, late.rich_text


class Bound:
    """A program, and the Values and containers that it works on."""

    def __init__(self, program: Program, reach: Reach):
        self.program, self.values, self.known = program, tuple(reach.values), reach.known
        self.changes_state = not program.trace.is_pure
        self._effects, self._lists = self._split_effects(reach)
        self._is_simple = not (self._effects or self._lists or program.new_gradients or program.history)
        returned = program.trace.returned
        self._one_value = returned if isinstance(returned, NewScalar) and not returned.label else None

    def _split_effects(self, reach: Reach) -> tuple[list, list]:
        """Return the changes of containers; those of whole lists of floats, which are set at once, apart."""
        places = {k: n for n, k in enumerate(self.program.results)}
        by_container: dict[int, list] = {}
        for c, key, template in self.program.trace.effects:
            by_container.setdefault(c, []).append((key, template))
        effects, lists = [], []
        for c, changes in by_container.items():
            of = reach.containers[c].of
            outputs = [places[t.k] for _, t in changes if isinstance(t, NewNumber) and t.kind is float]
            is_whole = isinstance(of, list) and [key for key, _ in changes] == [*range(len(of))]
            if is_whole and of and outputs == [*range(outputs[0] if outputs else 0, (outputs or [0])[0] + len(of))]:
                lists.append((of, outputs[0]))
            else:
                effects += [(reach.containers[c], key, template) for key, template in changes]
        return effects, lists

    def run(self, state: Sequence, data: Sequence) -> Any:
        """Run the program with these numbers, store the results, and return what the function returns."""
        program = self.program
        numbers = [*state, *data]
        if program.has_arrays:
            numbers = [x for part in numbers for x in (part.ravel().tolist() if hasattr(part, "ravel") else (part,))]
        try:
            if not self._is_simple:
                return self._run_and_store(numbers)
            results = program._tape.run(self.values, numbers)
        except ArithmeticError as error:
            if type(error) is ArithmeticError:
                raise inexact_integer(error.args[0]) from None
            raise
        if self._one_value is not None:
            return self._one_value.make(results[0])
        return program.trace.returned.fill(Outcome(dict(zip(program.results, results)), self.known, "", {}))

    def _run_and_store(self, numbers: list) -> Any:
        """Run the program, then store the data of Values and what belongs into other objects at once."""
        program = self.program
        results = program._tape.prepare(self.values, numbers)
        data, history = dict(zip(program.results, results)), {}
        if program.history:
            history = program.history.values(results[len(program.results) :], data, self.values, numbers)
        outcome = Outcome(data, self.known, "", history)
        assignments = program._tape.assignments(self.values, results)
        assignments += [(setattr, self.values[i], _GRAD, grad.fill(outcome)) for i, grad in program.new_gradients]
        assignments += [(setitem, of, _ALL, results[first : first + len(of)]) for of, first in self._lists]
        for container, key, template in self._effects:
            assignments += container.assignments(key, ABSENT if template is None else template.fill(outcome))
        returned = program.trace.returned.fill(outcome)
        deque(starmap(call, assignments), maxlen=0)  # in C: neither an interrupt nor another thread comes in between
        return returned


_ALL = slice(None)
_GRAD = slot_of("grad")
