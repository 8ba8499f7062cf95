"""Compiled numbers in JavaScript, run by Node.js: random training steps give the eager results."""

import base64
import json
import subprocess
from array import array
from pathlib import Path
from typing import Any

import pytest
from npm import run_npm
from recording import Recorded
from scalar_programs.campaign import report

from adjoint import jit, where
from adjoint.compile.numbers.page_programs import PageProgram
from adjoint.compile.numbers.tape import Tape

pytestmark = pytest.mark.full

# Reads a request in each line: a new program, or a run of one. Arrays are the base64 of their bytes.
HOST = """
import { createInterface } from "node:readline";
import { TAPE } from "./tape.mjs";
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64")).buffer;
const python = (data) => ({ getBuffer: () => ({ data, release() {} }) });
const programs = [];
for await (const line of createInterface({ input: process.stdin })) {
  const { entries, constants, wanted, program, inputs, count } = JSON.parse(line);
  if (entries !== undefined) {
    const given = [new Int32Array(bytes(entries)), new Float64Array(bytes(constants)), new Int32Array(bytes(wanted))];
    programs.push(TAPE.program(...given.map(python)));
    console.log(programs.at(-1).operations);
  } else {
    const outputs = new Float64Array(count);
    programs[program].run(python(new Float64Array(bytes(inputs))), python(outputs));
    console.log(Buffer.from(outputs.buffer).toString("base64"));
  }
}
"""


class Node:
    """The module of a page, in a process of Node.js."""

    def __init__(self, folder: Path):
        self._process = subprocess.Popen(
            ["node", "host.mjs"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.programs = 0

    def ask(self, **request: Any) -> str:
        sent = {name: base64.b64encode(x).decode() if isinstance(x, array) else x for name, x in request.items()}
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(sent) + "\n")
        return self._process.stdout.readline()

    def program(self, entries: array, constants: array, wanted: array) -> "NodeProgram":
        operations = int(self.ask(entries=entries, constants=constants, wanted=wanted))
        self.programs += 1
        return NodeProgram(self, self.programs - 1, operations)

    def close(self) -> None:
        self._process.communicate()


class NodeProgram:
    def __init__(self, node: Node, number: int, operations: int):
        self._node, self._number, self.operations = node, number, operations

    def run(self, inputs: array, outputs: array) -> None:
        found = self._node.ask(program=self._number, inputs=inputs, count=len(outputs))
        outputs[:] = array("d", base64.b64decode(found))


class InexactProgram(PageProgram):
    """A program whose functions may differ from the eager ones in their last bits, as sums in another order do."""

    def describe(self) -> dict[str, int]:
        return {**super().describe(), "reordered_sums": 1}


@pytest.fixture(scope="module")
def node(web, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tape")
    run_npm(web, "exec", "--", "rolldown", "src/rules/tape.ts", "--file", str(folder / "tape.mjs"))
    (folder / "host.mjs").write_text(HOST)
    found = Node(folder)
    yield found
    found.close()


@pytest.fixture
def in_page(node, monkeypatch):
    """Let the programs of this test run in Node.js."""

    def fold(self, outputs, shared):
        return InexactProgram(self.entries(), self.constants(), outputs, self.input_count, node)

    monkeypatch.setattr(Tape, "fold", fold)
    return node


@pytest.mark.full
def test_random_training_steps_give_the_eager_results(in_page):
    found = report(0, 25, jit, all_bits=False)
    assert not found.failed, found
    assert in_page.programs >= 25


def test_arithmetic_comparisons_and_choices_have_the_bits_of_the_python_program(in_page):
    def step(w, b, x):
        y = where(w * x > b, w * x - b, b / x)
        z = where((y < 1.0) & ~(b >= 0.5) | (x == -3.0), y * y, -y + abs(b))
        (z / 3.0).backward()
        w.data = w.data - 0.1 * w.grad
        return z, y

    recorded = Recorded(step, 0.3, -0.7, numbers=(1.25,))
    points = (0.3, -0.7), (1e-300, 1e300), (float("nan"), 2.0), (-0.0, 0.0), (float("inf"), 0.1)
    for start in points:
        for x in (1.25, -3.0, 1e-17):
            results = [array("d", recorded.run(p, start, (x,))).tobytes() for p in (recorded.folded, recorded.single)]
            assert results[0] == results[1], (start, x)
