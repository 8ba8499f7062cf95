"""GPT.generate: compared with the model itself, called with the whole window for each token."""

import copy
import gc
import pickle
import tracemalloc
import weakref

import numpy as np
import pytest
from closeness import require_close

from adjoint import jit, nn, no_grad, optim, precision
from adjoint.errors import ArgumentError, ArrayIndexError, NumberError, ShapeError
from adjoint.nn import generation


def small(**changes) -> nn.GPT:
    """Return a model with larger weights than at first, so that the tokens depend on one another."""
    given = {"vocab_size": 50, "context": 12, "embed_dim": 16, "num_heads": 2, "num_layers": 2, "seed": 0, **changes}
    model = nn.GPT(**given)
    for p in model.parameters():
        p.data = p.data * 8
    return model


def greedy(model, prompt: list[int], count: int) -> list[int]:
    """Return the most likely tokens, each computed from the whole window: at most the context, then half of it."""
    texts, start = list(prompt), max(0, len(prompt) - model.context)
    for _ in range(count):
        if len(texts) - start > model.context:
            start = len(texts) - model.context // 2
        with no_grad():
            texts.append(int(model([texts[start:]]).data[0, -1].argmax()))
    return texts


@pytest.mark.parametrize("count", [0, 1, 5, 9, 10, 30])
@pytest.mark.parametrize("prompt", [[7], [1, 2, 3], [*range(11)], [*range(12)], [*range(20)]])
def test_kept_keys_and_values_give_the_tokens_of_the_whole_window(prompt, count):
    model = small()
    assert model.generate(prompt, count, temperature=0).tolist() == greedy(model, prompt, count)


def test_kept_keys_and_values_give_the_scores_of_the_whole_window():
    model, tokens = small(), np.random.default_rng(0).integers(50, size=(3, 12))
    with no_grad():
        expected = model(tokens).data
        past, found = [None, None], []
        for position, part in ((0, tokens[:, :5]), (5, tokens[:, 5:6]), (6, tokens[:, 6:])):
            features, past = model._extend(part, past, position, places=12)
            found.append(model._score(features).data)
    require_close(np.concatenate(found, axis=1), expected)


def test_compiled_programs_give_the_same_tokens():
    model, options = small(num_layers=1), {"top_k": 9, "top_p": 0.9, "temperature": 0.8, "seed": 3}
    plain, compiled = (model.generate([[1, 2], [3, 4]], 16, **options, compiled=c) for c in (False, True))
    assert plain.tolist() == compiled.tolist()


@pytest.mark.full
@pytest.mark.parametrize("options", [{"temperature": 0}, {}, {"top_k": 5}, {"top_p": 0.7}, {"stop": [3, 40]}])
@pytest.mark.parametrize("on_accelerator", [False, True])
def test_compiled_programs_give_the_same_tokens_with_all_options(options, on_accelerator, monkeypatch):
    model = small()
    plain = {count: model.generate([1, 2], count, **options, seed=count) for count in (1, 5, 140)}
    monkeypatch.setattr(generation, "_has_accelerator", lambda: on_accelerator)
    monkeypatch.setattr(generation, "_WHOLE", 7)
    for count, expected in plain.items():
        assert model.generate([1, 2], count, **options, seed=count, compiled=True).tolist() == expected.tolist()
        stream = model.generate_stream([1, 2], count, **options, seed=count, compiled=True)
        assert [*stream] == expected[2:].tolist()


def test_random_numbers_are_drawn_in_blocks_that_are_those_of_one(monkeypatch):
    model = small(num_layers=1)
    expected = model.generate([[1, 2], [3, 4], [5, 6]], 200, seed=0)
    monkeypatch.setattr(generation, "_DRAWN", 67)
    assert model.generate([[1, 2], [3, 4], [5, 6]], 200, seed=0).tolist() == expected.tolist()


def test_a_long_stream_needs_little_memory_before_its_first_token():
    model = small(num_layers=1)
    tracemalloc.start()
    try:
        next(model.generate_stream([1, 2], 10**8, seed=0))
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


@pytest.mark.full
@pytest.mark.parametrize("how", ["precision", "astype"])
def test_generation_in_bfloat16_keeps_keys_and_values_in_bfloat16(how, monkeypatch):
    monkeypatch.setattr(generation, "_has_accelerator", lambda: True)
    model = small(context=8)
    tokens = np.array([[1, 2, 3]], np.int32)
    with no_grad():
        features, _ = model._extend(tokens, [None, None], 0, 8)
        expected = model._score(features).data
    if how == "astype":
        model.astype("bfloat16")
    found = jit(lambda x: model._extend(x, [None, None], 0, 8), precision="bfloat16" if how == "precision" else None)
    with no_grad(), precision("bfloat16" if how == "precision" else "float32"):
        features, past = found(tokens)
        scores = jit(model._score)(features)
        text = model.generate([1, 2, 3], 12, temperature=0)
    assert {str(x.dtype) for layer in past for x in layer} == {"bfloat16"}
    require_close(scores, expected, dtype="bfloat16", condition=4.0)  # two blocks, each of two layers, round all sums
    assert len(text) == 15
    assert {str(p.dtype) for p in model.parameters()} == {"float32" if how == "precision" else "bfloat16"}


@pytest.mark.full
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_compiled_generation_leaves_the_model_as_it_was(dtype, monkeypatch):
    monkeypatch.setattr(generation, "_has_accelerator", lambda: True)
    model = small(num_layers=1, dtype=dtype)
    before = model.state_dict()
    optimizer = optim.SGD(model, lr=0.1)

    @jit
    def step(x, y):
        loss = model.loss(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    expected = model.generate([1], 3, temperature=0, compiled=False).tolist()
    assert model.generate([1], 3, temperature=0).tolist() == expected
    assert all((before[name] == x).all() and before[name].dtype == x.dtype for name, x in model.state_dict().items())
    x, y = np.array([[1, 2]]), np.array([[2, 3]])
    step(x, y)
    program = step.program
    model.generate([1], 3, temperature=0)
    step(x, y)
    assert step.program is program


@pytest.mark.full
def test_a_model_that_has_generated_text_is_copied_and_freed(monkeypatch):
    monkeypatch.setattr(generation, "_has_accelerator", lambda: True)
    model = small(num_layers=1)
    expected = model.generate([1], 3, temperature=0).tolist()
    assert copy.deepcopy(model).generate([1], 3, temperature=0).tolist() == expected
    assert pickle.loads(pickle.dumps(model)).generate([1], 3, temperature=0).tolist() == expected
    kept = weakref.ref(model)
    del model
    gc.collect()
    assert kept() is None


def test_the_same_seed_gives_the_same_tokens():
    model = small()
    one, other, third = (model.generate([1, 2], 10, seed=seed).tolist() for seed in (1, 1, 2))
    assert one == other != third


def test_each_text_of_a_batch_is_that_of_its_prompt_alone():
    model = small()
    both = model.generate([[1, 2], [3, 4]], 6, temperature=0)
    assert both.tolist() == [greedy(model, [1, 2], 6), greedy(model, [3, 4], 6)]


def test_a_text_ends_with_a_stop_token():
    model = small()
    text = greedy(model, [1, 2], 10)
    stop = text[6]
    end = text.index(stop, 2)
    assert model.generate([1, 2], 10, temperature=0, stop=stop).tolist() == text[: end + 1]
    for several in ([stop, 49], (stop,), np.array([stop])):
        assert model.generate([1, 2], 10, temperature=0, stop=several).tolist()[:end] == text[:end]
    assert model.generate([1, 2], 10, temperature=0, stop=[]).tolist() == text


def test_in_a_batch_the_stop_token_is_repeated_until_all_texts_have_ended():
    model = small()
    one, other = greedy(model, [1, 2], 8), greedy(model, [3, 4], 8)
    stop = one[4]
    end = one.index(stop, 2)
    found = model.generate([[1, 2], [3, 4]], 8, temperature=0, stop=stop).tolist()
    assert found[0][: end + 1] == one[: end + 1]
    assert set(found[0][end:]) == {stop}
    assert found[1][: len(other)] == other[: len(found[1])]


def test_generation_turns_dropout_off_and_leaves_the_mode_as_it_was():
    model = small(dropout=0.5)
    assert model.generate([1, 2], 8, temperature=0).tolist() == greedy(model.eval(), [1, 2], 8)
    model.train()
    model.generate([1, 2], 2)
    assert model.training
    assert model.blocks[0].training


def test_weights_that_are_nan_are_an_error():
    model = small()
    model.norm.weight.data = np.full(16, np.nan)
    with pytest.raises(NumberError, match="scores of the next token are NaN"):
        model.generate([1], 2)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_temperature_that_float32_rounds_to_zero_takes_the_highest_score(compiled):
    model = small()
    expected = model.generate([1, 2], 4, temperature=0).tolist()
    assert model.generate([1, 2], 4, temperature=1e-300, compiled=compiled).tolist() == expected


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"prompt": []}, ShapeError, "generate needs the tokens of a prompt"),
        ({"prompt": [[[1]]]}, ShapeError, "batch of prompts of one length"),
        ({"prompt": [50]}, ArrayIndexError, "token 50 at position 0 is out of range"),
        ({"prompt": [0.5]}, ArgumentError, "each token must be an integer"),
        ({"prompt": [[1], [1, 2]]}, ArgumentError, "each token must be an integer"),
        ({"max_new_tokens": -1}, ArgumentError, "generate: max_new_tokens"),
        ({"temperature": -1}, ArgumentError, "temperature must be a number of at least 0, not int -1"),
        ({"top_k": 0}, ArgumentError, "generate: top_k"),
        ({"top_p": 0.0}, ArgumentError, "top_p must be a probability above 0, or None, not float 0.0"),
        ({"stop": 50}, ArrayIndexError, "stop token 50"),
        ({"stop": "."}, ArgumentError, "each stop token must be an integer from 0 to 49"),
    ],
)
def test_wrong_arguments_are_refused(given, error, message):
    with pytest.raises(error, match=message):
        small().generate(**{"prompt": [1], "max_new_tokens": 1, **given})
