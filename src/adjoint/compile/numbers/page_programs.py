"""Programs of numbers in a web page: where Python is WebAssembly and has no native core, JavaScript replays the tape.

The page provides the module `adjoint_tape` (`web/src/rules/tape.ts`). Arrays cross over as a whole: once the entries of
the tape, then the inputs and outputs of each run. Arithmetic has the bits of the Python engine; functions such as tanh
are those of JavaScript, whose last bit may differ.
"""

import functools
import sys
from array import array
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from adjoint.compile.numbers.replay import TapeProgram


class PageProgram(TapeProgram):
    """A program that runs in JavaScript."""

    engine = "in JavaScript"

    def __init__(self, entries: bytes, constants: bytes, outputs: Sequence[int], input_count: int, page: Any):
        super().__init__(entries, constants, outputs, input_count)
        self._found = array("d", bytes(8 * len(outputs)))
        self._page = page.program(self._entries, self._constants, array("i", outputs))

    @property
    def operations(self) -> int:
        return self._page.operations

    @property
    def memory(self) -> int:
        return 44 * self._size

    def compute(self, inputs: Sequence[float]) -> list[float]:
        self._page.run(array("d", inputs), self._found)
        return self._found.tolist()


@functools.cache
def page_module() -> Any:
    """Return the module that the page provides, or None outside of a page."""
    if sys.platform != "emscripten":
        return None
    try:
        return import_module("adjoint_tape")
    except ImportError:  # Pyodide in another program, for example Node.js
        return None
