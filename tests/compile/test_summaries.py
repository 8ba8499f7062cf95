"""Programs that XLA compiled, as text."""

import numpy as np
import pytest

import adjoint
from adjoint import Value, jit

pytest.importorskip("jax")


def test_a_program_of_arrays_says_how_many_equations_inputs_and_outputs_it_has():
    w = Value([1.0, 2.0])

    @jit
    def f(x):
        w.data = w.data + x * 2.0
        return x.sum()

    f(np.ones(2))
    assert str(f.program) == "3 equations on arrays (1 mul, 1 add, 1 reduce_sum), compiled by XLA; 2 inputs, 2 outputs"
    assert repr(f.program) == f"<program of arrays: {f.program}>"
    listing = f.program.listing()
    assert listing.startswith(str(f.program))
    assert "f64[2] = mul" in listing


def test_a_long_program_of_arrays_is_listed_in_part():
    @jit
    def f(x):
        for _ in range(200):
            x = adjoint.sin(x)
        return x

    f(np.ones(2))
    assert "200 equations" in str(f.program)
    assert "listing(full=True)" in f.program.listing()
    assert f.program.listing(full=True).count("= sin") == 200
