"""Tokens: files of token ids, their windows and batches."""

import json
import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from adjoint import data
from adjoint.errors import ArgumentError, DataError

SIZES = st.tuples(st.integers(2, 200), st.integers(1, 20)).filter(lambda s: s[0] > s[1])  # tokens, length


def starts(batches) -> list[int]:
    """Return where the windows of batches start, in `Tokens(np.arange(n))`; check that they are windows."""
    found = []
    for x, y in batches:
        assert x.dtype == y.dtype == np.int32
        assert (y == x + 1).all()
        assert (np.diff(x, axis=1) == 1).all()
        found += x[:, 0].tolist()
    return found


# --- batches ---


@given(SIZES, st.integers(0, 2**63 - 1), st.integers(0, 3))
@settings(max_examples=30, deadline=None)
def test_an_epoch_has_every_window_once_and_no_two_overlap(sizes, seed, epoch):
    count, length = sizes
    tokens = data.Tokens(np.arange(count))
    windows = tokens.windows(length)
    assert windows == (count - 1) // length
    later = max(1, windows - 1)
    start, steps = (0, windows) if epoch == 0 else (windows + (epoch - 1) * later, later)
    found = sorted(starts(tokens.batches(1, length, start=start, steps=steps, seed=seed)))
    assert found == [found[0] + length * k for k in range(steps)]
    assert found[0] == 0 if epoch == 0 else found[0] >= 0
    assert found[-1] + length < count


def test_later_epochs_are_cut_from_every_place():
    """Also if the windows of the first epoch leave no token over, as here, where 8 * 5 + 1 tokens are 5 windows."""
    tokens = data.Tokens(np.arange(41))
    cuts = {min(starts(tokens.batches(1, 8, start=5 + 4 * epoch, steps=4))) for epoch in range(200)}
    assert cuts == set(range(9))


@given(SIZES, st.integers(1, 40), st.integers(0, 100), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_a_run_that_starts_later_has_the_batches_of_the_whole_run(sizes, batch_size, start, seed):
    tokens = data.Tokens(np.arange(sizes[0]))
    run = starts(tokens.batches(batch_size, sizes[1], steps=start + 3, seed=seed))
    rest = starts(tokens.batches(batch_size, sizes[1], start=start, steps=3, seed=seed))
    assert rest == run[start * batch_size :]
    assert len(rest) == 3 * batch_size


@given(SIZES, st.integers(1, 4), st.integers(1, 4), st.booleans())
@settings(max_examples=30, deadline=None)
def test_the_parts_of_all_processes_are_the_batch(sizes, processes, share, shuffle):
    tokens, batch_size = data.Tokens(np.arange(sizes[0])), processes * share
    if not shuffle and tokens.windows(sizes[1]) % batch_size % processes:
        return  # refused: see below
    arguments = {"batch_size": batch_size, "length": sizes[1], "shuffle": shuffle, "steps": 5}
    parts = zip(*[tokens.batches(**arguments, part=(k, processes)) for k in range(processes)], strict=True)
    for (x, y), of_each in zip(tokens.batches(**arguments), parts, strict=True):
        np.testing.assert_array_equal(x, np.concatenate([part[0] for part in of_each]))
        np.testing.assert_array_equal(y, np.concatenate([part[1] for part in of_each]))


def test_seeds_and_epochs_have_different_orders():
    tokens = data.Tokens(np.arange(1001))
    orders = [starts(tokens.batches(1, 10, start=at, steps=99, seed=seed)) for seed in (0, 1) for at in (0, 100, 199)]
    by_rank = {tuple(np.argsort(order)) for order in orders}
    assert len(by_rank) == 6
    assert tuple(range(99)) not in by_rank


def test_without_steps_shuffled_batches_have_no_end_and_those_in_order_end_with_the_file():
    tokens = data.Tokens(np.arange(100))
    assert len(starts(islice(tokens.batches(4, 8), 50))) == 200
    assert starts(tokens.batches(5, 8, shuffle=False)) == list(range(0, 96, 8))
    assert starts(tokens.batches(5, 8, shuffle=False, start=1)) == list(range(40, 96, 8))
    assert starts(tokens.batches(5, 8, shuffle=False, start=9)) == []
    assert starts(tokens.batches(5, 8, shuffle=False, steps=1)) == list(range(0, 40, 8))


def test_a_late_start_counts_the_windows_before_it():
    """2⁶⁰ batches of 4 windows are as many windows as 2⁶¹ of 2."""
    tokens = data.Tokens(np.arange(100))
    late, same = tokens.batches(4, 8, start=2**60), tokens.batches(2, 8, start=2**61)
    assert starts(islice(late, 2)) == starts(islice(same, 4))
    assert starts(tokens.batches(4, 8, shuffle=False, start=2**63 - 1)) == []


@pytest.mark.parametrize("shuffle", [False, True])
def test_numbers_of_numpy_are_arguments_too(shuffle):
    tokens = data.Tokens(np.arange(30_000))
    arguments = {"batch_size": 120, "length": 100, "start": 1, "steps": 2}
    small = {name: np.int8(x) for name, x in arguments.items()}
    found = starts(tokens.batches(**small, shuffle=shuffle, part=(np.int8(0), np.int8(1))))
    assert found == starts(tokens.batches(**arguments, shuffle=shuffle))


def test_a_batch_can_be_changed_in_place(tmp_path):
    np.arange(100, dtype=np.uint16).tofile(tmp_path / "train.bin")
    tokens = data.Tokens(tmp_path / "train.bin")
    x, _ = next(tokens.batches(2, 8, shuffle=False))
    x[:] = 0
    assert tokens[:4].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size must be an integer of at least 1"),
        ({"length": 0}, "length must be an integer of at least 1"),
        ({"start": -1}, "start must be an integer of at least 0"),
        ({"start": 2**61}, "start=2305843009213693952 is too large for batch_size=4"),
        ({"start": 2**63 - 1}, "start=9223372036854775807 is too large for batch_size=4"),
        ({"steps": 2.5}, "steps must be an integer of at least 0"),
        ({"seed": None}, "seed must be an integer of at least 0"),
        ({"part": 2}, "part must be (index, count), such as (0, 4), not int 2"),
        ({"part": (2, 2)}, "the index must be less than 2; the first is 0"),
        ({"part": (0, 3)}, "batch_size=4 cannot be shared by 3 processes; use a multiple of it"),
        (
            {"shuffle": False, "part": (0, 4), "length": 7},
            "the last batch has 2 of 14 windows, which 4 processes cannot share",
        ),
        ({"length": 100}, "the array of tokens has 100 tokens, fewer than a window of length 100 and the token after"),
    ],
)
def test_wrong_arguments_of_batches_are_errors_before_the_first_batch(arguments, message):
    with pytest.raises((ArgumentError, DataError)) as error:
        data.Tokens(np.arange(100)).batches(**{"batch_size": 4, "length": 8, **arguments})
    assert message in str(error.value)


def test_a_token_beyond_the_vocabulary_is_an_error_that_names_its_position():
    ids = np.zeros(100, np.uint16)
    ids[37] = 300
    with pytest.raises(DataError, match="has the token 300 at position 37, but a vocabulary of 256 tokens"):
        list(data.Tokens(ids, vocab_size=256).batches(2, 8, shuffle=False))
    assert data.Tokens(ids).vocab_size == 301


# --- sequences ---


def test_a_split_is_two_parts_of_the_same_tokens():
    tokens = data.Tokens.from_text("abcdefghij" * 10)
    train, validation = tokens.split(0.25)
    assert (len(train), len(validation)) == (76, 25)
    assert np.concatenate([train[:], validation[:]]).tolist() == tokens[:].tolist()
    assert train.vocab_size == validation.vocab_size == 257
    assert validation.tokenizer is tokens.tokenizer
    assert np.shares_memory(train[:], tokens[:])


def test_the_parts_of_a_split_share_the_vocabulary_of_the_whole():
    train, validation = data.Tokens([*range(19), 99]).split(0.5)
    assert train.vocab_size == validation.vocab_size == 100


def test_ids_are_integers_of_at_least_0():
    assert data.Tokens([3, 1, 2])[1] == 1
    for wrong, message in [
        (np.array([1.5]), "not float64 of shape (1,)"),
        (np.zeros((2, 2), int), "not int64 of shape (2, 2)"),
        (np.array([1, -1]), "the smallest is -1"),
    ]:
        with pytest.raises(ArgumentError) as error:
            data.Tokens(wrong)
        assert message in str(error.value)
    for fraction in (0, 1.0, "a"):
        with pytest.raises(ArgumentError, match="split needs a fraction between 0 and 1"):
            data.Tokens([1, 2, 3]).split(fraction)
    with pytest.raises(ArgumentError, match="leaves none to train on"):
        data.Tokens([1]).split(0.5)


# --- files ---


def test_a_plain_file_holds_uint16_and_is_mapped(tmp_path):
    path = tmp_path / "train.bin"
    np.arange(1000, 2000, dtype="<u2").tofile(path)
    tokens = data.Tokens(path)
    assert (len(tokens), tokens[0], tokens[-1], tokens.vocab_size) == (1000, 1000, 1999, 2000)
    assert tokens.tokenizer is None
    assert repr(tokens) == f"Tokens({str(path)!r}, 1,000 tokens, vocab_size=2000)"
    assert isinstance(tokens[:].base.base, np.memmap) or isinstance(tokens[:].base, np.memmap)


def test_a_file_of_uint32_is_read_as_such_and_not_as_pairs_with_zeros(tmp_path):
    path = tmp_path / "train.bin"
    np.arange(1000, dtype="<u4").tofile(path)
    assert data.Tokens(path, dtype="uint32")[:].tolist() == list(range(1000))
    with pytest.raises(DataError, match=r"every other number .* is 0, as in a file of uint32"):
        data.Tokens(path)
    assert data.Tokens(path, dtype="uint16")[:4].tolist() == [0, 0, 1, 0]
    (np.arange(1000, dtype="<u4") * 128).tofile(path)
    with pytest.raises(DataError, match=r"every other number .* is at most 3, as in a file of uint32"):
        data.Tokens(path)
    with pytest.raises(ArgumentError, match=r"unknown dtype of tokens 'uint64' .*the known ones: uint16, uint32"):
        data.Tokens(path, dtype="uint64")


@pytest.mark.parametrize(("magic", "dtype"), [(20240520, "<u2"), (20240801, "<u4")])
def test_the_header_of_llm_c_is_no_token(tmp_path, magic, dtype):
    header = np.zeros(256, "<i4")
    header[:3] = magic, 1, 500
    path = tmp_path / "train.bin"
    path.write_bytes(header.tobytes() + np.arange(500).astype(dtype).tobytes())
    assert data.Tokens(path)[:].tolist() == list(range(500))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match="but its header says 500: the file is cut off"):
        data.Tokens(path)


def test_an_npy_file_has_its_own_dtype(tmp_path):
    np.save(tmp_path / "train.npy", np.arange(500, dtype=np.uint16))
    assert data.Tokens(tmp_path / "train.npy")[:3].tolist() == [0, 1, 2]
    np.save(tmp_path / "train.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(DataError, match=r"train.npy.* holds object, not numbers"):
        data.Tokens(tmp_path / "train.npy")


def described(path, **changes) -> None:
    notes = {"format": "adjoint-tokens", "dtype": "uint32", "tokens": 100, "vocab_size": 70000, **changes}
    path.with_name(path.name + ".json").write_text(json.dumps(notes))


def test_a_description_says_the_dtype_and_the_vocabulary(tmp_path):
    path = tmp_path / "train.bin"
    np.arange(100, dtype="<u4").tofile(path)
    described(path)
    tokens = data.Tokens(path)
    assert (len(tokens), tokens.vocab_size, tokens[99]) == (100, 70000, 99)
    assert tokens.tokenizer is None
    described(path, tokens=200)
    with pytest.raises(DataError, match=r"holds 100 tokens of uint32, but train.bin.json says 200"):
        data.Tokens(path)
    described(path, dtype="float32")
    with pytest.raises(DataError, match="is damaged: its dtype is str 'float32'"):
        data.Tokens(path)
    path.with_name("train.bin.json").write_text("{")
    with pytest.raises(DataError, match="does not describe tokens"):
        data.Tokens(path)


def test_a_description_of_another_format_is_not_read(tmp_path):
    path = tmp_path / "train.bin"
    np.arange(300, 400, dtype="<u2").tofile(path)
    for notes in ([], {"format": "other", "dtype": "uint32"}):
        path.with_name("train.bin.json").write_text(json.dumps(notes))
        assert len(data.Tokens(path)) == 100


def test_a_pickle_holds_the_path_and_not_the_tokens(tmp_path):
    path = tmp_path / "train.bin"
    np.arange(100_000, dtype="<u4").tofile(path)
    whole = data.Tokens(path, dtype="uint32", vocab_size=100_000)
    for tokens in (whole, *whole.split(0.1), whole.split(0.5)[0].split(0.5)[1], data.Tokens([1, 2, 3])):
        content = pickle.dumps(tokens)
        assert len(content) < 1500
        loaded = pickle.loads(content)
        assert loaded[:].tolist() == tokens[:].tolist()
        assert (loaded.vocab_size, repr(loaded)) == (tokens.vocab_size, repr(tokens))


def test_files_that_hold_no_tokens_are_errors(tmp_path):
    path = tmp_path / "train.bin"
    np.arange(300, 400, dtype="<u2").tofile(path)
    with pytest.raises(DataError, match=r"does not exist; did you mean '.*train.bin'"):
        data.Tokens(tmp_path / "tran.bin")
    with pytest.raises(DataError, match="does not exist; check its name and folder"):
        data.Tokens(tmp_path / "nowhere" / "train.bin")
    with pytest.raises(DataError, match=r"cannot read .*: Is a directory"):
        data.Tokens(tmp_path)
    path.write_bytes(path.read_bytes() + b"\1")
    with pytest.raises(DataError, match="has 201 bytes, which is not a multiple of 2, the size of a uint16"):
        data.Tokens(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="is empty"):
        data.Tokens(path)
    path.write_text("Once upon a time — in 語 —\n" * 300, encoding="utf-8")  # longer than what is examined
    with pytest.raises(DataError, match=r"is text, not tokens; tokenize it first: adjoint tokenize .*train.bin"):
        data.Tokens(path)


def test_arrays_have_their_own_dtype_and_texts_are_given():
    with pytest.raises(ArgumentError, match="the list of texts is empty; give at least one text"):
        data.Tokens.from_text([])
    with pytest.raises(ArgumentError, match="dtype says how to read a file of tokens"):
        data.Tokens(np.arange(3), dtype="uint16")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.npy", pickle.dumps(list(range(20))), "is not an array of numbers in NumPy's format"),
        ("p.bin", pickle.dumps(list(range(21))), "is a pickle, not a file of tokens"),
        ("p.bin", b"PK\x03\x04" + bytes(range(60)), "is an archive, as of numpy.savez or torch.save"),
        ("p.bin", b"\x1f\x8b\x08" + bytes(range(61)), "is compressed by gzip"),
    ],
)
def test_files_of_other_formats_are_not_tokens(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content + b"\0" * (len(content) % 2))
    with pytest.raises(DataError, match=message):
        data.Tokens(tmp_path / name)
    if name == "p.bin":
        assert len(data.Tokens(tmp_path / name, dtype="uint16")) == -(-len(content) // 2)


@pytest.mark.parametrize("shape", [(1 << 34,), (1 << 62, 1 << 62), (501,), (-1, -500)])
def test_a_header_that_asks_for_more_than_its_file_has_is_refused(tmp_path, shape):
    np.save(tmp_path / "train.npy", np.arange(500, dtype=np.uint16))
    content = (tmp_path / "train.npy").read_bytes()
    before, after = b"(500,), }", f"{shape}, }}".encode()
    assert before in content
    content = content.replace(before + b" " * (len(after) - len(before)), after)
    (tmp_path / "train.npy").write_bytes(content)
    with pytest.raises(DataError, match=r"train\.npy"):
        data.Tokens(tmp_path / "train.npy")


@pytest.mark.parametrize("given", [5, None, [[1], [2, 3]]])
def test_tokens_are_a_file_or_several_ids(given):
    with pytest.raises(ArgumentError, match="Tokens needs the path of a file, or token ids such as"):
        data.Tokens(given)
