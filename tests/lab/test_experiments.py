"""Experiments: equal on all engines, reproducible, and with the loss and gradients of PyTorch."""

import itertools

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint.engine.graph import leaves_of
from adjoint.errors import LabError
from adjoint_lab.configurations import Change, Configuration
from adjoint_lab.engines import ENGINES
from adjoint_lab.experiments import MAX_POINTS, Experiment


def experiment(**given):
    return Experiment(Configuration.read(given))


def train(steps, changes=(), **given):
    made, changes = experiment(**given), list(changes)
    for _ in range(steps):
        while changes and changes[0].step <= made.steps:
            made.change(changes.pop(0))
        made.step()
    return made


def numbers_of(experiment):
    return [x for layer in experiment.weights() for x in (*itertools.chain.from_iterable(layer.w), *layer.b)]


@pytest.mark.parametrize("engine", ENGINES)
def test_xor_is_learned(engine):
    assert train(200, dataset="xor", engine=engine).evaluate()["accuracy"] == {"train": 1.0, "test": None}


@pytest.mark.parametrize(
    "data", [{"dataset": "moons", "loss": "binary_cross_entropy_with_logits"}, {"dataset": "blobs"}]
)
def test_all_engines_give_the_same_losses_step_by_step(data):
    given = {"samples": 24, "hidden": [4, 3], "batch_size": 5, "l2": 0.01, **data}
    one, *others = (train(25, engine=engine, **given).history for engine in ENGINES)
    for other in others:
        assert one.steps == other.steps == list(range(26))
        for a, b in zip(one.columns, other.columns):
            require_close(a, b)


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "rmsprop"])
@pytest.mark.parametrize("engines", list(itertools.permutations(ENGINES, 2)), ids="-".join)
def test_another_engine_continues_with_the_same_weights_and_optimizer(engines, optimizer):
    first, second = engines
    given = {"dataset": "blobs", "samples": 12, "hidden": [3], "batch_size": 4, "optimizer": optimizer}
    whole = train(8, engine=first, **given)
    made = train(5, engine=first, **given)
    weights, gradients = numbers_of(made), made.gradients()
    made.change(Change(5, engine=second, lr=made.configuration.lr))
    assert numbers_of(made) == weights
    for before, after in zip(gradients, made.gradients()):
        np.testing.assert_array_equal(before.w, after.w)
        np.testing.assert_array_equal(before.b, after.b)
    for _ in range(3):
        made.step()
    require_close(numbers_of(made), numbers_of(whole))
    assert made.epoch == whole.epoch
    assert (made.compile_seconds > 0) == (second == "compiled")


def test_added_points_and_another_penalty_reach_the_compiled_step():
    changes = [Change(3, l2=0.1), Change(5, add=(0.5, 0.5, 1)), Change(6, lr=0.2), Change(8, undo=True)]
    one, other = (train(12, changes, samples=10, hidden=[3], batch_size=4, engine=engine) for engine in ENGINES[:2])
    require_close(numbers_of(one), numbers_of(other))


def test_the_same_configuration_and_changes_give_the_same_network_bit_for_bit():
    changes = [Change(5, lr=0.5), Change(9, add=(0.5, 0.5, 1)), Change(9, add=(0.0, 0.5, 0)), Change(14, undo=True)]
    one, other = (train(20, changes, samples=20, hidden=[4], batch_size=6) for _ in range(2))
    assert numbers_of(one) == numbers_of(other)
    assert one.history.columns == other.history.columns
    assert numbers_of(one) != numbers_of(train(20, changes[:3], samples=20, hidden=[4], batch_size=6))


def test_a_change_before_the_first_step_belongs_to_the_initial_configuration():
    made = experiment(dataset="moons")
    made.change(Change(0, add=(0.5, 0.5, 1)))
    assert made.changes == []
    assert made.initial.points == ((0.5, 0.5, 1),)
    made.step()
    made.change(Change(1, lr=0.5))
    assert made.changes == [Change(1, lr=0.5)]
    assert made.initial.lr != 0.5


def _in_torch(made, index):
    """The loss of one sample, and its gradients with respect to inputs, weights and biases."""
    chosen = made.configuration
    x = torch.tensor(made.inputs[index], dtype=torch.float64, requires_grad=True)
    layers = [[torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in layer] for layer in made.weights()]
    h = x
    for k, (w, b) in enumerate(layers):
        h = w @ h + b
        if k < len(layers) - 1:
            h = getattr(torch.nn.functional, chosen.activation)(h)
    y = int(made.y[index])
    loss = {
        "hinge": lambda: torch.relu(1 - (2 * y - 1) * h[0]),
        "mse": lambda: (h[0] - (2 * y - 1)) ** 2,
        "binary_cross_entropy_with_logits": lambda: torch.nn.functional.binary_cross_entropy_with_logits(
            h[0], torch.tensor(float(y), dtype=torch.float64)
        ),
        "cross_entropy": lambda: torch.nn.functional.cross_entropy(h, torch.tensor(y)),
    }[chosen.loss]()
    loss.backward()
    named = {"x1": x.grad[0].item(), "x2": x.grad[1].item()}
    for k, (w, b) in enumerate(layers, 1):
        named |= {f"w{k}_{i + 1}_{j + 1}": w.grad[i, j].item() for i, j in np.ndindex(w.shape)}
        named |= {f"b{k}_{i + 1}": b.grad[i].item() for i in range(len(b))}
    return loss.item(), named


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "given",
    [
        {"dataset": "moons", "loss": "hinge", "activation": "tanh"},
        {"dataset": "moons", "loss": "mse", "activation": "relu"},
        {"dataset": "circles", "loss": "binary_cross_entropy_with_logits", "activation": "gelu"},
        {"dataset": "blobs", "activation": "sigmoid"},
        {"dataset": "csv", "rows": [[10, 2000, 0], [30, 1000, 1], [20, 1200, 1], [11, 1900, 0]], "activation": "silu"},
    ],
)
def test_the_graph_of_a_sample_has_the_loss_and_gradients_of_pytorch(given, engine):
    made = train(5, hidden=[3, 2], engine=engine, batch_size=4, held_out=0.0, **given)
    for index in (0, 3):
        loss, _ = made.graph_of(index)
        loss.backward()
        expected, gradients = _in_torch(made, index)
        require_close(loss.data, expected)
        found = {leaf.label: leaf.grad for leaf in leaves_of(loss)}
        require_close({name: g for name, g in gradients.items() if name in found}, found)
        assert {"x1", "x2", "w1_1_1", "b3_1"} <= found.keys()
        loss, _ = made.graph_of(index, of="layers")
        loss.backward()
        require_close(loss.data, expected)
        found = {leaf.label: leaf.grad for leaf in leaves_of(loss)}
        require_close(found["x"][0].tolist(), [gradients["x1"], gradients["x2"]])
        require_close(found["W1"][2, 1], gradients["w1_3_2"])


def test_the_nodes_of_a_graph_belong_to_their_neurons():
    loss, groups = experiment(dataset="xor").graph_of(0)
    assert {groups.path_of(node) for node in leaves_of(loss)} >= {"layers.0.neurons.3", "layers.1.neurons.0"}
    with pytest.raises(LabError, match="sample 4 does not exist; there are 4 samples"):
        experiment(dataset="xor").graph_of(4)


def test_some_samples_are_test_samples_but_never_an_added_point():
    made = experiment(dataset="moons", samples=40, held_out=0.25, points=[[0.5, 0.5, 1]])
    assert sum(made.is_test) == 10
    assert not made.is_test[-1]
    assert len(made.loader.y) == 31


def test_training_needs_at_least_one_sample():
    made = experiment(dataset="points")
    with pytest.raises(LabError, match="there are no training samples"):
        made.step()
    made.change(Change(0, add=(0.5, 0.5, 1)))
    made.step()
    assert made.steps == 1


def test_an_epoch_has_one_step_per_batch():
    made = experiment(dataset="moons", samples=20, held_out=0.0, batch_size=8)
    assert made.steps_left() == 3
    made.step()
    assert (made.epoch, made.steps_left()) == (1, 2)
    made.step()
    made.step()
    assert (made.epoch, made.steps_left()) == (1, 3)
    made.step()
    assert made.epoch == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loss_that_is_not_finite_stops_training_and_says_why(engine):
    made = experiment(samples=8, hidden=[4], loss="mse", optimizer="sgd", lr=1e6, activation="relu", engine=engine)
    for _ in range(200):
        if made.stopped:
            break
        made.step()
    assert made.stopped.startswith("the loss became ")
    assert "The learning rate is often too high" in made.stopped
    assert ".py" not in made.stopped  # the line belongs to the lab, not to the user
    with pytest.raises(LabError, match="training has stopped"):
        made.step()


def test_a_curve_keeps_a_limited_number_of_evenly_spaced_steps():
    made = train(3 * MAX_POINTS, dataset="xor", engine="array")
    steps = made.history.steps
    assert len(steps) <= MAX_POINTS
    assert set(np.diff(steps)) == {made.history.every}
    assert steps[0] == 0


def test_every_sample_is_inside_the_plane():
    for given in ({"dataset": "blobs"}, {"dataset": "csv", "rows": [[5, 100, 0], [5, 900, 1]]}):
        made = experiment(**given)
        assert (np.array(made.low) < made.X).all()
        assert (np.array(made.high) > made.X).all()
