"""What all tokenizers can do, and the tokenizer of bytes."""

import pytest
from hypothesis import given, strategies as st

from adjoint import data
from adjoint.errors import ArgumentError, DataError, FileError

TOKENIZERS = {
    "bytes": data.ByteTokenizer(),
    "byte pairs": data.BytePairTokenizer.from_texts(data.names(), vocab_size=300),
}
EACH = pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)


@EACH
@given(text=st.text())
def test_every_text_is_decoded_from_its_encoding(tokenizer, text):
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == "".join(tokenizer.stream(ids.tolist())) == text
    assert not (ids == tokenizer.end_of_text).any()


@given(st.text(min_size=1))
def test_characters_decode_every_text_of_them(text):
    characters = data.Characters([text])
    assert characters.decode(characters.encode(text)) == text


@EACH
def test_the_end_of_a_text_is_never_in_a_text_and_not_decoded(tokenizer):
    text = "<|endoftext|> and <|end_of_text|>"
    assert tokenizer.end_of_text not in tokenizer.encode(text)
    assert tokenizer.decode([*tokenizer.encode(text), tokenizer.end_of_text]) == text


def test_bytes_are_those_of_utf_8():
    assert data.ByteTokenizer().encode("aé語").tolist() == [97, 0xC3, 0xA9, 0xE8, 0xAA, 0x9E]


def test_a_stream_holds_back_the_bytes_of_a_character_until_it_is_whole():
    stream = data.ByteTokenizer().stream(iter([0x61, 0xE8, 0xAA, 0x9E, 0x62]))
    assert list(stream) == ["a", "語", "b"]


def test_bytes_that_are_not_utf_8_become_replacement_characters():
    tokenizer = data.ByteTokenizer()
    assert tokenizer.decode([0x61, 0xFF, 0x62]) == "a\ufffdb"
    assert tokenizer.decode([0x61, 0xE8, 0xAA]) == "a\ufffd"
    assert tokenizer.decode([0xC3, tokenizer.end_of_text, 0xA9]) == "\ufffd\ufffd"  # an end is also that of a character


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS.values(), data.Characters("Zé语")])
def test_a_saved_tokenizer_is_loaded_with_the_same_tokens(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    for loaded in (data.Tokenizer.load(tmp_path / "tokenizer.json"), data.Tokenizer.from_json(tokenizer.to_json())):
        assert type(loaded) is type(tokenizer)
        assert (loaded.vocab_size, loaded.end_of_text) == (tokenizer.vocab_size, tokenizer.end_of_text)
        assert loaded.encode("Zé").tolist() == tokenizer.encode("Zé").tolist()
    with pytest.raises(FileError, match=f"it is a {type(tokenizer).__name__}, not a Other; use data.Tokenizer.load"):
        type("Other", (data.ByteTokenizer,), {}).load(tmp_path / "tokenizer.json")


def test_files_that_are_no_tokenizers_are_errors(tmp_path):
    path = tmp_path / "tokenizer.json"
    for content, message in {
        "{": "a tokenizer is described by JSON",
        "[]": "this JSON does not describe a tokenizer",
        '{"kind": "words"}': "this JSON does not describe a tokenizer",
        '{"model": {"type": "BPE"}}': "the library tokenizers cannot read the tokenizer",
    }.items():
        path.write_text(content)
        with pytest.raises(FileError, match=message):
            data.Tokenizer.load(path)
    path.write_bytes(b"\xff")
    with pytest.raises(FileError, match="cannot read the tokenizer"):
        data.Tokenizer.load(path)
    with pytest.raises(DataError, match=r"does not exist; did you mean '.*tokenizer.json'"):
        data.Tokenizer.load(tmp_path / "tokeniser.json")


@EACH
def test_wrong_texts_and_ids_are_errors(tokenizer):
    with pytest.raises(ArgumentError, match="encode needs a text, not bytes b'abc'"):
        tokenizer.encode(b"abc")
    with pytest.raises(ArgumentError, match="at position 1 is half of a pair"):
        tokenizer.encode("a\ud800")
    with pytest.raises(ArgumentError, match=f"numbered from 0 to {tokenizer.vocab_size - 1}, so 999 is out of range"):
        tokenizer.decode([97, 999])
    with pytest.raises(ArgumentError, match="token ids must be integers, not float"):
        tokenizer.decode([1.5])


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS.values(), data.Characters("abc")])
@pytest.mark.parametrize("given", [5, None])
def test_what_is_not_texts_or_ids_is_refused(tokenizer, given):
    with pytest.raises(ArgumentError, match="decode needs several token ids, such as"):
        tokenizer.decode(given)
    with pytest.raises(ArgumentError, match="encode needs a text"):
        tokenizer.encode(given)
    for texts in (given, [given]):
        with pytest.raises(ArgumentError, match="encode_all needs texts, such as"):
            tokenizer.encode_all(texts)


@pytest.mark.parametrize(
    "make",
    [
        data.Characters,
        data.Characters("abc").sequences,
        lambda texts: data.Characters("abc").windows(texts, context=2),
        lambda texts: data.BytePairTokenizer.from_texts(texts, vocab_size=300),
        data.Tokens.from_text,
    ],
)
def test_texts_that_are_none_are_refused(make):
    for texts in (5, [5]):
        with pytest.raises(ArgumentError, match=r"needs texts, such as \['one', 'two'\], .* int 5"):
            make(texts)
