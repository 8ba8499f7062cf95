"""Graphs as SVG: no overlaps, no text outside its box, and labels that cannot become markup."""

import itertools
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest
from pictures import GRAPHS, HOSTILE, SVG, Rect, frames, points, tangle, trained_network, used_again

from adjoint import Value, draw, errors, grouping, nn
from adjoint.see.drawing.svg import text_width

EVERY = [(name, direction) for name in GRAPHS for direction in ("LR", "TB")]


def draw_graph(name, direction="LR"):
    if name in GRAPHS:
        return draw(GRAPHS[name](), "svg", direction=direction)
    loss, groups = used_again() if name == "used again" else trained_network()
    opened = {"groups": [], "opened": ["layers.1"], "large": None, "used again": []}[name]
    return draw(loss, "svg", direction=direction, groups=groups, opened=opened)


PICTURES = pytest.mark.parametrize(
    ("name", "direction"),
    [
        *EVERY,
        ("groups", "LR"),
        ("opened", "LR"),
        ("opened", "TB"),
        ("large", "LR"),
        ("used again", "LR"),
        ("used again", "TB"),
    ],
)


@PICTURES
def test_no_box_overlaps_another(name, direction):
    rects = [rect for found, _ in frames(draw_graph(name, direction)) for rect in found]
    assert rects
    for a, b in itertools.combinations(rects, 2):
        assert not a.overlaps(b), (vars(a), vars(b))


@PICTURES
def test_all_text_is_inside_its_box(name, direction):
    for rects, texts in frames(draw_graph(name, direction)):
        for text in texts:
            x, y, width = float(text.get("x")), float(text.get("y")), text_width(text.text or "")
            left = x - width / 2 if text.get("text-anchor") == "middle" else x
            corners = [(left, y - 10), (left + width, y + 3)]
            assert any(all(rect.holds(*corner) for corner in corners) for rect in rects), text.text


@pytest.mark.long
@PICTURES
def test_no_edge_runs_through_a_box(name, direction):
    picture = draw_graph(name, direction)
    boxes = [rect for found, _ in frames(picture) for rect in found]
    for path in ET.fromstring(picture).iter(f"{SVG}path"):
        if path.get("class") == "touch":
            for point in points(path.get("d")):
                assert not any(box.holds(*point, within=1.5) for box in boxes)


@PICTURES
def test_everything_is_within_the_picture(name, direction):
    root = ET.fromstring(draw_graph(name, direction))
    x, y, width, height = map(float, root.get("viewBox").split())
    for rect in map(Rect, root.iter(f"{SVG}rect")):
        assert x <= rect.x
        assert rect.x + rect.w <= x + width
        assert y <= rect.y
        assert rect.y + rect.h <= y + height
    for path in root.iter(f"{SVG}path"):
        if path.get("class") == "touch":
            assert all(x <= px <= x + width and y <= py <= y + height for px, py in points(path.get("d")))


def test_a_box_has_label_data_and_gradient_and_a_circle_its_operation():
    a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    c = a * b
    c.backward()
    texts = [[text.text for text in found] for _, found in frames(draw(c, "svg"))]
    assert texts == [
        ["a", "data 2.0000", "grad -3.0000"],
        ["b", "data -3.0000", "grad 2.0000"],
        ["×", "v1", "data -6.0000", "grad 1.0000"],
    ]


def titles(picture):
    return [title.text for title in ET.fromstring(picture).iter(f"{SVG}title")]


def test_the_tooltip_of_an_edge_is_its_local_derivative():
    x = Value(0.5, label="x")
    assert "∂v1/∂x = 1 − v1² = 0.786448" in titles(draw(x.tanh(), "svg"))
    assert titles(draw(x + x, "svg")).count("∂v1/∂x = 1") == 2
    W = Value(np.ones((3, 2)), label="W")
    assert "W.grad += array 4×3ᵀ @ v1.grad   (3, 4) @ (4, 2)" in titles(draw(np.ones((4, 3)) @ W, "svg"))


def test_fields_and_number_format_can_be_chosen():
    x = Value(1 / 3, label="x")
    texts = [[t.text for t in found] for _, found in frames(draw(x, "svg", fields=["data"], numbers=".2g"))]
    assert texts == [["data 0.33"]]
    assert [[t.text for t in found] for _, found in frames(draw(x, "svg", fields="label"))] == [["x"]]
    with pytest.raises(errors.ArgumentError, match=r"unknown field 'gard' .*'grad'"):
        draw(x, fields=["gard"])
    with pytest.raises(errors.ArgumentError, match=r"a format such as '\.3g'.*not str 'many'"):
        draw(x, numbers="many")
    with pytest.raises(errors.ArgumentError, match=r"unknown direction 'RL'.*LR, TB"):
        draw(x, "svg", direction="RL")


@pytest.mark.parametrize("label", HOSTILE)
def test_a_label_is_always_plain_text(label):
    x = Value(1.0, label=label)
    picture = draw(Value(2.0, (x,), label), "svg")
    root = ET.fromstring(picture.encode())
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds <= {"svg", "title", "style", "g", "rect", "path", "text", "polygon"}
    for element in root.iter():
        assert not [name for name in element.attrib if name.startswith("on") or "href" in name]
        assert "\u202e" not in (element.text or "")
    within_html = Tags()
    within_html.feed(f"<!doctype html><body>{picture}</body>")
    assert set(within_html.found) == kinds | {"body"}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append(tag)


def test_a_picture_is_self_contained_and_has_a_light_and_a_dark_scheme():
    picture = draw(tangle(), "svg")
    assert picture.count("http") == 1  # the name of the language
    assert "url(" not in picture
    assert "<script" not in picture
    assert "@media (prefers-color-scheme: dark)" in picture


@pytest.mark.long
def test_a_hundred_and_fifty_nodes_are_drawn_and_more_are_cut_off_with_a_note():
    assert len(frames(draw(tangle(), "svg"))) == 150
    assert "not shown" not in draw(tangle(), "svg")
    picture = draw(tangle(400), "svg")
    assert len(frames(picture)) == 150
    assert "250 of 400 nodes are not shown: those farthest from the result" in picture


@pytest.mark.long
def test_a_graph_of_a_hundred_thousand_nodes_is_drawn_in_part():
    chain = Value(1.0, label="x")
    for _ in range(100_000):
        chain = chain * 0.999
    for kind in ("svg", "dot"):
        assert "99,851 of 100,001 nodes are not shown" in draw(chain, kind)


def test_a_large_graph_is_drawn_by_the_layers_of_its_network():
    loss, groups = trained_network()
    texts = [[t.text for t in found] for _, found in frames(draw(loss, "svg", groups=groups))]
    names = [found[0] for found in texts]
    assert names[:3] == ["layers.0", "layers.1", "layers.2"]
    assert texts[0][1] == "Layer(2, 4, tanh)"
    assert texts[0][2] == "400 operations, 12 leaves"  # 20 samples, 4 neurons: 2 products, 2 sums, 1 tanh
    opened = [found[1].text if len(found) == 1 else found[0].text for _, found in
              frames(draw(loss, "svg", groups=groups, opened=["layers.1"]))]  # fmt: skip
    assert [f"layers.1.neurons.{i}" for i in range(4)] == [name for name in opened if "neurons" in name]
    with pytest.raises(errors.ArgumentError, match=r"unknown group 'layer\.1' .*'layers\.1'"):
        draw(loss, "svg", groups=groups, opened=["layer.1"])
    with pytest.raises(errors.ArgumentError, match="opened needs groups"):
        draw(loss, "svg", opened=["layers.1"])


def test_a_module_that_is_used_twice_is_one_box():
    out, groups = used_again()
    picture = draw(out, "svg", groups=groups, opened=[])
    assert [found[0].text for _, found in frames(picture)] == ["x", "0", "1", "2", "sum"]


def test_an_empty_model_leaves_its_input_as_it_is():
    model = nn.Sequential()
    with grouping(model) as groups:
        out = model(Value([1.0, 2.0], label="x"))
    assert len(frames(draw(out, "svg", groups=groups, opened=[]))) == 1


def test_a_freed_graph_is_refused():
    y = Value(2.0) * 3
    y.backward(retain_graph=False)
    for kind in ("text", "svg", "dot"):
        with pytest.raises(errors.GraphError, match="freed"):
            draw(y, kind)


def test_a_drawing_is_saved_in_the_format_of_the_file(tmp_path):
    drawing = draw(Value(2.0, label="a") * 3)
    for name, start in (("g.svg", "<svg"), ("g.dot", "digraph"), ("g.gv", "digraph"), ("g.txt", "v1 = a * 3")):
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(start)
    with pytest.raises(errors.ArgumentError, match=r"\.txt, \.svg, \.dot, \.gv, \.mmd, \.png or \.pdf"):
        drawing.save("graph")
    with pytest.raises(errors.FileError, match="does not exist"):
        drawing.save(tmp_path / "nowhere" / "g.svg")


def test_invalid_groups_are_refused():
    with pytest.raises(errors.ArgumentError, match="groups must be the result of"):
        draw(Value(1.0), "svg", groups=["layers.0"])


def test_the_gradient_of_a_group_can_be_omitted():
    loss, groups = trained_network()
    assert "grad" not in draw(loss, "svg", groups=groups, fields=["label", "data"])
    assert ">data " not in draw(loss, "svg", groups=groups, fields=["label", "grad"])
