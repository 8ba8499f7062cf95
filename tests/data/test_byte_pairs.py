"""The tokenizer of byte pairs: against a hand-checked example, and against the library `tokenizers`."""

import json
import random

import pytest
import tokenizers
from hypothesis import given, settings, strategies as st

from adjoint import data
from adjoint.data import byte_pairs
from adjoint.data.text_files import read_pieces
from adjoint.errors import ArgumentError, FileError, MissingExtraError

TOKENIZER = data.BytePairTokenizer.from_texts(["the quick brown fox", "naïve café", *data.names()], vocab_size=350)
LIBRARY = tokenizers.Tokenizer.from_str(TOKENIZER.to_json())
WORDS = st.lists(st.sampled_from(["the", "quick", " ", "  ", "\n", "\t", "é", "5", "'s", "!", "<|endoftext|>", "語"]))


def gpt2_folder(folder, vocabulary, merges):
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{merge}\n" for merge in merges))
    return folder


def test_merges_are_applied_in_their_order(tmp_path):
    """With the merges l-o, lo-w, e-r: "lower low" is [low, er, Ġ, low]; Ġ is a space."""
    letters = ["l", "o", "w", "e", "r", "\u0120", "\u0142", "lo", "low", "er", "<|endoftext|>"]
    vocabulary = {letter: i for i, letter in enumerate(letters)}
    folder = gpt2_folder(tmp_path, vocabulary, ["l o", "lo w", "e r"])
    for path in (folder, folder / "vocab.json"):
        tokenizer = data.BytePairTokenizer.load(path)
        assert tokenizer.encode("lower low").tolist() == [8, 9, 5, 8]
        assert tokenizer.encode("wolo").tolist() == [2, 1, 7]
        assert tokenizer.decode([8, 9, 5, 8, 10]) == "lower low"
        assert (tokenizer.vocab_size, tokenizer.end_of_text) == (11, 10)
    assert isinstance(data.Tokenizer.load(folder), data.BytePairTokenizer)


def test_training_merges_the_most_frequent_pair_first():
    tokenizer = data.BytePairTokenizer.from_texts(["aaab ab ab"], vocab_size=259)
    assert [tokenizer.bytes_of(i) for i in (257, 258)] == [b"ab", b" ab"]  # ab occurs 3 times, then " ab" 2 times


@given(st.one_of(st.text(), WORDS.map("".join)))
@settings(deadline=None)
def test_the_tokens_are_those_of_the_library(text):
    if "<|endoftext|>" not in text:  # the library would make a token of it
        assert TOKENIZER.encode(text).tolist() == LIBRARY.encode(text).ids


@given(st.lists(st.integers(1, TOKENIZER.vocab_size - 1)))
@settings(deadline=None)
def test_any_tokens_are_decoded_as_by_the_library_and_by_a_stream(ids):
    assert TOKENIZER.decode(ids) == "".join(TOKENIZER.stream(iter(ids))) == LIBRARY.decode(ids)


def test_every_byte_has_its_token():
    assert sorted(TOKENIZER.bytes_of(i) for i in range(1, 257)) == [bytes([b]) for b in range(256)]


def with_other_words() -> data.BytePairTokenizer:
    """Return a tokenizer that cuts text into words as those of later models do: punctuation takes newlines along."""
    inner = tokenizers.Tokenizer.from_str(TOKENIZER.to_json())
    pattern = tokenizers.Regex(
        r"\p{N}{1,3}|[^\r\n\p{L}\p{N}]?\p{L}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    before = tokenizers.pre_tokenizers
    inner.pre_tokenizer = before.Sequence([before.Split(pattern, "isolated"), before.ByteLevel(False, use_regex=False)])
    return data.BytePairTokenizer(inner)


@pytest.mark.parametrize("tokenizer", [TOKENIZER, with_other_words()], ids=["GPT-2", "later"])
@given(words=WORDS, size=st.integers(1, 30))
@settings(deadline=None)
def test_the_tokens_of_the_pieces_of_a_file_are_those_of_the_text(tmp_path_factory, tokenizer, words, size):
    text, path = "".join(words), tmp_path_factory.getbasetemp() / "pieces.txt"
    path.write_text(text, encoding="utf-8", newline="")
    pieces = list(read_pieces(path, size))
    assert "".join(pieces) == text
    if max(map(len, pieces), default=0) < 64 * size:  # otherwise a piece may be cut anywhere
        found = [i for ids in tokenizer.encode_all(pieces) for i in ids]
        assert found == tokenizer.encode(text).tolist()


def test_training_on_files_is_training_on_their_texts(tmp_path):
    text = " ".join(random.Random(0).choices(data.names(), k=2000))
    (tmp_path / "a.txt").write_text(text[:5000])
    (tmp_path / "b.txt").write_text(text[5000:])
    from_files = data.BytePairTokenizer.train([tmp_path / "a.txt", str(tmp_path / "b.txt")], 300)
    from_texts = data.BytePairTokenizer.from_texts([text[:5000], text[5000:]], 300)
    assert from_files.encode(text).tolist() == from_texts.encode(text).tolist()


def test_a_tokenizer_of_another_kind_is_an_error(tmp_path):
    other = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "<|endoftext|>": 1}))
    other.save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(FileError, match=r"has a model of type WordLevel and a decoder of type None; .* needs BPE"):
        data.Tokenizer.load(tmp_path)
    folder = gpt2_folder(tmp_path, {"a": 0}, [])
    (folder / "tokenizer.json").unlink()
    with pytest.raises(FileError, match=r"has no end-of-text token, called <\|endoftext\|>"):
        data.Tokenizer.load(folder)
    (folder / "merges.txt").unlink()
    with pytest.raises(FileError, match=r"has neither tokenizer.json nor vocab.json and merges.txt"):
        data.Tokenizer.load(folder)
    (folder / "merges.txt").write_text("#version: 0.2\nb c\n")
    with pytest.raises(FileError, match=r"cannot read '.*vocab.json' and '.*merges.txt'"):
        data.Tokenizer.load(folder)
    with pytest.raises(ArgumentError, match=r"needs a Tokenizer of the library tokenizers, not str 'tokenizer.json'"):
        data.BytePairTokenizer("tokenizer.json")
    with pytest.raises(ArgumentError, match="vocab_size must be at least 257: 256 bytes"):
        data.BytePairTokenizer.from_texts(["a"], vocab_size=100)


def test_without_the_library_an_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"BytePairTokenizer needs tokenizers, .*\[tokenizers\]"):
        byte_pairs.BytePairTokenizer.from_texts(["a"], vocab_size=300)


def changed_vocabulary(**tokens):
    notes = json.loads(TOKENIZER.to_json())
    notes["model"]["vocab"] |= tokens
    return json.dumps(notes)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ({"!": 2**31}, "the token str '!' has the id int 2147483648; ids are 0 to 16,777,215"),
        ({"!": 2**40}, "has the id int 1099511627776"),
        ({"!": -1}, "has the id int -1"),
        ({"!": 1.5}, "has the id float 1.5"),
        ({"!": True}, "has the id bool True"),
        ({"!": 5}, "the tokens '!' and '%' of the vocabulary have the same id, 5; give each its own"),
    ],
)
def test_ids_that_no_list_could_hold_are_refused_before_the_library_sees_them(tokens, message, monkeypatch):
    text = changed_vocabulary(**tokens)
    monkeypatch.setattr(tokenizers.Tokenizer, "from_str", None)
    with pytest.raises(ArgumentError, match=message):
        data.Tokenizer.from_json(text)


def test_an_added_token_with_the_id_of_another_token_is_refused():
    notes = json.loads(TOKENIZER.to_json())
    notes["added_tokens"].append(notes["added_tokens"][0] | {"id": 5, "content": "<new>"})
    with pytest.raises(ArgumentError, match="the tokens '%' and '<new>' of the vocabulary have the same id, 5"):
        data.Tokenizer.from_json(json.dumps(notes))


def test_the_vocabulary_of_a_folder_is_checked_too(tmp_path):
    gpt2_folder(tmp_path, {"a": 0, "b": 2**31}, [])
    with pytest.raises(FileError, match="the token str 'b' has the id int 2147483648"):
        data.Tokenizer.load(tmp_path)


def test_a_tokenizer_with_gaps_between_its_ids_is_read():
    tokenizer = data.Tokenizer.from_json(changed_vocabulary(**{"!": 1000}))
    assert tokenizer.vocab_size == 1001
    assert tokenizer.encode("!").tolist() == [1000]


@pytest.mark.parametrize("encode", ["encode", "encode_all"])
def test_a_regular_expression_that_the_library_gives_up_on_is_our_error(encode):
    """The library panics, which is no `Exception` in Python."""
    notes = json.loads(TOKENIZER.to_json())
    split = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    notes["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, notes["pre_tokenizer"]]}
    tokenizer = data.Tokenizer.from_json(json.dumps(notes))
    text = "a" * 40 + "b"
    with pytest.raises(ArgumentError, match=r"cannot encode .* a regular expression in its pre_tokenizer is too slow"):
        getattr(tokenizer, encode)(text if encode == "encode" else [text])
    assert tokenizer.decode(tokenizer.encode("aaa")) == "aaa"
