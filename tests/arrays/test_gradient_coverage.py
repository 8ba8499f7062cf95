"""Every public function with derivatives has a case, which tests its derivatives."""

import pytest
from arrays import Draw, Problem
from public_functions import WITHOUT, calls, missing_from
from random_programs.cases import TESTS, all_cases, draw_from_bytes

import adjoint


def drawn(name: str, table: dict, seed: int) -> Problem:
    return draw_from_bytes(lambda draw: table[name](name, Draw(draw, "generic", "float64")), f"{seed} {name}")


# Functions that PyTorch lacks, or of which it has no second derivative: the test that checks two derivatives.
ELSEWHERE = {
    "nn.ctc": "nn/test_alignments.py::test_two_derivatives_agree_with_the_sum_over_all_alignments",
    "nn.multilabel_margin": "nn/test_margin_losses.py::test_multilabel_losses_have_second_derivatives",
    **dict.fromkeys(
        ("special.betainc", "special.gamma", "special.gammainc", "special.gammaincc"),
        "arrays/functions/test_special_functions.py::test_central_differences_confirm_derivatives_that_pytorch_does_not_have",
    ),
    "special.logsumexp": "arrays/functions/test_special_functions.py::test_weights_of_logsumexp_follow_scipy",
    "lgamma": "arrays/functions/test_other_names.py::test_a_second_name_gives_the_same_derivatives",
    "special.psi": "arrays/functions/test_other_names.py::test_a_second_name_gives_the_same_derivatives",
    "dropout": "arrays/functions/test_convolution_and_attention.py::"
    "test_central_differences_confirm_the_derivatives_of_dropout",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_each_function_that_is_tested_elsewhere_is_named_there(name):
    path, _, test = ELSEWHERE[name].partition("::")
    text = (TESTS / path).read_text(encoding="utf-8")
    assert f"def {test}(" in text
    assert name.split(".")[-1] in text


def test_every_public_function_has_a_case_that_tests_its_derivatives():
    called, missing, names = set(), [], [name for name, _ in all_cases()]
    for seed in range(12):  # some cases choose between functions
        problems = [drawn(name, table, seed) for name, table in all_cases()]
        leaves = [list(map(adjoint.Tensor, problem.inputs)) for problem in problems]
        with calls() as found:
            for problem, operands in zip(problems, leaves):
                problem.ours(*operands)
        called |= found
        missing = [name for name in missing_from(called, names) if name not in ELSEWHERE]
        if not missing:
            break
    assert not missing, f"{missing} need a case; see tests/support/arrays.py"


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_each_exception_is_public(name):
    room, _, last = name.rpartition(".")
    assert last in dir(getattr(adjoint, room) if room else adjoint)
