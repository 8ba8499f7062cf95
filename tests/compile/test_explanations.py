"""Errors for code that cannot be compiled: which line, why, and what to write instead."""

import functools
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_close

from adjoint import Value, jit, vmap
from adjoint.errors import ArgumentError, LibraryError, MissingExtraError, TraceError

jax = pytest.importorskip("jax")

W = Value([1.0, 2.0])


def branch(v):
    return v * 2 if v.sum() > 0 else v


def loop(v):
    while v.sum() < 10:
        v = v * 2
    return v


NEEDS_NUMBERS = {
    "if": branch,
    "while": loop,
    "float": lambda v: float(v.sum()),
    "int": lambda v: int(v.sum().data),
    "item": lambda v: v.sum().item(),
    "numpy": lambda v: v.numpy(),
    "bool": lambda v: bool(v.sum()),
    "mask": lambda v: v[v.data > 0],
    "sqrt": lambda v: np.sqrt(v.data),
}


@pytest.mark.parametrize("name", NEEDS_NUMBERS)
def test_python_code_that_needs_numbers_raises_with_the_alternatives(name):
    v = Value([1.0, 2.0])
    data = v._data
    with pytest.raises(TraceError) as caught:
        jit(NEEDS_NUMBERS[name])(v)
    message = str(caught.value)
    assert "adjoint.where(condition, a, b)" in message
    assert "static_argnames" in message
    assert "test_explanations.py:" in message
    assert v._data is data


def test_the_message_shows_the_line_of_user_code():
    with pytest.raises(TraceError, match=r"`while v.sum\(\) < 10:` \(test_expl.*py:\d+\): it has control flow that"):
        jit(loop)(Value([1.0]))


def test_the_message_names_numbers_that_could_be_static():
    with pytest.raises(TraceError, match="name it in static_argnames, as in static_argnames='n'"):
        jit(lambda x, n: [x * i for i in range(n)])(np.ones(2), 3)


HIDDEN = Value([1.0], label="hidden")


def test_backward_to_a_value_that_jit_cannot_find_raises_and_names_it():
    HIDDEN.grad = np.array([7.0])

    def step(x):
        hidden = sys.modules[__name__].HIDDEN  # jit looks for globals that the code names
        (hidden * x).sum().backward()

    with pytest.raises(TraceError, match=r"'hidden'.*pass it as an argument"):
        jit(step)(np.ones(1))
    require_close(HIDDEN.grad, [7.0])


def test_backward_to_a_value_computed_outside_raises():
    a = Value([1.0, 2.0])
    with pytest.raises(TraceError, match=r"computed outside.*\.detach\(\)"):
        jit(lambda h: h.sum().backward())(a * 2)
    h = (a * 2).detach()
    jit(lambda h: h.sum().backward())(h)
    require_close(h.grad, [1.0, 1.0])


def test_returning_an_iterator_or_a_set_raises():
    with pytest.raises(TraceError, match="make it a list"):
        jit(lambda x: map(float, x))(np.ones(2))
    with pytest.raises(TraceError, match="make it a list"):
        jit(lambda x: {Value(x)})(np.ones(2))


def test_assigning_to_an_element_of_an_array_raises():
    def fill(x):
        x[0] = 1.0

    with pytest.raises(TraceError, match=r"`x\[0\] = 1.0` \(test_explanations.py:\d+\).*immutable"):
        jit(fill)(np.ones(2))


def test_a_scalar_value_as_a_key_or_in_a_partial_raises():
    w = Value(2.0)
    rates = {w: 0.1}
    with pytest.raises(TraceError, match="rates is a dictionary with scalar Values as keys"):
        jit(lambda x: x * rates[w])(np.ones(2))
    with pytest.raises(TraceError, match="cannot be changed, such as a partial"):
        jit(functools.partial(lambda w, x: w * x, w))(np.ones(2))


@pytest.mark.parametrize("what", ["buffer", "data", "grad", "argument"])
def test_an_in_place_update_that_would_be_lost_raises(what):
    w, state = Value([1.0, 2.0]), SimpleNamespace(m=[np.zeros(2)])

    def step(x):
        (w * x).sum().backward()
        changed = {"buffer": state.m[0], "data": w.data, "grad": w.grad, "argument": x}[what]
        changed *= 0.5

    with pytest.raises(TraceError, match=r"updated in place at test_explanations.py:\d+"):
        jit(step)(np.ones(2))
    assert type(state.m[0]) is np.ndarray


def test_an_in_place_update_that_is_assigned_is_kept():
    w, state = Value([1.0, 2.0]), SimpleNamespace(m=[np.ones(2)])

    @jit
    def step(x):
        state.m[0] *= x
        m = w.data
        m *= 2
        w.data = m

    step(np.array([3.0, 3.0]))
    require_close(state.m[0], [3.0, 3.0])
    require_close(w.data, [2.0, 4.0])


def test_a_list_that_grows_with_every_call_raises():
    losses = []

    @jit
    def step(x):
        losses.append((W * x).sum())

    step(np.ones(2))
    require_close(losses[0].data, 3.0)
    step(np.ones(2))
    with pytest.raises(TraceError, match="losses grows with every call"):
        step(np.ones(2))
    assert len(losses) == 2


def test_without_jax_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    for transform in (jit, vmap):
        with pytest.raises(MissingExtraError, match=r"pip install 'adjoint-autograd\[jax\]'"):
            transform(lambda x: x)(np.ones(2))


def test_importing_adjoint_and_decorating_does_not_load_jax():
    program = "import sys, adjoint; f = adjoint.jit(lambda x: x); assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_wrong_arguments_of_jit_are_named():
    with pytest.raises(ArgumentError, match="the function has no parameter 'm'; it has x, n"):
        jit(lambda x, n: x, static_argnames=("m",))
    with pytest.raises(ArgumentError, match="static argument 'n' must be hashable"):
        jit(lambda x, n: x, static_argnames=("n",))(np.ones(1), [1])
    with pytest.raises(ArgumentError, match="jit needs a function, not"):
        jit(3)
    with pytest.raises(ArgumentError, match="asked to use 99 devices"):
        jit(lambda x: x, devices=99)(np.ones(1))
    with pytest.raises(ArgumentError, match="devices must be a number"):
        jit(lambda x: x, devices="all")(np.ones(1))


def test_values_with_pytorch_tensors_raise():
    torch = pytest.importorskip("torch")
    with pytest.raises(LibraryError, match="PyTorch"):
        jit(lambda v: v * 2)(Value(torch.ones(2)))
