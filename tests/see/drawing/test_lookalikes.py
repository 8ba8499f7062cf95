"""A learner's own Value is drawn like ours: any object with `data` and `_prev`."""

import dataclasses
import json
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pictures import HOSTILE, SVG, frames

import adjoint
from adjoint import draw, errors
from adjoint.see import lookalike_scene, scene_as_svg, scene_as_text


class Node:
    """The Value of a tutorial."""

    def __init__(self, data, _children=(), _op="", label="", of=tuple):
        self.data, self.grad, self._prev, self._op, self.label = data, 0.0, of(_children), _op, label

    def __add__(self, other):
        return Node(self.data + other.data, (self, other), "+", of=type(self._prev))

    def __mul__(self, other):
        return Node(self.data * other.data, (self, other), "*", of=type(self._prev))

    def __pow__(self, n):
        return Node(self.data**n, (self,), f"**{n}", of=type(self._prev))

    def tanh(self):
        return Node(math.tanh(self.data), (self,), "tanh", of=type(self._prev))


def expression(leaf):
    a, b = leaf(2.0, "a"), leaf(-3.0, "b")
    return (a * b + a).tanh() * (a * b)


def test_it_is_drawn_like_our_own_value():
    ours = expression(lambda x, label: adjoint.Value(x, label=label))
    theirs = expression(lambda x, label: Node(x, label=label))
    assert draw(theirs).replace("grad 0.0000", "no gradient yet") == draw(ours)
    untitled = re.compile("<title>.*</title>")  # those of the edges have local derivatives
    pictures = [untitled.sub("", draw(root, "svg", fields=["label", "data"])) for root in (ours, theirs)]
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("of", [tuple, list, set, frozenset])
def test_the_operands_may_be_in_any_collection(of):
    x = Node(3.0, label="x", of=of)
    assert draw(x**2 + x).splitlines() == [
        "v2 = v1 + x  data 12.0000  grad 0.0000",
        "├── v1 = x ** 2  data 9.0000  grad 0.0000",
        "│   └── x  data 3.0000  grad 0.0000",
        "└── x  (above)",
    ]


def test_a_set_is_drawn_in_one_order_and_an_operand_used_twice_is_shown_twice():
    a, b = Node(1.0, label="a", of=set), Node(2.0, label="b", of=set)
    assert draw(b * a) == draw(a * b)
    assert draw(a * a).splitlines()[0] == "v1 = a * a  data 1.0000  grad 0.0000"


def test_numbers_that_are_missing_or_of_other_types_are_shown():
    class Bare:  # the first version of the class in every tutorial
        def __init__(self, data, prev=()):
            self.data, self._prev = data, prev

    a = Node(None, label="a")
    a.grad = None
    b = Node("two", label="b")
    b.grad = np.float32(0.5)
    c = Node(np.ones((2, 3)), (a, b, 2.0, Bare(10**400), Node(np.float64(3))), "")
    c.grad = math.nan
    assert draw(c).splitlines() == [
        "v3 = ?(a, b, 2, v1, v2)  data 2×3 mean 1.0000  grad nan",
        "├── a  data –  no gradient yet",
        "├── b  data 'two'  grad 0.5000",
        "├── 2",
        "├── v1  data <an integer of 1329 bit…",
        "└── v2  data 3.0000  grad 0.0000",
    ]


@pytest.mark.parametrize("form", ["text", "svg", "dot"])
def test_a_graph_may_be_deep_and_share_nodes(form):
    node = Node(1.0)
    for _ in range(5_000):
        node = Node(1.0, (node, node), "+")
    assert re.search(r"4,[\d,]+ of 5,001 nodes are not shown", draw(node, form))


@pytest.mark.parametrize("form", ["text", "svg", "dot"])
@pytest.mark.parametrize("label", HOSTILE)
def test_labels_and_operations_are_always_plain_text(form, label):
    drawing = draw(Node(1.0, (Node(2.0, label=label),), label, label=label), form)
    if form == "svg":
        kinds = {element.tag.removeprefix(SVG) for element in ET.fromstring(drawing.encode()).iter()}
        assert kinds <= {"svg", "title", "style", "g", "rect", "path", "text", "polygon"}
    assert all(line.isprintable() for line in drawing.splitlines())


def test_a_cycle_is_an_error_that_names_the_nodes():
    a = Node(1.0, label="a")
    b = Node(2.0, (a,), "exp", label="b")
    a._prev = (b,)
    with pytest.raises(errors.GraphError, match="the graph has a cycle: b → a → b; the operands of a node must exist"):
        draw(b)
    a._prev = {a}
    with pytest.raises(errors.GraphError, match="a cycle: a → a;"):
        draw(b)


def test_operands_that_are_not_a_collection_are_an_error():
    a = Node(1.0, label="a")
    b = Node(1.0, label="b")
    b._prev = a
    with pytest.raises(errors.ArgumentError, match="the _prev of b must be a tuple, a list or a set of its"):
        draw(b)


@pytest.mark.parametrize("given", [Node, object(), adjoint, {"data": 1, "_prev": ()}])
def test_other_objects_are_refused(given):
    with pytest.raises(errors.ArgumentError, match="draw needs a Value"):
        draw(given)


def test_options_of_groups_are_refused():
    with pytest.raises(errors.ArgumentError, match="opened is not an option for a graph of another class"):
        draw(Node(1.0), opened=["x"])


def test_a_note_marks_a_node_in_text_and_in_pictures():
    root = expression(lambda x, label: Node(x, label=label))
    a = root._prev[1]._prev[0]
    scene = lookalike_scene(root, {id(a): "should be -4.0000"})
    lines = scene_as_text(scene).splitlines()
    assert [line for line in lines if "<--" in line] == [
        "│       │   ├── a  data 2.0000  grad 0.0000  <-- should be -4.0000"
    ]
    picture = ET.fromstring(scene_as_svg(scene))
    assert [text.text for text in picture.iter(f"{SVG}text") if text.get("class") == "mark"] == ["should be -4.0000"]
    (marked,) = [rects for rects, _ in frames(scene_as_svg(scene)) if "marked" in rects[-1].kind]
    assert marked[0].kind == "box leaf marked"
    document = json.loads(json.dumps(dataclasses.asdict(scene)))
    assert [box["note"] for box in document["boxes"] if box["name"] == "a"] == ["should be -4.0000"]
    assert document["boxes"][-1]["kind"] == "root"


def test_nodes_can_be_named_without_changing_them():
    root = expression(lambda x, label: Node(x))
    a, b = root._prev[1]._prev
    titles = [box.title for box in lookalike_scene(root, labels={id(a): "a", id(b): "b"}).boxes]
    assert titles[:3] == ["a", "b", "v1 = a * b"]
    assert a.label == ""


def test_a_note_far_from_the_result_is_shown():
    leaf = node = Node(1.0, label="leaf")
    for _ in range(1000):
        node = Node(1.0, (node,), "exp")
    scene = lookalike_scene(node, {id(leaf): "should be 2.0000"})
    assert len(scene.boxes) == 150
    assert scene.boxes[0].note == "should be 2.0000"
    assert "leaf  <-- should be 2.0000" in scene_as_text(scene).splitlines()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_note_has_enough_contrast_in_both_color_schemes(scheme):
    picture = draw(Node(1.0), "svg")
    light, dark = picture.split("prefers-color-scheme: dark")
    text = light if scheme == "light" else dark
    colors = {name: re.search(rf"--{name}: (#\w{{6}})", text)[1] for name in ("mark", "marked")}
    assert contrast(*colors.values()) >= 4.5  # WCAG AA


def contrast(one, other):
    def luminance(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
