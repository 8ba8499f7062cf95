"""Tables as text."""

from adjoint.errors.text_table import table


def test_columns_are_as_wide_as_their_widest_entry_and_lines_have_no_trailing_spaces():
    assert table(["a", "long name", "n"], [["word", "", "1"], ["", "x", "23"]], "  r").splitlines() == [
        "a     long name   n",
        "───────────────────",
        "word              1",
        "      x          23",
    ]


def test_a_table_without_rows_has_its_headings():
    assert table(["a", "b"], []) == "a  b\n────"
