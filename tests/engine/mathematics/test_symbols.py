"""A rule printed as mathematical notation and as C code."""

import os
import shutil
import subprocess
import sys
from ast import literal_eval

import pytest

from adjoint import Value, ops
from adjoint.engine.mathematics.printing import rule_as_mathematics
from adjoint.engine.mathematics.symbols import c_header, python_function, read
from adjoint.engine.rule import evaluate, op
from adjoint.errors import OpError


@pytest.mark.parametrize(
    ("row", "printed"),
    [
        ("mul", "y = x·z    ∂y/∂x = z    ∂y/∂z = x"),
        ("sub", "y = x − z    ∂y/∂x = 1    ∂y/∂z = −1"),
        ("div", "y = x/z    ∂y/∂x = 1/z    ∂y/∂z = −y/z"),
        ("tanh", "y = tanh(x)    ∂y/∂x = 1 − y²"),
        ("sqrt", "y = sqrt(x) = √x    ∂y/∂x = 0.5/y"),
        ("exp", "y = exp(x) = e^x    ∂y/∂x = y"),
        ("log2", "y = log2(x)    ∂y/∂x = 1/(x·ln 2)"),
        ("atan", "y = atan(x)    ∂y/∂x = 1/(1 + x²)"),
        ("relu", "y = relu(x) = 0 if x ≤ 0 else x    ∂y/∂x = 0 if x ≤ 0 else 1"),
        ("neg", "y = neg(x) = −x    ∂y/∂x = −1"),
        ("erf", "y = erf(x)    ∂y/∂x = e^(−x²)·(2/√π)"),
        ("remainder", "y = mod(x, z)    ∂y/∂x = 1    ∂y/∂z = −floor(x/z)"),
        ("floor_divide", "y = floor(x/z)    ∂y/∂x = 0    ∂y/∂z = 0"),
        ("exp2", "y = exp2(x)    ∂y/∂x = y·ln 2"),
        ("hypot", "y = hypot(x, z)    ∂y/∂x = x/y    ∂y/∂z = z/y"),
        ("acos", "y = acos(x)    ∂y/∂x = −1/√((1 − x)·(1 + x))"),
    ],
)
def test_a_rule_prints_as_mathematics(row, printed):
    assert rule_as_mathematics(ops.TABLE[row]) == printed
    assert repr(ops.TABLE[row]) == printed


def test_parentheses_appear_only_where_they_are_needed():
    shape = op(
        "shape",
        lambda m, x, z: (x - (z - x)) * (x + z) / (x / z) ** 2,
        lambda m, y, x, z: -((x + z) ** 3) + m.abs(x) ** z,
        lambda m, y, x, z: (-x) * z - -z,
    )
    assert rule_as_mathematics(shape) == (
        "y = shape(x, z) = (x − (z − x))·(x + z)/(x/z)²    ∂y/∂x = −(x + z)³ + |x|^z    ∂y/∂z = −x·z − (−z)"
    )


def test_every_row_gives_the_same_results_compiled_and_rule_by_rule():
    for row in ops.TABLE.values():
        numbers = [0.75, 0.5][: len(row.operands)]
        everything = range(len(numbers))
        compiled = python_function(row, everything)(*map(Value, numbers))
        assert repr(compiled) == repr(evaluate(row, numbers, everything))  # NaN prints as nan in both


def test_the_error_for_a_rule_with_an_if_suggests_where():
    branching = op("branching", lambda m, x: x if x > 0 else -x, lambda m, y, x: 1.0)
    with pytest.raises(OpError, match=r"must use m\.where\(condition, x, z\) instead of `if`"):
        read(branching)


def test_the_generated_c_compiles_without_a_warning(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    source = tmp_path / "rows.c"
    helpers = "double maximum(double x, double z);\ndouble minimum(double x, double z);\n"
    helpers += "double floor_modulo(double x, double z);\ndouble floor_divide(double x, double z);\n"
    helpers += "double with_sign(double x, double z);\n#define UNUSED __attribute__((unused))\n"  # see compiler.h
    source.write_text("#include <math.h>\n" + helpers + c_header())
    flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-function"]
    subprocess.run([compiler, *flags, "-c", str(source), "-o", str(tmp_path / "rows.o")], check=True)


def test_the_first_multiplication_of_a_process_reads_only_its_own_rule():
    """A debugger that steps into `a * b` must not step through the whole table."""
    code = """
from adjoint import Value
from adjoint.engine import ops
read = []
for row in ops.TABLE.values():
    def forward(m, *operands, row=row, rule=row.forward):
        read.append(row.name)
        return rule(m, *operands)
    row.forward = forward
Value(2.0) * Value(3.0)
print(read)
Value(2.0) * Value(4.0)
Value(2.0).silu()
print(read)
"""
    environment = {**os.environ, "ADJOINT_PURE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    first, then = map(literal_eval, done.stdout.splitlines())
    assert first == ["*"]
    assert set(then) == {"*", "silu", "sigmoid"}
