"""Files of tokens that are written from texts."""

import numpy as np
import pytest

from adjoint import data
from adjoint.errors import ArgumentError, DataError, FileError
from adjoint.files.tokenizing import write_tokens

WORDS = " ".join(data.names())
PAIRS = data.BytePairTokenizer.from_texts([WORDS], vocab_size=400)


@pytest.mark.parametrize("tokenizer", [data.ByteTokenizer(), PAIRS, data.Characters(WORDS)])
def test_a_file_holds_the_tokens_of_the_texts_and_their_ends(tmp_path, tokenizer):
    path = tmp_path / "train.bin"
    counts = write_tokens(path, [[WORDS[:100], WORDS[100:]], ["anna"]], tokenizer)
    tokens = data.Tokens(path)
    pieces = (WORDS[:100], WORDS[100:]) if tokenizer is PAIRS else (WORDS,)
    expected = [*(i for x in pieces for i in tokenizer.encode(x)), tokenizer.end_of_text]
    expected += [*tokenizer.encode("anna"), tokenizer.end_of_text]
    assert tokens[:].tolist() == expected
    assert tuple(counts) == (len(tokens), 0)
    assert tokens.vocab_size == tokenizer.vocab_size
    assert tokens.tokenizer is not None
    assert tokens.tokenizer.to_json() == tokenizer.to_json()
    assert {x.name for x in tmp_path.iterdir()} == {"train.bin", "train.bin.json", "train.tokenizer.json"}


def test_the_end_of_the_tokens_is_for_validation(tmp_path):
    path = tmp_path / "train.bin"
    counts = write_tokens(path, [[WORDS]], PAIRS, validation=0.25)
    train, validation = data.Tokens(path), data.Tokens(tmp_path / "train.validation.bin")
    assert tuple(counts) == (len(train), len(validation))
    assert len(validation) == round(0.25 * sum(counts))
    assert np.concatenate([train[:], validation[:]]).tolist() == [*PAIRS.encode(WORDS), PAIRS.end_of_text]
    assert validation.tokenizer is not None
    assert validation.vocab_size == train.vocab_size == PAIRS.vocab_size
    train.verify()
    validation.verify()


def test_a_separator_ends_a_text(tmp_path):
    path, tokenizer = tmp_path / "train.bin", data.ByteTokenizer()
    write_tokens(path, [["one<|endoftext|>two", "<|endoftext|>", "three"]], tokenizer, separator="<|endoftext|>")
    assert data.Tokens(path)[:].tolist() == data.Tokens.from_text(["one", "two", "three"])[:].tolist()


def test_a_large_vocabulary_needs_uint32(tmp_path):
    letters = "".join(map(chr, range(0x10000, 0x20000)))
    for one, dtype in ((data.Characters(letters[1:]), "uint16"), (data.Characters(letters), "uint32")):
        text = one.letters[-3:]
        write_tokens(tmp_path / "train.bin", [[text]], one)
        tokens = data.Tokens(tmp_path / "train.bin")
        assert tokens[:].dtype == dtype
        assert tokens[:].tolist() == [*one.encode(text), 0]


def test_a_file_that_was_changed_is_found_by_its_checksum(tmp_path):
    path = tmp_path / "train.bin"
    write_tokens(path, [["some text"]], data.ByteTokenizer())
    content = bytearray(path.read_bytes())
    content[4] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="was changed or damaged"):
        data.Tokens(path).verify()
    with pytest.raises(DataError, match="the array of tokens has no checksum"):
        data.Tokens([1, 2]).verify()


def test_a_tokenizer_that_was_replaced_is_found_by_its_checksum(tmp_path):
    path, other = tmp_path / "train.bin", data.BytePairTokenizer.from_texts([WORDS[::-1]], vocab_size=400)
    write_tokens(path, [[WORDS]], PAIRS, validation=0.1)
    write_tokens(path, [[WORDS]], other)  # the file of validation is that of the earlier call
    assert data.Tokens(path).tokenizer is not None
    with pytest.raises(DataError, match=r"json' is not the tokenizer that .*validation.bin' was made with"):
        _ = data.Tokens(tmp_path / "train.validation.bin").tokenizer


def test_an_error_leaves_the_old_files(tmp_path):
    path = tmp_path / "train.bin"
    write_tokens(path, [["some text"]], data.ByteTokenizer())

    def broken():
        yield "other"
        raise DataError("the text is broken")

    for texts, message in (([broken()], "the text is broken"), ([], "only 0 tokens"), ([[""]], "only 1 tokens")):
        with pytest.raises(DataError, match=message):
            write_tokens(path, texts, PAIRS)
    data.Tokens(path).verify()
    assert isinstance(data.Tokens(path).tokenizer, data.ByteTokenizer)
    assert len(list(tmp_path.iterdir())) == 3
    with pytest.raises(FileError, match=r"the folder .* does not exist; create it first"):
        write_tokens(tmp_path / "nowhere" / "train.bin", [["some text"]], PAIRS)
    with pytest.raises(DataError, match=r"validation=0.9 of 3 tokens leaves none to train on; use a smaller fraction"):
        write_tokens(path, [["ab"]], data.ByteTokenizer(), validation=0.9)
    with pytest.raises(ArgumentError, match="validation must be a fraction from 0 to below 1, not float 1"):
        write_tokens(path, [["some text"]], PAIRS, validation=1.0)
