"""`adjoint tokenize`: texts, tokenizers, files and messages."""

import io
import json
import re

import pytest

from adjoint import data
from adjoint.cli.command_line import main

TEXT = "\n".join(" ".join(data.names()[i : i + 9]) for i in range(0, 540, 9)) + "\n\n<|endoftext|>\nfin"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = main(["tokenize", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_text_becomes_bytes_and_the_next_command_is_said(folder, capsys):
    code, out, error = run(capsys, "text.txt")
    assert (code, error) == (0, "")
    size = len(TEXT)
    assert out == (
        f"{size:,} bytes are {size + 1:,} tokens, 1.00 bytes each (ByteTokenizer, vocabulary 257)\n"
        "wrote text.bin and text.tokenizer.json\ntrain with: adjoint train text.bin\n"
    )
    tokens = data.Tokens("text.bin")
    assert tokens[:].tolist() == [*TEXT.encode(), 256]


def test_byte_pairs_are_trained_on_the_texts_and_used_again(folder, capsys):
    (folder / "more.txt").write_text("anna and bob")
    code, out, _ = run(
        capsys, "text.txt", "more.txt", "--tokenizer", "bpe", "--vocab-size", 300, "--validation", 0.1, "--out", "t.bin"
    )
    assert code == 0
    assert "trained a tokenizer of 300 tokens in" in out
    assert out.endswith("for validation\ntrain with: adjoint train t.bin --validation t.validation.bin\n")
    train, validation = data.Tokens("t.bin"), data.Tokens("t.validation.bin")
    assert train.tokenizer is not None
    assert train.tokenizer.decode([*train[:], *validation[:]]) == TEXT + "anna and bob"
    assert round(9 * len(validation) / len(train)) == 1
    code, out, _ = run(capsys, "more.txt", "--tokenizer", "t.tokenizer.json", "--json")
    found = json.loads(out)
    expected = train.tokenizer.encode("anna and bob")
    assert (code, found["file"], found["tokens"], found["bytes"]) == (0, "more.bin", len(expected) + 1, 12)
    assert data.Tokens("more.bin")[:-1].tolist() == expected.tolist()


def test_a_terminal_shows_a_bar_with_the_bytes_on_the_error_stream(folder, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal, output = Terminal(), io.StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("sys.stdout", output)
    monkeypatch.setenv("TERM", "xterm")
    (folder / "text.txt").write_text(TEXT * 300)
    assert main(["tokenize", "text.txt"]) == 0
    assert "tokenizing" in terminal.getvalue()
    assert "1.1/1.1 MB" in terminal.getvalue()
    assert re.search(r"bytes each \(ByteTokenizer, vocabulary 257; [\d.]+ MB/s\)", output.getvalue())


def test_names_are_one_per_line(folder, capsys):
    assert run(capsys, "names")[0] == 0
    tokens = data.Tokens("names.bin")
    assert tokens.tokenizer is not None
    assert tokens.tokenizer.decode(tokens[:]).splitlines() == data.names()


def test_a_separator_is_the_end_of_a_text(folder, capsys):
    assert run(capsys, "text.txt", "--separator", "<|endoftext|>")[0] == 0
    first, second = TEXT.encode().split(b"<|endoftext|>")
    assert data.Tokens("text.bin")[:].tolist() == [*first, 256, *second, 256]
    assert run(capsys, "names", "--separator", r"\n")[0] == 0
    assert data.Tokens("names.bin")[:6].tolist() == [*b"aaron", 256]


def test_a_separator_in_a_long_text_without_spaces_is_found(folder, capsys):
    (folder / "text.txt").write_text("x" * (2**20 - 5) + "<|endoftext|>" + "y" * 10)
    assert run(capsys, "text.txt", "--separator", "<|endoftext|>")[0] == 0
    assert data.Tokens("text.bin")[2**20 - 6 :].tolist() == [*b"x", 256, *b"y" * 10, 256]


def test_validation_needs_the_tokenizer_of_training(folder, capsys):
    for name, text in (("a", TEXT), ("b", TEXT[::-1])):
        (folder / f"{name}.txt").write_text(text)
        assert run(capsys, f"{name}.txt", "--tokenizer", "bpe", "--vocab-size", 280)[0] == 0
    assert main(["train", "a.bin", "--validation", "b.bin"]) == 2
    assert "the tokens of b.bin were made with another tokenizer than the training data" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["txt.txt"], "the file 'txt.txt' does not exist; did you mean 'text.txt'?"),
        (
            ["text.txt", "--out", "text.txt"],
            "'text.txt' would be replaced by its tokens; choose another file with --out",
        ),
        (["text.txt", "--out", "no/t.bin"], "the folder 'no' does not exist; create it first"),
        (["text.txt", "--out", "t.tok"], "--out needs a file that ends in .bin, such as train.bin, not 't.tok'"),
        (["text.txt", "--tokenizer", "byts"], "the file 'byts' does not exist"),
        (["text.txt", "--tokenizer", "text.txt"], "cannot read the tokenizer 'text.txt'"),
        (["text.txt", "--vocab-size", "300"], "--vocab-size is for --tokenizer bpe; that of bytes is fixed"),
        (["text.txt", "--tokenizer", "bpe", "--vocab-size", "9"], "vocab_size must be at least 257"),
        (["text.txt", "--validation", "1.5"], "expected a number of at least 0 and below 1, not '1.5'"),
        (["text.txt", "--separator", "a b"], "--separator must be a text without spaces"),
        (["empty.txt"], "the texts have only 1 tokens, too few to train on"),
        (["bytes.txt"], "'bytes.txt' is not UTF-8 text: byte 3 is wrong; save it in UTF-8"),
        (["."], "'.' is a folder; give the text files in it"),
        (["text.txt", "--out", "."], "expected the path of a file, such as 'train.bin', not the folder '.'"),
        ([], "the following arguments are required: TEXT; see adjoint tokenize --help"),
    ],
)
def test_wrong_arguments_give_one_line(folder, capsys, arguments, message):
    (folder / "empty.txt").write_text("")
    (folder / "bytes.txt").write_bytes(b"abc\xff")
    code, out, error = run(capsys, *arguments)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert message in error
    assert not list(folder.glob("*.bin*")) + list(folder.glob(".*.tmp"))
