"""Pictures of compiled programs of numbers."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pictures import SVG

import adjoint
from adjoint import Value, draw, jit, nn
from adjoint.errors import ArgumentError
from adjoint.see.drawing.tape_programs import program_scene


def compiled_step(count: int = 6, size: int = 4):
    """Return a compiled training step on some samples, after its first call."""
    model = nn.MLP(2, [size, 1], seed=0)
    samples = [(i / count, (i * i % 5) / 5, (-1.0) ** i) for i in range(count)]

    @jit
    def step(rate):
        loss = sum((model([Value(a), Value(b)]) - y) ** 2 for a, b, y in samples)
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
        return loss

    step(0.1)
    return step


def boxes_of(step) -> list[tuple[str, list[str]]]:
    return [(box.name, box.rows) for box in program_scene(step.program).boxes]


def texts_of(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.skipif(not adjoint.accelerated, reason="only the native core folds")
def test_the_neurons_of_a_layer_are_one_box():
    boxes = boxes_of(compiled_step(count=6, size=4))
    assert "in lanes of 6" in dict(boxes[::-1])["4 dot products"]  # the first box of this name
    assert ("4 tanh", ["in lanes of 6", "v5[0:6] = tanh(v1[0:6])", "… to v8[0:6]"]) in boxes
    assert [rows[0] for name, rows in boxes if name == "4 derivatives of tanh"] == ["in lanes of 6"]


def test_every_parameter_is_an_input_and_its_data_and_gradient_are_stored():
    step = compiled_step(count=3, size=2)
    scene = program_scene(step.program)
    rows = [row for box in scene.boxes for row in box.rows]
    for kind in (".data", ".grad"):
        stored = [int(row.split()[1]) for row in rows if row.startswith("stored: ") and row.endswith(kind)]
        assert sum(stored) == 9  # 2 * 2 + 2 weights of the layer, 2 + 1 of the output
    inputs = [box for box in scene.boxes if "leaf" in box.kind]
    assert sum(1 if box.rows == ["input"] else int(box.rows[0].split()[0]) for box in inputs) == 9 + 1
    assert "rate" in [box.name for box in inputs if box.rows == ["input"]]
    assert sum("returned" in box.rows for box in scene.boxes) == 1


def test_edges_go_from_earlier_boxes_to_later_ones():
    scene = program_scene(compiled_step().program)
    assert scene.edges
    assert all(edge.source < edge.target for edge in scene.edges)
    reached = {edge.target for edge in scene.edges}
    assert all("leaf" in box.kind or i in reached for i, box in enumerate(scene.boxes))


@pytest.mark.parametrize("direction", [None, "LR"])
def test_a_program_as_svg(direction):
    f = jit(lambda x, y: adjoint.tanh(x * y))
    f(1.0, 2.0)
    svg = draw(f.program, "svg", direction=direction)
    assert {"x", "y", "1 multiplication", "v1 = x·y", "1 tanh", "v2 = tanh(v1)", "returned"} <= set(texts_of(svg))
    root = ET.fromstring(svg)
    is_tall = float(root.get("height", 0)) > float(root.get("width", 0))
    assert is_tall == (direction is None)
    assert str(f.program) in (root.findtext(f"{SVG}title") or "")


def test_a_program_as_text_is_its_listing(tmp_path):
    step = compiled_step(2, 2)
    assert draw(step.program) == step.program.listing()
    assert max(map(len, draw(step.program, width=20).splitlines())) == 20
    draw(step.program).save(tmp_path / "step.dot")
    assert (tmp_path / "step.dot").read_text(encoding="utf-8").startswith("digraph {")


def test_a_long_program_is_drawn_in_part():
    @jit
    def f(x):
        for i in range(500):
            x = adjoint.sin(x) if i % 2 else adjoint.cos(x)
        return x

    f(1.0)
    scene = program_scene(f.program)
    assert len(scene.boxes) == 150
    assert scene.note == "350 of 500 instructions are not shown: those that run first"


def test_notebooks_show_a_program_as_a_picture():
    step = compiled_step(2, 2)
    bundle = step.program._repr_mimebundle_()
    assert bundle["text/plain"] == f"<program of numbers: {step.program}>"
    assert bundle["image/svg+xml"] == draw(step.program, "svg")


def test_a_console_shows_a_program_as_a_sentence():
    from io import StringIO

    from rich.console import Console

    step = compiled_step(2, 2)
    console = Console(file=StringIO(), width=2000)
    console.print(step.program)
    assert console.file.getvalue().strip() == repr(step.program)


def test_what_cannot_be_drawn_is_an_error():
    f = jit(lambda x: x * 2.0)
    with pytest.raises(ArgumentError, match="no program yet"):
        draw(f.program)
    with pytest.raises(ArgumentError, match="or the program of a compiled function, not"):
        draw("x")
    f(1.0)
    with pytest.raises(ArgumentError, match="numbers is not an option for a compiled program"):
        draw(f.program, numbers=".3g")


def test_a_program_of_arrays_is_printed_and_not_drawn():
    pytest.importorskip("jax")
    f = jit(lambda x: x * 2.0)
    f(np.ones(2))
    with pytest.raises(ArgumentError, match="draw shows programs of single numbers; this one is: 1 equation on arrays"):
        draw(f.program)
