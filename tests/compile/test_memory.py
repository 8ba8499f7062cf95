"""The memory of a compiled training step: new state in the memory of the old, and gradients that add up over calls."""

import numpy as np
import pytest
from closeness import require_close

from adjoint import checkpoint, fit, jit, nn, optim
from adjoint.compile.xla.program import Program

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
    make = Program.__init__

    def watched(self, *arguments, **options):
        make(self, *arguments, **options)
        run = self.run

        def first_run(*inputs):
            shapes = [jax.ShapeDtypeStruct(np.shape(x), x.dtype) if hasattr(x, "dtype") else x for x in inputs]
            self.run = run
            found.append(run.lower(*shapes).compile().memory_analysis())
            return run(*inputs)

        self.run = first_run

    monkeypatch.setattr(Program, "__init__", watched)

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
