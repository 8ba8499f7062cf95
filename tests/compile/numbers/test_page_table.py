"""The table of rules printed as JavaScript. tests/lab/browser/test_rules.py compares its results with the engine's."""

from pathlib import Path

from adjoint import ops
from adjoint.compile.numbers.page_table import generate

PRINTED = Path(__file__).parents[3] / "web" / "src" / "rules" / "table.ts"


def test_the_rules_of_the_page_are_printed_from_the_table():
    assert PRINTED.read_text() == generate(), "ops.py has changed since the rules were printed: run `make web`"


def test_every_row_has_its_rule_under_the_name_that_scenes_use():
    printed = generate()
    for row, op in ops.TABLE.items():
        partials = ", ".join(f"{row}_d{i}" for i in range(len(op.operands)))
        assert f"forward: {row}_y, partials: [{partials}]" in printed
        assert f'  "{op.name}": {{ operands: ' in printed


def test_a_row_may_call_other_rows_and_functions_that_javascript_lacks():
    printed = generate().splitlines()
    assert "const silu_y = (x: number): number => (x * sigmoid_y(x));" in printed
    assert "const erf_d0 = (_y: number, x: number): number => (m.exp((-(x * x))) * 1.1283791670955126);" in printed
    assert "const remainder_d1 = (_y: number, x: number, z: number): number => (-m.floorDivide(x, z));" in printed
