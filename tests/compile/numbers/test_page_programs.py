"""Programs that run in JavaScript: what crosses over to the page. The page itself runs in lab/test_tape.py."""

import sys
from array import array

import pytest
from recording import Recorded, eagerly

from adjoint.compile.numbers.page_programs import PageProgram, page_module
from adjoint.compile.numbers.replay import TapeProgram
from adjoint.compile.numbers.tape import Tape
from adjoint.engine import native


class Page:
    """Stands for the module of a page: it receives arrays, and runs the program in Python."""

    def __init__(self) -> None:
        self.received: list[array] = []

    def program(self, entries: array, constants: array, wanted: array) -> "Page":
        self.received += [entries, constants, wanted]
        self._program = TapeProgram(entries.tobytes(), constants.tobytes(), wanted.tolist(), 0)
        self.operations = self._program.operations
        return self

    def run(self, inputs: array, outputs: array) -> None:
        self.received += [inputs, outputs]
        outputs[:] = array("d", self._program.compute(inputs))


@pytest.fixture
def page(monkeypatch):
    """Let the tapes of this test run in a page."""
    found = Page()
    monkeypatch.setattr(Tape, "fold", lambda self, outputs, shared: PageProgram(
        self.entries(), self.constants(), outputs, self.input_count, found))  # fmt: skip
    return found


def step(w, x):
    y = (w * x).tanh()
    y.exp()  # no output needs it
    y.backward()
    return y


def test_arrays_cross_over_as_a_whole_and_results_are_stored(page):
    recorded = Recorded(step, 2.0, 0.25)
    for start in ((2.0, 0.25), (-1.0, 0.5)):
        assert recorded.run(recorded.folded, start) == eagerly(step, *start)
    assert [given.typecode for given in page.received] == ["i", "d", "i", *"dd" * 2]


def test_a_program_says_that_it_runs_in_javascript(page):
    program = Recorded(step, 2.0, 0.25).folded
    found = program.describe()
    assert found["operations"] == len(program._steps)
    assert found["bytes"] > 8 * found["operations"]
    assert program.engine == "in JavaScript"


@pytest.mark.skipif(native.accelerated, reason="the native core runs its own programs")
def test_a_tape_runs_in_the_page_that_provides_the_module(monkeypatch):
    def fold():
        tape = Tape()
        return type(tape.fold([tape.input().entry], b"\0"))

    assert fold() is TapeProgram
    monkeypatch.setattr(sys, "platform", "emscripten")
    for modules, expected in (({}, TapeProgram), ({"adjoint_tape": Page()}, PageProgram)):
        for name, module in modules.items():
            monkeypatch.setitem(sys.modules, name, module)
        page_module.cache_clear()
        assert fold() is expected
    page_module.cache_clear()
