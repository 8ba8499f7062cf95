"""A function recorded on a tape, run for other numbers, and compared with the eager engine."""

import math
from array import array
from collections.abc import Callable

from closeness import require_close

from adjoint import Value
from adjoint.compile.numbers.recording import TapeRecording
from adjoint.compile.numbers.replay import TapeProgram
from adjoint.compile.numbers.tape import Tape


class Recorded:
    """A function of Values, recorded once and run for other numbers."""

    def __init__(self, function: Callable, *start: float, numbers: tuple = ()):
        self.values, self.tape = [Value(x) for x in start], Tape()
        kinds = {float: 0, int: 1, bool: 2}
        with TapeRecording(self.tape):
            given = [self.tape.input(kinds[type(x)]) for x in numbers]
            result = function(*self.values, *given)
            results = result if isinstance(result, tuple) else (result,)
            entries = [self.tape.entry(x) for x in results if x is not None]
        assert [(v.data, v.grad) for v in self.values] == [(x, 0.0) for x in start]  # nothing was changed
        self.kinds, values = [self.tape.kind(entry) for entry in entries], self.tape.values
        assert {*values} <= {*self.values}
        inputs, outputs = [(0, k) for k in range(self.tape.input_count)], [(0, k) for k in range(len(entries))]
        for i, value in enumerate(values):
            data_input, grad_input, data, grad = self.tape.state(value)
            if data_input >= 0:
                inputs[data_input] = (1, i)
            if grad_input >= 0:
                inputs[grad_input] = (2, i)
            entries, outputs = [*entries, data], [*outputs, (1, i)]
            if isinstance(grad, Value):  # of create_graph
                grad = self.tape.entry(grad)
            if grad >= 0:
                entries, outputs = [*entries, grad], [*outputs, (2, i)]
        self.order = values
        self.folded = self.tape.fold(entries, bytes(self.tape.input_count))
        self.single = TapeProgram.from_entries(
            self.tape.entries(), self.tape.constants(), entries, self.tape.input_count
        )
        for program in (self.folded, self.single):
            program.connect(inputs, outputs)

    def run(self, program, start, numbers: tuple = ()) -> list[float]:
        for value, x in zip(self.values, start):
            value.data, value.grad = x, 0.0
        returned = program.run(tuple(self.order), numbers)
        return [*returned, *[y for value in self.values for y in (value.data, value.grad)]]


def eagerly(function: Callable, *start: float, numbers: tuple = ()) -> list[float]:
    values = [Value(x) for x in start]
    result = function(*values, *numbers)
    results = result if isinstance(result, tuple) else (result,)
    returned = [float(x) for x in results if x is not None]
    return [*returned, *[float(y) for value in values for y in (value.data, value.grad)]]


def bits(numbers: list[float]) -> bytes:
    """Return the bits of numbers, of which -0.0 is 0.0 (gradients are added to zero) and all NaN are one."""
    return array("d", [math.nan if x != x else x + 0.0 for x in numbers]).tobytes()


def agree(function: Callable, *points: tuple, numbers: tuple = ((),)) -> Recorded:
    """Assert that a function recorded at the first point gives the eager results at all points."""
    recorded = Recorded(function, *points[0], numbers=numbers[0])
    for start in points:
        for given in numbers:
            expected = eagerly(function, *start, numbers=given)
            assert bits(recorded.run(recorded.single, start, given)) == bits(expected), start
            require_close(recorded.run(recorded.folded, start, given), expected, each=True)
    return recorded
