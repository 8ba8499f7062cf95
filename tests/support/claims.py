"""Claims about every operation on arrays, as tests for a table of cases. `arrays.py` implements the checks."""

from collections.abc import Callable, Collection

import numpy as np
import pytest
from arrays import (
    as_tensor,
    jax_in_double,
    problems,
    require_agreement,
    require_central_differences,
    require_forward_mode,
    require_own_gradients,
    require_the_same_compiled,
)
from fuzzing import examples
from hypothesis import Phase, assume, given, strategies as st

# How many problems of a case each claim draws. The first problem that Hypothesis draws is the simplest one.
COUNTS = {
    "results": 10,
    "three_derivatives": 5,
    "ties_and_edges": 8,
    "central_differences": 3,
    "forward_mode": 3,
    "own_gradients": 4,
    "arrays_of_torch": 4,
    "arrays_of_jax": 1,
    "compiled": 2,
}


def claims(
    cases: dict[str, Callable], singular: Collection[str] = (), without: Collection[str] = ()
) -> dict[str, Callable]:
    """Return the tests that a file adds to its globals: one for each claim, for all cases.

    At ties and edges second derivatives follow PyTorch too, except for the `singular` cases, which are compared in the
    first derivative. A file leaves out the claims `without` that do not hold for its cases, or that it checks itself.
    """
    each = pytest.mark.parametrize("name", cases)
    found: dict[str, Callable] = {}

    def claim(kind: str, **options):
        def enter(test: Callable) -> Callable:
            if kind not in without:
                drawn = given(data=st.data())(test)
                found[test.__name__] = each(examples(COUNTS[kind], **options)(drawn))
            return test

        return enter

    @claim("results")
    def test_results_and_gradients_follow_pytorch(name, data):
        require_agreement(data.draw(problems(cases, name)), order=1)

    @claim("three_derivatives")
    def test_three_derivatives_follow_pytorch(name, data):
        require_agreement(data.draw(problems(cases, name, dtypes=["float64"])), order=3)

    @claim("ties_and_edges")
    @pytest.mark.parametrize("kind", ["ties", "edges"])
    def test_ties_and_edges_follow_pytorch(name, kind, data):
        problem, differentiable = data.draw(problems(cases, name, kind)), data.draw(st.booleans())
        require_agreement(problem, order=1 if name in singular else 2, differentiable=differentiable)

    @claim("central_differences")
    def test_central_differences_confirm_each_derivative(name, data):
        require_central_differences(data.draw(problems(cases, name, dtypes=["float64"])), order=3)

    @claim("forward_mode")
    def test_forward_mode_agrees_with_pytorch_to_the_third_derivative(name, data):
        problem = data.draw(problems(cases, name, dtypes=["float64"]))
        require_forward_mode(problem, order=3, library=data.draw(st.sampled_from([np.asarray, as_tensor])))

    @claim("own_gradients")
    def test_a_gradient_shares_memory_with_no_other_array(name, data):
        require_own_gradients(data.draw(problems(cases, name)))

    @claim("arrays_of_torch")
    def test_arrays_of_torch_work_as_data(name, data):
        require_agreement(data.draw(problems(cases, name)), order=2, library=as_tensor)

    @claim("arrays_of_jax", phases=[Phase.generate])  # shrinking would take XLA minutes
    def test_arrays_of_jax_work_as_data(name, data):
        with jax_in_double() as library:
            require_agreement(data.draw(problems(cases, name)), order=1, library=library)

    @claim("compiled", phases=[Phase.generate])
    def test_compiled_programs_give_the_same_two_derivatives(name, data):
        problem = data.draw(problems(cases, name))
        assume(not problem.by_mask)
        with jax_in_double():
            require_the_same_compiled(problem)

    assert len(found) == len(COUNTS) - len(without), f"{[*without]} are not all claims: {[*COUNTS]}"
    return found
