"""`adjoint check` accepts the gradients of all operations, and detects a wrong one."""

import pytest

from adjoint import Op, ops
from adjoint.cli import check
from adjoint.cli.check import ARRAYS, findings


@pytest.mark.full
def test_every_operation_agrees_with_central_differences():
    found = list(findings(seed=1))
    assert [finding.operation for finding in found if not finding.ok] == []
    assert {finding.operation for finding in found} >= set(ops.TABLE)
    assert {finding.group for finding in found} == {"rows of the table", *ARRAYS}
    assert all(finding.compared >= 3 for finding in found)


def test_a_wrong_derivative_is_found(monkeypatch):
    wrong = Op("wrong", lambda m, x: m.tanh(x), (lambda m, y, x: 1 - y,))
    monkeypatch.setattr(check.ops, "TABLE", {"wrong": wrong})
    monkeypatch.setattr(check, "ARRAYS", {})
    assert [finding.ok for finding in findings()] == [False]


def test_a_wrong_derivative_of_one_element_of_an_array_is_found(monkeypatch):
    wrong = Op("wrong", lambda m, x: m.tanh(x), (lambda m, y, x: 1 - 1.001 * y * y,))
    monkeypatch.setattr(check.ops, "TABLE", {})
    monkeypatch.setattr(check, "ARRAYS", {"arrays": {"sum": lambda x: x.sum(), "wrong": lambda x: x + wrong(x[1, 2])}})
    assert [finding.ok for finding in findings()] == [True, False]
