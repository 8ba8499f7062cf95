"""Every optimizer agrees with PyTorch's, on scalars and on arrays, eager and compiled."""

import copy

import numpy as np
import pytest
import torch
from closeness import require_close

from adjoint import Value, jit, optim
from adjoint.errors import AdjointError, ArgumentError, GraphError

STEPS = 100
random = np.random.default_rng(0)
X, Y = random.normal(size=(12, 3)), random.normal(size=(12, 2))
W, B, S = random.normal(size=(3, 2)), random.normal(size=2), random.normal()


@pytest.fixture(autouse=True)
def double_precision():
    """Let PyTorch keep the numbers of NAdam, which are not arrays, in float64."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def loss_of(W, b, s, tanh):
    """Return a loss of two arrays and a number that is neither linear nor quadratic."""
    return ((tanh(X @ W + b) * s - Y) ** 2).sum() / 4


def torch_losses(kind, **options):
    """Return the losses of 100 steps with PyTorch's optimizer, and the final parameters."""
    parameters = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (W, B, S)]
    optimizer, x, y = kind(parameters, **options), torch.tensor(X), torch.tensor(Y)
    losses = []
    for _ in range(STEPS):
        loss = ((torch.tanh(x @ parameters[0] + parameters[1]) * parameters[2] - y) ** 2).sum() / 4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.detach().numpy() for p in parameters]


def array_losses(kind, compile=lambda step: step, **options):
    parameters = [Value(W), Value(B), Value(S)]
    optimizer = kind(parameters, **options)

    @compile
    def step():
        loss = loss_of(*parameters, lambda v: v.tanh())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return [float(step()) for _ in range(STEPS)], [p.data for p in parameters]


def scalar_losses(kind, **options):
    """Return the same for a network in which every weight is a scalar Value."""
    weights, bias, scale = [[Value(w) for w in row] for row in W], [Value(b) for b in B], Value(S)
    optimizer = kind([*(w for row in weights for w in row), *bias, scale], **options)
    losses = []
    for _ in range(STEPS):
        loss = Value(0.0)
        for x, y in zip(X.tolist(), Y.tolist()):
            for j in range(2):
                total = bias[j]
                for i in range(3):
                    total = total + x[i] * weights[i][j]
                loss = loss + (total.tanh() * scale - y[j]) ** 2
        loss = loss / 4
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.data)
    return losses, [np.array([[w.data for w in row] for row in weights]), [b.data for b in bias], scale.data]


def close(ours, reference):
    losses, parameters = reference
    require_close(ours[0], losses)
    for p, q in zip(ours[1], parameters):
        require_close(p, q)


CASES = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.05, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.02, "momentum": 0.9}),
    ("SGD", {"lr": 0.02, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.02, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01}),
    ("Adam", {"lr": 0.05}),
    ("Adam", {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-4, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.05}),
    ("AdamW", {"lr": 0.1, "betas": (0.5, 0.99), "eps": 1e-6, "weight_decay": 0.3}),
    ("RMSprop", {"lr": 0.02}),
    ("RMSprop", {"lr": 0.01, "alpha": 0.9, "momentum": 0.5, "weight_decay": 0.1, "eps": 1e-2}),
    ("RMSprop", {"lr": 0.02, "centered": True, "eps": 1e-3}),
    ("Adagrad", {"lr": 0.1}),
    ("NAdam", {"lr": 0.01, "maximize": True, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.01, "maximize": True, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.01, "maximize": True, "weight_decay": 0.1}),
    ("Adadelta", {"lr": 0.5, "maximize": True, "weight_decay": 0.1}),
    ("Rprop", {"lr": 0.01, "maximize": True, "foreach": False, "step_sizes": (1e-6, 0.02)}),
    ("NAdam", {"lr": 0.05}),
    ("NAdam", {"lr": 0.02, "betas": (0.8, 0.99), "eps": 1e-2, "weight_decay": 0.1, "momentum_decay": 0.1}),
    ("NAdam", {"lr": 0.02, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"lr": 0.05}),
    ("RAdam", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-4, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.02, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adamax", {"lr": 0.05}),
    ("Adamax", {"lr": 0.02, "betas": (0.8, 0.99), "eps": 1e-2, "weight_decay": 0.1}),
    ("Adadelta", {"lr": 1.0}),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1}),
    ("Rprop", {"lr": 0.01}),
    ("Rprop", {"lr": 0.01, "etas": (0.4, 1.3), "step_sizes": (1e-3, 0.1)}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3}),
    ("Adam", {"lr": 0.1, "betas": (0.8, 0.7), "amsgrad": True}),
    ("AdamW", {"lr": 0.1, "betas": (0.8, 0.7), "weight_decay": 0.3, "amsgrad": True, "maximize": True}),
    ("SGD", {"lr": 1e-3, "momentum": 0.5, "weight_decay": 0.1, "maximize": True}),
    ("RMSprop", {"lr": 0.01, "maximize": True, "foreach": True}),
    ("Adagrad", {"lr": 0.01, "maximize": True}),
]
# RMSprop with momentum has a large eps. With a small one, a difference in the last bit of a weight grows to 1e-9 within
# 100 steps of this problem, also in PyTorch.
each_case = pytest.mark.parametrize(("name", "options"), CASES, ids=lambda x: x if isinstance(x, str) else str(x))


@each_case
def test_a_hundred_steps_on_arrays_agree_with_pytorch(name, options):
    close(array_losses(getattr(optim, name), **options), torch_losses(getattr(torch.optim, name), **options))


@each_case
def test_a_hundred_steps_on_scalars_agree_with_pytorch(name, options):
    close(scalar_losses(getattr(optim, name), **options), torch_losses(getattr(torch.optim, name), **options))


COMPILED_TOGETHER = ("NAdam", "RAdam", "Adamax", "Adadelta", "Rprop")


@pytest.mark.parametrize(("name", "options"), [case for case in CASES if case[0] not in COMPILED_TOGETHER], ids=str)
def test_a_hundred_compiled_steps_agree_with_pytorch(name, options):
    close(array_losses(getattr(optim, name), jit, **options), torch_losses(getattr(torch.optim, name), **options))


def test_a_hundred_steps_of_several_optimizers_in_one_program_agree_with_pytorch():
    cases = list({name: (name, options) for name, options in CASES if name in COMPILED_TOGETHER}.values())
    runs = [[Value(W), Value(B), Value(S)] for _ in cases]
    optimizers = [getattr(optim, name)(values, **options) for (name, options), values in zip(cases, runs)]

    @jit
    def step():
        losses = []
        for values, optimizer in zip(runs, optimizers):
            losses.append(loss_of(*values, lambda v: v.tanh()))
            optimizer.zero_grad()
            losses[-1].backward()
            optimizer.step()
        return losses

    losses = np.array([[float(loss) for loss in step()] for _ in range(STEPS)]).T
    for (name, options), values, found in zip(cases, runs, losses):
        close((found, [p.data for p in values]), torch_losses(getattr(torch.optim, name), **options))


@pytest.mark.parametrize("name", COMPILED_TOGETHER)
def test_steps_on_single_numbers_compiled_without_xla_agree_with_eager_ones(name):
    def train(wrap):
        a, b = Value(1.5), Value(-2.0)
        optimizer = getattr(optim, name)([a, b], lr=0.1)

        @wrap
        def step():
            optimizer.zero_grad()
            (a**2 + (a * b - 1) ** 2).backward()
            optimizer.step()

        for _ in range(12):
            step()
        return a.data, b.data

    require_close(train(jit), train(lambda step: step))


# --- without a counterpart in PyTorch ---


def lion(p, m, g, lr, b1, b2, decay):
    """Take one step of Algorithm 2 of Chen and others."""
    c = b1 * m + (1 - b1) * g
    return p - lr * (np.sign(c) + decay * p), b2 * m + (1 - b2) * g


@pytest.mark.parametrize("compile", [lambda step: step, jit])
@pytest.mark.parametrize("options", [{}, {"betas": (0.8, 0.95), "weight_decay": 0.1}])
def test_lion_follows_the_formula_of_the_paper(options, compile):
    w, s = Value(W), Value(S)
    optimizer = optim.Lion([w, s], lr=0.01, **options)

    @compile
    def step():
        optimizer.zero_grad()
        ((w**2).sum() * s.exp()).backward()
        optimizer.step()

    p, q, m, n = W, S, np.zeros_like(W), 0.0
    (b1, b2), decay = options.get("betas", (0.9, 0.99)), options.get("weight_decay", 0.0)
    for _ in range(STEPS):
        step()
        gp, gq = 2 * p * np.exp(q), (p**2).sum() * np.exp(q)
        (p, m), (q, n) = lion(p, m, gp, 0.01, b1, b2, decay), lion(q, n, gq, 0.01, b1, b2, decay)
    require_close(w.data, p)
    require_close(s.data, q)


def muon_run(values, kind, product, **options):
    optimizer = kind(values, lr=0.05, **options)
    for _ in range(12):
        optimizer.zero_grad()
        product(*values).backward()
        optimizer.step()
    return optimizer


MUON_CASES = [
    {},
    {"momentum": 0.8, "nesterov": False, "weight_decay": 0.3, "ns_steps": 3, "adjust_lr_fn": "match_rms_adamw"},
]


@pytest.mark.parametrize("options", MUON_CASES, ids=str)
def test_muon_agrees_with_pytorch(options, monkeypatch):
    """PyTorch orthogonalizes in bfloat16, which is replaced by float64 here."""
    monkeypatch.setattr(torch.Tensor, "bfloat16", torch.Tensor.clone)

    def loss(a, b, c):
        return (a @ b).tanh().sum() + ((c @ a) ** 2).sum()

    start = [W, random.normal(size=(2, 5)), np.eye(3)[:2] + 0.1]
    ours, compiled = ([Value(x) for x in start] for _ in range(2))
    theirs = [torch.tensor(x, requires_grad=True) for x in start]
    muon_run(theirs, torch.optim.Muon, loss, **options)
    muon_run(ours, optim.Muon, loss, **options)
    optimizer = optim.Muon(compiled, lr=0.05, **options)

    @jit
    def step():
        optimizer.zero_grad()
        loss(*compiled).backward()
        optimizer.step()

    for _ in range(12):
        step()
    for p, q, r in zip(ours, compiled, theirs):
        require_close(p.data, r.detach().numpy())
        require_close(q.data, r.detach().numpy())


def test_the_update_of_muon_is_nearly_orthogonal():
    w = Value(random.normal(size=(6, 3)))
    before = w.data.copy()
    (w * random.normal(size=(6, 3))).sum().backward()
    optim.Muon([w], lr=1.0, weight_decay=0.0).step()
    sizes = np.linalg.svd((before - w.data) / 2**0.5, compute_uv=False)
    assert (sizes > 0.5).all()
    assert (sizes < 1.5).all()


def test_a_step_calls_the_closure_first_and_returns_its_loss():
    w = Value([3.0])
    optimizer = optim.SGD([w], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure)) == 9.0
    assert w.data.tolist() == [1.5]


# --- groups ---


def test_groups_have_separate_options_as_in_pytorch():
    def train(kind, values, square):
        a, b, c = values
        optimizer = kind([{"params": [a], "lr": 0.1}, {"params": [b, c], "momentum": 0.0}], lr=0.01, momentum=0.9)
        for _ in range(20):
            optimizer.zero_grad()
            square(a, b, c).backward()
            optimizer.step()
        return optimizer

    def square(a, b, c):
        return (a**2).sum() + (b**2).sum() * c**2

    ours = [Value(W), Value(B), Value(S)]
    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (W, B, S)]
    optimizer = train(optim.SGD, ours, square)
    train(torch.optim.SGD, theirs, square)
    for p, q in zip(ours, theirs):
        require_close(p.data, q.detach().numpy())
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.01]
    assert [group["params"] for group in optimizer.param_groups] == [[ours[0]], ours[1:]]
    assert optimizer.lr == 0.1
    optimizer.lr = 0.5
    assert [group["lr"] for group in optimizer.param_groups] == [0.5, 0.5]


def test_the_step_count_of_a_group_added_later_starts_at_one():
    def train(kind, a, b):
        optimizer = kind([a], lr=0.1)
        for i in range(20):
            if i == 7:
                optimizer.add_param_group({"params": [b], "lr": 0.05})
            optimizer.zero_grad()
            ((a**2).sum() + (b**2).sum()).backward()
            optimizer.step()
        return optimizer

    ours = [Value(W), Value(B)]
    theirs = [torch.tensor(x, requires_grad=True) for x in (W, B)]
    optimizer = train(optim.Adam, *ours)
    train(torch.optim.Adam, *theirs)
    for p, q in zip(ours, theirs):
        require_close(p.data, q.detach().numpy())
    with pytest.raises(
        ArgumentError, match="the same Value twice, as parameter 0 of group 0 and as parameter 0 of group 2"
    ):
        optimizer.add_param_group({"params": [ours[0]]})
    assert len(optimizer.param_groups) == 2


def test_an_array_without_a_gradient_is_not_updated_as_in_pytorch():
    def train(optimizer, a, b):
        for i in range(12):
            optimizer.zero_grad()
            loss = (a**2).sum() if i % 3 == 0 else (a**2).sum() + (b**2).sum()
            loss.backward()
            optimizer.step()

    ours = [Value(W), Value(B)]
    theirs = [torch.tensor(x, requires_grad=True) for x in (W, B)]
    train(optim.Adam(ours, lr=0.1, weight_decay=0.1), *ours)
    train(torch.optim.Adam(theirs, lr=0.1, weight_decay=0.1), *theirs)
    for p, q in zip(ours, theirs):
        require_close(p.data, q.detach().numpy())


def test_the_options_of_pytorch_that_choose_kernels_change_nothing():
    plain, other = Value(W), Value(W)
    for w, options in ((plain, {}), (other, {"foreach": True, "fused": True, "capturable": True})):
        optimizer = optim.AdamW([w], lr=0.1, **options)
        (w**2).sum().backward()
        optimizer.step()
    assert np.array_equal(plain.data, other.data)


def test_maximize_is_an_option_of_a_group():
    down, up = Value(1.0), Value(1.0)
    optimizer = optim.SGD([{"params": [down]}, {"params": [up], "maximize": True}], lr=0.25)
    (down * up).backward()
    optimizer.step()
    assert (down.data, up.data) == (0.75, 1.25)
    optimizer.param_groups[1]["maximize"] = False
    optimizer.step()
    assert (down.data, up.data) == (0.5, 1.0)


def test_a_momentum_enabled_later_gets_a_buffer():
    w = Value([1.0])
    optimizer = optim.SGD([w], lr=0.1)
    optimizer.param_groups[0]["momentum"] = 0.5
    for _ in range(2):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
    require_close(w.data, [1 - 0.1 - 0.1 * 1.5])


def test_an_optimizer_accepts_a_model():
    from adjoint.nn import MLP

    model = MLP(2, [3, 1], seed=0)
    optimizer = optim.SGD(model, lr=0.1)
    assert optimizer.param_groups[0]["params"] == model.parameters()
    assert repr(optimizer) == (
        "SGD(lr=0.1, momentum=0.0, dampening=0.0, nesterov=False, weight_decay=0.0, 13 parameters)"
    )


# --- dtypes and libraries ---


def descend(w, steps=5, **options):
    optimizer = optim.AdamW([w], lr=0.1, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        (w**2).sum().backward()
        optimizer.step()
    return w


def test_float32_parameters_stay_float32():
    w = descend(Value(W.astype(np.float32)))
    assert w.data.dtype == np.float32
    require_close(w, descend(Value(W)), dtype="float32")


def test_arrays_of_other_libraries_are_updated_by_them():
    import jax.numpy as jnp

    expected = descend(Value(W)).data
    for array, kind in ((torch.tensor(W), torch.Tensor), (jnp.asarray(W, jnp.float32), jnp.ndarray)):
        w = descend(Value(array))
        assert isinstance(w.data, kind)
        require_close(w, expected, dtype=str(np.asarray(w.data).dtype))


def test_numpy_arrays_are_updated_in_place_and_backward_detects_it():
    w = Value([1.0, 2.0])
    held = w.data
    loss = (w**2).sum()
    loss.backward()
    optim.SGD([w], lr=0.1).step()
    assert w.data is held
    with pytest.raises(GraphError, match="was assigned after"):
        loss.backward()


def test_a_step_does_not_change_the_gradient():
    w, s = Value(W), Value(S)
    for name, options in CASES:
        optimizer = getattr(optim, name)([w, s], **options)
        optimizer.zero_grad()
        ((w**2).sum() + s * s).backward()
        before = w.grad.copy(), s.grad
        optimizer.step()
        np.testing.assert_array_equal(w.grad, before[0])
        assert s.grad == before[1]


def test_a_gradient_that_is_a_value_is_used_as_a_number():
    w, s = Value([3.0]), Value(2.0)
    ((w**2).sum() + s**2).backward(create_graph=True)
    assert isinstance(w.grad, Value)
    optim.SGD([w, s], lr=0.25).step()
    assert (w.data.tolist(), s.data) == ([1.5], 1.0)


def test_scalars_are_updated_in_a_compiled_step_as_outside():
    def train(compile):
        a, b, w = Value(1.5), Value(-2.0), Value([1.0, 3.0])
        optimizer = optim.Adam([a, w, b], lr=0.1)

        @compile
        def step(x):
            loss = ((w * a).sum() - b * x) ** 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        losses = [float(step(0.5)) for _ in range(STEPS)]
        assert type(a.data) is float
        return losses, [a.data, b.data, w.data], optimizer.state_dict()["state"]

    eager, compiled = train(lambda step: step), train(jit)
    close(compiled, eager[:2])
    for i, held in eager[2].items():
        for name, x in held.items():
            require_close(compiled[2][i][name], x)


def test_rules_of_users_may_use_functions_of_numpy_in_a_compiled_step_of_scalars():
    class Signs(optim.Optimizer):
        @staticmethod
        def update(p, g, *, t, lr):
            p -= lr / np.sqrt(t) * np.sign(g)
            return p, {}

    def train(wrap):
        a, b = Value(1.5), Value(-2.0)
        optimizer = Signs([a, b], lr=0.1)

        @wrap
        def step():
            optimizer.zero_grad()
            (a * a + a * b).backward()
            optimizer.step()

        for _ in range(4):
            step()
        return a.data, b.data

    require_close(train(jit), train(lambda step: step))


def test_infinite_gradients_give_no_warning():
    w = Value([1.0, 2.0])
    w.grad = np.array([np.inf, np.nan])
    optim.Adam([w]).step()
    assert np.isnan(w.data).all()


# --- saving ---


@each_case
def test_training_resumes_bit_for_bit(name, options):
    def values():
        return [Value(W), Value(S), Value(B)]

    def train(optimizer, parameters, steps):
        w, s, b = parameters
        for _ in range(steps):
            optimizer.zero_grad()
            loss_of(w, b, s, lambda v: v.tanh()).backward()
            optimizer.step()

    parameters, others = values(), values()
    optimizer = getattr(optim, name)(parameters, **options)
    train(optimizer, parameters, 7)
    state = copy.deepcopy(optimizer.state_dict())
    for p, q in zip(others, parameters):
        q = q.data
        p.data = q
    other = getattr(optim, name)(others, lr=1.0)
    other.load_state_dict(state)
    train(optimizer, parameters, 5)
    train(other, others, 5)
    for p, q in zip(others, parameters):
        np.testing.assert_array_equal(p.data, q.data)
    for i, held in other.state_dict()["state"].items():
        for key, x in optimizer.state_dict()["state"][i].items():
            np.testing.assert_array_equal(held[key], x)


@each_case
def test_the_state_of_pytorchs_optimizer_is_accepted(name, options):
    theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (W, S)]
    reference = getattr(torch.optim, name)(theirs, **options)

    def train(optimizer, w, s, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            ((w**2).sum() + s**4).backward()
            optimizer.step()

    train(reference, *theirs, 6)
    ours = [Value(theirs[0].detach().numpy()), Value(theirs[1].item())]
    optimizer = getattr(optim, name)(ours)
    optimizer.load_state_dict(reference.state_dict())
    train(reference, *theirs, 6)
    train(optimizer, *ours, 6)
    for p, q in zip(ours, theirs):
        require_close(p.data, q.detach().numpy())


def test_a_state_is_a_copy_of_plain_numbers_and_arrays():
    w, s = Value(W), Value(S)
    optimizer = optim.Adam([w, s])
    state = optimizer.state_dict()
    assert state["param_groups"] == [
        {
            "lr": 1e-3,
            "betas": (0.9, 0.999),
            "eps": 1e-8,
            "weight_decay": 0.0,
            "amsgrad": False,
            "maximize": False,
            "params": [0, 1],
        }
    ]
    assert {type(x) for held in state["state"].values() for x in held.values()} == {float, np.ndarray}
    state["state"][0]["exp_avg"] += 1
    assert not optimizer.state_dict()["state"][0]["exp_avg"].any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("state"), "a state with 'state' and 'param_groups'"),
        (lambda state: state["param_groups"].append({"params": [0]}), "[2, 1] parameters, but this Adam has [2]"),
        (lambda state: state["param_groups"][0].update(nesterov=True), "nesterov=True, which Adam does not have"),
        (lambda state: state["state"].update({5: {}}), "an entry for parameter 5, but this Adam has 2"),
        (lambda state: state["state"][0].update(exp_avg=np.ones(7)), "exp_avg of parameter 0 has shape (7,), but the"),
        (lambda state: state["param_groups"][0].update(lr=-1.0), "the learning rate lr must be at least 0"),
    ],
)  # fmt: skip
def test_a_state_that_does_not_fit_is_refused(change, message):
    optimizer = optim.Adam([Value(W), Value(S)])
    state = optimizer.state_dict()
    change(state)
    with pytest.raises(AdjointError) as error:
        optimizer.load_state_dict(state)
    assert message in str(error.value)


def test_scalars_with_different_numbers_of_steps_cannot_be_resumed():
    optimizer = optim.Adam([Value(1.0), Value(2.0)])
    state = optimizer.state_dict()
    state["state"][0]["step"] = 3.0
    with pytest.raises(ArgumentError, match="different numbers of steps"):
        optimizer.load_state_dict(state)


def test_a_copied_optimizer_is_independent():
    w = Value([1.0])
    optimizer = optim.SGD([w], lr=0.1)
    w2, other = copy.deepcopy((w, optimizer))
    (w2**2).sum().backward()
    other.step()
    assert (w.data.tolist(), w2.data.tolist()) == ([1.0], [0.8])


# --- errors ---

w = Value([1.0], label="w")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: optim.SGD([w], lr=-0.1), "the learning rate lr must be at least 0 and finite, not -0.1"),
        (lambda: optim.SGD([w], lr=float("nan")), "the learning rate lr must be at least 0 and finite, not nan"),
        (lambda: optim.SGD([w], lr=np.ones(2)), "the learning rate lr must be a number, not ndarray array([1., 1.])"),
        (lambda: optim.SGD([w], lr="0.1"), "the learning rate lr must be a number, not str '0.1'"),
        (lambda: optim.SGD([]), "SGD got no parameters"),
        (lambda: optim.SGD([w, Value(1.0), w]), "the same Value twice, as parameter 0 and as parameter 2"),
        (lambda: optim.SGD([w, 3.0]), "parameter 1 of SGD must be a Value, not float 3.0"),
        (lambda: optim.SGD([w * 2]), "was computed by '*', but parameters must be leaves; use .detach()"),
        (lambda: optim.SGD(w), "needs a list of parameters; for a single one write [w]"),
        (lambda: optim.SGD("w"), "a list of Values, a list of parameter groups, or a model, not str 'w'"),
        (lambda: optim.SGD({"w": w}), "needs 'params', a list of Values, not only ['w']"),
        (lambda: optim.SGD([{"params": [w]}, w]), "cannot mix parameter groups and Values"),
        (lambda: optim.SGD([{"params": [w], "momentun": 1}]), "option of SGD 'momentun' (did you mean 'momentum'?)"),
        (lambda: optim.SGD([w], momentum=-1), "momentum must be at least 0 and finite, not -1"),
        (lambda: optim.SGD([w], nesterov=True), "nesterov=True needs a momentum above 0 and dampening=0"),
        (lambda: optim.SGD([w], nesterov=1), "nesterov must be True or False, not int 1"),
        (lambda: optim.Adam([w], betas=(0.9, 1.0)), "each of betas must be at least 0 and below 1, not 1.0"),
        (lambda: optim.Adam([w], betas=0.9), "betas must be a pair such as (0.9, 0.999), not float 0.9"),
        (lambda: optim.Muon([Value(W), w]), "Muon updates matrices, but parameter 1 has shape (1,); give biases"),
        (lambda: optim.Muon([Value(1.0)]), "Muon updates matrices, but parameter 0 is a single number"),
        (lambda: optim.Muon([Value(W)]).add_param_group({"params": [w]}), "parameter 1 has shape (1,)"),
        (lambda: optim.Muon([Value(W)], ns_steps=0.5), "ns_steps must be an integer of at least 1, not float 0.5"),
        (lambda: optim.Muon([Value(W)], adjust_lr_fn="rms"), "must be 'original' or 'match_rms_adamw' or None, not"),
        (lambda: optim.Muon([Value(W)], ns_coefficients=(1, 2)), "ns_coefficients must be 3 numbers such as (3.4445"),
        (lambda: optim.Rprop([w], etas=(1.0, 0.5)), "etas must be a factor below 1 and one above 1, not (1.0, 0.5)"),
        (lambda: optim.SGD([w], maximize=1), "maximize must be True or False, not int 1"),
        (lambda: optim.SGD([w], fused="yes"), "fused must be True or False, not str 'yes'"),
        (lambda: optim.Adam([w], differentiable=True), "Adam does not differentiate its steps"),
        (lambda: optim.SGD([w], maximise=True), "unknown option of SGD 'maximise' (did you mean 'maximize'?)"),
        (lambda: optim.LBFGS([w], maximize=True), "unknown option of LBFGS 'maximize'"),
        (lambda: optim.Rprop([w], etas=0.5), "etas must be a pair such as (0.5, 1.2), not float 0.5"),
        (lambda: optim.Adadelta([w], rho=1.0), "rho must be at least 0 and below 1, not 1.0"),
        (lambda: optim.make("adamm", [w]), "unknown optimizer 'adamm' (did you mean 'adam'?)"),
        (lambda: optim.make(3, [w]), "unknown optimizer 3"),
        (lambda: setattr(optim.SGD([w]), "lr", -1), "the learning rate lr must be at least 0"),
        (lambda: optim.SGD([w]).param_groups[0].update(beta=1), "unknown option 'beta'"),
        (lambda: optim.SGD([w]).param_groups[0].pop("lr"), "cannot delete the option 'lr'"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_refused(make, message):
    with pytest.raises(ArgumentError) as error:
        make()
    assert message in str(error.value)


@pytest.mark.parametrize("name", optim.OPTIMIZERS)
def test_every_optimizer_is_created_by_its_name(name):
    assert type(optim.make(name.upper(), [w], lr=0.5)).__name__.lower() == name
