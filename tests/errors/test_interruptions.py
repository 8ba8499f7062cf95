"""What a signal handler raises in the middle of an operation comes out as itself, wherever it is raised."""

import functools
import signal

import numpy as np
import pytest

import adjoint
from adjoint import Value, data
from adjoint.arrays.functions import shaping
from adjoint.errors import DataError, OpError, ShapeError


class Stopper:
    def __init__(self, error):
        self.error = error

    def stop(self, number, frame):
        raise self.error

    def __call__(self, *given):
        raise self.error


def plain(error):
    def handler(number, frame):
        raise error

    return handler


def deep(error):
    def fail():
        raise error

    return lambda number, frame: fail()


HANDLERS = {
    "function": plain,
    "method": lambda error: Stopper(error).stop,
    "object": Stopper,
    "partial": lambda error: functools.partial(lambda error, number, frame: plain(error)(number, frame), error),
    "calls another": deep,
}


@pytest.fixture
def handled():
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def interrupt(result=None):
    signal.raise_signal(signal.SIGINT)
    return result


noisy = adjoint.op("noisy", lambda m, x: interrupt() or m.exp(x), lambda m, y, x: y)
noisy_slope = adjoint.op("noisy_slope", lambda m, x: m.exp(x), lambda m, y, x: interrupt() or y)
quiet = adjoint.op("quiet", lambda m, x: m.exp(x), lambda m, y, x: noisy(x))


class Interrupting:
    def __array__(self, dtype=None, copy=None):
        return interrupt(np.ones(2))

    def __float__(self):
        return interrupt(1.0)

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return interrupt(1.0)


def reshape_interrupted():
    forward = shaping._reshape.forward
    shaping._reshape.forward = lambda m, x, shape: interrupt() or forward(m, x, shape)
    try:
        return shaping.reshape(Value([1.0, 2.0]), (2, 1)), shaping.reshape(np.ones(2, np.float32), (2, 1))
    finally:
        shaping._reshape.forward = forward


CALLS = {
    "a rule of numbers": lambda: noisy(2.0),
    "a rule of a Value": lambda: noisy(Value(2.0)),
    "a rule of arrays": lambda: noisy(Value([2.0])),
    "a slope of numbers": lambda: noisy_slope(Value(2.0)).backward(),
    "a second derivative": lambda: adjoint.grad(adjoint.grad(quiet))(2.0),
    "an operation of arrays": reshape_interrupted,
    "a rule in jit": lambda: adjoint.jit(noisy)(Value(2.0)),
    "a rule of arrays in jit": lambda: adjoint.jit(noisy)(Value([2.0])),
    "a conversion of lists": lambda: Value([[Interrupting()]]),
    "a sample": lambda: list(data.DataLoader(Interrupting())),
}


def require_raised(call, error):
    with pytest.raises(type(error)) as caught:
        call()
    assert caught.value is error


@pytest.mark.parametrize("call", CALLS)
def test_an_error_of_a_signal_handler_comes_out_as_itself(handled, call):
    for error in (TimeoutError("time"), ValueError("time"), RuntimeError("time")):
        handled(plain(error))
        require_raised(CALLS[call], error)


@pytest.mark.parametrize("handler", HANDLERS)
def test_a_handler_may_be_anything_that_can_be_called(handled, handler):
    error = TimeoutError("time")
    handled(HANDLERS[handler](error))
    require_raised(CALLS["a rule of arrays"], error)
    require_raised(CALLS["a sample"], error)


def test_errors_of_the_computation_are_still_explained():
    wrong = adjoint.op("wrong", lambda m, x: {}["missing"], lambda m, y, x: y)
    with pytest.raises(OpError, match="'wrong'"):
        wrong(1.0)
    with pytest.raises(ShapeError, match="do not broadcast"):
        Value([1.0, 2.0]) + np.ones(3)
    with pytest.raises(DataError, match="sample 0"):
        list(data.DataLoader(data.MapDataset([1.0], lambda x: {}["missing"])))
