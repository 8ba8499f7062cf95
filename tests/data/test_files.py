"""Reading data from files, and the errors of files that cannot be read."""

import zipfile

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
        ("1,two,3\n4,5,6\n", "table.csv, line 1, column 2: 'two' is not a number; if it is one of the names of the"),
        ("1,2,3\n4,2024_10,6\n", "table.csv, line 2, column 2: '2024_10' is not a number"),
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


@pytest.mark.parametrize("first", ["0,1,2", "NA,NA,NA", "?,?,?", ",0,1", "-,n/a,null"])
def test_a_first_line_that_may_be_names_or_a_sample_is_refused_until_header_decides(table, first):
    path = table(f"{first}\n3,4,0\n6,7,1\n")
    with pytest.raises(DataError, match=r"table\.csv, line 1: .* may be .*header=True or header=False"):
        data.read(path)
    if first != "?,?,?" and first != "NA,NA,NA":  # names must differ
        X, y = data.load(path, header=True)
        np.testing.assert_array_equal(X, [[3.0, 4.0], [6.0, 7.0]])
        np.testing.assert_array_equal(y, [0, 1])
    if first == "0,1,2":
        X, y = data.load(path, header=False)
        np.testing.assert_array_equal(X, [[0.0, 1.0], [3.0, 4.0], [6.0, 7.0]])
        np.testing.assert_array_equal(y, [2, 0, 1])
    else:
        with pytest.raises(DataError, match=r"table\.csv, line 1, column 1"):
            data.load(path, header=False)


def test_names_that_are_years_are_read_where_header_says_so(table):
    path = table("id,2020,2021\n1,2,0\n3,4,1\n")
    with pytest.raises(DataError, match="line 1, column 1: 'id' is not a number"):
        data.read(path)
    X, y = data.read(path, target="2020", header=True)
    np.testing.assert_array_equal(X, [[1.0, 0.0], [3.0, 1.0]])
    np.testing.assert_array_equal(y, [2, 4])


@pytest.mark.parametrize("header", [None, 0, "yes"])
def test_header_is_true_false_or_auto(table, header):
    with pytest.raises(ArgumentError, match="header must be True, False or 'auto', not"):
        data.read(table("1,2\n"), header=header)


@pytest.mark.parametrize("target", ["y", -1, 0])
def test_a_name_of_two_columns_is_refused(table, target):
    with pytest.raises(DataError, match="line 1: two columns have the name 'y'; give each column a name of its own"):
        data.read(table("y,x,y\n1,2,3\n"), target=target)


def test_the_index_that_pandas_writes_is_not_an_input(table):
    frame = pytest.importorskip("pandas").DataFrame({"x1": [5, 6, 7], "x2": [1, 2, 3], "y": [0, 1, 0]})
    with pytest.raises(DataError, match=r"column 1: .* counts the lines, .* to_csv\(index=False\)"):
        data.read(table(frame.to_csv()))
    X, y = data.read(table(frame.to_csv(index=False)))
    np.testing.assert_array_equal(X, [[5, 1], [6, 2], [7, 3]])
    np.testing.assert_array_equal(y, [0, 1, 0])


# --- targets ---

_LARGE = [6e23, -6e23, 1e19, 2.0**63, 2.0**53 + 2, 2.0**53, 1e300]


@pytest.mark.parametrize("large", _LARGE)
def test_targets_too_large_for_integers_are_floats(table, tmp_path, large):
    X, expected = [[1.0], [2.0]], [large, 1.0]
    _, y = data.read(table(f"1,{large!r}\n2,1\n"))
    assert y.dtype == np.float64
    assert y.tolist() == expected
    np.savez(tmp_path / "arrays.npz", X=X, y=np.array(expected))
    _, y = data.read(tmp_path / "arrays.npz")
    assert y.dtype == np.float64
    assert y.tolist() == expected


def test_a_target_that_is_read_as_another_integer_is_no_class(table):
    _, y = data.read(table("1,9007199254740993\n2,1\n"))  # 2**53 + 1, which no float is
    assert y.dtype == np.float64


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (np.array([2**53 - 1, 1 - 2**53], float), "i"),
        (np.array([2**62, -(2**63)], np.int64), "i"),
        (np.array([2**64 - 1, 1], np.uint64), "f"),
        (np.array([255, 1], np.uint8), "i"),
        (np.array([True, False]), "i"),
        (np.array([60000, 1], np.float16), "i"),
        (np.array([3e38, 1], np.float32), "f"),
    ],
)
def test_targets_keep_their_numbers_for_every_dtype(tmp_path, given, kind):
    np.savez(tmp_path / "arrays.npz", X=np.ones((2, 1)), y=given)
    _, y = data.read(tmp_path / "arrays.npz")
    assert y.dtype.kind == kind
    assert y.tolist() == given.astype(y.dtype).tolist() == [type(y.tolist()[0])(x) for x in given.tolist()]


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
        ({"X": np.array([[None]]), "y": np.ones(1)}, "X holds object, not numbers"),
    ],
)
def test_arrays_that_are_not_data_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "arrays.npz", **arrays)
    with pytest.raises(DataError) as error:
        data.read(tmp_path / "arrays.npz")
    assert message in str(error.value)


def test_a_header_that_asks_for_80_gigabytes_is_refused(tmp_path):
    path = tmp_path / "arrays.npz"
    np.savez(path, X=np.ones((7, 1)), y=np.ones(7))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for change in (b"(10000000000, 1), }", b"(4611686018427387904, 4), }", b"(-7, -1), }", b"((((7, 1), }"):
        before = b"(7, 1), }" + b" " * (len(change) - len(b"(7, 1), }"))
        assert before in members["X.npy"]
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("X.npy", members["X.npy"].replace(before, change))
            archive.writestr("y.npy", members["y.npy"])
        with pytest.raises(DataError, match=r"arrays\.npz: X (says that it has an array|is damaged|holds)"):
            data.read(path)


def test_a_size_that_no_compression_reaches_is_refused(tmp_path):
    path = tmp_path / "arrays.npz"
    np.savez_compressed(path, X=np.zeros((1000, 1)), y=np.ones(1000))
    content = path.read_bytes()
    size = (8128).to_bytes(4, "little")
    assert size in content
    path.write_bytes(content.replace(size, (2**31).to_bytes(4, "little")))
    with pytest.raises(DataError, match=r"arrays\.npz: [Xy] says that it has 2,147,483,648 bytes, more than"):
        data.read(path)


def test_only_the_arrays_of_data_are_read(tmp_path):
    """Another array of the file may be of any kind, and larger than memory."""
    np.savez(tmp_path / "arrays.npz", X=np.ones((3, 2)), y=np.ones(3), names=np.array([["a"], None], object))
    assert data.read(tmp_path / "arrays.npz")[0].shape == (3, 2)


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
