"""Products against PyTorch and central differences: vectors, matrices, stacks of matrices, and einsum."""

import operator

import numpy as np
import pytest
from arrays import FINITE_EDGES, F, Problem, as_tensor, case, require_agreement, torch
from claims import claims
from closeness import require_close
from hypothesis import strategies as st

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ShapeError

CASES: dict = {}


def operand(draw, shape) -> np.ndarray:
    """Draw an array without huge numbers or infinities, whose products depend on the order in which BLAS adds."""
    return draw.array(shape, special=FINITE_EDGES if draw.kind == "edges" else None)


@case(CASES, "matmul")
def _(name, draw):
    m, n, p = draw.side(), draw.side(), draw.side()
    first, second = draw.broadcast(2, most=2)
    first = draw.one_of((*first, m, n), (m, n), (n,))
    second = draw.one_of((*second, n, p), (n, p), (n,))
    return Problem(
        draw.one_of(draw.call("matmul"), operator.matmul),
        torch.matmul,
        [operand(draw, first), operand(draw, second)],
    )


@case(CASES, "linear")
def _(name, draw):
    *batch, n = draw.shape(least=1)
    out = draw.side()
    inputs = [operand(draw, (*batch, n)), operand(draw, (out, n))]
    if draw.flag():
        inputs.append(operand(draw, (out,)))
    return Problem(adjoint.linear, F.linear, inputs)


@case(CASES, "dot")
def _(name, draw):
    first, second = list(draw.shape()), list(draw.shape())
    if first and second:
        second[-2 if len(second) > 1 else 0] = first[-1]

    def theirs(t, u):
        if not t.ndim or not u.ndim:
            return t * u
        return torch.tensordot(t, u, ([-1], [-2 if u.ndim > 1 else 0]))

    return Problem(draw.call("dot"), theirs, [operand(draw, first), operand(draw, second)])


@case(CASES, "tensordot")
def _(name, draw):
    first = draw.shape()
    count = draw.integer(0, len(first))
    chosen = draw(st.permutations(range(len(first))))[:count]
    rest = list(draw.shape(most=2))
    places = draw(st.permutations(range(len(rest) + count)))[:count]
    second = rest
    for place, axis in sorted(zip(places, chosen)):
        second.insert(place, first[axis])
    axes = ([a - len(first) * draw.flag() for a in chosen], [p - len(second) * draw.flag() for p in places])
    return Problem(
        draw.call("tensordot", axes),
        lambda t, u: torch.tensordot(t, u, axes),
        [operand(draw, first), operand(draw, second)],
    )


@case(CASES, "tensordot over a number of axes")
def _(name, draw):
    shared = draw.shape(most=2)
    return Problem(
        draw.call("tensordot", len(shared)),
        lambda t, u: torch.tensordot(t, u, len(shared)),
        [operand(draw, (*draw.shape(most=1), *shared)), operand(draw, (*shared, *draw.shape(most=1)))],
    )


@case(CASES, "outer")
def _(name, draw):
    inputs = [operand(draw, draw.shape(most=2)) for _ in range(2)]
    return Problem(draw.call("outer"), lambda t, u: torch.outer(t.flatten(), u.flatten()), inputs)


SUBSCRIPTS = (
    "ij,jk->ik",
    "ij,jk",
    "i,i->",
    "i,j->ij",
    "ij->ji",
    "ij->",
    "ij->j",
    "ii->i",
    "ii",
    "ii->",
    "iij->j",
    "iji->ij",
    "ij,ij->i",
    "bij,bjk->bik",
    "...ij,...jk->...ik",
    "...i,...i",
    "...i->...",
    "i...->...i",
    "i,ij,j->",
    "ij,jk,kl->il",
    "ij,kl->",
    "ij,kj->ikj",
    "ii,i->i",
    "ijk,ilm,njm,nlk->",
    "ba, ab -> ab",
)


@case(CASES, "einsum")
def _(name, draw):
    subscripts = draw.one_of(*SUBSCRIPTS)
    sizes = {letter: draw.side() for letter in sorted(set(subscripts)) if letter.isalpha()}
    extra = draw.shape(most=2)
    shapes = []
    for letters in subscripts.replace(" ", "").split("->")[0].split(","):
        start, dots, end = letters.partition("...")
        hidden = extra[draw.integer(0, len(extra)) :] if dots else ()
        hidden = tuple(1 if draw.flag() else size for size in hidden)
        own = {c: sizes[c] if letters.count(c) > 1 else draw.one_of(sizes[c], sizes[c], 1) for c in sizes}
        shapes.append((*(own[c] for c in start), *hidden, *(own[c] for c in end)))
    return Problem(
        lambda *vs: adjoint.einsum(subscripts, *vs),
        lambda *ts: torch.einsum(subscripts, *ts),
        [operand(draw, shape) for shape in shapes],
        f"einsum({subscripts!r})",
    )


# --- claims about every product -------------------------------------------------------------------

globals().update(claims(CASES))


# --- particular products --------------------------------------------------------------------------


def test_a_matrix_multiplied_with_a_stack_receives_the_sum_of_the_gradients():
    x, w = np.random.default_rng(0).normal(size=(4, 5, 3)), Value(np.ones((3, 2)))
    (Value(x) @ w).sum().backward()
    require_close(w.grad, np.repeat(x.sum(axis=(0, 1))[:, None], 2, axis=1))


def test_a_matrix_times_itself_receives_both_gradients():
    problem = Problem(lambda v: v @ v, lambda t: t @ t, [np.array([[1.0, 2.0], [3.0, 4.0]])])
    require_agreement(problem, order=3)


def test_linear_is_the_product_with_the_transpose_and_the_bias():
    x, w, b = (np.random.default_rng(k).normal(size=shape) for k, shape in enumerate([(4, 3), (2, 3), (2,)]))
    require_close(adjoint.linear(Value(x), Value(w), Value(b)).data, x @ w.T + b)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v: v @ np.ones((2, 3)), r"\(2, 3\) @ \(2, 3\).*last axis of the first, 3.*second, 2"),
        (lambda v: v @ np.ones(2), r"\(2, 3\) @ \(2,\)"),
        (lambda v: np.ones(3) @ v, r"\(3,\) @ \(2, 3\)"),
        (lambda v: np.ones((4, 3)) @ v, r"\(4, 3\) @ \(2, 3\)"),
        (lambda v: v @ 2.0, r"at least one axis: \(2, 3\) @ \(\).*use \*"),
        (
            lambda v: adjoint.matmul(np.ones((2, 3, 3)), v.reshape(3, 2).broadcast_to((4, 3, 2))),
            r"\(2, 3, 3\).*\(4, 3, 2\)",
        ),
        (lambda v: adjoint.linear(v, np.ones((4, 2))), r"linear.*\(2, 3\).*\(4, 2\).*\(outputs, inputs\)"),
        (lambda v: adjoint.linear(v, np.ones((4, 3)), np.ones(3)), r"linear.*\(4, 3\).*bias.*\(4,\).*\(3,\)"),
        (lambda v: adjoint.dot(v, v), r"\(2, 3\).*\(2, 3\)"),
        (lambda v: adjoint.tensordot(v, np.ones((4, 3)), 1), r"tensordot.*\(2, 3\).*\(4, 3\)"),
        (lambda v: adjoint.tensordot(v, v, 3), r"tensordot over 3 axes.*\(2, 3\)"),
        (lambda v: adjoint.tensordot(v, v, ([0, 1], [0])), "tensordot"),
        (lambda v: adjoint.einsum("ij,jk->ik", v), "einsum 'ij,jk->ik'.*2 operands.*1"),
        (lambda v: adjoint.einsum("ijk->i", v), r"einsum.*'ijk'.*\(2, 3\)"),
        (lambda v: adjoint.einsum("ij,jk->ik", v, v), r"einsum.*'j' has the sizes 3 and 2"),
        (lambda v: adjoint.einsum("ij->ik", v), "einsum.*each index of the result"),
        (lambda v: adjoint.einsum("ij->ii", v), "einsum.*each index of the result"),
        (lambda v: adjoint.einsum("i1->i", v), "einsum.*'i1'"),
        (lambda v: adjoint.einsum("ii->i", v), r"einsum.*'i' has the sizes 2 and 3"),
        (lambda v: adjoint.einsum("ii->i", v[:1]), r"einsum.*'i' has the sizes 1 and 3"),
        (lambda v: adjoint.einsum(v, [0, 1, 2], [0]), r"einsum.*'ABC'.*\(2, 3\)"),
    ],
)
def test_the_error_for_incompatible_shapes_names_them(call, message):
    with pytest.raises(ShapeError, match=message):
        call(Value(np.ones((2, 3))))


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,ij->", [(1, 2), (2, 1)]),
        ("ij,ij->j", [(1, 2), (2, 1)]),
        ("ia,i->", [(4, 2), (1,)]),
        ("ia,i->", [(1, 2), (4,)]),
        ("ia,i->i", [(1, 2), (4,)]),
        ("ia,ib,ij->j", [(1, 2), (4, 1), (1, 3)]),
    ],
)
def test_einsum_broadcasts_axes_of_size_1(subscripts, shapes):
    pytest.importorskip("torch")
    inputs = [np.random.default_rng(k).normal(size=shape) for k, shape in enumerate(shapes)]
    problem = Problem(lambda *vs: adjoint.einsum(subscripts, *vs), lambda *ts: torch.einsum(subscripts, *ts), inputs)
    require_agreement(problem, order=3)


@pytest.mark.parametrize("library", [np.asarray, as_tensor])
def test_a_number_is_an_operand_of_einsum_in_the_dtype_of_the_arrays(library):
    a, x = Value(2.0), Value(library(np.ones((2, 3), np.float32)))
    y = adjoint.einsum(",ij->j", a, x)
    assert "float32" in str(y.dtype)
    assert y.tolist() == [4.0, 4.0, 4.0]
    y.sum().backward()
    assert a.grad == 6.0
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_einsum_takes_lists_of_axes_as_numpy_does():
    x, z = np.arange(9.0).reshape(3, 3), np.arange(6.0).reshape(3, 2)
    for module in (adjoint, np):
        np.testing.assert_array_equal(module.einsum(Value(x), [0, 0], [0]).data, np.diagonal(x))
        np.testing.assert_array_equal(module.einsum(Value(x), [0, 1]).data, x)
        np.testing.assert_array_equal(module.einsum(Value(x), [0, 1], z, [1, 2], [0, 2]).data, x @ z)
        np.testing.assert_array_equal(module.einsum(Value(x), [..., 1], z, [1, 30], [..., 30]).data, x @ z)
    v = Value(x)
    adjoint.einsum(v, [0, 0], [0]).backward([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(v.grad, np.diag([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(
    "arguments",
    [(5,), (None, [1.0]), ([1.0],), ([[1.0]], [0, "a"]), ([[1.0]], [0, 99]), ([[1.0]], [0, -1]), ([1.0], 0, [0])],
)
def test_einsum_without_subscripts_raises_an_error_that_shows_both_forms(arguments):
    with pytest.raises(ArgumentError, match=r"einsum takes subscripts such as 'ij,jk->ik'.*lists of axes"):
        adjoint.einsum(*arguments)


def test_products_of_plain_arrays_are_plain():
    x = np.arange(6.0).reshape(2, 3)
    for found, expected in (
        (adjoint.matmul(x, x.T), x @ x.T),
        (adjoint.dot(x, x.T), x @ x.T),
        (adjoint.outer(x, x), np.outer(x, x)),
        (adjoint.tensordot(x, x), np.tensordot(x, x)),
        (adjoint.einsum("ij->j", x), x.sum(0)),
    ):
        assert not isinstance(found, Value)
        require_close(found, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_einsum_accepts_numbers(dtype):
    x = Value(np.array([1.0, -3.0], dtype))
    for number in (2.0, Value(2.0), np.float64(2.0)):
        y = adjoint.einsum(",k->k", number, x)
        y.backward([1.0, 1.0])
        assert y.data.tolist() == [2.0, -6.0]
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_layer_that_overflows_is_infinite_without_a_warning():
    x, w, b = (Value(np.full(shape, 1e200)) for shape in ((4, 3), (2, 3), 2))
    y = adjoint.linear(x, w, b)
    y.sum().backward()
    assert np.isinf(y.data).all()
    assert (x.grad == 2e200).all()
    (y * 1e200).sum().backward()
    assert np.isinf(w.grad).all()


LAYERS = {
    "linear": lambda f, x, w, b: f.linear(x, w, b),
    "linear of one sample": lambda f, x, w, b: f.linear(x[0], w, b),
    "layer_norm": lambda f, x, w, b: f.layer_norm(x, [2], b, b),
    "rms_norm": lambda f, x, w, b: f.rms_norm(x, [2], b),
    "batch_norm": lambda f, x, w, b: f.batch_norm(x, None, None, b, b, True),
    "group_norm": lambda f, x, w, b: f.group_norm(x, 1, b, b),
    "embedding": lambda f, x, w, b: (
        x * (F.embedding(torch.tensor([1, 0]), w) if f is F else adjoint.embedding(w, [1, 0]))
    ),
    "astype": lambda f, x, w, b: x * (b.double() if f is F else adjoint.astype(b, "float64")),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_weights_and_biases_may_be_lists(layer):
    pytest.importorskip("torch")
    x, w, b = [[1.0, 2.0], [3.0, 5.0]], [[3.0, 4.0], [5.0, 6.0]], [7.0, 8.0]
    ours, theirs = Value(x), torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = LAYERS[layer](adjoint.nn.functional, ours, w, b)
    t = LAYERS[layer](F, theirs, *(torch.tensor(z, dtype=torch.float64) for z in (w, b)))
    (y * y).sum().backward()
    (t * t).sum().backward()
    require_close(y.data, t.detach().numpy())
    require_close(ours.grad, theirs.grad.numpy(), scale=1.0)
