"""Layered layout of a graph (Sugiyama's method): few crossings, and no box overlaps another.

A box has a length along the computation and a breadth across it. An edge that spans several layers gets a lane in each
of them, so that it runs between the boxes; the edges of one box share their lanes. The order within a layer comes from
sweeps that put each box at the barycenter of its neighbors. The final positions are the least-squares fit to the
positions of the neighbors, without overlaps.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_SWEEPS = 12
_GAP = 14.0  # across, between boxes
_LANE = 10.0  # across, for an edge that runs through a layer
_STEP = 46.0  # along, between layers; more where many edges meet
_MOST_STEP = 130.0


@dataclass(frozen=True, slots=True)
class Layout:
    """The position of each box (its start along the computation, its middle across), the route of each edge, the size.

    A route is a list of straight segments, joined by curves.
    """

    places: list[tuple[float, float]]
    routes: list[list[tuple[float, float, float]]]  # start along, end along, across
    length: float
    breadth: float


def arrange(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Return a layout for boxes of these sizes (length, breadth), listed in the order of evaluation.

    >>> layout = arrange([(10, 10), (10, 10), (20, 10)], [(0, 2), (1, 2)])
    >>> [place[1] for place in layout.places]
    [5.0, 29.0, 17.0]
    """
    if not sizes:
        return Layout([], [], 0.0, 0.0)
    graph = _Layered(sizes, edges)
    graph.reduce_crossings()
    return graph.layout(graph.positions())


class _Layered:
    """A graph in layers; layer 0 holds the results. The vertices after those of the boxes are lanes of long edges."""

    def __init__(self, sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]):
        self.sizes, self.edges, count = sizes, edges, len(sizes)
        onward = [[] for _ in range(count)]
        for source, target in edges:
            if source < target:  # an edge back to a module that is used again does not order the boxes
                onward[source].append(target)
        self.layer = _layers(onward)
        self.links: list[tuple[int, int]] = []  # between vertices of adjacent layers, the earlier first
        self.lanes: list[dict[int, int]] = [{} for _ in range(count)]  # of each box: the lane vertex in each layer
        linked = set()
        for source in range(count):
            for target in onward[source]:
                at = source
                for layer in range(self.layer[source] - 1, self.layer[target], -1):
                    if layer not in self.lanes[source]:
                        self.lanes[source][layer] = len(self.layer)
                        self.layer.append(layer)
                    at = self._link(at, self.lanes[source][layer], linked)
                self._link(at, target, linked)
        self.before: list[list[int]] = [[] for _ in self.layer]
        self.after: list[list[int]] = [[] for _ in self.layer]
        for source, target in self.links:
            self.after[source].append(target)
            self.before[target].append(source)
        self.rows = self._first_order()

    def _link(self, source: int, target: int, linked: set) -> int:
        if (source, target) not in linked:
            linked.add((source, target))
            self.links.append((source, target))
        return target

    def _first_order(self) -> list[list[int]]:
        """Return the vertices of each layer in the order of a depth-first walk from the results."""
        rows: list[list[int]] = [[] for _ in range(max(self.layer) + 1)]
        seen = set()
        waiting = [vertex for vertex in range(len(self.layer)) if not self.after[vertex]][::-1]
        while waiting:
            vertex = waiting.pop()
            if vertex not in seen:
                seen.add(vertex)
                rows[self.layer[vertex]].append(vertex)
                waiting += self.before[vertex][::-1]
        return rows

    # --- the order within layers ---

    def reduce_crossings(self) -> None:
        best, least = [row[:] for row in self.rows], self._crossings()
        for sweep in range(_SWEEPS):
            if not least:
                break
            forward = sweep % 2
            neighbors = self.before if forward else self.after
            for i in range(len(self.rows) - 2, -1, -1) if forward else range(1, len(self.rows)):
                self._sort(self.rows[i], self.rows[i + 1] if forward else self.rows[i - 1], neighbors)
            crossings = self._crossings()
            if crossings < least:
                best, least = [row[:] for row in self.rows], crossings
        self.rows = best

    def _sort(self, row: list[int], fixed: list[int], neighbors: list[list[int]]) -> None:
        """Sort vertices by the barycenters of their neighbors; a vertex without neighbors keeps its position."""
        place = {vertex: i for i, vertex in enumerate(fixed)}
        center = {}
        for i, vertex in enumerate(row):
            near = [place[x] for x in neighbors[vertex]]
            center[vertex] = sum(near) / len(near) if near else i * len(fixed) / len(row)
        row.sort(key=center.__getitem__)

    def _crossings(self) -> int:
        total = 0
        for row in self.rows[:-1]:
            earlier = {v: i for i, v in enumerate(self.rows[self.layer[row[0]] + 1])}
            passed: list[int] = []
            for vertex in row:
                ends = [earlier[source] for source in self.before[vertex]]
                total += sum(len(passed) - bisect_right(passed, end) for end in ends)
                for end in ends:
                    insort(passed, end)
        return total

    # --- positions ---

    def positions(self) -> list[float]:
        """Return the position of each vertex across: near its neighbors, in order, without overlaps."""
        across = [0.0] * len(self.layer)
        for row in self.rows:
            edge = 0.0
            for vertex, distance in zip(row, self._distances(row)):
                edge += distance
                across[vertex] = edge
        for sweep in range(2 * _SWEEPS):
            is_last = sweep >= 2 * _SWEEPS - 4  # the last sweeps pull from both sides
            for row in self.rows if sweep % 2 else reversed(self.rows):
                wishes, weights = [], []
                for vertex in row:
                    near = [] if sweep % 2 and not is_last else self.before[vertex]
                    near = near + self.after[vertex] if sweep % 2 or is_last else near
                    pulls = [(across[x], self._pull(vertex, x)) for x in near]
                    weight = sum(w for _, w in pulls)
                    wishes.append(sum(x * w for x, w in pulls) / weight if pulls else across[vertex])
                    weights.append(weight if pulls else 0.1)
                for vertex, place in zip(row, _apart(wishes, weights, self._distances(row))):
                    across[vertex] = place
        return across

    def _pull(self, vertex: int, other: int) -> float:
        """Return the weight that aligns a vertex with a neighbor; the lanes of a long edge weigh most."""
        return (1.0, 2.0, 8.0)[(vertex >= len(self.sizes)) + (other >= len(self.sizes))]

    def _distances(self, row: list[int]) -> list[float]:
        """Return the least distance of each vertex from the one before it; for the first, from the edge."""
        halves = [self._breadth(vertex) / 2 for vertex in row]
        gaps = [_LANE if a >= len(self.sizes) or b >= len(self.sizes) else _GAP for a, b in pairwise(row)]
        return [halves[0], *(a + gap + b for a, gap, b in zip(halves, gaps, halves[1:]))]

    def _breadth(self, vertex: int) -> float:
        return self.sizes[vertex][1] if vertex < len(self.sizes) else 0.0

    def layout(self, across: list[float]) -> Layout:
        """Return the places of the boxes and the routes of the edges, shifted to begin at zero."""
        low = min(across[v] - self._breadth(v) / 2 for v in range(len(across)))
        high = max(across[v] + self._breadth(v) / 2 for v in range(len(across)))
        across = [x - low for x in across]
        start, end, at = {}, {}, 0.0
        for layer in reversed(range(len(self.rows))):
            start[layer] = at
            at += max((self.sizes[v][0] for v in self.rows[layer] if v < len(self.sizes)), default=0.0)
            end[layer] = at
            at += self._step(layer, across)
        places = [(end[self.layer[v]] - size[0], across[v]) for v, size in enumerate(self.sizes)]
        routes, breadth = [], high - low
        for source, target in self.edges:
            if source >= target:  # back to an earlier layer: around all boxes
                breadth += _LANE
                around = (end[self.layer[source]] + _STEP / 2, start[self.layer[target]] - _STEP / 2, breadth)
                leaving = (end[self.layer[source]], end[self.layer[source]], across[source])
                routes.append([leaving, around, (start[self.layer[target]], places[target][0], across[target])])
                continue
            lanes = sorted(
                (layer for layer in self.lanes[source] if layer > self.layer[target]), reverse=True
            )  # fmt: skip
            route = [(end[self.layer[source]], end[self.layer[source]], across[source])]
            route += [(start[layer], end[layer], across[self.lanes[source][layer]]) for layer in lanes]
            route.append((start[self.layer[target]], places[target][0], across[target]))
            routes.append(route)
        if breadth == high - low:
            return Layout(places, routes, max(end.values()), breadth)
        places = [(along + _STEP, v) for along, v in places]
        routes = [[(a + _STEP, b + _STEP, v) for a, b, v in route] for route in routes]
        return Layout(places, routes, max(end.values()) + 2 * _STEP, breadth)

    def _step(self, layer: int, across: list[float]) -> float:
        """Return the distance to the next layer: larger where edges are many or steep, to keep them apart."""
        climbs = [abs(across[s] - across[t]) for s, t in self.links if self.layer[s] == layer]
        return min(_MOST_STEP, _STEP + 0.06 * max(climbs, default=0.0) + 1.5 * len(climbs) ** 0.5)


def _layers(onward: list[list[int]]) -> list[int]:
    """Return the layer of each box; layer 0 is the last to be computed.

    A box goes to the earliest layer in which it can be computed, so that the neurons of one layer are aligned although
    a sum adds them one by one. Leaves that are used once, and values computed from such leaves alone, go next to their
    use.
    """
    depth, is_free = [0] * len(onward), [True] * len(onward)
    for box, targets in enumerate(onward):
        for target in targets:
            depth[target] = max(depth[target], depth[box] + 1)
            is_free[target] &= is_free[box] and len(targets) == 1
    layer = [max(depth) - d for d in depth]
    for box in reversed(range(len(onward))):
        if is_free[box]:
            layer[box] = max((layer[target] + 1 for target in onward[box]), default=0)
    return layer


def _apart(wishes: Sequence[float], weights: Sequence[float], distances: Sequence[float]) -> list[float]:
    """Return the positions nearest to the wishes (weighted least squares) that keep the order and these distances.

    >>> _apart([0.0, 0.0, 9.0], [1.0, 1.0, 1.0], [1.0, 2.0, 2.0])
    [-1.0, 1.0, 9.0]
    """
    offsets, total = [], 0.0
    for i, distance in enumerate(distances):
        total += distance if i else 0.0
        offsets.append(total)
    blocks: list[list[float]] = []  # weighted sum of wishes, weight, count: vertices that touch move as one block
    for wish, weight, offset in zip(wishes, weights, offsets):
        blocks.append([(wish - offset) * weight, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last)]
    bases = [block[0] / block[1] for block in blocks for _ in range(int(block[2]))]
    return [base + offset for base, offset in zip(bases, offsets)]
