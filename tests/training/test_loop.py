"""The training loop: agreement with PyTorch, what ends training, warnings and errors."""

import copy
import os
import signal
import warnings

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint import EarlyStopping, Value, data, errors, evaluate, fit, guards, nn, optim
from adjoint.data import DataLoader
from adjoint.metrics.classification import accuracy_at
from adjoint.optim import SGD, Adam
from adjoint.training import loop

X, Y = data.blobs(50, classes=3, noise=2.0, seed=1)


def network(seed: int = 0) -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 8, seed=seed), nn.Tanh(), nn.Linear(8, 3, seed=seed + 1))


def quiet(model, points=(X, Y), **options):
    return fit(model, points, **{"loss": "cross_entropy", "progress": False} | options)


def pytorch_losses(model: nn.Module, epochs: int, batch_size: int, seed: int, clip: float = np.inf) -> list[float]:
    """Return the losses of the same loop in PyTorch, from the same weights and with the same batches."""
    twin = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).double()
    twin.load_state_dict({name: torch.from_numpy(x) for name, x in model.state_dict().items()})
    loader = DataLoader(X, Y, batch_size=batch_size, shuffle=True, seed=seed)
    adam, losses = torch.optim.Adam(twin.parameters(), lr=0.01), []
    for _ in range(epochs):
        total = 0.0
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(twin(torch.from_numpy(x)), torch.from_numpy(y))
            adam.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(twin.parameters(), clip)
            adam.step()
            total += loss.item() * len(x)
        losses.append(total / len(X))
    return losses


# --- results ---


@pytest.mark.parametrize("clip", [None, 0.1])
def test_the_losses_agree_with_the_same_loop_in_pytorch(clip):
    expected = pytorch_losses(network(), 3, 16, 3, clip or np.inf)
    history = quiet(network(), lr=0.01, epochs=3, batch_size=16, seed=3, clip_norm=clip)
    require_close(history["loss"], expected)


def test_the_losses_of_compiled_steps_agree_with_pytorch():
    expected = pytorch_losses(network(), 3, 16, 3, 0.1)
    history = quiet(network(), lr=0.01, epochs=3, batch_size=16, seed=3, clip_norm=0.1, jit=True)
    require_close(history["loss"], expected)


def test_a_second_training_of_a_model_of_the_same_kind_compiles_nothing():
    class Scaled(nn.Module):
        def __init__(self):
            self.layers = nn.Sequential(nn.Linear(2, 5, seed=0), nn.BatchNorm1d(5), nn.Tanh(), nn.Linear(5, 3, seed=1))
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return self.layers(x) * 0.5

    def train(**options):
        model = Scaled()
        history = quiet(model, metrics="accuracy", validation=(X[:20], Y[:20]), epochs=2, batch_size=16, **options)
        return history["validation_loss"], model.calls

    jax = pytest.importorskip("jax")
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(
        lambda name, _, **known: compiled.append(known) if name.endswith("backend_compile_duration") else None
    )
    first = train(jit=True, optimizer="sgd", lr=0.1)
    del compiled[:]
    assert train(jit=True, optimizer="sgd", lr=0.1) == first
    assert train(jit=True, optimizer="sgd", lr=0.2)[0] != first[0]  # the rate is an input
    assert compiled == []
    require_close(train(optimizer="sgd", lr=0.1)[0], first[0])


def test_compiled_training_has_the_metrics_and_validation_of_eager_training():
    def spread(prediction, target):
        return float(np.std(prediction))

    histories = [
        quiet(network(), metrics=["accuracy", spread, "nll"], validation=(X[:20], Y[:20]), epochs=3, jit=jit)
        for jit in (False, True)
    ]
    assert histories[0].columns == histories[1].columns
    for name in histories[0].columns[:-1]:
        require_close(histories[0][name], histories[1][name], name)


def test_the_penalty_adds_the_sum_of_squares_to_the_loss():
    model = network()
    squares = sum(float((p.data**2).sum()) for p in model.parameters())
    without = quiet(network(), epochs=1)["loss"][0]
    require_close(quiet(model, epochs=1, l2=0.5)["loss"][0], without + 0.5 * squares)


def test_a_schedule_can_be_a_function_of_the_fraction_done():
    history = quiet(network(), optimizer="sgd", lr=2.0, epochs=4, schedule=lambda part: 1 - part)
    assert history["lr"] == [2.0, 1.5, 1.0, 0.5]


def test_a_schedule_of_an_optimizer_is_stepped_with_it():
    model = network()
    optimizer = SGD(model, lr=1.0)
    schedule = optim.StepLR(optimizer, step_size=2, gamma=0.1)
    history = quiet(model, optimizer=optimizer, schedule=schedule, epochs=3, batch_size=25)
    require_close(history["lr"], [1.0, 0.1, 0.01])


def test_a_plateau_of_the_epoch_losses_lowers_the_rate():
    model = network()
    optimizer = SGD(model, lr=0.0)
    optimizer.lr = 1e-300  # nothing improves
    schedule = optim.ReduceLROnPlateau(optimizer, factor=0.5, patience=1, eps=0.0)
    assert quiet(model, optimizer=optimizer, schedule=schedule, epochs=4)["lr"][-1] == 5e-301


def test_predictions_of_shape_n_1_fit_targets_of_shape_n():
    points, labels = data.moons(30, seed=0)
    row = quiet(nn.Sequential(nn.Linear(2, 1, seed=0)), (points, 2 * labels - 1), loss="hinge", metrics="accuracy")
    column = quiet(
        nn.Sequential(nn.Linear(2, 1, seed=0)), (points, 2 * labels[:, None] - 1), loss="hinge", metrics="accuracy"
    )
    assert row["loss"] == column["loss"]
    assert row["accuracy"] == column["accuracy"]


@pytest.mark.parametrize(
    ("loss", "labels", "outputs"),
    [
        ("hinge", [-1, 1], nn.Identity()),
        ("binary_cross_entropy_with_logits", [0, 1], nn.Identity()),
        ("binary_cross_entropy", [0, 1], nn.Sigmoid()),
        ("mse", [0, 1], nn.Identity()),
        ("mse", [-1, 1], nn.Tanh()),
    ],
)
def test_the_threshold_of_accuracy_depends_on_the_loss_and_targets(loss, labels, outputs):
    points = np.array([[-3.0], [-2.0], [2.0], [3.0]])
    targets = np.array(labels)[[0, 0, 1, 1]]
    model = nn.Sequential(nn.Linear(1, 1, seed=0), outputs)
    assert quiet(model, (points, targets), loss=loss, lr=0.1, epochs=60, metrics="accuracy")["accuracy"][-1] == 1.0


def test_accuracy_finds_the_classes_along_the_second_axis_or_the_last():
    scores = np.random.default_rng(0).normal(size=(6, 4, 3))
    labels = np.random.default_rng(1).integers(0, 3, size=(6, 4))
    expected = (scores.argmax(2) == labels).mean()
    accuracy = accuracy_at(0.0)
    assert accuracy(scores, labels) == accuracy(scores.transpose(0, 2, 1), labels) == expected
    assert accuracy(scores[:, 0], np.eye(3)[labels[:, 0]]) == (scores[:, 0].argmax(1) == labels[:, 0]).mean()


def test_scalar_and_array_networks_have_the_same_losses():
    points, targets = np.linspace(-1, 1, 12).reshape(6, 2), np.array([0, 1, 2, 2, 1, 0])
    scalar = nn.MLP(2, [4, 3], "tanh", "linear", seed=3)
    options = {"metrics": "accuracy", "l2": 0.01, "epochs": 5, "batch_size": 4, "clip_norm": 0.5}
    arrays = quiet(scalar.to_arrays(), (points, targets), **options)
    numbers = quiet(scalar, (points, targets), **options)
    require_close(numbers["loss"], arrays["loss"])
    assert numbers["accuracy"] == arrays["accuracy"]


def test_any_callable_with_parameters_is_a_model():
    class Line:
        def __init__(self):
            self.slope, self.start = Value([0.0]), Value([0.0])

        def __call__(self, x):
            return x * self.slope + self.start

        def parameters(self):
            return [self.slope, self.start]

    model, x = Line(), np.linspace(0, 1, 20)
    quiet(model, (x, 3 * x + 1), loss="mse", optimizer="sgd", lr=0.5, epochs=300)
    np.testing.assert_allclose([model.slope.data[0], model.start.data[0]], [3, 1], atol=1e-3)


def test_evaluate_uses_evaluation_mode_and_restores_the_model():
    model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Dropout(0.5, seed=0), nn.Linear(8, 3, seed=1))
    once, twice = (evaluate(model, (X, Y), loss="cross_entropy", metrics="accuracy") for _ in range(2))
    assert once == twice
    assert all(module.training for module in model.modules())
    logits = model.eval()(X).numpy()
    assert once["accuracy"] == (logits.argmax(1) == Y).mean()
    require_close(once["loss"], torch.nn.functional.cross_entropy(torch.from_numpy(logits), torch.from_numpy(Y)).item())


@pytest.mark.parametrize("jit", [False, True])
def test_a_model_with_dropout_predicts_the_same_after_every_call_of_fit(jit):
    """As Keras's `fit` and `model(x)`; a model of PyTorch stays in training mode until `eval()`."""
    seen = []
    model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Dropout(0.5, seed=0), nn.Linear(8, 3, seed=1))
    model[1].register_forward_hook(lambda module, inputs, output: seen.append(module.training))
    for _ in range(2):
        seen.clear()
        quiet(model, epochs=1, jit=jit)
        assert seen[-1]
        np.testing.assert_array_equal(model(X).numpy(), model(X).numpy())
        assert not any(module.training for module in model.modules())


def test_a_model_is_in_evaluation_mode_after_a_training_that_an_exception_ended():
    def fail(model, history):
        raise KeyError

    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Dropout(0.5, seed=0))
    with pytest.raises(KeyError):
        quiet(model, callbacks=fail)
    assert not model[1].training


@pytest.mark.parametrize("again", [lambda model: model, lambda model: model[1].eval(), copy.deepcopy])
def test_a_layer_that_was_frozen_by_hand_stays_frozen_in_the_next_fit(again):
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.BatchNorm1d(3), nn.BatchNorm1d(3))
    model[1].eval()
    quiet(model, epochs=1)
    found = again(model)
    model = found if isinstance(found, nn.Sequential) else model
    before = model[2].running_mean.numpy().copy()
    quiet(model, epochs=1)
    assert (model[1].running_mean.data == 0).all()
    assert (model[2].running_mean.numpy() != before).any()


def test_a_layer_that_is_frozen_after_a_fit_stays_frozen_in_the_next():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.BatchNorm1d(3), nn.BatchNorm1d(3))
    quiet(model, epochs=1)
    model[1].eval()
    before = [layer.running_mean.numpy().copy() for layer in model[1:]]
    quiet(model, epochs=1)
    after = [layer.running_mean.numpy() for layer in model[1:]]
    assert [bool((x == y).all()) for x, y in zip(before, after)] == [True, False]


def test_train_and_eval_of_the_whole_model_undo_what_fit_has_noted():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.BatchNorm1d(3))
    quiet(model, epochs=1)
    state = dict(vars(model[1]))
    model.train()
    assert vars(model[1]).keys() < state.keys()
    assert all(module.training for module in model.modules())
    model.eval()
    before = model[1].running_mean.numpy().copy()
    quiet(model, epochs=1)
    assert (model[1].running_mean.numpy() != before).all()


def test_a_model_in_evaluation_mode_is_trained_and_returned_to_that_mode():
    seen = []
    model = network().eval()
    model[1].register_forward_hook(lambda module, inputs, output: seen.append(module.training))
    quiet(model, epochs=2, loss=nn.CrossEntropyLoss())
    assert seen == [True, True]
    assert not model.training
    assert not model[1].training


def test_a_single_layer_in_evaluation_mode_stays_in_it():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.BatchNorm1d(3))
    model[1].eval()
    quiet(model, epochs=2, validation=(X, Y))
    assert (model[1].running_mean.data == 0).all()
    assert not model[1].training


# --- what ends training ---


def test_early_stopping_ends_with_the_best_state():
    model, states = network(), []

    def keep(model, history):
        states.append(model.state_dict())

    history = quiet(model, lr=0.5, epochs=500, early_stopping=5, callbacks=keep, validation=(X[:10], Y[:10]))
    assert history.stopped == "early stopping"
    assert history.monitor == "validation_loss"
    best = int(np.argmin(history["validation_loss"]))
    assert history.epochs == best + 1 + 5
    assert history.best["epoch"] == best + 1
    for name, x in model.state_dict().items():
        np.testing.assert_array_equal(x, states[best][name])


def test_compiled_training_ends_with_the_best_state():
    histories = {}
    for jit in (False, True):
        model = network()
        histories[jit] = quiet(model, lr=0.5, epochs=60, early_stopping=3, validation=(X[:10], Y[:10]), jit=jit)
        reached = evaluate(model, (X[:10], Y[:10]), loss="cross_entropy")["loss"]
        require_close(reached, min(histories[jit]["validation_loss"]))
    assert histories[True].epochs == histories[False].epochs < 60


def test_early_stopping_can_monitor_a_metric_to_maximize():
    stopping = EarlyStopping(2, monitor="accuracy", min_delta=0.5)
    history = quiet(network(), lr=1e-9, epochs=50, metrics="accuracy", early_stopping=stopping)
    assert history.epochs == 3
    assert history.largest_is_best


def test_a_callback_receives_each_epoch_and_can_end_training():
    seen = []

    def watch(model, history):
        seen.append(history["loss"][-1])
        return history.epochs == 3

    history = quiet(network(), epochs=10, callbacks=[watch])
    assert history.stopped == "callback"
    assert seen == history["loss"]
    assert len(seen) == 3


@pytest.fixture
def terminal():
    """Handle Ctrl-C as in a terminal; processes in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("epoch", [1, 4])
def test_ctrl_c_ends_after_the_step_with_the_history_so_far(epoch):
    steps = []

    class Net(nn.Sequential):
        def forward(self, x):
            steps.append(len(x))
            if len(steps) == 5 * (epoch - 1) + 2:  # the second step of the epoch
                os.kill(os.getpid(), signal.SIGINT)
            return super().forward(x)

    model = Net(*network())
    history = quiet(model, epochs=10, batch_size=10, loss=nn.CrossEntropyLoss())
    assert history.stopped == "interrupted"
    assert history.epochs == epoch - 1
    assert len(steps) == 5 * (epoch - 1) + 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("terminal")
def test_ctrl_c_keeps_the_best_state():
    model, states = network(), []

    def stop_after_worse_epochs(model, history):
        states.append(model.state_dict())
        if history.epochs > history.best["epoch"] + 2:
            os.kill(os.getpid(), signal.SIGINT)

    history = quiet(model, lr=3.0, epochs=500, callbacks=stop_after_worse_epochs)
    assert history.stopped == "interrupted"
    for name, x in model.state_dict().items():
        np.testing.assert_array_equal(x, states[history.best["epoch"] - 1][name])


def test_an_error_in_a_callback_is_not_hidden():
    def broken(model, history):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        quiet(network(), callbacks=broken)


# --- guards ---


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
def test_a_loss_that_is_not_finite_ends_training_and_names_the_operation(jit):
    class Root(nn.Module):
        def __init__(self):
            self.w = Value([1.0], label="w")

        def forward(self, x):
            return (self.w * x).log()

    points = np.array([1.0, 2.0, 3.0, 0.0, 1.0, 0.5])
    loader = DataLoader(points, np.zeros(6), batch_size=1)
    with pytest.warns(errors.NotFiniteLossWarning) as caught:
        history = quiet(Root(), loader, loss="mse", epochs=3, jit=jit)
    message = str(caught[0].message)
    assert "the loss became inf in epoch 1, step 4: log((1,)) gave 1 of 1 numbers that are not finite" in message
    assert "(lr=0.001)" in message
    assert "adjoint.guards(not_finite_loss=False)" in message
    assert history.stopped == "diverged"
    assert history.epochs == 0


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    "model", [nn.Linear(2, 1, seed=0), nn.MLP(2, [3, 1], "linear", "linear", seed=0)], ids=["arrays", "numbers"]
)
def test_a_finite_loss_that_grows_a_thousandfold_ends_training(model, jit):
    start = {name: np.array(x) for name, x in model.state_dict().items()}
    with pytest.warns(errors.DivergingLossWarning) as caught:
        history = quiet(model, data.xor(), loss="mse", optimizer="sgd", lr=1e4, epochs=30, jit=jit)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert message.startswith(f"the loss grew from {history['loss'][0]:.3g} in epoch 1 to ")
    assert "the model has the state of its best epoch" in message
    assert "(lr=10000): try a tenth of it" in message
    assert "adjoint.guards(diverging_loss=False)" in message
    assert history.stopped == "diverged"
    assert history.epochs < 30
    assert history["loss"][-1] > 1000 * history["loss"][0]
    model.load_state_dict(start)
    with guards(diverging_loss=False):
        history = quiet(model, data.xor(), loss="mse", optimizer="sgd", lr=1e4, epochs=2, jit=jit)
    assert (history.stopped, history.epochs) == ("finished", 2)
    model.load_state_dict(start)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_loss_that_falls_and_rises_below_its_start_is_no_divergence(scale):
    """A loss near 0 may rise a thousandfold within the rounding of its weights."""
    w, factors = Value([1.0]), iter([1.0, 1e-8, 1e-3, 0.9, 90.0])

    class Model(nn.Module):
        def __init__(self):
            self.w = w

        def forward(self, x):
            return x * self.w

    def loss(prediction, target):
        return scale * next(factors) + 0.0 * prediction.mean()

    history = quiet(Model(), (np.ones((4, 1)), np.ones((4, 1))), loss=loss, epochs=5)
    assert history.stopped == "finished"


@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
def test_training_that_diverges_keeps_the_best_state(jit):
    model, points = nn.Sequential(nn.Linear(1, 1, seed=0)), np.linspace(-1e3, 1e3, 16).reshape(16, 1)
    warned = pytest.warns(errors.NotFiniteLossWarning, match=r"the loss became (nan|inf) in epoch \d+, step 1: ")
    with guards(diverging_loss=False), warned as caught:
        history = quiet(model, (points, points), loss="mse", optimizer="sgd", lr=1.0, epochs=100, jit=jit)
    assert "the model has the state of its best epoch" in str(caught[0].message)
    assert "square(" in str(caught[0].message)  # the loss overflows while the weights are still finite
    assert history.stopped == "diverged"
    assert 0 < history.epochs < 100
    assert np.isfinite(model[0].weight.data).all()


def test_training_that_diverges_without_a_best_state_says_so():
    model, points = nn.Sequential(nn.Linear(1, 1, seed=0)), np.linspace(-1e3, 1e3, 16).reshape(16, 1)
    for category in (errors.DivergingLossWarning, errors.NotFiniteLossWarning):
        is_on = category is errors.DivergingLossWarning
        with (
            guards(diverging_loss=is_on, input_scale=False),
            pytest.warns(category, match="the model has the weights of this step"),
        ):
            quiet(model, (points, points), loss="mse", optimizer="sgd", lr=1.0, epochs=100, keep_best=False)


def test_weights_that_are_no_longer_finite_are_named():
    class Steep(nn.Module):
        def __init__(self):
            self.w = Value([0.0])

        def forward(self, x):
            return (self.w * x).sqrt()  # its derivative at 0 is infinite

    with pytest.warns(errors.NotFiniteLossWarning, match=r"epoch 2, step 1: these weights were no longer finite: w\."):
        quiet(Steep(), (np.ones(3), np.ones(3)), loss="mse", epochs=5)


def test_the_guard_against_non_finite_losses_can_be_switched_off():
    points = np.linspace(-1e3, 1e3, 16).reshape(16, 1)
    with guards(not_finite_loss=False, diverging_loss=False), warnings.catch_warnings(), np.errstate(all="ignore"):
        history = quiet(
            nn.Sequential(nn.Linear(1, 1, seed=0)), (points, points), loss="mse", optimizer="sgd", lr=1.0, epochs=100
        )
    assert history.epochs == 100
    assert np.isnan(history["loss"][-1])
    assert history.best["epoch"] == 1


def test_a_parameter_missing_from_the_optimizer_is_named():
    model = network()
    frozen = model[0].weight.data.copy()
    with pytest.warns(errors.MissingParameterWarning, match=r"lacks 0\.weight, 0\.bias of the model"):
        quiet(model, optimizer=Adam(model[2]), epochs=2)
    np.testing.assert_array_equal(model[0].weight.data, frozen)
    with guards(missing_parameters=False):
        quiet(model, optimizer=Adam(model[2]), epochs=2)


# --- errors ---

BROKEN = X.copy()
BROKEN[7, 1] = np.nan
ARRAYS = network()


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"epochs": 0}, errors.ArgumentError, "epochs must be an integer of at least 1, not int 0"),
        ({"epochs": 2.5}, errors.ArgumentError, "epochs must be an integer of at least 1, not float 2.5"),
        ({"lr": -0.1}, errors.ArgumentError, "the learning rate lr must be at least 0 and finite, not -0.1"),
        ({"batch_size": 0}, errors.ArgumentError, "batch_size must be an integer of at least 1"),
        ({"loss": "cross_entrop"}, errors.ArgumentError, "unknown loss 'cross_entrop' (did you mean 'cross_entropy'?)"),
        ({"loss": 3}, errors.ArgumentError, "loss must be a name such as 'mse' or a function"),
        ({"optimizer": "adm"}, errors.ArgumentError, "unknown optimizer 'adm' (did you mean 'adam'?)"),
        ({"metrics": "acuracy"}, errors.ArgumentError, "unknown metric 'acuracy' (did you mean 'accuracy'?)"),
        ({"metrics": 3}, errors.ArgumentError, "metrics must be names such as 'accuracy', or functions, not int 3"),
        ({"metrics": ["mse", "mse"]}, errors.ArgumentError, "two columns have the name 'mse'"),
        (
            {"checkpoint": "no/such/folder/file"},
            errors.FileError,
            "the folder 'no/such/folder' does not exist; create it first",
        ),
        ({"progress": "bars"}, errors.ArgumentError, "unknown progress 'bars' (did you mean 'bar'?)"),
        ({"progress": 3.5}, errors.ArgumentError, "progress must be one of auto, bar, notebook, plain, or False"),
        ({"l2": -1.0}, errors.ArgumentError, "l2 must be a number of at least 0, not float -1.0"),
        ({"clip_norm": 0.0}, errors.ArgumentError, "clip_norm must be a number above 0, not float 0.0"),
        ({"schedule": 0.9}, errors.ArgumentError, "schedule must be a schedule of the optimizer"),
        ({"schedule": lambda part: -part - 1}, errors.ArgumentError, "schedule must return the factor of the rate"),
        ({"early_stopping": 0}, errors.ArgumentError, "the patience of early stopping must be an integer"),
        ({"early_stopping": 2.5}, errors.ArgumentError, "early_stopping must be a number of epochs"),
        (
            {"early_stopping": EarlyStopping(monitor="validation_loss")},
            errors.ArgumentError,
            "unknown column to monitor 'validation_loss'",
        ),
        (
            {"early_stopping": EarlyStopping(monitor="own"), "metrics": [lambda p, t: 0.0, type("own", (), {})]},
            errors.ArgumentError,
            "EarlyStopping needs mode='max' or mode='min' for own",
        ),
        ({"callbacks": 3}, errors.ArgumentError, "callbacks are functions of the model and the history, or objects"),
        ({"resume": True}, errors.ArgumentError, "resume=True needs a checkpoint"),
        (
            {"optimizer": Adam([Value(1.0)])},
            errors.ArgumentError,
            "the optimizer has none of the parameters of the model",
        ),
        ({"optimizer": Adam(ARRAYS), "lr": 0.1}, errors.ArgumentError, "an optimizer with lr=0.001"),
        (
            {"schedule": optim.StepLR(SGD([Value(1.0)]), 2)},
            errors.ArgumentError,
            "belongs to another optimizer; pass that optimizer to fit",
        ),
        (
            {"loss": lambda p, t: (p.max(axis=1) - t) ** 2},
            errors.ShapeError,
            "the loss must be one Value, the mean over a batch, not Tensor",
        ),
    ],
)
def test_invalid_arguments_are_refused(given, kind, message):
    with pytest.raises(kind) as error:
        quiet(ARRAYS, **given)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("points", "loss", "kind", "message"),
    [
        ((X[:0], Y[:0]), "cross_entropy", errors.DataError, "fit got empty data, of shape (0, 2)"),
        ((X, Y[:-1]), "cross_entropy", errors.ShapeError, "fit: the arrays have 50 and 49 rows"),
        ((BROKEN, Y), "cross_entropy", errors.DataError, "the data has nan in row 7, column 1"),
        ((X, np.where(Y == 2, np.nan, 1.0)), "mse", errors.DataError, "the targets have nan in row"),
        (X, "cross_entropy", errors.ArgumentError, "data must be inputs and targets, (X, y), a DataLoader or batches"),
        (
            DataLoader(X),
            "mse",
            errors.ArgumentError,
            "a batch must be inputs and targets, (x, y), but it has 1 part; an autoencoder",
        ),
        ((X, Y + 1), "cross_entropy", errors.ArrayIndexError, "label 3 at position"),
        ((X, Y - 1), "cross_entropy", errors.ArrayIndexError, "label -1 at position"),
        (
            (X, Y.astype(float)),
            "cross_entropy",
            errors.ArgumentError,
            "each label must be an integer from 0 to 2",
        ),
        ((X, np.minimum(Y, 1)), "hinge", errors.DataError, "labels -1 and 1, but the targets contain 0; use 2 * y - 1"),
        ((X, Y), "binary_cross_entropy", errors.DataError, "needs targets from 0 to 1, but they contain 2"),
    ],
)
@pytest.mark.parametrize("jit", [False, pytest.param(True, id="compiled")])
def test_invalid_data_is_refused_before_the_first_step(points, loss, kind, message, jit):
    model = network()
    before = model.state_dict()
    with pytest.raises(kind) as error:
        quiet(model, points, loss=loss, jit=jit, batch_size=None if isinstance(points, DataLoader) else 16)
    assert message in str(error.value)
    for name, x in model.state_dict().items():
        np.testing.assert_array_equal(x, before[name])


def test_an_object_that_is_not_a_model_is_refused():
    with pytest.raises(errors.ArgumentError, match="a model must be callable and have parameters"):
        quiet("model")
    with pytest.raises(errors.ArgumentError, match="the model has no parameters"):
        quiet(nn.Sequential(nn.ReLU()))
    with pytest.raises(errors.ArgumentError, match="got batch_size=4 and a DataLoader with batch_size=32"):
        quiet(network(), DataLoader(X, Y), batch_size=4)


def test_wrong_shapes_name_the_layer():
    with pytest.raises(errors.ShapeError, match=r"in layer 0, Linear\(2, 8\): expected an input of shape"):
        quiet(network(), (np.zeros((4, 3)), np.array([0, 1, 2, 0])))


def test_the_duration_of_training_includes_callbacks_between_epochs(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(loop, "perf_counter", lambda: now[0])

    def callback(model, history):
        now[0] += 10.0

    model, samples = nn.Linear(1, 1, seed=0), ([[1.0]], [[1.0]])
    history = fit(model, samples, loss="mse", lr=0.1, epochs=3, callbacks=callback, progress=False)
    assert history["seconds"] == [0.0, 10.0, 10.0]
    assert history.seconds == 20.0
