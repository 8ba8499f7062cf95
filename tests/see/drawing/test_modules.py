"""Models in notebooks and rich consoles: every layer with its parameters, and every name escaped."""

from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

from adjoint import Value, nn


class Table(HTMLParser):
    """Parses the table into its lines, each with its depth."""

    def __init__(self, text: str):
        super().__init__()
        self.open, self.lines, self.tags = [], [], set()
        self.feed(text)
        assert self.open == []  # every element is closed, in its order

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "summary" or dict(attrs).get("class") == "adjoint-leaf":
            self.lines.append((self.open.count("details") - (tag == "summary"), []))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.lines and data.strip() and "style" not in self.open:
            self.lines[-1][1].append(data.strip())


def html(model: nn.Module) -> str:
    return model._repr_mimebundle_()["text/html"]


def lines(model: nn.Module) -> list:
    return Table(html(model)).lines


def console_lines(x, width: int = 100) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(x)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_every_layer_contains_its_parameters():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.BatchNorm1d(3), nn.Sequential(nn.ReLU()))
    assert lines(model) == [
        (0, ["15 parameters", "Sequential()"]),
        (1, ["9 parameters", "0", "Linear(2, 3)"]),
        (2, ["6", "weight", "(3, 2) float64"]),
        (2, ["3", "bias", "(3,) float64"]),
        (1, ["6 parameters", "1", "BatchNorm1d(3)"]),
        (2, ["3", "weight", "(3,) float64"]),
        (2, ["3", "bias", "(3,) float64"]),
        (2, ["buffer", "running_mean", "(3,) float64"]),
        (2, ["buffer", "running_var", "(3,) float64"]),
        (2, ["buffer", "num_batches_tracked", "0"]),
        (1, ["2", "Sequential()"]),
        (2, ["0", "ReLU()"]),
    ]
    assert html(model).count("<details open>") == 1  # the layers are visible, and their content is folded


def test_the_text_is_that_of_repr():
    model = nn.Sequential(nn.Linear(2, 3, seed=0))
    assert model._repr_mimebundle_(include=None, exclude=None)["text/plain"] == repr(model)


def test_evaluation_mode_is_shown():
    assert lines(nn.Sequential(nn.Tanh()).eval())[0] == (0, ["Sequential(), in evaluation mode"])


def test_a_scalar_network_is_shown_down_to_its_weights():
    model = nn.MLP(2, [1], seed=0)
    assert lines(model)[0] == (0, ["MLP(2 → 1 tanh, 3 parameters)"])
    assert [text[1:2] for _, text in lines(model)[3:]] == [["w.0"], ["w.1"], ["b"]]


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", '"><img src=x onerror=y>', "]]>", "&amp;", "\u202eabc", "a\nb", "x" * 5000]
)
def test_names_are_escaped(name):
    class Holder(nn.Module):
        def __init__(self):
            self.parts = {name: nn.Linear(1, 1, seed=0)}
            self.kind = name

    Holder.__name__ = name
    table = Table(html(Holder()))
    assert table.tags <= {"style", "div", "details", "summary", "span"}
    assert any(name.strip() in word for _, words in table.lines for word in words)
    console_lines(Holder())


def test_a_model_with_very_many_parts_is_cut_off_with_a_note():
    wide = nn.Sequential(*(nn.Linear(1, 1, seed=0) for _ in range(100)))
    assert (1, ["… and 60 more"]) in lines(wide)
    assert lines(wide)[0] == (0, ["200 parameters", "Sequential()"])
    vast = nn.MLP(30, [30] * 30, seed=0)
    assert 600 < len(lines(vast)) < 700
    assert len(html(vast)) < 200_000


def test_a_part_that_contains_its_container_is_only_named():
    class Ring(nn.Module):
        def __init__(self):
            self.me = [self]

    assert lines(Ring()) == [(0, ["Ring()"]), (1, ["me.0", "Ring()"])]
    assert Ring()._repr_mimebundle_()["text/plain"] == "Ring(\n  (me.0): …\n)"
    assert console_lines(Ring()) == ["Ring()", "└── me.0  Ring()"]


def test_models_without_parameters_and_with_direct_parameters_are_shown():
    class Own(nn.Module):
        def __init__(self):
            self.scale, self.table = Value(2.0), Value(np.ones((2, 2)))
            self.inner = nn.Linear(1, 1, seed=0)

    assert lines(nn.Tanh()) == [(0, ["Tanh()"])]
    assert lines(Own())[:3] == [
        (0, ["7 parameters", "Own()"]),
        (1, ["1", "scale", "2"]),
        (1, ["4", "table", "(2, 2) float64"]),
    ]


def test_a_rich_console_shows_a_tree_of_layers():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Sequential(nn.ReLU(), nn.Linear(3, 1, seed=0)))
    assert console_lines(model) == [
        "Sequential()  13 parameters",
        "├── 0  Linear(2, 3)  9 parameters",
        "└── 1  Sequential()  4 parameters",
        "    ├── 0  ReLU()",
        "    └── 1  Linear(3, 1)  4 parameters",
    ]


def test_brackets_are_not_read_as_rich_markup():
    model = nn.Sequential({"[red]hot": nn.Tanh()})
    assert console_lines(model)[1] == "└── [red]hot  Tanh()"
