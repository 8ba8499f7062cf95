"""The JavaScript rules of the page, run in Chromium: they give the engine's numbers on random graphs.

Each rule gets the engine's operands, and its results must be within the bounds of `error_bounds`: 4 ulp for a function,
nothing for arithmetic. The whole graph is computed from its inputs too, where the bounds propagate.
"""

import base64
import json
import math
import os
import random
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import Any

import pytest
from error_bounds import Bounded, forward, partial
from fuzzing import FUZZING, TIMES, share
from playwright.sync_api import Browser

from adjoint import Value, ops
from adjoint.engine.rule import Op
from adjoint.see.explanation.nodes import BackwardStep, Node
from adjoint.see.explanation.steps import Explanation, explain
from adjoint.see.explanation.summaries import as_json
from adjoint_lab.export import asset

# `make test` draws the same 1,000 graphs each time, and 2,000 with FULL=yes. `make fuzz` draws batches of 2,000, from a
# new seed or from SEED.
COUNT = 2000 if FUZZING else share(2000)
BATCHES = int(TIMES) if FUZZING else 1
SEED = int(os.environ.get("SEED", str(int.from_bytes(os.urandom(4))) if FUZZING else "0"))

ROWS = [*ops.TABLE.values()]
BY_NAME = {op.name: op for op in ROWS}
EDGES = [
    0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-300, -1e-160, 1e-16, 0.25, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0,
    -2.5, 3.0, -3.0, 6.0, 9.0, 27.5, -40.0, 709.782712893384, -745.1332191019411, 4503599627370495.5, 1e16, -1e160,
    1e300, 1.7976931348623157e308, math.inf, -math.inf, math.nan,
]  # fmt: skip

FEW_EDGES = [
    0.0, -0.0, 5e-324, -1e-160, 0.5, -0.5, 1.0, -1.0, 2.0, -2.5, 3.0, -745.1332191019411, 1e16, 1e300, math.inf,
    -math.inf, math.nan,
]  # fmt: skip

LOAD = """async (source) => {
  window.rules = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
}"""
# Computes each graph, then each rule at the engine's operands. Returns all numbers as the bytes of an array.
COMPUTE = """(text) => {
  const { evaluate, TABLE } = window.rules;
  const found = [];
  for (const { scene, numbers, applications } of JSON.parse(text)) {
    const moved = Object.fromEntries(Object.entries(numbers).map(([name, x]) => [name, Number(x)]));
    const { nodes, steps } = evaluate(scene, moved);
    found.push(...nodes.flat().map(Number), ...steps.flat().map(Number));
    for (const [op, ...rest] of applications) {
      const [y, ...xs] = rest.map(Number);
      found.push(TABLE[op].forward(...xs), ...TABLE[op].partials.map((partial) => partial(y, ...xs)));
    }
  }
  const bytes = new Uint8Array(Float64Array.from(found).buffer);
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}"""


@pytest.fixture
def compute(browser: Browser) -> Iterator[Callable[[Sequence[object]], Iterator[float]]]:
    """Compute graphs in Chromium, with the rules in explore.js."""
    page = browser.new_page()
    page.evaluate(LOAD, asset("explore.js"))

    def run(graphs: Sequence[object]) -> Iterator[float]:
        return iter(array("d", base64.b64decode(page.evaluate(COMPUTE, json.dumps(as_json(graphs))))))

    yield run
    page.close()


def random_graph(rng: random.Random, row: Op) -> Value:
    """Return a graph whose last operation is `row`; half of the graphs have an edge value among their inputs."""
    has_edges = rng.random() < 0.5

    def number() -> float:
        if has_edges and rng.random() < 0.5:
            return rng.choice(EDGES)
        return rng.choice([rng.gauss(0, 2), rng.uniform(-1, 1), rng.randrange(-8, 9) / 2])

    values = [Value(number(), label=f"x{i}") for i in range(rng.randrange(1, 4))]
    for op in [*rng.choices(ROWS, k=rng.randrange(6)), row]:
        operands: list[Value | float] = [number() if rng.random() < 0.2 else rng.choice(values) for _ in op.operands]
        operands[rng.randrange(len(operands))] = values[-1]
        values.append(op(*operands))
    return values[-1]


def request_of(explanation: Explanation) -> dict[str, Any]:
    """Return what the page gets: the scene of a graph, the numbers of its inputs, and each operation."""
    nodes, steps = explanation.nodes, explanation.backward
    scene = {
        "nodes": [{"name": x.name, "op": x.op, "operands": _operands(x), "data": None} for x in nodes],
        "steps": [{"phase": "forward", "node": node.index} for node in explanation.forward],
        "root": explanation.root.index,
        "inputs": [node.name for node in nodes if node.is_leaf],
        "computable": True,
    }
    for step in steps:
        assert isinstance(step, BackwardStep)
        edge = {"node": step.node.index, "operand": step.operand, "parent": step.parent.index}
        scene["steps"].append({"phase": "backward", **edge})
    numbers = {node.name: node.data for node in nodes if node.is_leaf}
    applications = [[x.op, x.data, *_datas(x)] for x in explanation.forward]
    return {"scene": scene, "numbers": numbers, "applications": applications}


def _operands(node: Node) -> list[dict[str, Any]]:
    return [{"node": x.index} if isinstance(x, Node) else {"constant": x} for x in node.operands]


def _datas(node: Node) -> list[Any]:
    return [x.data if isinstance(x, Node) else x for x in node.operands]


def expected(explanation: Explanation) -> Iterator[tuple[str, Bounded]]:
    """Yield the engine's numbers with their bounds, in the order of the page's, and what each number is."""
    values: dict[int, Bounded] = {}
    for node in explanation.nodes:
        xs = [values[x.index] if isinstance(x, Node) else Bounded(x) for x in node.operands]
        bound = forward(BY_NAME[node.op], *xs).bound if xs else 0.0
        values[node.index] = Bounded(node.data, bound)
    grads = {node.index: Bounded(float(node is explanation.root)) for node in explanation.nodes}
    steps = []
    for step in explanation.backward:
        xs = [values[x.index] if isinstance(x, Node) else Bounded(x) for x in step.node.operands]
        local = Bounded(step.local, partial(BY_NAME[step.node.op], step.operand, values[step.node.index], *xs).bound)
        incoming, before = grads[step.node.index], grads[step.parent.index]
        contribution = local * incoming
        grads[step.parent.index] = after = before + contribution
        assert after.x == step.after or after.x != after.x
        steps += [local, incoming, contribution, before, after]
    for node in explanation.nodes:
        yield "a value", values[node.index]
        yield "a gradient", grads[node.index]
    yield from (("a backward step", x) for x in steps)
    for node in explanation.forward:
        yield from of_rule(BY_NAME[node.op], node.data, *_datas(node))


def of_rule(op: Op, y: float, *operands: float) -> Iterator[tuple[str, Bounded]]:
    """Yield the results of a rule at the engine's operands and result, with their bounds."""
    xs, at = [*map(Bounded, operands)], f"at {', '.join(map(repr, operands))}"
    yield f"{op.name} {at}", forward(op, *xs)
    for i in range(len(xs)):
        yield f"the partial derivative {i} of {op.name} {at}", partial(op, i, Bounded(y), *xs)


def test_the_javascript_rules_agree_with_the_engine_at_edge_values(compute):
    rng = random.Random(SEED)
    applications = []
    for op in ROWS:
        count = len(op.operands)
        wide = [[rng.choice([-1, 1]) * 10 ** rng.uniform(-8, 3) for _ in range(count)] for _ in range(share(50))]
        for operands in [*product(EDGES if count == 1 else FEW_EDGES, repeat=count), *wide]:
            applications.append((op, op(*map(Value, operands)).data, *operands))
    scene = {"nodes": [], "steps": [], "root": 0, "inputs": [], "computable": True}
    named = [[op.name, *numbers] for op, *numbers in applications]
    results = compute([{"scene": scene, "numbers": {}, "applications": named}])
    for application in applications:
        for what, number in of_rule(*application):
            result = next(results)
            assert number.allows(result), f"{what} is {result!r} in the page and {number.x!r} in the engine"


def test_the_javascript_rules_agree_with_the_engine_on_random_graphs(compute):
    rng, used, meaningful, total = random.Random(SEED), set(), 0, 0
    for batch in range(BATCHES):
        roots = [random_graph(rng, ROWS[i % len(ROWS)]) for i in range(COUNT)]
        explanations = [explain(root) for root in roots]
        results = compute([request_of(x) for x in explanations])
        for explanation in explanations:
            used |= {node.op for node in explanation.forward}
            numbers = [*expected(explanation)]
            for (what, number), result in zip(numbers, islice(results, len(numbers)), strict=True):
                assert number.allows(result), (
                    f"{what} is {result!r} in the page and {number.x!r} in the engine, beyond {number.bound!r}; "
                    f"SEED={SEED}, batch {batch}:\n{explanation}"
                )
                meaningful += number.bound < math.inf
                total += 1
        assert next(results, None) is None
    assert used == {op.name for op in ROWS}
    assert meaningful > 0.85 * total
