"""The comparison of the tests: what it accepts, and what it must refuse."""

import math
import os
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import torch
from closeness import is_close, require_close, require_drawn, require_shown, require_slope

import adjoint

X = np.array([1.0, -20.0, 3.0])
DIGITS = {"float16": 5.5e-3, "bfloat16": 2.6e-2, "float32": 6.4e-6, "float64": 1.8e-12}


@pytest.mark.parametrize(("dtype", "room"), DIGITS.items())
def test_three_quarters_of_the_digits_agree_at_the_size_of_the_largest_number(dtype, room):
    near, far = X + np.array([0.9 * 20 * room, 0, 0]), X + np.array([1.2 * 20 * room, 0, 0])
    assert is_close(near, X, dtype=dtype)
    assert not is_close(far, X, dtype=dtype)
    assert not is_close(near, X, dtype=dtype, each=True)


def test_the_coarsest_dtype_of_arrays_and_tensors_sets_the_tolerance():
    off = [x * (1 + 3e-6) for x in X.tolist()]
    assert not is_close(off, X)
    assert is_close(np.float32(off), X.tolist())
    assert is_close(adjoint.Tensor(off, dtype="float32"), torch.tensor(X, dtype=torch.float32))
    half = torch.tensor(X).bfloat16()
    assert is_close(X.astype(ml_dtypes.bfloat16), half + half * 0.01)


@pytest.mark.parametrize("options", [{"terms": 100}, {"condition": 10.0}, {"scale": 200.0}, {"ulps": 1e5}])
def test_a_long_sum_a_condition_a_size_or_a_number_of_ulps_widens_it(options):
    off = X + 1e-10
    assert not is_close(off, X)
    assert is_close(off, X, **options)


def test_other_shapes_dtypes_and_kinds_are_refused():
    for other in (X[None], X[:2], X.astype("float32"), X.tolist()[:2], {"x": X}, [X]):
        assert not is_close(other, X)
    assert not is_close(X, {"x": X})
    assert not is_close({"x": X}, {"y": X})
    assert not is_close([X, X], [X, X, X])
    assert not is_close([1, 2], np.array([1, 3]))
    assert is_close(X.astype("float32"), X, dtype="float32")


def test_nan_and_infinities_are_equal_only_to_themselves():
    edges = np.array([math.nan, math.inf, -math.inf, 1.0])
    assert is_close(edges, edges)
    for i, other in ((0, 1.0), (1, -math.inf), (1, 1e300), (2, math.nan), (3, math.nan), (3, math.inf)):
        changed = edges.copy()
        changed[i] = other
        assert not is_close(changed, edges)
    assert is_close(1e-320, 0.0)  # below the normal numbers there are no digits to agree
    assert not is_close(1e-300, 0.0)


def test_lists_dicts_and_complex_numbers_are_compared_inside():
    require_close({"a": [1.0, 2.0], "b": [X, 2.0]}, {"a": [1.0, 2.0], "b": [X, 2.0]})
    with pytest.raises(AssertionError, match=r"^weights\['b'\]\[0\]: element \(1,\) is -20\.0, not -19\.0: off by 1,"):
        require_close({"b": [X, 2.0]}, {"b": [X + [0, 1, 0], 2.0]}, "weights")
    assert is_close(X + 1j * X, X + 1j * X * (1 + 1e-13))
    assert not is_close(X + 1j * X, X - 1j * X)


def test_a_slope_has_a_third_of_the_digits_and_a_mean_five_standard_errors():
    require_slope(1.0 + 5e-6, 1.0)
    require_drawn(0.49, 0.5, spread=0.5, draws=100)
    for wrong in (lambda: require_slope(1.0 + 7e-6, 1.0), lambda: require_drawn(0.2, 0.5, spread=0.5, draws=100)):
        with pytest.raises(AssertionError):
            wrong()


def test_a_number_that_was_printed_rounded_is_within_half_a_unit_of_its_last_figure():
    require_shown([0.667, -1.24e-7, 0.0], [2 / 3, -1.235e-7, 0.0], 3)
    for shown in (0.66, 0.674, math.nan):
        with pytest.raises(AssertionError):
            require_shown(shown, 2 / 3, 3)


def test_the_fractions_of_all_processes_come_into_one_file(tmp_path):
    file, test = tmp_path / "fractions", tmp_path / "test_it.py"
    test.write_text(
        "from closeness import require_close\n"
        "def test_a():\n    require_close(1.0, 1.0)\n    require_close(1.0, 1.0 + 9e-13)\n    require_close(2.0, 2.0)\n"
    )
    support = Path(__file__).parent / "support"
    for _ in range(2):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(test)]
        environment = {**os.environ, "PYTHONPATH": str(support), "CLOSENESS": str(file)}
        subprocess.run(command, env=environment, check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    lines = [line.split("\t") for line in file.read_text().splitlines()]
    assert [round(float(fraction), 2) for fraction, *_ in lines] == [0.0, 0.49, 0.0, 0.49]
    assert {(test, place) for _, test, place in lines} == {
        ("test_it.py::test_a", "test_it.py:3"),
        ("test_it.py::test_a", "test_it.py:4"),
    }


def test_a_comparison_above_half_of_its_tolerance_needs_a_reason(tmp_path):
    file = tmp_path / "fractions"

    def closest(*lines):
        file.write_text("".join(f"{line}\n" for line in lines))
        command = [sys.executable, str(Path(__file__).parent / "outside" / "closest.py"), str(file)]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout

    fine = ("0.0100\ttests/nn/test_a.py::test_a[1]\ttest_a.py:3", "0.4900\ttests/nn/test_a.py::test_a[1]\ttest_a.py:4")
    assert closest(*fine) == (
        0,
        " 49%  tests/nn/test_a.py::test_a[1]  (test_a.py:4)\n"
        "1 tests compare numbers; 0 use more than 50% of a tolerance without a reason\n",
    )
    assert closest(*fine, "0.9000\ttests/test_closeness.py::test_b[x]\ttest_closeness.py:9")[0] == 0  # has a reason
    status, printed = closest(*fine, "0.5100\ttests/nn/test_a.py::test_b\ttest_a.py:9")
    assert status == 1
    assert printed.startswith(" 51%  tests/nn/test_a.py::test_b  (test_a.py:9)\n2 tests")
    assert closest()[0] == 2
