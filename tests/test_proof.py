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
        ([95, 105], False),
        ([45, 50], True),
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
    assert "samples | 90 of 100 (90.0 %) |" in text
    assert "| sort | refused | 3 | a \\| b |" in text
    assert "| Title | sin | 1 | is odd |" in text.partition("wrong in the references")[2]
    assert "| [Title](#title) | samples |" in text


def test_differences_with_the_same_reason_are_one_row(proof):
    differences = [proof.Difference(name, "refused", "of bits", 2) for name in "abcdef"]
    differences.append(proof.Difference("g", "wrong", "of bits"))
    text = proof.page([proof.Report("Title", "torch 2", "how", [], differences)], 120.0)
    assert "| a, b, c, d and 2 others | refused | 12 | of bits |" in text
    assert "| g | wrong | 1 | of bits |" in text


def test_nothing_is_recorded_while_a_share_fell_or_a_reason_is_missing(proof, tmp_path, monkeypatch):
    shares, page = tmp_path / "shares.json", tmp_path / "proof.md"
    monkeypatch.setattr(proof, "SHARES", shares)
    monkeypatch.setattr(proof, "PAGE", page)
    monkeypatch.setattr(proof, "sources", lambda: ["source"])
    monkeypatch.setattr(sys, "argv", ["proof"])
    found = [proof.Report("Source", "package 1", "how", [proof.Share("samples", n, 100)]) for n in (90, 89, 91)]
    monkeypatch.setattr(proof, "run_apart", lambda *given: found[0])
    assert proof.main() == 0
    monkeypatch.setattr(proof, "run_apart", lambda *given: found[1])
    before = shares.read_text(), page.read_text()
    assert proof.main() == 1
    assert (shares.read_text(), page.read_text()) == before
    monkeypatch.setattr(proof, "run_apart", lambda *given: found[2])
    found[2].differences.append(proof.Difference("f", "wrong", ""))
    assert proof.main() == 1
    assert (shares.read_text(), page.read_text()) == before
    found[2].differences.clear()
    assert proof.main() == 0
    assert "91" in shares.read_text()
    monkeypatch.setattr(proof, "sources", lambda: ["another"])
    assert proof.main() == 1
