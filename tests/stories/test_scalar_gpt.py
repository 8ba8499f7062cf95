"""The example `scalar_gpt.py`: a GPT made of scalar Values, its gradients, its training and its command line."""

import importlib.util
import random
from pathlib import Path

import pytest
import torch
from closeness import require_close
from torch.nn.functional import cross_entropy

import adjoint

EXAMPLE = Path(__file__).parents[2] / "examples" / "scalar_gpt.py"


@pytest.fixture(scope="module")
def gpt():
    spec = importlib.util.spec_from_file_location("scalar_gpt", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def weights(gpt):
    return gpt.initial_weights(random.Random(3))


@pytest.fixture
def model(gpt, weights):
    return gpt.GPT(gpt.converted(weights, adjoint.Value), gpt.ON_VALUES)


def test_the_gpt_has_4192_parameters(model):
    assert len({id(parameter) for parameter in model.parameters()}) == 4192


def test_every_name_uses_known_letters_and_fits_the_context(gpt):
    names = adjoint.data.names()
    assert len(set(names)) == len(names) > 150
    assert all(set(name) <= set(gpt.LETTERS) and len(name) < gpt.CONTEXT for name in names)


def test_values_and_floats_give_the_same_results(gpt, model, weights):
    tokens = gpt.encoded("ada")
    on_floats = gpt.GPT(weights, gpt.ON_FLOATS).loss(tokens)
    assert isinstance(on_floats, float)
    require_close(model.loss(tokens).data, on_floats)


def test_gradients_of_all_parameters_agree_with_pytorch(gpt, model, weights):
    tokens = gpt.encoded("eleanor")
    loss = model.loss(tokens)
    loss.backward()
    theirs = {name: torch.tensor(matrix, dtype=torch.double) for name, matrix in weights.items()}
    for matrix in theirs.values():
        matrix.requires_grad_()
    their_loss = loss_in_pytorch(theirs, tokens)
    their_loss.backward()
    require_close(loss.data, their_loss.item())
    for name, matrix in model.weights.items():
        ours = torch.tensor([[number.grad for number in row] for row in matrix], dtype=torch.double)
        require_close(ours, theirs[name].grad, name)


def loss_in_pytorch(weights, tokens):
    """Compute the same loss in PyTorch, for all positions at once, with a causal mask."""
    tokens, length = torch.tensor(tokens), len(tokens) - 1

    def norm(x):
        return torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5)

    def heads(name, x):
        return (x @ weights[name].T).view(length, 4, 4).transpose(0, 1)

    x = weights["token"][tokens[:-1]] + weights["position"][:length]
    normed = norm(x)
    attended = torch.nn.functional.scaled_dot_product_attention(
        heads("query", normed), heads("key", normed), heads("value", normed), is_causal=True
    )
    x = x + attended.transpose(0, 1).reshape(length, 16) @ weights["attended"].T
    x = x + torch.relu(norm(x) @ weights["widen"].T) @ weights["narrow"].T
    return cross_entropy(norm(x) @ weights["head"].T, tokens[1:])


def test_training_lowers_the_loss_over_all_names(gpt, model):
    names = adjoint.data.names()

    def mean_loss():
        on_floats = gpt.GPT(gpt.converted(model.weights, float), gpt.ON_FLOATS)
        return sum(on_floats.loss(gpt.encoded(name)) for name in names[::20]) / len(names[::20])

    before = mean_loss()
    steps = 30 if adjoint.accelerated else 8  # the Python engine is slow
    losses = list(gpt.train(model, names, steps, random.Random(3)))
    assert len(losses) == steps
    assert before == pytest.approx(3.3, abs=0.2)  # a uniform guess: log 27
    assert mean_loss() < before - (0.4 if adjoint.accelerated else 0.1)


def test_the_command_prints_the_loss_and_new_names(gpt, capsys):
    gpt.main(["--steps", "2", "--seed", "5", "--samples", "3"])
    lines = capsys.readouterr().out.splitlines()
    assert "4192 parameters" in lines[0]
    assert lines[1].startswith("step     1 of 2   loss 3.")
    new = lines[-1].removeprefix("new names: ").split(", ")
    assert len(new) == 3
    assert not set(new) & set(adjoint.data.names())


def test_the_same_seed_gives_the_same_names(gpt, capsys):
    shown = []
    for _ in range(2):
        gpt.main(["--steps", "1", "--seed", "8", "--samples", "4"])
        shown.append(capsys.readouterr().out.splitlines()[-1])
    assert shown[0] == shown[1]


def test_an_interrupted_run_shows_names_of_the_model_so_far(gpt, capsys, monkeypatch):
    def interrupt(*_):
        yield 3.3
        raise KeyboardInterrupt

    monkeypatch.setattr(gpt, "train", interrupt)
    gpt.main(["--samples", "2"])
    printed = capsys.readouterr().out
    assert "stopped early" in printed
    assert "new names: " in printed


@pytest.mark.parametrize("wrong", [["--steps", "0"], ["--steps", "many"], ["--samples", "-1"], ["--seed", "x"]])
def test_a_wrong_argument_is_rejected_in_one_line(gpt, capsys, wrong):
    with pytest.raises(SystemExit) as rejected:
        gpt.main(wrong)
    assert rejected.value.code == 2
    assert wrong[0] in capsys.readouterr().err.splitlines()[-1]
