"""LBFGS takes the steps of PyTorch's, on numbers and arrays, and is saved and resumed."""

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint import Value, jit, nn, optim
from adjoint.errors import AdjointError

random = np.random.default_rng(0)
X, Y, W = random.normal(size=(20, 3)), random.normal(size=(20, 2)), random.normal(size=(3, 2))
TOO_SHORT = {"line_search_fn": "strong_wolfe", "lr": 1e-3, "max_iter": 5, "max_eval": 40}  # the first steps
CASES = [
    {},
    {"lr": 0.3, "max_iter": 4},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "max_iter": 7, "history_size": 3},
    {"line_search_fn": "strong_wolfe", "lr": 20.0, "max_iter": 5, "max_eval": 40},  # the first steps are too long
    TOO_SHORT,
    {"tolerance_grad": 0.1},
    {"tolerance_change": 1e-2, "line_search_fn": "strong_wolfe"},
]
ITERATIONS = 100.0  # each iteration starts from the rounding errors of all before
ROSENBROCK = (
    1e5  # along its valley a step amplifies errors by its condition number, 2,500, and a few steps are compared
)


def quartic(w, s, xs, ys):
    """A convex loss: a rounding error does not grow, unless a line search branches on it."""
    return ((xs @ w - ys) ** 4).sum() / 10 + (w**2).sum() + (s - 2) ** 4 + (s - w[0, 0]) ** 2


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def run(kind, values, loss_of, steps=6, wrap=lambda f: f, optimizer=None, **options):
    """Return the losses of some steps, and how often the loss was computed."""
    optimizer = optimizer or kind(values, **options)
    calls = 0

    @wrap
    def gradients():
        optimizer.zero_grad()
        loss = loss_of(*values)
        loss.backward()
        return loss.detach()

    def closure():
        nonlocal calls
        calls += 1
        return gradients()

    return [float(optimizer.step(closure)) for _ in range(steps)], calls


@pytest.mark.parametrize("options", CASES, ids=str)
def test_steps_on_arrays_and_numbers_agree_with_pytorch(options):
    ours, theirs = [Value(W), Value(0.5)], [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (W, 0.5)]
    x, y = torch.tensor(X), torch.tensor(Y)
    # Close to the minimum, steps that are too short change the loss by so little that rounding decides whether the
    # cubic through two points has a minimum (line_search._interpolate); so that run ends before.
    steps = 4 if options is TOO_SHORT else 6
    found = run(optim.LBFGS, ours, lambda w, s: quartic(w, s, X, Y), steps, **options)
    expected = run(torch.optim.LBFGS, theirs, lambda w, s: quartic(w, s, x, y), steps, **options)
    require_close(found[0], expected[0], condition=ITERATIONS)
    assert found[1] == expected[1]
    for p, q in zip(ours, theirs):
        require_close(p, q, condition=ITERATIONS)


@pytest.mark.parametrize("options", CASES[2:6], ids=str)
def test_steps_on_numbers_agree_with_pytorch_also_with_a_compiled_closure(options):
    start = (-1.5, 2.0)
    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in start]
    expected = run(torch.optim.LBFGS, theirs, rosenbrock, **options)
    for wrap in (lambda f: f, jit):
        ours = [Value(x) for x in start]
        found = run(optim.LBFGS, ours, rosenbrock, wrap=wrap, **options)
        require_close(found[0], expected[0], condition=ROSENBROCK)
        assert found[1] == expected[1]


Q, _ = np.linalg.qr(random.normal(size=(20, 20)))
CURVED = Q @ np.diag(np.geomspace(1, 50, 20)) @ Q.T  # a Hessian with many different curvatures
LINEAR = random.normal(size=20)


def quadratic(w, a, b):
    return 0.5 * (w @ (a @ w)) - (b * w).sum()


def steep(w, a, b):
    return ((a @ w - b) ** 4).sum() / 100 + (w**2).sum()


def valley(w, a, b):
    return (100 * (w[1:] - w[:-1] ** 2) ** 2 + (1 - w[:-1]) ** 2).sum()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 10, 12, 100])
@pytest.mark.parametrize(
    ("loss_of", "options"),
    [
        (quadratic, {}),
        (quadratic, {"line_search_fn": "strong_wolfe"}),
        (steep, {"lr": 1e-3}),
        (steep, {"line_search_fn": "strong_wolfe"}),
        (valley, {"lr": 1e-3}),
        (valley, {"line_search_fn": "strong_wolfe"}),
    ],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
def test_each_size_of_the_history_takes_the_steps_of_pytorch(loss_of, options, size):
    start = np.random.default_rng(1).normal(size=20) / 2
    options = {**options, "history_size": size, "max_iter": 1, "max_eval": 30}
    ours, theirs = [Value(start)], [torch.tensor(start, requires_grad=True)]
    optimizer, reference = optim.LBFGS(ours, **options), torch.optim.LBFGS(theirs, **options)
    a, b = torch.tensor(CURVED), torch.tensor(LINEAR)
    for _ in range(16):  # more than the pairs of six sizes
        run(None, ours, lambda w: loss_of(w, CURVED, LINEAR), steps=1, optimizer=optimizer)
        run(None, theirs, lambda w: loss_of(w, a, b), steps=1, optimizer=reference)
        require_close(ours[0], theirs[0], condition=ROSENBROCK if loss_of is valley else ITERATIONS)
    kept, expected = optimizer.state_dict()["state"][0], reference.state_dict()["state"][0]
    assert len(kept["old_dirs"]) == len(expected["old_dirs"]) == min(size, 15)
    assert kept["func_evals"] == expected["func_evals"]


def test_the_default_history_takes_the_steps_of_pytorch_beyond_fifty():
    curvatures = np.geomspace(1, 1e4, 90)
    ours, theirs = [Value(np.ones(90))], [torch.ones(90, dtype=torch.float64, requires_grad=True)]
    options = {"max_iter": 80, "max_eval": 200, "line_search_fn": "strong_wolfe"}
    optimizer, reference = optim.LBFGS(ours, **options), torch.optim.LBFGS(theirs, **options)
    scale = torch.tensor(curvatures)
    run(None, ours, lambda w: (curvatures * w**2).sum(), steps=1, optimizer=optimizer)
    run(None, theirs, lambda w: (scale * w**2).sum(), steps=1, optimizer=reference)
    kept, expected = optimizer.state_dict()["state"][0], reference.state_dict()["state"][0]
    assert len(kept["old_dirs"]) == len(expected["old_dirs"]) == 79
    require_close(ours[0], theirs[0], condition=1e4)  # the condition number of the Hessian


def test_a_state_resumes_bit_for_bit_and_pytorchs_is_accepted():
    def values():
        return [Value(x) for x in (-1.5, 2.0)]

    options = {"line_search_fn": "strong_wolfe", "max_iter": 4}
    whole, first, second = values(), values(), values()
    expected = run(optim.LBFGS, whole, rosenbrock, steps=6, **options)
    optimizer = optim.LBFGS(first, **options)
    begun = run(None, first, rosenbrock, steps=3, optimizer=optimizer)
    state = optimizer.state_dict()
    for p, q in zip(second, first):
        p.data = q.data
    resumed = optim.LBFGS(second)
    resumed.load_state_dict(state)
    rest = run(None, second, rosenbrock, steps=3, optimizer=resumed)
    assert begun[0] + rest[0] == expected[0]
    assert begun[1] + rest[1] == expected[1]

    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (-1.5, 2.0)]
    reference = torch.optim.LBFGS(theirs, **options)
    run(None, theirs, rosenbrock, steps=3, optimizer=reference)
    ours = [Value(p.item()) for p in theirs]
    optimizer = optim.LBFGS(ours, **options)
    optimizer.load_state_dict(reference.state_dict())
    expected = run(None, theirs, rosenbrock, steps=3, optimizer=reference)
    found = run(None, ours, rosenbrock, steps=3, optimizer=optimizer)
    require_close(found[0], expected[0], condition=ROSENBROCK)


def step_inside_jit():
    w = Value([1.0])
    optimizer = optim.LBFGS([w])
    jit(lambda: optimizer.step(lambda: (w**2).sum()))()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: optim.LBFGS([Value(1.0)]).step(), "LBFGS.step needs a function that computes the loss"),
        (lambda: optim.LBFGS([{"params": [Value(1.0)]}, {"params": [Value(2.0)]}]), "one group of parameters, not 2"),
        (lambda: optim.LBFGS([Value(1.0)]).add_param_group({"params": [Value(1.0)]}), "LBFGS has one group of"),
        (lambda: optim.LBFGS([Value(1.0)], line_search_fn="wolfe"), "line_search_fn must be 'strong_wolfe' or None"),
        (lambda: optim.LBFGS([Value(1.0)], max_iter=0), "max_iter must be an integer of at least 1, not int 0"),
        (step_inside_jit, "LBFGS chooses its steps by the loss, so it cannot run inside jit; compile the closure"),
    ],
)  # fmt: skip
def test_invalid_uses_are_refused(call, message):
    with pytest.raises(AdjointError) as error:
        call()
    assert message in str(error.value)


def test_a_frozen_parameter_keeps_its_data():
    x, y = Value(-1.5), Value([2.0])
    optimizer = optim.LBFGS([x, y], line_search_fn="strong_wolfe")
    (rosenbrock(x, y).sum()).backward()
    y.requires_grad = False
    losses, _ = run(None, [x, y], lambda x, y: rosenbrock(x, y).sum(), steps=2, optimizer=optimizer)
    assert losses[1] < losses[0]
    assert y.data.tolist() == [2.0]


def test_a_parameter_that_is_frozen_later_keeps_its_data():
    model = nn.Sequential(nn.Linear(2, 3, seed=0), nn.Tanh(), nn.Linear(3, 1, seed=1))
    x, y = np.random.default_rng(0).normal(size=(2, 8, 2))
    optimizer = optim.LBFGS(model.parameters(), max_iter=4)

    def closure():
        optimizer.zero_grad()
        loss = nn.mse(model(x), y[:, :1])
        loss.backward()
        return loss

    optimizer.step(closure)
    model[0].freeze()
    kept, other = model[0].weight.numpy().copy(), model[2].weight.numpy().copy()
    optimizer.step(closure)
    assert np.array_equal(model[0].weight.numpy(), kept)
    assert not np.array_equal(model[2].weight.numpy(), other)
