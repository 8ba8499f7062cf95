"""Pictures in the order of Graphviz: more boxes, fewer crossings, and as tidy as those of our own layout."""

import itertools
import sys
import xml.etree.ElementTree as ET

import pytest
from pictures import SVG, frames, network, points, tangle, trained_network

from adjoint import draw, errors
from adjoint.see.drawing.graphviz import untangled
from adjoint.see.drawing.pictures import Drawing


def crossings(rows, links):
    """How many pairs of links cross, counted pair by pair."""
    place = {vertex: (layer, i) for layer, row in enumerate(rows) for i, vertex in enumerate(row)}
    ends = [sorted((place[a], place[b])) for a, b in links]
    pairs = itertools.combinations(ends, 2)
    return sum(a[0] == c[0] and (a[1] - c[1]) * (b[1] - d[1]) < 0 for (a, b), (c, d) in pairs)


def test_links_that_need_not_cross_do_not():
    rows, links = [[4, 5, 6, 7], [0, 1, 2, 3]], [(0, 7), (1, 6), (2, 5), (3, 4), (0, 6), (1, 5)]
    assert crossings(rows, links) == 11  # every pair but the four that share an end
    found = untangled(rows, links)
    assert crossings(found, links) == 0
    assert [sorted(row) for row in found] == [sorted(row) for row in rows]


def test_a_vertex_without_a_link_keeps_its_layer():
    assert sorted(map(sorted, untangled([[2], [0, 1]], [(0, 2)]))) == [[0, 1], [2]]


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_picture_is_as_tidy_as_one_of_our_own(direction):
    picture = draw(network(), "svg", direction=direction, layout="graphviz")
    boxes = [rect for found, _ in frames(picture) for rect in found]
    for a, b in itertools.combinations(boxes, 2):
        assert not a.overlaps(b)
    for path in ET.fromstring(picture).iter(f"{SVG}path"):
        if path.get("class") == "touch":
            assert not any(box.holds(*point, within=1.5) for point in points(path.get("d")) for box in boxes)


def test_it_shows_what_our_own_layout_shows():
    out = network()
    texts = [sorted(line for line in draw(out, "svg", layout=name).splitlines() if "<title>" in line)
             for name in ("layered", "graphviz")]  # fmt: skip
    assert texts[0] == texts[1]


def test_more_boxes_are_drawn():
    out = tangle(300)
    assert "150 of 300 nodes are not shown" in draw(out, "svg")
    assert "not shown" not in draw(out, "svg", layout="graphviz")
    assert len(frames(draw(out, "svg", layout="graphviz"))) == 300
    assert "100 of 600 nodes are not shown" in draw(tangle(600), "svg", layout="graphviz")


def test_groups_are_drawn_as_well():
    loss, groups = trained_network()
    assert isinstance(draw(loss, "svg", groups=groups, layout="graphviz"), Drawing)


def test_the_same_graph_gives_the_same_picture():
    assert draw(network(), "svg", layout="graphviz") == draw(network(), "svg", layout="graphviz")


def test_a_layout_that_there_is_not_is_refused():
    with pytest.raises(errors.ArgumentError, match=r"unknown layout 'graphvis' \(did you mean 'graphviz'\?\)"):
        draw(network(), "svg", layout="graphvis")


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(errors.MissingExtraError, match=r"needs pygraphviz.*pip install adjoint\[graphviz\]"):
        draw(network(), "svg", layout="graphviz")
