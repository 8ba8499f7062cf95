"""Graphs that were computed before a compiled step, which leaves the data of its Values on the device."""

import numpy as np
import pytest
from arrays import Draw, Problem
from random_programs.cases import all_cases, draw_from_bytes

import adjoint
from adjoint import jit
from adjoint.errors import AdjointError

pytest.importorskip("jax")


def drawn(name: str, table: dict) -> Problem:
    return draw_from_bytes(lambda draw: table[name](name, Draw(draw, "generic", "float64")), name)


def gradients(root, leaves) -> object:
    """Return the gradients of the leaves; the type of the error if the graph needs numbers that were replaced."""
    try:
        root.backward(np.ones(root.shape))
    except AdjointError as error:
        return type(error)
    return [leaf.grad for leaf in leaves]


@pytest.mark.full
def test_a_graph_from_before_a_compiled_step_has_the_gradients_of_one_before_an_eager_step():
    problems = {name: drawn(name, table) for name, table in all_cases()[::3]}

    def graphs():
        leaves = {name: list(map(adjoint.Tensor, problem.inputs)) for name, problem in problems.items()}
        roots = {name: problem.ours(*leaves[name]) for name, problem in problems.items()}
        return leaves, {name: root for name, root in roots.items() if isinstance(root, adjoint.Tensor)}

    def change(values):
        for value in values:
            value.data = 1.5 * value.data

    leaves, roots = graphs()
    others, other_roots = graphs()
    assert len(roots) > 100
    change([leaf for group in leaves.values() for leaf in group])
    jit(change)([leaf for group in others.values() for leaf in group])
    failures = []
    for name, root in roots.items():
        expected, found = gradients(root, leaves[name]), gradients(other_roots[name], others[name])
        try:
            assert type(found) is type(expected)
            np.testing.assert_equal(found, expected)
        except AssertionError:
            failures.append((name, found, expected))
    assert not failures
