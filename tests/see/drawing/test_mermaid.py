"""Graphs as Mermaid source. The same labels were rendered with Mermaid 12.3 when this was written."""

import re

import pytest
from pictures import HOSTILE

from adjoint import Value, draw, errors
from adjoint.cli.command_line import main
from adjoint.see.explanation.naming import one_line

NODE = re.compile(r'  (?:v\d+\["(.*)"\]|op\d+\(\["(.*)"\]\) --> v\d+)')
MARKDOWN = [
    "1. x",
    "- x",
    "+ x",
    "# x",
    "**b**",
    "_i_",
    "`c`",
    "www.a.com",
    "a@b.de",
    "a%%b",
    "[a](b)",
    "#quot;",
    "~~x~~",
]


def test_a_graph_has_a_rectangle_for_each_value_and_an_operation_between_them():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c = a * b
    c.backward()
    assert draw(c, "mermaid").splitlines() == [
        "flowchart LR",
        '  v0["a<br>data 2.0000<br>grad -3.0000"]',
        '  v1["b<br>data -3.0000<br>grad 2.0000"]',
        '  v2["v1<br>data -6.0000<br>grad 1.0000"]',
        '  op2(["×"]) --> v2',
        "  v0 --> op2",
        "  v1 --> op2",
        "  style v2 stroke-width:3px",
    ]
    assert draw(c, "mermaid", direction="TB").startswith("flowchart TB\n")


@pytest.mark.parametrize("label", [*HOSTILE, *MARKDOWN])
def test_a_label_is_always_plain_text(label):
    lines = draw(Value(2.0, (Value(1.0, label=label),), label), "mermaid").splitlines()
    labels = [next(filter(None, found.groups())) for found in map(NODE.fullmatch, lines) if found]
    for text in labels:
        assert not re.search(r'["<>`*_\[\]{}|\\&@]|^[-+]|\d\. |#(?!\d+;)', text.replace("<br>", ""))
    decoded = [re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text) for text in labels]
    assert {text.split("<br>")[0] for text in decoded} >= {one_line(label, 24)} - {""}


def test_a_large_graph_has_its_note_as_the_title():
    chain = Value(1.0)
    for _ in range(200):
        chain = chain + 1
    note = '---\ntitle: "51 of 201 nodes are not shown: those farthest from the result"\n---\nflowchart LR\n'
    assert draw(chain, "mermaid").startswith(note)


def test_the_command_line_and_save_write_it(tmp_path, capsys):
    assert main(["graph", "a*b", "a=2", "b=-3", "--format", "mermaid"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("flowchart LR\n")
    assert main(["graph", "a*b", "a=2", "b=-3", "--out", str(tmp_path / "graph.mmd")]) == 0
    assert (tmp_path / "graph.mmd").read_text() == printed
    draw(Value(1.0, label="x")).save(tmp_path / "x.mmd")
    assert (tmp_path / "x.mmd").read_text().startswith("flowchart LR")
    with pytest.raises(errors.ArgumentError, match=r"unknown format 'mermiad'.*did you mean 'mermaid'"):
        draw(Value(1.0), "mermiad")


def test_a_notebook_that_knows_mermaid_displays_the_graph():
    drawing = draw(Value(1.0, label="x"), "mermaid")
    assert drawing._repr_mimebundle_()[0]["text/vnd.mermaid"] == drawing
