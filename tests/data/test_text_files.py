"""Text files in pieces."""

import pytest

from adjoint.data.text_files import read_pieces
from adjoint.errors import DataError


def test_pieces_are_cut_between_words_and_hold_the_whole_text(tmp_path):
    path, text = tmp_path / "text.txt", "one two  three\n\nfour\nfive six " * 50
    path.write_bytes(text.encode())
    counts = []
    pieces = list(read_pieces(path, 64, counts.append))
    assert "".join(pieces) == text
    assert sum(counts) == len(text)
    assert len(pieces) > 10
    assert all(piece[0] == " " and not piece[1].isspace() for piece in pieces[1:])


def test_text_without_a_place_to_cut_is_cut_anyway(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("語" * 10_000, encoding="utf-8")
    pieces = list(read_pieces(path, 100))
    assert "".join(pieces) == "語" * 10_000
    assert max(map(len, pieces)) <= 6400


@pytest.mark.parametrize("separator", ["<|end|>", "\n\n", "aa", "aba", "|"])
def test_a_separator_is_not_cut(tmp_path, separator):
    """Also not where the text has no other place to cut: the pieces have the documents of the whole text."""
    path = tmp_path / "text.txt"
    for length in range(300):
        text = "x" * length + 3 * separator + separator[:-1] + "y" * 30 + separator
        path.write_text(text, newline="")
        pieces = list(read_pieces(path, 2, separator=separator))
        assert "".join(pieces) == text
        assert sum(len(piece.split(separator)) - 1 for piece in pieces) == len(text.split(separator)) - 1


@pytest.mark.parametrize("before", [0, 99, 98, 250])
def test_bytes_that_are_not_utf_8_are_an_error_that_names_their_position(tmp_path, before):
    path = tmp_path / "text.txt"
    path.write_bytes(b"a" * before + "語".encode() + b"\xff" + b"b" * 300)
    with pytest.raises(DataError, match=f"is not UTF-8 text: byte {before + 3} is wrong"):
        list(read_pieces(path, 100))
    path.write_bytes(b"a" * before + "語".encode()[:2])
    with pytest.raises(DataError, match=f"is not UTF-8 text: byte {before} is wrong"):
        list(read_pieces(path, 100))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    (tmp_path / "text.txt").write_text("a")
    with pytest.raises(DataError, match=r"does not exist; did you mean '.*text.txt'"):
        list(read_pieces(tmp_path / "txt.txt"))
    with pytest.raises(DataError, match=r"cannot read .*: Is a directory"):
        list(read_pieces(tmp_path))
