"""Every schedule agrees with PyTorch's for a hundred steps, and changes the rate of a compiled step."""

from queue import SimpleQueue

import numpy as np
import pytest
import torch
from closeness import require_close
from torch.optim import lr_scheduler

from adjoint import Value, jit, optim
from adjoint.errors import ArgumentError

STEPS = 100


def ours(kind="SGD", **options):
    return getattr(optim, kind)([{"params": [Value(1.0)]}, {"params": [Value([2.0])], "lr": 0.3}], lr=0.8, **options)


def theirs(kind="SGD", **options):
    groups = [
        {"params": [torch.zeros(1, requires_grad=True)]},
        {"params": [torch.zeros(1, requires_grad=True)], "lr": 0.3},
    ]
    return getattr(torch.optim, kind)(groups, lr=0.8, **options)


def settings(optimizer):
    """Return the rate of each group, and its momentum if it has one."""
    found = []
    for group in optimizer.param_groups:
        found += [group["lr"], group.get("momentum", 0.0), *group.get("betas", ())]
    return found


def compare(optimizer, schedule, reference, its_schedule, metrics=None):
    for i in range(STEPS):
        require_close(settings(optimizer), settings(reference), f"step {i}")
        reference.step()
        assert schedule.get_last_lr() == schedule.rates == [group["lr"] for group in optimizer.param_groups]
        for s in (schedule, its_schedule):
            s.step() if metrics is None else s.step(metrics[i])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ConstantLR", {}),
        ("ConstantLR", {"factor": 0.25, "total_iters": 30}),
        ("StepLR", {"step_size": 7}),
        ("StepLR", {"step_size": 30, "gamma": 0.5}),
        ("LinearLR", {}),
        ("LinearLR", {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 99}),
        ("CosineAnnealingLR", {"T_max": 100}),
        ("CosineAnnealingLR", {"T_max": 30, "eta_min": 0.05}),
        pytest.param("LambdaLR", {"lr_lambda": lambda step: 0.95**step}, id="a function"),
        pytest.param(
            "LambdaLR",
            {"lr_lambda": [lambda step: 1 / (1 + step), lambda step: min(1.0, step / 10)]},
            id="one function for each group",
        ),
        ("ExponentialLR", {"gamma": 0.97}),
        ("MultiStepLR", {"milestones": [3, 50, 50, 80]}),
        ("MultiStepLR", {"milestones": [20, 10], "gamma": 0.5}),
        ("PolynomialLR", {}),
        ("PolynomialLR", {"total_iters": 60, "power": 2.5}),
        ("CosineAnnealingWarmRestarts", {"T_0": 7}),
        ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.05}),
        ("CosineAnnealingWarmRestarts", {"T_0": 1, "T_mult": 3}),
        ("OneCycleLR", {"max_lr": 1.0, "total_steps": 100}),
        ("OneCycleLR", {"max_lr": [1.0, 0.2], "total_steps": 120, "pct_start": 0.2, "anneal_strategy": "linear"}),
        ("OneCycleLR", {"max_lr": 2.0, "total_steps": 100, "three_phase": True, "pct_start": 0.4, "div_factor": 10.0}),
        ("OneCycleLR", {"max_lr": 2.0, "total_steps": 100, "cycle_momentum": False, "final_div_factor": 100.0}),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_the_rates_of_a_hundred_steps_agree_with_pytorch(kind, name, options):
    extra = {"momentum": 0.9} if kind == "SGD" else {}
    optimizer, reference = ours(kind, **extra), theirs(kind, **extra)
    schedule = getattr(optim, name)(optimizer, **options)
    compare(optimizer, schedule, reference, getattr(lr_scheduler, name)(reference, **options))


def test_warmup_agrees_with_the_linear_schedule_of_pytorch():
    optimizer, reference = ours(), theirs()
    its = lr_scheduler.LinearLR(reference, start_factor=0.01, total_iters=20)
    compare(optimizer, optim.WarmupLR(optimizer, 20, start_factor=0.01), reference, its)


def test_one_schedule_follows_another_as_in_pytorch():
    optimizer, reference = ours(), theirs()
    warmup, cosine = optim.WarmupLR(optimizer, 10, 0.1), optim.CosineAnnealingLR(optimizer, T_max=60)
    last = optim.ConstantLR(optimizer, factor=0.5, total_iters=1000)
    schedule = optim.SequentialLR(optimizer, [warmup, cosine, last], milestones=[10, 70])
    parts = [
        lr_scheduler.LinearLR(reference, start_factor=0.1, total_iters=10),
        lr_scheduler.CosineAnnealingLR(reference, T_max=60),
        lr_scheduler.ConstantLR(reference, factor=0.5, total_iters=1000),
    ]
    compare(optimizer, schedule, reference, lr_scheduler.SequentialLR(reference, parts, milestones=[10, 70]))


def test_several_schedules_at_the_same_time_agree_with_pytorch():
    optimizer, reference = ours(), theirs()
    parts, others = (
        [
            kind.ConstantLR(opt, factor=0.1, total_iters=10),
            kind.ExponentialLR(opt, gamma=0.98),
            kind.MultiStepLR(opt, milestones=[30, 60], gamma=0.5),
        ]
        for kind, opt in ((optim, optimizer), (lr_scheduler, reference))
    )
    compare(optimizer, optim.ChainedScheduler(parts), reference, lr_scheduler.ChainedScheduler(others))


def test_schedules_step_inside_a_compiled_function_as_outside():
    """The number of steps is not known while the function is traced."""

    def rates(compile):
        optimizers = [optim.SGD([Value([1.0])], lr=0.8) for _ in range(6)]
        schedules = [
            optim.LambdaLR(optimizers[0], lambda step: 0.9**step),
            optim.ExponentialLR(optimizers[1], 0.9),
            optim.MultiStepLR(optimizers[2], [2, 5], 0.5),
            optim.PolynomialLR(optimizers[3], 8, 2.0),
            optim.CosineAnnealingWarmRestarts(optimizers[4], 2, 2, 0.1),
            optim.ChainedScheduler([optim.ExponentialLR(optimizers[5], 0.9), optim.StepLR(optimizers[5], 3)]),
        ]

        @compile
        def step():
            for schedule in schedules:
                schedule.step()

        found = []
        for _ in range(12):
            step()
            found.append([float(optimizer.lr) for optimizer in optimizers])
        return found

    require_close(rates(jit), rates(lambda step: step))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"patience": 2, "factor": 0.5},
        {"patience": 0, "factor": 0.5, "cooldown": 3, "min_lr": 0.01},
        {"patience": 1, "mode": "max", "threshold": 0.05},
        {"patience": 1, "threshold": 0.01, "threshold_mode": "abs"},
        {"patience": 1, "mode": "max", "threshold": 0.01, "threshold_mode": "abs", "eps": 0.1},
    ],
    ids=str,
)
def test_a_plateau_lowers_the_rate_as_in_pytorch(options):
    random = np.random.default_rng(3)
    metrics = (1 / np.arange(1, STEPS + 1) + 0.05 * random.normal(size=STEPS)).tolist()
    optimizer, reference = ours(), theirs()
    schedule = optim.ReduceLROnPlateau(optimizer, **options)
    compare(optimizer, schedule, reference, lr_scheduler.ReduceLROnPlateau(reference, **options), metrics)
    assert settings(optimizer) != settings(ours()), "the rate was lowered at least once"


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_a_scheduled_rate_takes_effect_in_a_compiled_step_without_a_new_trace(name):
    runs = SimpleQueue()  # jit does not look into a queue

    def losses(compile):
        w = Value([3.0, -2.0])
        optimizer = getattr(optim, name)([w], lr=0.2)
        schedule = optim.CosineAnnealingLR(optimizer, T_max=20)

        @compile
        def step():
            runs.put("a run")
            loss = (w**2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        found = []
        for _ in range(20):
            found.append(float(step()))
            schedule.step()
        return found

    eager = losses(lambda step: step)
    assert runs.qsize() == 20
    require_close(losses(jit), eager)
    assert runs.qsize() == 20 + 1


def _sequence(optimizer):
    parts = [optim.WarmupLR(optimizer, 3, 0.1), optim.CosineAnnealingLR(optimizer, 5), optim.StepLR(optimizer, 2)]
    return optim.SequentialLR(optimizer, parts, milestones=[3, 8])


_INSIDE = {
    "constant": lambda o: optim.ConstantLR(o, 0.5, total_iters=4),
    "steps": lambda o: optim.StepLR(o, 3, gamma=0.5),
    "linear": lambda o: optim.LinearLR(o, 1.0, 0.1, total_iters=6),
    "cosine": lambda o: optim.CosineAnnealingLR(o, T_max=9, eta_min=0.01),
    "one cycle": lambda o: optim.OneCycleLR(o, max_lr=0.2, total_steps=12),
    "betas": lambda o: optim.OneCycleLR(o, max_lr=0.2, total_steps=12),
    "three phases": lambda o: optim.OneCycleLR(
        o, 0.2, 12, three_phase=True, pct_start=0.4, anneal_strategy="linear", cycle_momentum=False
    ),
    "one after the other": _sequence,
    "plateau": lambda o: optim.ReduceLROnPlateau(o, factor=0.5, patience=0, cooldown=1, min_lr=0.02),
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "numbers"])
@pytest.mark.parametrize("name", _INSIDE)
def test_a_schedule_steps_inside_a_compiled_function(name, dtype):
    is_array = dtype != "numbers"
    runs = SimpleQueue()  # jit does not look into a queue

    def train(compile):
        w = Value(np.array([3.0, -2.0], dtype)) if is_array else Value(3.0)
        optimizer = optim.SGD([w], lr=0.2, momentum=0.5) if name != "betas" else optim.Adam([w], lr=0.2)
        schedule = _INSIDE[name](optimizer)

        @compile
        def step(x):
            runs.put("a run")
            loss = ((w * x) ** 2).sum() if is_array else (w * x) ** 2
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step(*([loss] if name == "plateau" else []))
            return loss

        found = []
        for i in range(12):
            x = 1.0 + i % 3
            loss = float(step(np.full(2, x, dtype) if is_array else x))
            found.append([loss, *settings(optimizer), *np.ravel(w.data)])
        assert not is_array or w.dtype == dtype
        return found, schedule.state_dict()

    eager, state = train(lambda step: step)
    compiled, compiled_state = train(jit)
    require_close(compiled, eager, dtype=dtype)
    require_close(compiled_state, state, dtype=dtype)
    assert {type(x) for x in compiled_state.values()} <= {int, float}
    assert runs.qsize() <= 13 + 4, "the steps are compiled, not traced again"


def test_a_cycled_momentum_takes_effect_in_a_compiled_step():
    def losses(compile):
        w = Value([3.0, -2.0])
        optimizer = optim.SGD([w], lr=0.01, momentum=0.9)
        schedule = optim.OneCycleLR(optimizer, max_lr=0.1, total_steps=20)

        @compile
        def step():
            loss = (w**2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        found = []
        for _ in range(20):
            found.append(float(step()))
            schedule.step()
        return found

    require_close(losses(jit), losses(lambda step: step))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("StepLR", {"step_size": 3}),
        ("OneCycleLR", {"max_lr": 1.0, "total_steps": 40}),
        ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2}),
        ("ReduceLROnPlateau", {"patience": 1}),
    ],
    ids=str,
)
def test_a_schedule_resumes_from_its_state(name, options):
    steps = [(float(i % 5),) if name == "ReduceLROnPlateau" else () for i in range(30)]
    optimizer = ours(momentum=0.9)
    schedule = getattr(optim, name)(optimizer, **options)
    for step in steps[:13]:
        schedule.step(*step)
    other = ours(momentum=0.9)
    resumed = getattr(optim, name)(other, **options)
    other.load_state_dict(optimizer.state_dict())
    resumed.load_state_dict(schedule.state_dict())
    for step in steps[13:]:
        schedule.step(*step)
        resumed.step(*step)
        assert settings(other) == settings(optimizer)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda o: optim.StepLR(o, 0), "step_size must be an integer of at least 1, not int 0"),
        (lambda o: optim.StepLR(o, 2, gamma=-1), "gamma must be a number above 0, not int -1"),
        (lambda o: optim.CosineAnnealingLR([o], 5), "needs an optimizer, not list"),
        (lambda o: optim.OneCycleLR(o, [1.0], 10), "max_lr has 1 rates for 2 parameter groups"),
        (lambda o: optim.OneCycleLR(o, 1.0, 10, anneal_strategy="sine"), "anneal_strategy must be 'cos' or 'linear'"),
        (lambda o: optim.OneCycleLR(o, 1.0, 10, pct_start=3), "pct_start must be a fraction of all steps"),
        (lambda o: optim.OneCycleLR(optim.Adagrad([Value(1.0)]), 1.0, 10), "Adagrad has no momentum to cycle"),
        (lambda o: optim.ReduceLROnPlateau(o, "least"), "mode must be 'min' or 'max'"),
        (lambda o: optim.ReduceLROnPlateau(o, threshold_mode="x"), "threshold_mode must be 'rel' or 'abs'"),
        (lambda o: optim.ReduceLROnPlateau(o, factor=2.0), "factor must be a number between 0 and 1"),
        (lambda o: optim.ReduceLROnPlateau(o).step(), "needs the metric: schedule.step(loss)"),
        (lambda o: optim.SequentialLR(o, [optim.StepLR(o, 2)] * 2, [3, 4]), "2 schedules need 1 milestones"),
        (lambda o: optim.SequentialLR(o, [optim.StepLR(o, 2), optim.ReduceLROnPlateau(o)], [3]), "cannot contain"),
        (lambda o: optim.SequentialLR(o, [optim.StepLR(ours(), 2)], []), "belongs to another optimizer"),
        (lambda o: optim.LambdaLR(o, 0.5), "lr_lambda must be a function of the number of steps, or one for"),
        (lambda o: optim.LambdaLR(o, [lambda t: 1.0]), "or one for each of the 2 groups, not list"),
        (lambda o: optim.LambdaLR(o, lambda t: "1"), "must return a factor of the rate, a number, not str '1'"),
        (lambda o: optim.MultiStepLR(o, [1.5]), "a milestone must be an integer of at least 0, not float 1.5"),
        (lambda o: optim.CosineAnnealingWarmRestarts(o, 0), "T_0 must be an integer of at least 1, not int 0"),
        (lambda o: optim.ChainedScheduler([]), "ChainedScheduler needs at least one schedule"),
        (lambda o: optim.ChainedScheduler([optim.ReduceLROnPlateau(o)]), "ChainedScheduler cannot contain"),
        (lambda o: optim.ChainedScheduler([optim.StepLR(o, 2)], ours()), "belongs to another optimizer"),
        (lambda o: optim.StepLR(o, 2).load_state_dict({"epoch": 3}), "needs a state with the keys ['count']"),
    ],
)  # fmt: skip
def test_an_invalid_schedule_is_refused(make, message):
    with pytest.raises(ArgumentError) as error:
        make(ours())
    assert message in str(error.value)


def test_a_cycle_refuses_steps_after_its_end():
    schedule = optim.OneCycleLR(ours(momentum=0.9), 1.0, total_steps=3)
    for _ in range(3):
        schedule.step()
    with pytest.raises(ArgumentError, match="the cycle has total_steps=3, but this would be step 4"):
        schedule.step()


def test_the_schedules_have_pytorchs_path_too():
    names = set(lr_scheduler.__all__) - {"CyclicLR", "MultiplicativeLR"}
    assert {*optim.lr_scheduler.__all__} == {*names, "WarmupLR"}
    assert all(getattr(optim.lr_scheduler, name) is getattr(optim, name) for name in names - {"LRScheduler"})
    assert optim.lr_scheduler.LRScheduler is optim.Schedule
