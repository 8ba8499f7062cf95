"""The command `make proof`: which results are errors, and the page that it writes."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "proof"


@pytest.fixture(scope="module")
def proof():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        specification = importlib.util.spec_from_file_location("proof_program", FOLDER / "__main__.py")
        assert specification is not None
        assert specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        yield module
        sys.modules.pop("report")


RECORDED = {"source": {"samples": [90, 100]}}


@pytest.mark.parametrize(
    ("now", "is_error"),
    [
        ([90, 100], False),
        ([91, 100], False),
        ([45, 50], False),
        ([89, 100], True),
        ([90, 101], True),
        ([0, 0], True),
    ],
)
def test_a_share_that_fell_is_an_error(proof, now, is_error):
    assert bool(proof.fallen({"source": {"samples": now}}, RECORDED)) is is_error


def test_a_share_that_is_missing_is_an_error(proof):
    assert proof.fallen({"source": {"other": [1, 1]}}, RECORDED)


@pytest.mark.parametrize(("reason", "is_error"), [("PyTorch counts from 1", False), (" ", True)])
def test_a_difference_without_a_reason_is_an_error(proof, reason, is_error):
    report = proof.Report("title", "source", "how", differences=[proof.Difference("f", "wrong", reason)])
    assert bool(proof.unexplained({"source": report})) is is_error


def test_the_page_shows_shares_differences_and_errors_of_references(proof):
    differences = [proof.Difference("sort", "refused", "a | b", 3), proof.Difference("sin", "reference", "is odd")]
    report = proof.Report("Title", "torch 2", "how", [proof.Share("samples", 90, 100)], differences)
    text = proof.page([report], 120.0)
    assert "| samples | 90 of 100 (90.0 %) |" in text
    assert "| sort | refused | 3 | a \\| b |" in text
    assert "| Title | sin | is odd |" in text.partition("wrong in the references")[2]
