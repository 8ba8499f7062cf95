"""`jit(f, check=True)`: the eager run beside the program."""

import random

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, data, fit, jit, nn, optim
from adjoint.errors import ArgumentError, CompiledResultWarning, TraceError

jax = pytest.importorskip("jax")


def test_a_type_that_code_asks_for_is_a_difference():
    def f(x, n):
        return x * (2.0 if isinstance(n, int) else 3.0)

    assert jit(f)(np.ones(2), 3).tolist() == [3.0, 3.0]  # n is an input of the program
    with pytest.raises(TraceError, match=r"f computes something else.*the result is \[3\. 3\.\], and eagerly.*\[2\. 2"):
        jit(f, check=True)(np.ones(2), 3)


def test_the_first_difference_is_named():
    w = Value([1.0, 2.0], label="w")

    @jit(check=True)
    def f(x):
        w.data = w.data * (2.0 if type(x) is np.ndarray else 3.0)
        return {"loss": (w * x).sum(), "rows": x.shape[0]}

    with pytest.raises(TraceError, match=r"the result\['loss'\] is 9\.0, and eagerly it is 6\.0"):
        f(np.ones(2))


def test_a_checked_training_step_changes_the_state_once():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(10, 2)), np.ones((10, 1))

    def train(compiled):
        model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 1, seed=1))
        optimizer, counts, kept = optim.Adam(model.parameters(), lr=0.01), [0], np.zeros(2)

        def step(x, y):
            nonlocal kept
            loss = ((model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            counts[0] += 1
            kept = kept + x[0]
            return loss

        run = compiled(step)
        losses = [float(run(x, y)) for _ in range(4)]
        return losses, counts, kept, [p.data for p in model.parameters()], [p.grad for p in model.parameters()]

    eager, checked = train(lambda f: f), train(lambda f: jit(f, check=True))
    assert checked[1] == [4]
    for found, expected in zip(checked, eager):
        for a, b in zip(found, expected):
            require_close(np.asarray(a), np.asarray(b))


def test_a_checked_function_of_numbers():
    ws = [Value(1.0), Value(2.0)]

    @jit(check=True)
    def step(rate):
        loss = (ws[0] * ws[1] - 3.0) ** 2
        for w in ws:
            w.zero_grad()
        loss.backward()
        for w in ws:
            w.data -= rate * w.grad
        return loss

    first = step(0.1)
    assert (first.data, ws[0].data, ws[1].data) == (1.0, 1.4, 2.2)


def test_an_exception_of_a_checked_function_leaves_the_state_as_it_was():
    w, fails = Value([1.0, 2.0]), [False]

    @jit(check=True)
    def f(x):
        w.data = w.data + x
        if fails[0]:
            raise ValueError("no")
        return w.sum()

    f(np.ones(2))
    fails[0] = True
    with pytest.raises(ValueError, match="no"):
        f(np.ones(2))
    assert w.data.tolist() == [2.0, 3.0]


def test_so_many_calls_are_checked():
    def f(x, n):
        return x * (2.0 if isinstance(n, int) else 3.0)

    run = jit(f, check=1)
    assert run(1.0, 2.0) == 3.0
    assert run(1.0, 2) == 3.0  # differs, and is not checked


def test_random_numbers_are_not_compared_and_come_as_without_check():
    layer = nn.Dropout(0.5, seed=0)
    run = jit(lambda x: layer(x), check=True)
    assert set(np.unique(run(np.ones(50)).data)) == {0.0, 2.0}
    random.seed(3)
    with pytest.warns(adjoint.errors.RandomNumbersWarning):
        jit(lambda x: x * random.random(), check=True)(1.0)


def test_check_is_for_one_device():
    with pytest.raises(ArgumentError, match="check compares with one eager run"):
        jit(lambda x: x, devices=1, check=True)


class _Asks(nn.Linear):
    def forward(self, x):
        return super().forward(x) * (2.0 if type(x) is np.ndarray else 3.0)


def test_fit_warns_of_a_compiled_step_that_differs():
    with pytest.warns(CompiledResultWarning, match=r"the result\[0\] is"):
        fit(_Asks(2, 1, seed=0), data.xor(), loss="mse", epochs=1, jit=True, progress=False)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_fit_does_not_warn_of_a_step_that_is_right(optimizer, recwarn):
    model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1, seed=1))
    fit(model, data.xor(), loss="mse", epochs=2, optimizer=optimizer, jit=True, progress=False)
    assert not [w for w in recwarn if w.category is CompiledResultWarning]
