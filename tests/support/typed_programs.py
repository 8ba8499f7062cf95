"""What type checkers know about right programs: each `assert_type` is a claim that pyright checks in `make lint`."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np

import adjoint
from adjoint import Tensor, Value, grad, jit, nn, no_grad, value_and_grad, vmap

# --- operators and methods: one class for numbers and arrays ---

x, w = Value([1.0, 2.0]), Value([[1.0, 2.0], [3.0, 4.0]], label="w")
array = np.ones(2)
assert_type(w @ x, Value)
assert_type((w @ x + 1).tanh().sum(), Value)
assert_type(x.mean(axis=0), Value)
assert_type(x.shape, tuple[int, ...])
assert_type(w.T, Value)
assert_type(x[0], Value)
assert_type(x**2, Value)
assert_type(2 - x, Value)
assert_type(-x, Value)
assert_type(abs(x), Value)
assert_type(array * x, Value)
assert_type(array @ x, Value)
assert_type(x / array, Value)
assert_type(x.leaky_relu(0.1), Value)
assert_type(x.reshape(2, 1).squeeze(axis=1), Value)
assert_type(x.item(), float)
assert_type(list(w), list[Value])
assert_type(Tensor([1.0]).exp(), Tensor)
assert_type(x.backward(), None)
print(x.data[0], x.grad.sum(), (x > 0).any(), (x == 1).all())

# --- functions: of Values, of arrays and of numbers ---

assert_type(adjoint.tanh(x), Value)
assert_type(adjoint.maximum(0.0, x), Value)
assert_type(adjoint.relu(array), np.ndarray[tuple[int], np.dtype[np.float64]])
assert_type(adjoint.exp(2.0), float)
assert_type(adjoint.softmax(x), Tensor)

# --- transforms ---


def power(x: Value, exponent: int = 2) -> Value:
    return x**exponent


assert_type(grad(power)(2.0, 3), Any)
assert_type(value_and_grad(power)(array, exponent=3), tuple[Any, Any])
assert_type(jit(power)(x, exponent=3), Value)
assert_type(vmap(power)(x), Value)
assert_type(adjoint.checkpoint(power)(x, 3), Value)
assert_type(adjoint.vjp(power, 2.0)[1], Callable[[Any], tuple[Any, ...]])
assert_type(adjoint.jvp(power, (2.0,), (1.0,)), tuple[Any, Any])


@jit(static_argnames="exponent")
def compiled(x: Value, exponent: int) -> Value:
    return x**exponent


assert_type(compiled(x, 3), Value)
print(compiled.program)


@no_grad
def predict(x: Value) -> Value:
    return x + 1


assert_type(predict(x), Value)
with no_grad():
    assert_type(power(x), Value)

# --- networks ---


class Net(nn.Module):
    def __init__(self) -> None:
        self.hidden, self.out = nn.Linear(2, 3), nn.Linear(3, 1)

    def forward(self, x: Value, scale: float = 1.0) -> Value:
        return self.out(self.hidden(x).tanh()) * scale

    @jit
    def step(self, x: Value) -> Value:
        return self(x)


net = Net()
assert_type(net(x, scale=2.0), Value)
assert_type(net.step(x), Value)
assert_type(jit(net)(x), Value)
assert_type(nn.Linear(2, 3)(x), Tensor)
assert_type(nn.Sequential(nn.Linear(2, 3), nn.ReLU())(x), Value)
assert_type(nn.LSTM(2, 3)(w)[0], Tensor)
assert_type(nn.Neuron(2)([1.0, 2.0]), Value)
assert_type(nn.MLP(2, [3, 1])([1.0, 2.0]), Value)
assert_type(nn.mse(net(x), array), Value)
assert_type(nn.CrossEntropyLoss()(net(x), [1]), Value)
assert_type(net.parameters(), list[Value])
