"""`draw(model)`: the neurons and weights of a small network, and the layers of other models."""

import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pictures import SVG, frames

import adjoint
from adjoint import Value, draw, errors, nn
from adjoint.see.drawing.svg import text_width


def trained(model, x):
    out = model(x)
    (sum(out) if isinstance(out, list) else out.sum() if hasattr(out, "sum") else out).backward()
    return model


def stack():
    return nn.Sequential(
        nn.Linear(3, 5, seed=0), nn.ReLU(), nn.Sequential(nn.Linear(5, 2, bias=False, seed=1), nn.Softmax())
    )


class OwnNet(nn.Module):
    def __init__(self):
        self.fc1, self.fc2 = nn.Linear(2, 3, seed=0), nn.Linear(3, 2, seed=1)

    def forward(self, x):
        return self.fc2(self.fc1(x).tanh())


class Block(nn.Module):
    def __init__(self):
        self.a, self.norm = nn.Linear(8, 8, seed=0), nn.LayerNorm(8)

    def forward(self, x):
        return x + self.a(self.norm(x))


class Deep(nn.Module):
    def __init__(self):
        self.table, self.blocks, self.head = nn.Embedding(10, 8, seed=0), [Block(), Block()], nn.Linear(8, 10, seed=0)


class Micro:
    """The neuron, the layer or the network of a tutorial, without a base class."""

    def __init__(self, nin=0, neurons=(), layers=()):
        if nin:
            self.w, self.b, self.nonlin = [Value(0.5) for _ in range(nin)], Value(0.25), True
        if neurons:
            self.neurons = neurons
        if layers:
            self.layers = layers


def micro(*sizes):
    return Micro(layers=[Micro(neurons=[Micro(n) for _ in range(m)]) for n, m in itertools.pairwise(sizes)])


SMALL = {
    "neuron": (lambda: nn.Neuron(3, seed=0), [3, 1]),
    "layer": (lambda: nn.Layer(2, 3, "relu", seed=0), [2, 3]),
    "mlp": (lambda: trained(nn.MLP(2, [4, 4, 1], seed=1), [1.0, -2.0]), [2, 4, 4, 1]),
    "stack": (lambda: trained(stack(), np.ones((2, 3))), [3, 5, 2]),
    "linear": (lambda: nn.Linear(2, 2, seed=0), [2, 2]),
    "own": (OwnNet, [2, 3, 2]),
    "micro": (lambda: micro(2, 3, 1), [2, 3, 1]),
    "widest": (lambda: nn.MLP(2, [16, 16, 1], seed=0), [2, 16, 16, 1]),
}
LARGE = {
    "mlp": (lambda: nn.MLP(2, [40, 1], seed=0), 2),
    "stack": (lambda: nn.Sequential(nn.Linear(64, 30, seed=0), nn.Sequential(nn.ReLU(), nn.Linear(30, 9, seed=0))), 3),
    "convolution": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3, seed=0), nn.Flatten(), nn.Linear(8, 1, seed=0)), 3),
    "deep": (Deep, 9),
    "micro": (lambda: micro(2, 30, 1), 2),
    "alone": (nn.ReLU, 1),
}


@pytest.mark.parametrize("direction", ["LR", "TB"])
@pytest.mark.parametrize("name", SMALL)
def test_a_small_network_has_a_circle_for_each_neuron_and_a_line_for_each_weight(name, direction):
    make, sizes = SMALL[name]
    root = ET.fromstring(draw(make(), "svg", direction=direction))
    circles = [tuple(float(c.get(k)) for k in ("cx", "cy", "r")) for c in root.iter(f"{SVG}circle")]
    lines = [line for line in root.iter(f"{SVG}line") if line.get("class") != "touch"]
    assert len(circles) == sum(sizes)
    assert len(lines) == sum(n * m for n, m in itertools.pairwise(sizes))
    for (x, y, r), (u, v, _) in itertools.combinations(circles, 2):
        assert (x - u) ** 2 + (y - v) ** 2 > (2 * r) ** 2
    left, top, width, height = map(float, root.get("viewBox").split())
    for x, y, r in circles:
        assert left <= x - r
        assert x + r <= left + width
        assert top <= y - r
        assert y + r <= top + height
    for text in root.iter(f"{SVG}text"):
        x, size = float(text.get("x")), text_width(text.text or "")
        start = {"middle": x - size / 2, "end": x - size}.get(text.get("text-anchor"), x)
        assert left <= start
        assert start + size <= left + width
        assert top <= float(text.get("y")) <= top + height


def test_lines_have_the_color_of_the_sign_and_the_width_of_the_size():
    model = nn.Neuron(4, seed=0)
    for parameter, x in zip(model.w, (-2.0, 1.0, 0.0, float("nan"))):
        parameter.data = x
    lines = [x for x in ET.fromstring(draw(model, "svg")).iter(f"{SVG}line") if x.get("class") != "touch"]
    assert [line.get("class") for line in lines] == ["negative", "positive", "zero", "invalid"]
    widths = [float(line.get("stroke-width")) for line in lines]
    assert widths[0] > widths[1] > widths[2]


@pytest.mark.parametrize("make", [lambda: nn.MLP(2, [3, 1], seed=3), lambda: nn.MLP(2, [3, 1], seed=3).to_arrays()])
def test_weights_and_gradients_are_those_of_the_parameters(make):
    model = trained(make(), [1.0, -2.0] if isinstance(make(), nn.MLP) else np.array([[1.0, -2.0]]))
    reference = trained(nn.MLP(2, [3, 1], seed=3), [1.0, -2.0])
    titles = [title.text for title in ET.fromstring(draw(model, "svg")).iter(f"{SVG}title")]
    shown = {(float(a), float(b)) for a, b in re.findall(r" = (\S+), grad (\S+)", "\n".join(titles))}
    assert shown == {(float(f"{p.data:.6g}"), float(f"{p.grad:.6g}")) for p in reference.parameters()}
    text = draw(model)
    for p in reference.parameters():
        assert f"{p.data:.4f}" in text
        assert f"{p.grad:.4f}" in text


def test_the_gradients_can_be_drawn_instead_of_the_weights():
    model = nn.Neuron(2, "linear", seed=0)
    model([3.0, -1.0]).backward()
    lines = list(ET.fromstring(draw(model, "svg", fields=["grad"])).iter(f"{SVG}line"))
    assert [line.get("class") for line in lines if line.get("class") != "touch"] == ["positive", "negative"]
    assert draw(model, fields=["grad"], numbers=".1f").splitlines()[-1].split() == ["0", "grad", "3.0", "-1.0", "1.0"]


@pytest.mark.parametrize("name", LARGE)
def test_other_models_have_a_box_for_each_layer(name):
    make, count = LARGE[name]
    model = make()
    assert len(frames(draw(model, "svg"))) == count
    total = sum(getattr(p, "size", 1) for p in (model.parameters() if isinstance(model, nn.Module) else []))
    counts = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+)$", draw(model), re.MULTILINE)]
    assert len(counts) == count
    if name not in ("deep", "micro"):
        assert sum(counts) == total
    if name == "deep":
        assert counts[0] == total  # the model, and then its parts


def test_layers_that_are_applied_twice_and_branches_are_not_drawn_as_one_chain():
    shared = nn.Linear(2, 2, seed=0)
    root = ET.fromstring(draw(nn.Sequential(shared, nn.Tanh(), shared), "svg"))
    assert len(list(root.iter(f"{SVG}circle"))) == 6
    boxes = draw(Deep(), "dot")
    assert boxes.count("contains blocks.0.") == 2
    assert "the model contains head" in boxes


@pytest.mark.parametrize("form", ["text", "svg", "dot", "mermaid"])
@pytest.mark.parametrize("make", [*(make for make, _ in SMALL.values()), *(make for make, _ in LARGE.values())])
def test_every_model_is_drawn_in_every_format(make, form, tmp_path):
    model = make()
    drawing = draw(model, form)
    assert drawing == draw(make(), form)
    drawing.save(tmp_path / "model.svg")
    ET.fromstring((tmp_path / "model.svg").read_text())


def test_the_colors_of_dot_and_mermaid_are_those_of_the_signs():
    model = nn.Neuron(2, seed=0)
    model.w[0].data, model.w[1].data = 1.0, -0.5
    assert re.findall(r'color="(#\w+)", penwidth=([\d.]+)', draw(model, "dot")) == [
        ("#E69F00", "4.80"),
        ("#0072B2", "2.80"),
    ]
    styles = re.findall(r"linkStyle (\d) stroke:(#\w+),stroke-width:([\d.]+)px", draw(model, "mermaid"))
    assert styles == [("0", "#E69F00", "4.80"), ("1", "#0072B2", "2.80")]


def test_a_network_as_png_and_pdf():
    pytest.importorskip("typst")
    assert bytes(draw(nn.MLP(2, [3, 1], seed=0), "png")).startswith(b"\x89PNG")
    assert bytes(draw(nn.MLP(2, [30, 1], seed=0), "pdf")).startswith(b"%PDF")


def test_a_drawing_changes_neither_weights_nor_gradients():
    model = stack()
    before = {name: p.data.copy() for name, p in model.named_parameters()}
    draw(model)
    assert all(np.array_equal(p.data, before[name]) and not p.grad.any() for name, p in model.named_parameters())


def test_options_that_do_not_apply_are_refused():
    with pytest.raises(errors.ArgumentError, match="groups is not an option for a model"):
        draw(nn.MLP(2, [1], seed=0), groups=adjoint)
    with pytest.raises(errors.ArgumentError, match="numbers is not an option for a model"):
        draw(Deep(), numbers=".2f")
    with pytest.raises(errors.ArgumentError, match=r"draw needs a Value or another node with .* not"):
        draw(nn.MLP)
