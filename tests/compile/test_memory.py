"""The memory of a compiled training step: new state in the memory of the old, and gradients that add up over calls."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, checkpoint, fit, jit, nn, optim
from adjoint.compile.xla.device_arrays import device_array_of
from adjoint.compile.xla.variants import Variant

jax = pytest.importorskip("jax")
X = np.random.default_rng(0).normal(size=(12, 6)).astype(np.float32)
LABELS = np.arange(12) % 5


def network():
    return nn.Sequential(
        nn.Linear(6, 64, seed=0, dtype="float32"), nn.Tanh(), nn.Linear(64, 5, seed=1, dtype="float32")
    )


@pytest.fixture
def memory(monkeypatch):
    """A function that runs a compiled function and returns what XLA says about the memory of its program."""
    found = []
    run_safely = Variant.run_safely

    def watched(self, inputs, run):
        if not self.is_warm:
            shapes = [jax.ShapeDtypeStruct(np.shape(x), x.dtype) if hasattr(x, "dtype") else x for x in inputs]
            found.append(self.run.lower(*shapes).compile().memory_analysis())
        return run_safely(self, inputs, run)

    monkeypatch.setattr(Variant, "run_safely", watched)

    def of(function, *arguments):
        found.clear()
        function(*arguments)
        return found[-1]

    return of


@pytest.mark.parametrize("precision", [None, pytest.param("bfloat16", marks=pytest.mark.full)])
def test_a_step_writes_parameters_and_the_state_of_the_optimizer_into_the_memory_of_the_old_ones(memory, precision):
    model = network()
    optimizer = optim.AdamW(model.parameters(), lr=0.01)
    size = sum(p.data.nbytes for p in model.parameters())

    @jit(precision=precision)
    def step(x, labels):
        loss = nn.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    used = memory(step, X, LABELS)
    assert used.alias_size_in_bytes >= 3 * size  # the parameters, and two averages of Adam
    assert used.output_size_in_bytes < 4.1 * size  # with the gradients

    @jit(precision=precision)
    def add_gradients(x, labels):
        loss = nn.cross_entropy(model(x), labels)
        loss.backward()
        return loss

    used = memory(add_gradients, X, LABELS)
    assert size <= used.alias_size_in_bytes <= used.output_size_in_bytes < 1.1 * size  # the gradients


def test_large_gradients_are_written_into_the_memory_of_those_of_the_last_step(memory):
    w = Value(np.ones((80, 80)))  # larger than what is packed with other arrays

    @jit
    def step(x):
        loss = (x @ w).tanh().sum()
        w.zero_grad()
        loss.backward()
        w.data -= 0.1 * w.grad
        return loss

    used = memory(step, np.ones((3, 80)))
    assert used.alias_size_in_bytes >= 2 * w.data.nbytes  # the weights and their gradient
    step(np.ones((3, 80)))
    before = device_array_of(w, "grad")
    step(np.ones((3, 80)))
    assert before.is_deleted()


def test_a_step_that_clears_its_gradients_at_the_end_neither_reads_nor_writes_them(memory):
    model = network()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    size = sum(p.data.nbytes for p in model.parameters())

    def train(x, labels):
        loss = nn.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    start = model.state_dict()
    expected = [float(train(X, LABELS)) for _ in range(3)]
    model.load_state_dict(start)
    step = jit(train)
    used = memory(step, X, LABELS)
    assert used.argument_size_in_bytes < 2 * size > used.output_size_in_bytes
    losses = [expected[0], *(float(step(X, LABELS)) for _ in range(2))]
    require_close(np.float32(losses), np.float32(expected))
    before = model.state_dict()
    nn.cross_entropy(model(X), LABELS).backward()  # this gradient counts too, once
    step(X, LABELS)
    found = model.state_dict()
    model.load_state_dict(before)
    nn.cross_entropy(model(X), LABELS).backward()
    train(X, LABELS)
    for name, array in model.state_dict().items():
        require_close(found[name], array)


@pytest.mark.parametrize("shape", [(), (3,), (0, 3), (80, 80)])
def test_calls_with_any_gradients_zero_give_the_eager_results(shape):
    def results(compile):
        a, b = Value(np.ones(shape, np.float32)), Value(np.full(shape, 2.0, np.float32))

        @compile
        def step():
            loss = (a * b + a * a).sum()
            loss.backward()
            a.data = a.data - 0.1 * a.grad
            a.zero_grad()
            return loss

        found = []
        for k in range(4):
            if k == 1:
                (a * 3.0).sum().backward()
            if k == 2:
                b.zero_grad()
            found += [np.array(x, np.float32) for x in (step().data, a.data, a.grad, b.grad)]
        return found

    require_close(results(jit), results(lambda function: function))


def test_the_first_call_takes_no_copy_of_the_state():
    w = Value(np.ones((80, 80)))

    def double():
        w.data = w.data * 2.0

    jit(double)()
    before = device_array_of(w)
    jit(lambda: double())()
    assert before.is_deleted()
    assert (w.data == 4.0).all()


def test_settings_of_jax_that_belong_to_a_thread_hold_in_the_first_call():
    w = Value(np.ones((80, 80), np.float32))

    @jit
    def step(x):
        w.data = (x @ w).data
        return w.sum()

    with jax.default_matmul_precision("float32"):
        for _ in range(2):
            step(np.eye(80, dtype=np.float32))
    assert (w.data == 1.0).all()


@pytest.mark.full
def test_gradients_that_add_up_are_those_of_the_whole_batch():
    parts = 3

    def train(add_up):
        model = network()
        optimizer = optim.AdamW(model.parameters(), lr=0.01)

        @jit
        def add_gradients(x, labels):
            loss = nn.cross_entropy(checkpoint(model)(x), labels) / (parts if add_up else 1)
            loss.backward()
            return loss

        @jit
        def update():
            optimizer.step()
            optimizer.zero_grad()

        for _ in range(2):
            for rows in np.split(np.arange(12), parts if add_up else 1):
                add_gradients(X[rows], LABELS[rows])
            gradients = [p.grad.copy() for p in model.parameters()]
            update()
        return [*gradients, *[p.data for p in model.parameters()]]

    whole = train(add_up=False)
    for found, expected in zip(train(add_up=True), whole, strict=True):
        require_close(found, expected)
    model = network()
    fit(
        model, (X, LABELS), loss="cross_entropy", optimizer=optim.AdamW(model.parameters(), lr=0.01), epochs=2,
        batch_size=4, accumulate=parts, jit=True, progress=False,
    )  # fmt: skip
    for p, expected in zip(model.parameters(), whole[len(whole) // 2 :], strict=True):
        require_close(p.data, expected)
