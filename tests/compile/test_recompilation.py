"""Numbers that change between calls are inputs, and a function that is compiled again and again says why."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close
from compiling import batch, counted

from adjoint import Value, guards, jit, nn, optim
from adjoint.errors import AdjointWarning, RecompilationWarning

jax = pytest.importorskip("jax")


@pytest.mark.parametrize("make", [optim.Adam, lambda p, lr: optim.SGD(p, lr=lr, momentum=0.9)], ids=["Adam", "SGD"])
def test_a_schedule_of_the_momentum_is_compiled_once_more_and_not_at_every_step(make):
    found = []
    for compiled in (False, True):
        model = nn.Sequential(nn.Linear(3, 4, seed=0), nn.Tanh(), nn.Linear(4, 2, seed=1))
        optimizer = make(model.parameters(), lr=0.1)
        schedule = optim.OneCycleLR(optimizer, max_lr=0.1, total_steps=12)

        def step(x, y, model=model, optimizer=optimizer):
            loss = ((model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        fn, runs = counted(step)
        run = jit(fn) if compiled else fn
        for i in range(10):
            run(*batch(seed=i))
            schedule.step()
        found.append([p.data for p in model.parameters()])
    for p, q in zip(*found):
        require_close(p, q)
    assert len(runs) <= 3


def test_numbers_in_tuples_are_inputs_when_they_have_changed():
    state = SimpleNamespace(pair=(2.0, "kept"), nested=((1.0, 2), 3.0))
    fn, runs = counted(lambda x: x * state.pair[0] + state.nested[0][0] * state.nested[1])
    compiled, x = jit(fn), np.ones(2)
    for i in range(6):
        require_close(compiled(x), x * state.pair[0] + state.nested[0][0] * state.nested[1])
        state.pair, state.nested = (3.0 + i, "kept"), ((i + 5.0, 2), 2.0 - i)
    assert len(runs) == 2
    state.pair = (2.0, "another")
    require_close(compiled(x), x * 2.0 + state.nested[0][0] * state.nested[1])
    assert len(runs) == 3


STATE = SimpleNamespace()


@pytest.fixture(autouse=True)
def _new_state():
    vars(STATE).update(n=1, name="a", items=[], flag="x")


@pytest.mark.parametrize(
    ("function", "change", "path"),
    [
        (lambda x: x * len(range(STATE.n)), lambda: setattr(STATE, "n", STATE.n + 1), r"STATE\.n changed from 2 to 3"),
        (lambda x: x * len(STATE.name), lambda: setattr(STATE, "name", STATE.name + "a"), r"STATE\.name changed"),
        (lambda x: x * len(STATE.items), lambda: STATE.items.append("x"), r"STATE\.items changed"),
    ],
    ids=["number", "text", "list"],
)
def test_the_third_compilation_for_the_same_shapes_says_what_changed(function, change, path):
    compiled, x = jit(function), np.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdjointWarning)
        compiled(x)
        change()
        compiled(x)
        compiled(np.ones(3))  # of another shape
    change()
    with pytest.warns(RecompilationWarning, match=rf"third time.*{path}.*guards\(recompilation=False\)"):
        compiled(x)
    change()
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdjointWarning)
        compiled(x)  # it says so once


def test_flags_and_static_arguments_are_not_reported():
    model = nn.Sequential(nn.Linear(2, 2, seed=0), nn.Dropout(0.0))
    compiled = jit(lambda x, mode, n: model(x) * n if mode == "a" else model(x), static_argnames="n")
    w = Value(np.ones((1, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", AdjointWarning)
        for mode in "abcd":
            for n in range(3):
                compiled(w, mode, n)


def test_the_guard_can_be_switched_off():
    STATE.n = 1
    compiled = jit(lambda x: x * len(range(STATE.n)))
    with guards(recompilation=False), warnings.catch_warnings():
        warnings.simplefilter("error", AdjointWarning)
        for STATE.n in range(1, 5):
            compiled(np.ones(2))


def test_jit_written_where_it_is_called_records_once(capsys):
    w = Value([2.0, 3.0])

    def call(x, scale):
        def f(x):
            print("recorded")
            return (w * x).sum() * scale

        return float(jit(f)(x))

    assert [call(np.ones(2), 2.0) for _ in range(3)] == [10.0] * 3
    w.data = np.array([1.0, 1.0])
    assert call(np.ones(2), 2.0) == 4.0
    assert capsys.readouterr().out.split() == ["recorded"]
    assert call(np.ones(2), 3.0) == 6.0


def test_functions_of_one_code_with_other_static_arguments_have_their_own_programs():
    def f(n, m):
        return m * 2.0 if type(n) is int else n * 3.0

    assert jit(f, static_argnames="n")(2, 5.0) == 10.0
    assert jit(f, static_argnames="m")(5.0, 2) == 15.0
    assert jit(f, static_argnames="n")(2, 5.0) == 10.0


def test_only_the_first_call_compiles():
    from jax import monitoring

    compiled = []
    monitoring.register_event_duration_secs_listener(lambda event, *_, **__: compiled.append(event))
    w, rows = Value(np.ones((3, 2))), np.arange(15.0).reshape(5, 3)  # shapes that no other test has

    @jit
    def step(x):
        loss = ((x @ w) ** 2).mean()
        w.zero_grad()
        loss.backward()
        w.data -= 0.01 * w.grad
        return loss

    step(rows)
    compiled.clear()
    for _ in range(3):
        step(rows)
    assert not [event for event in compiled if "compile" in event]
