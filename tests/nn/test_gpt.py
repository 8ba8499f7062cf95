"""nn.GPT: its architecture, its initial weights, and its loss, compared with PyTorch and calculations on paper."""

import math

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import nn
from adjoint.errors import AdjointError, ArgumentError, ArrayIndexError, ShapeError


def small(**changes) -> nn.GPT:
    given = {"vocab_size": 11, "context": 6, "embed_dim": 8, "num_heads": 2, "num_layers": 2, "seed": 0, **changes}
    return nn.GPT(**given)


def test_the_named_models_have_the_sizes_of_gpt2(monkeypatch):
    def count(**sizes):
        width, layers = sizes["embed_dim"], sizes["num_layers"]
        block = 12 * width**2 + 13 * width
        return width * (sizes.get("vocab_size", 50257) + sizes.get("context", 1024)) + layers * block + 2 * width

    seen = {}
    monkeypatch.setattr(nn.GPT, "__init__", lambda self, **given: seen.update(given))
    sizes = {}
    for name in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"):
        seen.clear()
        nn.GPT.named(name)
        sizes[name] = count(**seen)
    assert sizes == {
        "gpt2": 124_439_808,
        "gpt2-medium": 354_823_168,
        "gpt2-large": 774_030_080,
        "gpt2-xl": 1_557_611_200,
    }


def test_the_smallest_named_model_takes_changes():
    model = nn.GPT.named("gpt-tiny", vocab_size=300, context=32, seed=0)
    assert (model.vocab_size, model.context) == (300, 32)
    assert sum(p.size for p in nn.GPT.named("gpt-tiny").parameters()) == 446_080


def test_the_head_is_the_table_of_token_embeddings():
    model = small()
    assert [name for name in model.state_dict() if "head" in name] == []
    assert len(model.state_dict()) == 2 + 2 * 12 + 2
    weight = model.token_embedding.weight
    weight.data = np.where(np.arange(11)[:, None] == 7, 0.0, weight.data)
    assert [i for i, scores in enumerate(model([[1, 2]]).data[0].T) if not scores.any()] == [7]


def test_initial_weights_are_those_of_gpt2():
    model = nn.GPT(vocab_size=500, context=400, embed_dim=64, num_heads=2, num_layers=8, seed=0)
    for name, p in model.named_parameters():
        if "norm" in name and name.endswith("weight"):
            assert (p.data == 1).all(), name
        elif name.endswith("bias"):
            assert (p.data == 0).all(), name
        else:
            is_end = name.endswith(("out_proj.weight", "linear2.weight"))
            std = 0.02 / math.sqrt(16) if is_end else 0.02
            assert abs(p.data.std() / std - 1) < 0.05, name
            assert abs(p.data.mean()) < 5 * std / math.sqrt(p.size), name
        assert p.dtype == np.float32


def test_the_same_seed_gives_the_same_weights():
    one, other, third = small(seed=1).state_dict(), small(seed=1).state_dict(), small(seed=2).state_dict()
    assert all((one[name] == other[name]).all() for name in one)
    assert (one["token_embedding.weight"] != third["token_embedding.weight"]).any()


def test_the_loss_is_the_mean_cross_entropy_of_the_next_tokens():
    torch = pytest.importorskip("torch")
    model = small(dtype="float64")
    rng = np.random.default_rng(0)
    x, y = rng.integers(11, size=(3, 6)), rng.integers(11, size=(3, 6))
    y[1, 2] = -100
    loss = model.loss(x, y)
    expected = torch.nn.functional.cross_entropy(
        torch.tensor(model(x).data).reshape(-1, 11), torch.tensor(y).reshape(-1)
    )
    require_close(loss.item(), expected.item())


def test_a_position_depends_on_earlier_tokens_only():
    model = small()
    one, other = model([[1, 2, 3, 4]]).data, model([[1, 2, 9, 4]]).data
    np.testing.assert_array_equal(one[:, :2], other[:, :2])
    assert (one[:, 2:] != other[:, 2:]).any(axis=-1).all()


def test_checkpoint_changes_no_gradient():
    x, y = [[1, 2, 3], [4, 5, 6]], [[2, 3, 4], [5, 6, 7]]
    plain, again = small(), small(checkpoint=True)
    for model in (plain, again):
        model.loss(x, y).backward()
    for (name, p), (_, q) in zip(plain.named_parameters(), again.named_parameters()):
        require_close(p.grad, q.grad, name)


def test_a_model_without_biases_has_none():
    model = small(bias=False)
    assert not [name for name, _ in model.named_parameters() if "bias" in name]
    assert model.arguments()["bias"] is False


def test_a_saved_model_is_loaded_with_its_architecture(tmp_path):
    model = small(bias=False, dropout=0.1)
    adjoint.save(tmp_path / "model.safetensors", model)
    again, _ = adjoint.load(tmp_path / "model.safetensors")
    assert again.arguments() == model.arguments()
    np.testing.assert_array_equal(again.eval()([[1, 2]]).data, model.eval()([[1, 2]]).data)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m([[0] * 7]), ShapeError, "7 positions are more than the context of 6; pass the last 6 tokens"),
        (lambda m: m([1, 2]), ShapeError, r"\(samples, positions\), not \(2,\); for one text, pass \[tokens\]"),
        (lambda m: m([[1, 11]]), ArrayIndexError, r"token 11 at position \(0, 1\) is out of range: there are 11"),
        (lambda m: m([[-1, 1]]), ArrayIndexError, "token -1 at position"),
        (lambda m: m([[0.5, 1.0]]), ArgumentError, "each token must be an integer from 0 to 10"),
        (lambda m: m.loss([[1, 2]], [[1, 2, 3]]), ShapeError, r"one target per token.*\(1, 2\), the targets \(1, 3\)"),
        (lambda m: m.loss([[1, 2]], [[1, 11]]), ArrayIndexError, "target 11 at position"),
        (lambda m: nn.GPT.named("gpt3"), AdjointError, "unknown GPT 'gpt3'"),
        (lambda m: small(num_heads=3), ArgumentError, "must be a multiple of num_heads=3"),
        (lambda m: small(context=0), ArgumentError, "GPT: context"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(small())
