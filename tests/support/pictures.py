"""Graphs of every kind to draw, and functions that parse an SVG so that a test can measure it."""

import random
import re
import xml.etree.ElementTree as ET

import numpy as np
from classics import CLASSICS

from adjoint import Value, grouping, nn

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", 'a"b', "]]>", "two\nlines", "\u202egnirts", "x" * 10_000, "\x00\x1b[31m",
           "\ud800", "{a|b}", "\\n\\", "漢字" * 9, "-->", "&amp;", "'; DROP TABLE", "e\u0301" * 30, " "]  # fmt: skip


def network():
    model = nn.MLP(2, [4, 4, 1], seed=1)
    return model([Value(1.0, label="x1"), Value(-2.0, label="x2")])


def residual():
    rng = np.random.default_rng(0)
    x, W, b, V = (
        Value(rng.normal(size=s), label=n) for s, n in (((8, 16), "x"), ((16, 16), "W"), (16, "b"), ((16, 16), "V"))
    )
    return ((x + (x @ W + b).relu() @ V) ** 2).mean()


def tangle(count=150, seed=3):
    """Return a random graph of exactly `count` nodes, in which every node except the root is used."""
    rng = random.Random(seed)
    values = [Value(rng.uniform(-1, 1)) for _ in range(count // 8)]
    loose = dict.fromkeys(values)  # unused so far: the sum at the end uses them

    def add(made):
        values.append(made)
        loose[made] = None
        for x in made.parents:
            loose.pop(x, None)

    while len(values) + len(loose) - 1 < count - 1:
        x, y = rng.choice(values[-25:]), rng.choice(values[-25:])
        add(rng.choice([lambda x, y: x * y, lambda x, y: x - y, lambda x, y: x.tanh(), lambda x, y: 2**x])(x, y))
    while len(values) + len(loose) - 1 < count:
        add(next(iter(loose)).tanh())
    total, *rest = loose
    for value in rest:
        total = total + value
    return total


def diamonds():
    node = Value(1.0, label="x")
    for _ in range(40):
        node = node * node
    return node


def odd_labels():
    total = Value(0.0, label="0")
    for label in HOSTILE:
        total = total + Value(1.0, label=label)
    return total


def constants():
    x = Value(3.0, label="x")
    return (2 - x).leaky_relu(0.2) ** 0.5 + np.ones((2, 3)) @ Value(np.ones((3, 2)), label="M")


def not_finite():
    x = Value(float("inf"), label="x")
    return (x - x) * Value(float("nan")) + x.exp()


GRAPHS = {"neuron": CLASSICS["tanh_neuron"], "network": network, "residual": residual, "tangle": tangle,
          "diamonds": diamonds, "labels": odd_labels, "constants": constants, "leaf": lambda: Value(3.0),
          "not finite": not_finite, "sum": lambda: sum(Value(float(i)) for i in range(60))}  # fmt: skip


def trained_network(samples=20):
    """Return the loss of a network on several samples, and which module made which node."""
    model = nn.MLP(2, [4, 4, 1], seed=1)
    with grouping(model) as groups:
        loss = sum((model([i / samples, 1.0]) - 1) ** 2 for i in range(samples))
    loss.backward()
    return loss, groups


def used_again():
    """Return a graph of two layers that use each other's results, and which of them made which node."""
    cell = nn.Sequential(nn.Linear(2, 2, seed=0), nn.Tanh(), nn.Linear(2, 2, seed=1))
    with grouping(cell) as groups:
        out = cell(cell(Value(np.ones((1, 2)), label="x"))).sum()
    return out, groups


class Rect:
    def __init__(self, element):
        self.kind = element.get("class")
        self.x, self.y, self.w, self.h = (float(element.get(name)) for name in ("x", "y", "width", "height"))

    def overlaps(self, other, by=0.0):
        return (
            self.x + by < other.x + other.w
            and other.x + by < self.x + self.w
            and self.y + by < other.y + other.h
            and other.y + by < self.y + self.h
        )

    def holds(self, x, y, within=0.0):
        return self.x + within <= x <= self.x + self.w - within and self.y + within <= y <= self.y + self.h - within


def frames(drawing):
    """Return the groups of a picture that have boxes, with their rectangles and texts."""
    found = []
    for group in ET.fromstring(drawing).iter(f"{SVG}g"):
        rects = [Rect(rect) for rect in group.iter(f"{SVG}rect")]
        if rects:
            found.append((rects, list(group.iter(f"{SVG}text"))))
    return found


def points(path, samples=12):
    """Return points along the path of an edge, which consists of lines and curves in absolute coordinates."""
    found, at = [], None
    for command, numbers in re.findall(r"([MCL])([^MCLHV]*)", path):
        xs = [float(x) for x in numbers.split()]
        if command == "C":
            corners = [at, *((xs[i], xs[i + 1]) for i in (0, 2, 4))]
            for k in range(1, samples + 1):
                t = k / samples
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                found.append(tuple(sum(w * c[axis] for w, c in zip(weights, corners)) for axis in (0, 1)))
            at = corners[-1]
        else:
            end = (xs[0], xs[1])
            if at is not None:
                found += [tuple(a + (b - a) * k / samples for a, b in zip(at, end)) for k in range(1, samples + 1)]
            at = end
    return found
