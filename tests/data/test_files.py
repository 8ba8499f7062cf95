"""Reading data from files, and the errors of files that cannot be read."""

import numpy as np
import pytest

from adjoint import data
from adjoint.errors import AdjointError, ArgumentError, DataError


@pytest.fixture
def table(tmp_path):
    def write(text, name="table.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "1,2,0\n3,4,1\n",
        "a,b,class\n1,2,0\n3,4,1\n",
        "a;b;class\n1;2;0\n3;4;1",
        "1\t2\t0\r\n3\t4\t1\r\n",
        '"a","b, c","d"\n"1",2.0,0\n\n 3 ,4e0,1\n\n',
        "\ufeffa,b,class\n1,2,0\n3,4,1\n",
    ],
)
def test_a_table_is_read_with_or_without_a_header(table, text):
    X, y = data.load(table(text))
    np.testing.assert_array_equal(X, [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(y, [0, 1])
    assert X.dtype == np.float64
    assert y.dtype == np.int64


@pytest.mark.parametrize("target", ["b", 1, -2])
def test_the_target_can_be_any_column(table, target):
    X, y = data.read(table("a,b,c\n1,2.5,3\n4,5.5,6\n"), target=target)
    np.testing.assert_array_equal(X, [[1, 3], [4, 6]])
    np.testing.assert_array_equal(y, [2.5, 5.5])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "table.csv is empty"),
        ("\n  \n", "table.csv is empty"),
        ("a,b\n", "has a header but no data"),
        ("1\n2\n", "has one column"),
        ("a,b,c\n1,2,3\n4,x,6\n", "table.csv, line 3, column 2 (b): 'x' is not a number"),
        ("1,2,3\n4,5,six\n", "table.csv, line 2, column 3: 'six' is not a number; only the first line may be a header"),
        ("1,two,3\n4,5,6\n", "table.csv, line 1, column 2: 'two' is not a number"),
        ("1,2,3\n\n4,5\n", "table.csv, line 3: found 2 columns, but the first line has 3"),
        ("1,2,3\n4\n", "table.csv, line 2: found 1 column, but the first line has 3"),
        ("1,2,3\n4,,6\n", "table.csv, line 2, column 2: the cell is empty"),
        ("a,b\n1,nan\n", "table.csv, line 2, column 2 (b): nan is not finite"),
        ("a,b\n1,2\n-inf,2\n", "table.csv, line 3, column 1 (a): -inf is not finite"),
        ('1,2\n"3,4\n', "table.csv, line 2: unexpected end of data"),
    ],
)
def test_an_error_in_a_table_names_the_line_and_column(table, text, message):
    with pytest.raises(DataError) as error:
        data.read(table(text))
    assert message in str(error.value)


def test_text_that_is_not_utf_8_is_refused(table):
    with pytest.raises(DataError, match="is not UTF-8 text"):
        data.read(table("größe,b\n1,2\n", encoding="latin-1"))


def test_a_missing_file_is_named(tmp_path):
    for name in ("no.csv", "no.npz"):
        with pytest.raises(DataError, match=rf"the file '.*{name}' does not exist"):
            data.read(tmp_path / name)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=r"cannot read '.*folder.csv': Is a directory"):
        data.read(tmp_path / "folder.csv")


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("a,bread\n1,2\n", "bred", "unknown column 'bred' (did you mean 'bread'?)"),
        ("1,2\n3,4\n", "a", "has no header; give the column"),
        ("1,2\n3,4\n", 2, "its index from 0 to 1, not 2"),
        ("1,2\n3,4\n", None, "its index from 0 to 1, not None"),
    ],
)
def test_a_target_that_is_not_a_column_is_refused(table, text, target, message):
    with pytest.raises(ArgumentError) as error:
        data.read(table(text), target=target)
    assert message in str(error.value)


def test_arrays_are_read_by_their_names(tmp_path):
    X, y = np.arange(12.0).reshape(3, 4).astype(np.float32), np.array([2, 0, 1])
    for names in (("X", "y"), ("x", "y"), ("X", "Y")):
        np.savez(tmp_path / "arrays.npz", **dict(zip(names, (X, y))), more=np.zeros(3))
        found = data.load(str(tmp_path / "arrays.npz"))
        np.testing.assert_array_equal(found[0], X)
        np.testing.assert_array_equal(found[1], y)
        assert found[0].dtype == np.float32


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.ones(3)}, "needs the arrays X and y; it has a"),
        ({"X": np.ones((3, 2)), "y": np.ones(2)}, "X has shape (3, 2) and y (2,)"),
        ({"X": np.array([[1, np.nan]]), "y": np.ones(1)}, "arrays.npz: X has nan in row 0, column 1"),
        ({"X": np.array([["a"]]), "y": np.ones(1)}, "X holds <U1, not numbers"),
        ({"X": np.array([[None]]), "y": np.ones(1)}, "is not a .npz file of numbers"),
    ],
)
def test_arrays_that_are_not_data_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "arrays.npz", **arrays)
    with pytest.raises(DataError) as error:
        data.read(tmp_path / "arrays.npz")
    assert message in str(error.value)


def test_a_broken_archive_is_refused(table):
    with pytest.raises(DataError, match=r"is not a \.npz file of numbers"):
        data.read(table("no archive", "broken.npz"))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: data.load("spiral"), "unknown data 'spiral' (did you mean 'spirals'?)"),
        (lambda: data.load(3), "unknown data 3"),
        (lambda: data.load("moons", noize=1), "unknown option of moons 'noize' (did you mean 'noise'?)"),
        (lambda: data.read("table.xlsx"), "read needs a .csv or .npz file, not 'table.xlsx'"),
        (lambda: data.read(3), "read needs the path of a file, not int 3"),
    ],
)
def test_unknown_data_is_refused_with_a_suggestion(ask, message):
    with pytest.raises(AdjointError) as error:
        ask()
    assert message in str(error.value)


def test_every_data_set_is_found_by_its_name():
    for name in data.DATASETS:
        assert len(data.load(name))
