"""`checkpoint`: the same derivatives with less memory."""

import functools
import tracemalloc

import numpy as np
import pytest
from closeness import require_close
from transforming import DERIVATIVES, A, B, nested

import adjoint
from adjoint import Value, checkpoint, dropout, errors, grad, jvp, nn, no_grad


def chain(x, length=5):
    for _ in range(length):
        x = (x * 1.1).sin()
    return x


PROGRAMS = {
    "a chain": lambda c, x: c(chain)(x),
    "the identity": lambda c, x: c(lambda x: x)(x) * x,
    "a constant argument": lambda c, x: c(lambda x, z: x * z)(x, B),
    "a number as an argument": lambda c, x: c(lambda x, z: x**z)(x, 3.0),
    "keywords": lambda c, x: c(lambda x, *, power: x**power)(x, power=3),
    "a variable by keyword": lambda c, x: c(lambda z, *, x: z * x * x)(B, x=x),
    "an axis": lambda c, x: c(lambda x, axis: (x * x).sum(axis=axis) * x)(x, 0),
    "an index": lambda c, x: c(lambda x, i: x[i] ** 2)(x, np.array([0, 0, 1])),
    "text": lambda c, x: c(lambda x, how: getattr(x, how)())(x, "exp"),
    "nothing": lambda c, x: c(lambda x, mask: x.exp() if mask is None else x)(x, None),
    "a structure": lambda c, x: c(lambda p: p["a"] * p["b"][0])({"a": x, "b": [x.sin()]}),
    "a captured variable": lambda c, x: c(lambda z: (z * x).sin())(B),
    "a variable captured and given": lambda c, x: c(lambda z: (z * x).sin())(x),
    "a variable captured, and given changed": lambda c, x: c(lambda z: (z * x).sin())(x * 2),
    "a captured intermediate": lambda c, x: (lambda y: c(lambda z: (z * y).sin())(x))(x.exp()),
    "two results": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (x.sin(), x.exp()))(x)),
    "two results, one of them used": lambda c, x: c(lambda x: (x.sin(), x.exp()))(x)[1],
    "the same result twice": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (lambda y: (y, y))(x * x))(x)),
    "a dict of results": lambda c, x: (lambda r: r["a"] * r["b"][0])(c(lambda x: {"a": x * x, "b": [x.sum()]})(x)),
    "a constant together with a result": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (x * x, 3.0))(x)),
    "nested": lambda c, x: c(lambda x: c(chain)(x) * x)(x),
    "nested, with a capture": lambda c, x: c(lambda x: c(lambda y: y * x)(x.sin()))(x),
    "in a row": lambda c, x: c(chain)(c(chain)(x)),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_checkpoint_changes_no_derivative(program, derivative):
    take, run = DERIVATIVES[derivative], PROGRAMS[program]
    found = take(functools.partial(run, checkpoint))
    expected = take(functools.partial(run, lambda function: function))
    require_close(found, expected)
    assert type(found) is type(expected)


def times_unrecorded(x):
    with no_grad():
        scale = x.exp().sum()
    return x * x * scale


MAKES_LEAVES = {
    "a detached argument": lambda c, x: c(lambda x: x * x * x.detach())(x),
    "a detached intermediate": lambda c, x: c(lambda x: x * x.sin().detach() * x)(x),
    "ones": lambda c, x: c(lambda x: x * x * adjoint.ones(3))(x),
    "a Value of an array": lambda c, x: c(lambda x: x * x * Value(B))(x),
    "a Value of a number": lambda c, x: c(lambda x: x * x * Value(2.0))(x),
    "results of no_grad": lambda c, x: c(times_unrecorded)(x),
    "a straight-through estimate": lambda c, x: c(lambda x: (x * x + (x.round() - x).detach()) * x)(x),
    "a gradient inside": lambda c, x: c(lambda x: x * grad(lambda z: (z**3).sum())(x))(x),
    "a gradient for a number inside": lambda c, x: c(lambda x: x * grad(lambda z: z**3 * x.sum())(2.0))(x),
    "a gradient at a Value of a number": lambda c, x: c(lambda x: x * grad(lambda z: z**3)(Value(2.0)))(x),
    "a detached result": lambda c, x: (lambda a, b: a * b)(*c(lambda x: (x * x, x.detach()))(x)),
    "a captured leaf as a result": lambda c, x: (lambda a, b: a * b)(*c(lambda z: (z * z, x))(x * 2)),
    "a leaf of the function around it": lambda c, x: c(
        lambda x: (lambda own: c(lambda y: y * y * own)(x.sin()))(Value(2.0))
    )(x),
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("program", MAKES_LEAVES)
def test_a_checkpointed_function_may_make_leaves(program, derivative):
    take, run = DERIVATIVES[derivative], MAKES_LEAVES[program]
    require_close(take(functools.partial(run, checkpoint)), take(functools.partial(run, lambda function: function)))


def test_a_checkpoint_repeats_the_random_arrays_that_its_function_draws():
    x = Value(A)
    y = checkpoint(lambda x: x * adjoint.randn(3))(x)
    y.sum().backward()
    require_close(x.grad, y.data / A)


def test_a_detached_result_of_a_checkpoint_has_no_history():
    squared, kept = checkpoint(lambda x: (x * x, x.detach()))(Value(A))
    assert squared.parents
    assert kept.parents == ()


NUMBER_PROGRAMS = {
    "a captured variable": lambda c, w: c(lambda x: (x * w).sin() * w)(w * 2),
    "a number of its own": lambda c, w: c(lambda x: (x * Value(2.0)).sin() * w)(w * 2),
    "a detached number": lambda c, w: c(lambda x: x * x * x.detach())(w),
    "a gradient inside": lambda c, w: c(lambda x: x * grad(lambda z: z**3 * w)(x))(w * 2),
    "two results": lambda c, w: (lambda a, b: a * b)(*c(lambda x: (x * x, x.sin()))(w)),
    "two results, one of them used": lambda c, w: c(lambda x: (x * x, x.sin()))(w)[1],
}


@pytest.mark.parametrize("kinds", ["g", "gg", "j", "jj", "gj", "jg"])
@pytest.mark.parametrize("program", NUMBER_PROGRAMS)
def test_a_checkpoint_changes_no_derivative_of_numbers(program, kinds):
    def derivative(c):
        run = functools.partial(NUMBER_PROGRAMS[program], c)
        return nested(kinds, run, grad, lambda f: lambda x: jvp(f, x, 1.0)[1])

    require_close(float(derivative(checkpoint)(0.8)), float(derivative(lambda f: f)(0.8)))


def test_a_checkpointed_network_of_numbers_has_the_same_gradients():
    def gradients(wrap):
        net = nn.MLP(2, [4, 2], seed=0)
        a, b = wrap(net)([Value(0.3), Value(0.4)])
        (a * b).backward()
        return [float(p.grad) for p in net.parameters()]

    require_close(gradients(checkpoint), gradients(lambda f: f))


def test_captured_parameters_receive_gradients_through_a_checkpoint():
    w, s = Value(B), Value(2.0)
    checkpoint(lambda x: (x * w * s).sin())(A).sum().backward()
    require_close(w.grad, np.cos(A * B * 2) * A * 2)
    require_close(s.grad, float((np.cos(A * B * 2) * A * B).sum()))


def test_a_parameter_that_is_both_captured_and_given_receives_both_gradients():
    w = Value(A)
    checkpoint(lambda x: x * x * w)(w).sum().backward()
    require_close(w.grad, 3 * A**2)


def test_a_checkpoint_runs_once_forward_and_once_for_each_backward():
    for results in (1, 2):
        runs = []

        def function(x, results=results, runs=runs):
            runs.append(1)
            return x.sin() if results == 1 else (x.sin(), x.exp())

        found = checkpoint(function)(Value(A))
        loss = (found if results == 1 else found[0] * found[1]).sum()
        assert len(runs) == 1
        loss.backward()
        assert len(runs) == 2
        loss.backward()
        assert len(runs) == 3


def test_a_checkpoint_inside_no_grad_runs_once():
    runs = []

    def function(x):
        runs.append(1)
        return x.sin()

    with no_grad():
        found = checkpoint(function)(Value(A))
    assert found.parents == ()
    assert len(runs) == 1


def test_a_checkpoint_keeps_only_its_arguments_and_results():
    def kept_and_peak(transform, segments):
        x = Value(np.ones(131_072))  # one megabyte
        tracemalloc.start()
        try:
            y = x
            for _ in range(segments):
                y = transform(functools.partial(chain, length=20 // segments))(y)
            kept = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            y.sum().backward()
            return kept / 2**20, tracemalloc.get_traced_memory()[1] / 2**20
        finally:
            tracemalloc.stop()

    def plain(function):
        return function

    assert kept_and_peak(plain, 1)[0] > 39  # two arrays per link
    assert kept_and_peak(checkpoint, 1)[0] < 1.5
    assert kept_and_peak(plain, 4)[1] > 39
    assert kept_and_peak(checkpoint, 4)[1] < 20  # four results, and the arrays of one segment


def test_a_checkpoint_does_not_keep_what_its_function_detaches():
    x = Value(np.ones(131_072))  # one megabyte
    tracemalloc.start()
    try:
        y = checkpoint(lambda x: x * x.exp().detach())(x)
        assert tracemalloc.get_traced_memory()[0] / 2**20 < 1.5  # the result
    finally:
        tracemalloc.stop()
    y.sum().backward()
    require_close(x.grad, y.data)


def test_a_checkpoint_without_values_returns_plain_results():
    found = checkpoint(lambda x: x * 2)(A)
    assert isinstance(found, np.ndarray)
    require_close(found, A * 2)
    assert checkpoint(lambda x: None)(Value(A)) is None
    assert checkpoint(lambda x: 3.0)(Value(A)) == 3.0


def test_a_checkpoint_returns_results_that_are_not_values_unchanged():
    doubled, number, note = checkpoint(lambda x: (x * 2, 3.0, "note"))(Value(A))
    require_close(doubled, 2 * A)
    assert (number, note) == (3.0, "note")


def test_an_error_in_a_checkpointed_function_is_raised_unchanged():
    def failing(x):
        raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        checkpoint(failing)(Value(A))


LAYERS = {
    "dropout": lambda: nn.Dropout(0.5, seed=3),
    "dropout of a shared generator": lambda: nn.Sequential(Drop()),
    "batch norm": lambda: nn.BatchNorm1d(8),
    "a checkpoint inside": lambda: nn.Sequential(nn.Linear(8, 8, seed=5), Again(nn.Dropout(0.5, seed=3))),
}


class Drop(nn.Module):
    def forward(self, x):
        return dropout(dropout(x, 0.2), 0.3, generator=GENERATOR)


class Again(nn.Module):
    def __init__(self, inner):
        self.inner = inner

    def forward(self, x):
        return checkpoint(self.inner)(x)


GENERATOR = np.random.default_rng(4)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.full)])
def test_the_second_run_draws_the_same_masks_and_counts_no_batch(layer, compiled):
    if compiled:
        pytest.importorskip("jax")
        if layer == "dropout of a shared generator":
            pytest.skip("compiled functions need keys")

    def train(wrap):
        adjoint.manual_seed(0)
        GENERATOR.bit_generator.state = np.random.default_rng(4).bit_generator.state
        model = nn.Sequential(nn.Linear(6, 8, seed=0), LAYERS[layer](), nn.Linear(8, 2, seed=1))

        def step(x):
            model.zero_grad()
            loss = (wrap(model)(x) ** 2).sum()
            loss.backward()
            return loss

        run = adjoint.jit(step) if compiled else step
        losses = [float(run(np.ones((4, 6)))) for _ in range(3)]
        buffers = [np.asarray(getattr(b, "data", b)) for b in model.buffers()]
        return [losses, *[p.grad for p in model.parameters()], *buffers]

    for found, expected in zip(train(checkpoint), train(lambda f: f), strict=True):
        require_close(found, expected)


def test_a_function_that_uses_other_values_in_its_second_run_is_refused():
    x, weights = Value(A), [Value(2.0 * A), Value(3.0 * A)]
    for w in weights:
        x = checkpoint(lambda x: (x * w).sin())(x)  # noqa: B023 - the mistake
    with pytest.raises(errors.GraphError, match="the function used other Values when it ran again"):
        x.sum().backward()


def loop(weights, x):
    for w in weights:
        x = checkpoint(lambda x: (x * w).tanh())(x)  # noqa: B023 - the mistake
    return x.sum() if hasattr(x, "sum") else x


@pytest.mark.parametrize("x", [0.5, np.array([0.5, 0.7])])
@pytest.mark.parametrize("weights", [[2.0, 3.0], [2.0, 2.0], [2.0 * A[:2], 3.0 * A[:2]], [A[:2], A[:2]]])
def test_a_transform_refuses_a_function_that_uses_other_variables_in_its_second_run(weights, x):
    for derivative in (lambda: grad(loop)(weights, x), lambda: jvp(loop, (weights, x), (weights, x))):
        with pytest.raises(errors.GraphError, match="the function used other Values when it ran again"):
            derivative()


def test_parameters_that_a_checkpointed_module_makes_in_its_first_call_receive_gradients():
    class Lazy(nn.Module):
        def forward(self, x):
            if not hasattr(self, "weight"):
                self.weight, self.scale = Value(B), Value(2.0)
            return x * self.weight * self.scale

    module = Lazy()
    checkpoint(module)(A).sum().backward()
    require_close(module.weight.grad, 2 * A)
    require_close(module.scale.grad, float((A * B).sum()))


def test_a_leaf_that_is_made_after_the_first_run_is_refused():
    holder = [Value(A)]
    loss = checkpoint(lambda x: (x * holder[-1]).sum())(Value(B))
    holder.append(Value(A))  # the same numbers, but other gradients
    with pytest.raises(errors.GraphError, match="the function used other Values when it ran again"):
        loss.backward()


def test_equal_numbers_in_a_loop_are_told_apart():
    biases, x = [Value(0.0), Value(0.0)], Value(0.5)
    for b in biases:
        x = checkpoint(lambda x: (x + b).tanh())(x)  # noqa: B023 - the mistake
    with pytest.raises(errors.GraphError, match="the function used other Values when it ran again"):
        x.backward()


@pytest.mark.parametrize(
    ("layer", "what"),
    [
        (lambda: nn.Dropout(0.5, seed=0), "drew fewer random numbers"),
        (lambda: nn.BatchNorm1d(4), "returned other results"),
    ],
)
def test_a_model_that_changes_its_mode_before_the_second_run_is_refused(layer, what):
    model = nn.Sequential(layer(), nn.Linear(4, 2, seed=0))
    loss = checkpoint(model)(Value(np.arange(12.0).reshape(3, 4))).sum()
    model.eval()
    with pytest.raises(errors.GraphError, match=f"the function {what} when it ran again"):
        loss.backward()
    assert checkpoint(model)(Value(np.ones((1, 4)))).sum().backward() is None


def test_a_loop_variable_that_is_a_number_is_refused():
    def run(x):
        for k in (1.0, 2.0):
            x = checkpoint(lambda x: (x * k).sin())(x)  # noqa: B023 - the mistake
        return x.sum()

    for derivative in (lambda: run(Value(A)).backward(), lambda: grad(run)(A), lambda: jvp(run, A, B)):
        with pytest.raises(errors.GraphError, match="the function returned other results when it ran again"):
            derivative()


@pytest.mark.parametrize("library", ["numpy", "jax.numpy", "torch"])
def test_the_second_run_may_differ_by_rounding_only(library):
    xp = pytest.importorskip(library)

    def derivative(factors, x):
        remaining = iter(factors)
        x = Value(xp.asarray(x))
        checkpoint(lambda x: x.sin() * next(remaining))(x).sum().backward()
        return x.grad

    for dtype, rounding in (("float32", 1e-6), ("float16", 1e-2)):
        x = A.astype(dtype)
        found = derivative([1.0, 1.0 + rounding], x)  # of the second run, which is off by `rounding`
        require_close(found, np.cos(A), dtype=dtype, condition=4.0)
        for other in (1.2, -1.0, np.nan, np.inf):
            with pytest.raises(errors.GraphError, match="returned other results"):
                derivative([1.0, other], x)


def test_results_that_are_not_finite_are_equal_in_both_runs():
    x = Value(np.array([-1.0, 0.0, 4.0]))
    checkpoint(lambda x: x.log())(x)[2].backward()
    assert x.grad[2] == 0.25
