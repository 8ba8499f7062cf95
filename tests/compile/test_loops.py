"""`scan`, `fori_loop` and `while_loop`, eagerly and in compiled programs: against JAX and central differences."""

import numpy as np
import pytest
from closeness import require_close, require_slope
from fuzzing import examples
from hypothesis import given, strategies as st

import adjoint
from adjoint import Value, fori_loop, grad, hvp, jit, jvp, nn, scan, tree_leaves, tree_map, vmap, while_loop
from adjoint.errors import AdjointError, MissingRuleError, TraceError

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

W = np.array([[0.3, -0.2], [0.5, 0.1]])
H = np.array([0.1, 0.4])
XS = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])


def recurrence(tanh, loop, total, reverse=False):
    """Return a loss of a small recurrent network, for adjoint or JAX."""

    def loss(w, h, xs):
        def step(carry, x):
            h = tanh(carry["h"] @ w + x["x"] * carry["c"])
            return {"h": h, "c": carry["c"] * 0.9 + h.sum()}, (h * 2.0, h.sum())

        carry, (outputs, sums) = loop(step, {"h": h, "c": h.sum()}, {"x": xs}, reverse=reverse)
        return total(outputs * xs) + sums[0] + carry["h"][1]

    return loss


ours, theirs = recurrence(adjoint.tanh, scan, adjoint.sum), recurrence(jnp.tanh, jax.lax.scan, jnp.sum)


def as_arrays(tree):
    return tree_map(lambda x: np.asarray(x.data if isinstance(x, Value) else x), tree)


def require_same(found, expected):
    assert len(tree_leaves(found)) == len(tree_leaves(expected))
    for a, b in zip(tree_leaves(found), tree_leaves(expected)):
        require_close(*as_arrays([a, b]), terms=50, condition=20)  # a chain of steps, each of which rounds


# --- scan --------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**16), size=st.integers(2, 4), length=st.integers(1, 6), reverse=st.booleans())
@examples(15)
def test_scan_and_its_gradients_follow_jax_eagerly_and_compiled(seed, size, length, reverse):
    rng = np.random.default_rng(seed)
    given = rng.normal(size=(size, size)) / size, rng.normal(size=size), rng.normal(size=(length, size))
    their = recurrence(jnp.tanh, jax.lax.scan, jnp.sum, reverse)
    own = recurrence(adjoint.tanh, scan, adjoint.sum, reverse)
    with jax.enable_x64(True):
        expected = jax.value_and_grad(their, (0, 1, 2))(*given)
    both = adjoint.value_and_grad(own, (0, 1, 2))
    require_same(both(*given), expected)
    require_same(jit(both)(*given), expected)


@pytest.mark.parametrize("compiled", [False, True])
def test_derivatives_of_higher_orders_and_in_forward_mode_follow_jax(compiled):
    wrap = jit if compiled else (lambda f: f)
    ones = np.ones_like(H)

    def third(grad, hvp, loss):
        return grad(lambda h: hvp(lambda h: loss(W, h, XS), h).sum())

    def their_hvp(f, h):
        return jax.jvp(jax.grad(f), (h,), (ones,))[1]

    with jax.enable_x64(True):
        their_jvp = jax.jvp(lambda h: theirs(W, h, XS), (H,), (ones,))
        their_second = jax.hessian(lambda h: theirs(W, h, XS))(H)
        their_third = third(jax.grad, their_hvp, theirs)(H)
    require_same(wrap(lambda h: jvp(lambda h: ours(W, h, XS), h, ones))(H), their_jvp)
    require_same(wrap(lambda h: adjoint.hessian(lambda h: ours(W, h, XS))(h))(H), their_second)
    require_same(wrap(third(grad, lambda f, h: hvp(f, h, ones), ours))(H), their_third)


def test_scan_is_vectorized_by_vmap_inside_and_outside_of_gradients():
    batch = np.stack([H, 2 * H, -H])
    with jax.enable_x64(True):
        expected = jax.vmap(jax.grad(lambda h: theirs(W, h, XS)))(batch)
    each = vmap(grad(lambda h: ours(W, h, XS)))
    require_same(each(batch), expected)
    require_same(jit(each)(batch), expected)
    require_same(grad(lambda hs: vmap(lambda h: ours(W, h, XS))(hs).sum())(batch), expected)


def test_values_around_the_step_receive_gradients():
    def gradients(compile):
        w, scale = Value(W), Value(XS[0] * 0.5)
        doubled = scale * 2.0  # a result that the step uses

        def loss(h):
            last, ys = scan(lambda h, x: ((h @ w * scale + x).tanh() * doubled, h.sum()), h, XS)
            return (last * last).sum() + ys.sum()

        if compile == "outside":
            jit(loss)(H).backward()
        else:

            def step(h):
                nonlocal doubled
                doubled = scale * 2.0
                loss(h).backward()

            (jit(step) if compile else step)(H)
        return w.grad, scale.grad

    require_same(gradients("inside"), gradients(None))
    w = Value(W)
    f = jit(lambda h: scan(lambda h, x: ((h @ w + x).tanh(), None), h, XS)[0].sum())
    f(H).backward()
    eager = Value(W)
    scan(lambda h, x: ((h @ eager + x).tanh(), None), H, XS)[0].sum().backward()
    require_close(w.grad, eager.grad, terms=10)


def test_a_compiled_scan_is_one_loop_whatever_its_length():
    def listing(length):
        f = jit(grad(lambda h: ours(W, h, np.ones((length, 2)))))
        f(H)
        return f.program.listing(full=True).splitlines()

    assert len(listing(40)) == len(listing(4))
    assert any("scan[" in line for line in listing(4))


def test_loops_nest_and_contain_gradients():
    def loss(h):
        def outer(c, x):
            inner, _ = scan(lambda a, y: (adjoint.sin(a + y * c), None), x, XS)
            slope = grad(lambda z: (adjoint.sin(z * c)).sum())(x)
            return c + inner * 0.3 - slope, inner.sum()

        c, ys = scan(outer, h, XS)
        return c.sum() + ys.sum()

    require_close(jit(grad(loss))(H), grad(loss)(H), terms=50, condition=20)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: scan(lambda total, y: (total + y, total.sum() if hasattr(total, "sum") else total), 0.0, x),
        lambda x: scan(lambda c, y: ({"n": c["n"] + 1, "s": c["s"] + y}, c["n"]), {"n": 0, "s": np.zeros(2)}, x),
        lambda x: scan(lambda c, y: (c + 1, y * [1.0, 2.0, 3.0][c]), 0, x),  # needs c itself: unrolled
        lambda x: scan(lambda c, y: (c * y.sum(), [c, None]), np.float32(1.0), x),
        lambda x: scan(lambda c, y: (y, c), x[0] * 0.0, x, reverse=True),
        lambda x: scan(lambda c, _: (c * 0.5, c), x, length=4),
    ],
)
@pytest.mark.parametrize("wrap", [lambda x: x, Value])
def test_a_compiled_scan_returns_what_the_eager_one_does(f, wrap):
    found, expected = jit(f)(wrap(XS)), f(wrap(XS))
    require_same(found, expected)
    for a, b in zip(tree_leaves(found), tree_leaves(expected)):
        assert isinstance(a, Value) == isinstance(b, Value)
        assert getattr(a, "dtype", type(a)) == getattr(b, "dtype", type(b))


def test_scan_keeps_the_precision_of_numpy_arrays():
    f = jit(lambda x: scan(lambda c, y: (c + y * 2, c * y), 0.0, x))
    assert [x.dtype for x in f(XS[:, 0].astype(np.float32))] == [np.float32, np.float32]


def test_scan_without_inputs_counts_steps():
    last, ys = scan(lambda c, x: (c * 2.0, c if x is None else None), Value(1.0), length=4)
    assert (last.data, ys.data.tolist()) == (16.0, [1.0, 2.0, 4.0, 8.0])
    assert scan(lambda c, x: (c + x, None), 0.0, np.array([1.0, 2.0]))[1] is None


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
def test_compiled_recurrent_layers_follow_pytorch(layer):
    torch = pytest.importorskip("torch")
    model = layer(2, 3, num_layers=2, bidirectional=True, seed=0)
    peer = getattr(torch.nn, layer.__name__)(2, 3, num_layers=2, bidirectional=True, batch_first=True).double()
    peer.load_state_dict({name: torch.tensor(x.data) for name, x in model.named_parameters()})
    x = np.random.default_rng(0).normal(size=(4, 5, 2))

    @jit
    def step(x):
        output, _ = model(x)
        (output**2).sum().backward()
        return output

    output = step(x)
    expected, _ = peer(torch.tensor(x))
    (expected**2).sum().backward()
    require_close(output.numpy(), expected.detach().numpy(), terms=10)
    for (name, x), y in zip(model.named_parameters(), peer.parameters()):
        require_close(x.grad, y.grad.numpy(), name, terms=100)


# --- fori_loop and while_loop -------------------------------------------------------------------------------


def powers(loop):
    return lambda x: loop(1, 5, lambda i, c: c * x[0] + x[1] * i, x * 0.5).sum()


@pytest.mark.parametrize("compiled", [False, True])
def test_fori_loop_and_its_gradient_follow_jax(compiled):
    wrap = jit if compiled else (lambda f: f)
    with jax.enable_x64(True):
        expected = jax.value_and_grad(powers(jax.lax.fori_loop))(H)
    require_same(wrap(adjoint.value_and_grad(powers(fori_loop)))(H), expected)
    assert fori_loop(3, 3, lambda i, c: c + 1, 5) == 5


def test_the_bounds_of_a_compiled_fori_loop_may_be_arguments():
    f = jit(lambda x, n: fori_loop(0, n, lambda i, c: c * x + i, x))
    for n in (0, 1, 4):
        require_close(f(H, n), fori_loop(0, n, lambda i, c: c * H + i, H), terms=10)
    assert jit(lambda n: fori_loop(0, n, lambda i, c: c + i, 0))(4) == 6


def newton(x, loop=while_loop, most=None):
    """Return a square root by Newton's method."""
    options = {} if most is None else {"max_steps": most}
    return loop(lambda y: abs((y * y - x).sum()) > 1e-13, lambda y: y - (y * y - x) / (2 * y), x * 0.5 + 0.5, **options)


@pytest.mark.parametrize("compiled", [False, True])
def test_while_loop_and_its_derivatives_follow_jax_and_central_differences(compiled):
    wrap = jit if compiled else (lambda f: f)
    x = np.array([2.0])
    with jax.enable_x64(True):
        expected = jax.jvp(lambda x: newton(x, jax.lax.while_loop), (x,), (np.ones(1),))
    require_close(wrap(newton)(x), np.sqrt(x))
    require_same(wrap(lambda x: jvp(newton, x, np.ones(1)))(x), expected)
    slope = wrap(grad(lambda x: newton(x, most=20).sum()))(x)
    require_slope(slope, (newton(x + 1e-6) - newton(x - 1e-6)) / 2e-6)
    require_close(slope, 0.5 / np.sqrt(x))


def test_a_bounded_while_loop_stops_at_its_bound():
    for wrap in (jit, lambda f: f):
        assert wrap(lambda x: while_loop(lambda v: v > 0.0, lambda v: v + 1.0, x, max_steps=3))(1.0) == 4.0


def test_loops_of_numbers_decide_by_arguments():
    f = jit(lambda x: while_loop(lambda v: v < 100.0, lambda v: v * v, x))
    assert [f(3.0), f(200.0), f(11.0)] == [6561.0, 200.0, 121.0]
    assert jit(grad(lambda x: while_loop(lambda v: v < 100.0, lambda v: v * v, x, max_steps=9)))(3.0) == 17496.0


def test_a_vectorized_while_loop_ends_for_each_example_at_its_own_step():
    x = np.array([2.0, 9.0, 30.0])

    def f(a):
        return while_loop(lambda c: c < 100.0, lambda c: c * c + a, a, max_steps=9)

    def each(f):
        return np.array([f(float(a)) for a in x])

    require_close(vmap(f)(x), each(f))
    require_close(grad(lambda x: vmap(f)(x).sum())(x), each(grad(f)))


def test_reverse_mode_without_a_bound_is_an_error_that_names_it():
    def endless(x):
        return while_loop(lambda c: c.sum() < 100.0, lambda c: c * c + x, x).sum()

    for f in (jit(grad(endless)), grad(jit(endless))):
        with pytest.raises(MissingRuleError, match="max_steps"):
            f(np.array([2.0]))


# --- what is wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scan(lambda c, x: c, 0.0, np.ones(2)), r"must return a pair \(carry, y\)"),
        (lambda: scan(lambda c, x: ((c, c), x), 0.0, np.ones(2)), "the carry must keep its structure"),
        (lambda: scan(lambda c, x: (c, x), 0.0, (np.ones(2), np.ones(3))), "given: 2, 3"),
        (lambda: scan(lambda c, x: (c, x), 0.0), "given: none"),
        (lambda: scan(lambda c, x: (c, x), 0.0, 5.0), "arrays with a first axis"),
        (lambda: scan(lambda c, x: (c, x), 0.0, np.ones(0)), "at least one step"),
        (lambda: fori_loop(0.5, 2, lambda i, c: c, 0.0), "lower must be an integer"),
        (lambda: while_loop(lambda c: c < 2, lambda c: (c, c), 0.0), "the carry must keep its structure"),
        (lambda: jit(lambda x: while_loop(lambda c: c.sum() < 9, lambda c: adjoint.concat([c, c]), x))(H), "shapes"),
        (lambda: jit(lambda x: while_loop(lambda c: True, lambda c: c, {"a": x, "b": "text"}))(H), "not str 'text'"),
    ],
)
def test_a_wrong_loop_is_explained(call, message):
    with pytest.raises(AdjointError, match=message):
        call()


def test_a_compiled_step_with_side_effects_is_an_error_that_names_the_way_out():
    dropout, count = nn.Dropout(0.5, seed=0), Value([0.0])

    def draws(c, x):
        return dropout(c) + x, None

    def assigns(c, x):
        count.data = count.data + 1.0
        return c + x, None

    for step in (draws, assigns):
        with pytest.raises(TraceError, match="unroll=True"):
            jit(lambda h, step=step: scan(step, h, XS)[0])(Value(H))
        jit(lambda h, step=step: scan(step, h, XS, unroll=True)[0])(Value(H))
    assert count.data.tolist() == [3.0]
