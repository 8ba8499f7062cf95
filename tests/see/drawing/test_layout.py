"""The layout of boxes: in the order of evaluation, without overlaps, aligned with their neighbors."""

import itertools
import random

import pytest
from closeness import require_close
from hypothesis import given, strategies as st

from adjoint.see.drawing.layout import _apart, _Layered, arrange


@st.composite
def graphs(draw):
    """Return boxes of random sizes; each comes after its operands."""
    count = draw(st.integers(1, 25))
    sizes = [(draw(st.floats(10, 90)), draw(st.floats(10, 60))) for _ in range(count)]
    edges = [(draw(st.integers(0, i - 1)), i) for i in range(1, count) for _ in range(draw(st.integers(0, 2)))]
    return sizes, edges


@pytest.mark.long
@given(graphs())
def test_boxes_do_not_overlap_and_edges_go_forward(graph):
    sizes, edges = graph
    layout = arrange(sizes, edges)
    rects = [(u, v - b / 2, u + a, v + b / 2) for (u, v), (a, b) in zip(layout.places, sizes)]
    for (a0, b0, a1, b1), (c0, d0, c1, d1) in itertools.combinations(rects, 2):
        assert a1 <= c0 or c1 <= a0 or b1 <= d0 + 1e-6 or d1 <= b0 + 1e-6
    for (source, target), way in zip(edges, layout.routes):
        assert rects[source][2] < rects[target][0]
        alongs = [along for start, end, _ in way for along in (start, end)]
        assert all(b >= a - 1e-6 for a, b in itertools.pairwise(alongs))
        assert (way[0][2], way[-1][2]) == (layout.places[source][1], layout.places[target][1])
    assert min(rect[1] for rect in rects) >= -1e-6
    assert max(rect[3] for rect in rects) <= layout.breadth + 1e-6
    require_close(max(rect[2] for rect in rects), layout.length)


def crossings_by_counting(graph):
    place = {v: i for row in graph.rows for i, v in enumerate(row)}
    return sum(
        (place[a] - place[c]) * (place[b] - place[d]) < 0
        for (a, b), (c, d) in itertools.combinations(graph.links, 2)
        if graph.layer[a] == graph.layer[c]
    )


def test_sweeps_leave_few_crossings():
    rng = random.Random(0)
    edges = [(i, 20 + j) for i, j in enumerate(rng.sample(range(20), 20))]  # two rows with random edges between them
    graph = _Layered([(10, 10)] * 41, edges + [(20 + j, 40) for j in range(20)])
    graph.rows[2].sort()
    graph.rows[1].sort()
    assert graph._crossings() == crossings_by_counting(graph) > 50
    graph.reduce_crossings()
    assert graph._crossings() == crossings_by_counting(graph) == 0


def test_the_neurons_of_a_layer_are_aligned():
    # two inputs, three neurons that use both, and a sum that adds one neuron after the other
    edges = [(i, n) for n in (2, 3, 4) for i in (0, 1)] + [(2, 5), (3, 5), (5, 6), (4, 6)]
    layout = arrange([(10, 10)] * 7, edges)
    assert layout.places[2][0] == layout.places[3][0] == layout.places[4][0]


def test_a_leaf_is_next_to_its_first_use():
    chain = [(0, 2), (2, 3), (3, 4), (1, 4)]  # only the last node uses 1
    layout = arrange([(10, 10)] * 5, chain)
    assert layout.places[1][0] == layout.places[3][0]


def test_an_empty_graph_has_an_empty_layout():
    assert arrange([], []).places == []


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.1, 5), st.floats(1, 30)), min_size=1, max_size=8))
def test_positions_are_the_nearest_without_overlaps(wanted):
    wishes, weights, distances = zip(*wanted)
    found = _apart(wishes, weights, distances)
    for (a, b), distance in zip(itertools.pairwise(found), distances[1:]):
        assert b - a >= distance - 1e-6
    # no small allowed move of a box, together with all boxes after it or before it, lowers the cost
    cost = sum(w * (x - y) ** 2 for x, y, w in zip(found, wishes, weights))
    for i in range(len(found)):
        for moved in (
            [x + 1e-4 * (k >= i) for k, x in enumerate(found)],
            [x - 1e-4 * (k <= i) for k, x in enumerate(found)],
        ):
            assert sum(w * (x - y) ** 2 for x, y, w in zip(moved, wishes, weights)) >= cost - 1e-9
