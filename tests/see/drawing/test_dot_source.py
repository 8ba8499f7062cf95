"""Graphs as DOT: parsed by a small reader and, if it is installed, by Graphviz."""

import re
import shutil
import subprocess

import pytest
from pictures import GRAPHS, HOSTILE

from adjoint import Value, to_dot

STRING = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTE = rf"\w+=(?:{STRING}|\w+)"
LINE = re.compile(
    rf"(?:digraph \{{|\}}|  (?:{ATTRIBUTE};? ?)+|  node \[{ATTRIBUTE}(?:, {ATTRIBUTE})*\];"
    rf"|  \w+(?: -> \w+)?(?: \[{ATTRIBUTE}(?:, {ATTRIBUTE})*\])?;)"
)


def cells(record):
    """Return the texts between the bars of a record, unescaped."""
    inside = re.fullmatch(r"\{ (.*) \}", record, re.DOTALL).group(1)
    return [re.sub(r"\\(.)", r"\1", cell) for cell in re.split(r"(?<!\\)(?:\\\\)* \| ", inside)]


def test_values_are_records_and_operations_are_ellipses():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c = a * b
    c.backward()
    source = to_dot(c)
    records = re.findall(rf"shape=record, label=({STRING})", source)
    assert [cells(record[1:-1]) for record in records] == [
        ["a", "data 2.0000", "grad -3.0000"],
        ["b", "data -3.0000", "grad 2.0000"],
        ["v1", "data -6.0000", "grad 1.0000"],
    ]
    assert '  op2 [label="×"];' in source
    assert re.findall(r"(\w+ -> \w+)", source) == ["op2 -> v2", "v0 -> op2", "v1 -> op2"]
    assert 'edgetooltip="∂v1/∂a = b = −3"' in source


@pytest.mark.parametrize("label", HOSTILE)
def test_a_label_stays_within_its_string(label):
    source = to_dot(Value(2.0, (Value(1.0, label=label),), label))
    for line in source.splitlines():
        assert LINE.fullmatch(line), line
    source.encode()


def test_the_direction_is_the_rankdir_of_graphviz():
    assert "rankdir=TB;" in to_dot(Value(1.0), direction="TB")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("name", GRAPHS)
def test_graphviz_accepts_the_source(name):
    read = subprocess.run(["dot", "-Tplain"], input=to_dot(GRAPHS[name]()).encode(), capture_output=True, timeout=600)
    assert read.returncode == 0, read.stderr
    assert read.stderr == b""
