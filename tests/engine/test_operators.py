"""Updates in place of parameters, and the operators that Values do not have."""

import operator
import warnings

import numpy as np
import pytest

from adjoint import Value, guards, jit, nn, no_grad
from adjoint.errors import LostUpdateWarning, OperandError

KINDS = {"number": lambda x: Value(x), "array": lambda x: Value([x, 2 * x])}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
UPDATES = {"+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv}


def with_gradient(make):
    p = make(2.0)
    (p * p).sum().backward()
    return p


@kinds
@pytest.mark.parametrize("sign", UPDATES)
def test_an_update_that_makes_a_new_value_is_reported(make, sign):
    p = with_gradient(make)
    before = p.data + 0.0
    with pytest.warns(LostUpdateWarning, match=rf"`p \{sign} ...` made a new Value.*Write `p.data \{sign}.*no_grad"):
        new = UPDATES[sign](p, 0.1 * p.grad)
    assert new is not p
    assert new.parents == (p,)
    assert np.array_equal(p.data, before)


def test_the_loop_of_pytorch_tutorials_is_reported():
    model = nn.MLP(2, [3, 1], seed=0)
    model([1.0, 2.0]).backward()

    def update():
        for p in model.parameters():
            p -= 0.1 * p.grad

    with pytest.warns(LostUpdateWarning):
        update()


@kinds
def test_the_guard_can_be_switched_off(make):
    p = with_gradient(make)
    with warnings.catch_warnings(), guards(lost_updates=False):
        warnings.simplefilter("error")
        p -= 0.1 * p.grad


@kinds
@pytest.mark.parametrize("sign", UPDATES)
def test_inside_no_grad_a_parameter_is_updated_in_place(make, sign):
    p = same = with_gradient(make)
    expected = {"+=": p.data + 0.5, "-=": p.data - 0.5, "*=": p.data * 0.5, "/=": p.data / 0.5}[sign]
    with no_grad():
        p = UPDATES[sign](p, 0.5)
    assert p is same
    assert np.array_equal(p.data, expected)
    assert p.requires_grad


def test_inside_no_grad_other_values_are_not_changed():
    with no_grad():
        hidden = Value([1.0, 2.0]) * 2  # a result
        skip = hidden
        hidden += 1.0
        w = with_gradient_outside()
        sum_ = w
        sum_ += Value(1.0)
    assert skip.tolist() == [2.0, 4.0]
    assert w.data == 2.0


def test_inside_no_grad_a_model_can_be_initialized_in_place():
    model = nn.Linear(2, 1, seed=0)
    weight, before = model.weight, model.weight.numpy().copy()
    with no_grad():
        for p in model.parameters():
            p *= 0.5
        model.weight += 1.0
    assert model.weight is weight  # which an optimizer may know already
    assert np.array_equal(weight.numpy(), 0.5 * before + 1.0)


def with_gradient_outside():
    w = Value(2.0)
    w.grad = 1.0
    return w


def test_sums_of_losses_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w = with_gradient(KINDS["number"])
        loss = Value(0.0)
        for x in (1.0, 2.0):
            loss += w * x
        loss += 0.5
        repr(loss)
        loss *= 2.0
        count = Value(0.0)
        repr(count)
        count += 1.0
        w.zero_grad()
        w -= 0.1
    assert loss.data == 13.0


def test_inside_a_compiled_function_no_grad_updates_in_place():
    pytest.importorskip("jax")
    w, v = Value(2.0), Value([2.0, 3.0])

    def step(p):
        p.zero_grad()
        (p * p).sum().backward()
        with no_grad():
            p -= 0.25 * p.grad
        return p.data + 0.0

    for p in (w, v):
        compiled = jit(lambda p=p: step(p))
        compiled(), compiled()
    assert w.data == 0.5
    assert v.data.tolist() == [0.5, 0.75]


@kinds
@pytest.mark.parametrize(
    ("compute", "sign", "instead"),
    [
        (lambda x: x ^ 2, r"\^", r"x \*\* y"),
        (lambda x: 2 ^ x, r"\^", r"x \*\* y"),
        (lambda x: x & x, "&", r"\(x.data > 0\) & \(y.data > 0\)"),
        (lambda x: x | 1, r"\|", r"\(x.data > 0\) \| \(y.data > 0\)"),
        (lambda x: ~x, "~", "write -x"),
        (lambda x: x << 1, "<<", r"x \* 2 \*\* n"),
        (lambda x: x >> 1, ">>", r"x / 2 \*\* n"),
    ],
)
def test_operators_of_integers_name_the_operator_meant(make, compute, sign, instead):
    with pytest.raises(OperandError, match=rf"^{sign} works with the bits of integers.*{instead}"):
        compute(make(2.0))


@kinds
@pytest.mark.parametrize(("x", "y"), [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0)])
def test_floor_division_and_remainder_agree_with_pytorch(make, x, y):
    torch = pytest.importorskip("torch")
    a, b = make(x), make(y)
    ta, tb = (torch.tensor(v.data, dtype=torch.float64, requires_grad=True) for v in (a, b))
    quotient, rest = a // b, a % b
    assert np.array_equal(quotient.data, (ta // tb).detach())
    assert np.array_equal(rest.data, (ta % tb).detach())
    rest.sum().backward()
    (ta % tb).sum().backward()
    assert np.array_equal(a.grad, ta.grad)
    assert np.array_equal(b.grad, tb.grad)


def test_and_or_and_not_are_those_of_python():
    x, y = Value(1.0), Value(2.0)
    assert (x and y) is y
    assert (x or y) is x
    assert (not x) is False
