"""Recurrent layers: RNN, LSTM and GRU. They read a sequence step by step and update a state.

Weights have the names and layouts of `torch.nn` (`weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, …, and
`weight_ih_l0_reverse`, … for the second direction), with the same order of gates. Sequences are (samples, steps,
features): `batch_first` defaults to True, unlike in PyTorch.
"""

import math
from collections.abc import Sequence
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import common_backend
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions import shaping
from adjoint.arrays.functions.products import linear
from adjoint.arrays.random_generators import Seed, generator
from adjoint.arrays.tensor import Tensor
from adjoint.compile.loops import compiled_loops, scan
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import switch, whole
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.dropouts import Dropout
from adjoint.nn.inputs import ArrayLike, as_input
from adjoint.nn.module import Module
from adjoint.nn.weight_draws import parameter

State = ArrayLike | tuple[ArrayLike, ...]


# --- one step ------------------------------------------------------------------------------------------


class _Unit(Module):
    """The base class of recurrent units: how a step computes the next state."""

    _gates = 1
    _states = 1  # the number of arrays of its state

    def _step(self, of_input: Tensor, of_state: Tensor, state: list) -> list:
        """Return the next state, given the linear maps of the input and of the state."""
        raise NotImplementedError

    def _split(self, gates: Value) -> list:
        return shaping.split(gates, self._gates, axis=-1)


class _PlainUnit(_Unit):
    nonlinearity: str

    def _set_nonlinearity(self, nonlinearity: str) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise unknown_name_error("nonlinearity", nonlinearity, ("tanh", "relu"))
        self.nonlinearity = nonlinearity

    def _step(self, of_input: Tensor, of_state: Tensor, state: list) -> list:
        total = of_input + of_state
        return [total.tanh() if self.nonlinearity == "tanh" else total.relu()]


class _LSTMUnit(_Unit):
    _gates, _states = 4, 2

    def _step(self, of_input: Tensor, of_state: Tensor, state: list) -> list:
        input_gate, forget_gate, new, output_gate = self._split(of_input + of_state)
        cell = forget_gate.sigmoid() * state[1] + input_gate.sigmoid() * new.tanh()
        return [output_gate.sigmoid() * cell.tanh(), cell]


class _GRUUnit(_Unit):
    _gates = 3

    def _step(self, of_input: Tensor, of_state: Tensor, state: list) -> list:
        reset, update, new = self._split(of_input)
        reset_h, update_h, new_h = self._split(of_state)
        update = (update + update_h).sigmoid()
        new = (new + (reset + reset_h).sigmoid() * new_h).tanh()
        return [new + update * (state[0] - new)]


# --- sequences -----------------------------------------------------------------------------------------


class _Recurrent(_Unit):
    """The base class of recurrent layers: the weights, and the loop over a sequence."""

    proj_size = 0  # the features of the output of an LSTM, if they are projected

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = True,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        who = type(self).__name__
        self.input_size = whole(input_size, f"{who}: input_size")
        self.hidden_size = whole(hidden_size, f"{who}: hidden_size")
        self.num_layers = whole(num_layers, f"{who}: num_layers")
        self.bias, self.batch_first = switch(bias, f"{who}: bias"), switch(batch_first, f"{who}: batch_first")
        self.bidirectional = switch(bidirectional, f"{who}: bidirectional")
        rng, bound = generator(seed), 1 / math.sqrt(self.hidden_size)
        rows, outputs = self._gates * self.hidden_size, self.proj_size or self.hidden_size
        for k in range(self.num_layers):
            inputs = outputs * len(self._directions) if k else self.input_size
            for suffix in self._directions:
                setattr(self, f"weight_ih_l{k}{suffix}", parameter((rows, inputs), bound, rng, dtype))
                setattr(self, f"weight_hh_l{k}{suffix}", parameter((rows, outputs), bound, rng, dtype))
                if bias:
                    setattr(self, f"bias_ih_l{k}{suffix}", parameter((rows,), bound, rng, dtype))
                    setattr(self, f"bias_hh_l{k}{suffix}", parameter((rows,), bound, rng, dtype))
                if self.proj_size:
                    shape = (outputs, self.hidden_size)
                    setattr(self, f"weight_hr_l{k}{suffix}", parameter(shape, bound, rng, dtype))
        self.dropout = dropout
        if dropout:
            self.layer_dropout = Dropout(dropout, seed=rng)

    @property
    def _directions(self) -> tuple[str, ...]:
        """The endings of the names of the weights, for each direction."""
        return ("", "_reverse") if self.bidirectional else ("",)

    def forward(self, x: "ArrayLike", state: "State | None" = None) -> "tuple[Tensor, State]":
        """Return the output of the last layer at each step, and the final state of each layer.

        The state has shape (layers, samples, hidden_size) and defaults to zeros; the state of an LSTM is a pair of
        arrays. For a sequence without a batch axis, the output and the state have none either. With `bidirectional`
        the output holds the features of both directions, and the state has two entries for each layer.
        """
        first = vars(self)["weight_ih_l0"]
        given = as_input(x, first)
        shape = shape_of(given)
        if len(shape) not in (2, 3) or shape[-1] != self.input_size:
            order = "samples, steps" if self.batch_first else "steps, samples"
            raise ShapeError(
                f"expected an input of shape ({order}, {self.input_size}) or (steps, {self.input_size}), not {shape}"
            )
        is_single = len(shape) == 2
        if is_single:
            given = shaping.expand_dims(given, 0 if self.batch_first else 1)
        axis = 1 if self.batch_first else 0
        samples, count = shape_of(given)[1 - axis], shape_of(given)[axis]
        if not count:
            raise ShapeError(f"an input of shape {shape} has no steps; give at least one")
        steps = shaping.moveaxis(given, axis, 0)
        states = self._initial(state, samples, is_single, data_of(given), first)
        last = []
        for k in range(self.num_layers):
            if k and self.dropout and self.training:
                steps = self.layer_dropout(steps)
            outputs = []
            for suffix in self._directions:
                found, final = self._run(f"l{k}{suffix}", steps, [part[len(last)] for part in states], bool(suffix))
                outputs.append(found)
                last.append(final)
            steps = outputs[0] if len(outputs) == 1 else shaping.concat(outputs, -1)
        output = shaping.moveaxis(steps, 0, axis)
        found = [shaping.stack([final[i] for final in last]) for i in range(self._states)]
        if is_single:
            output, found = shaping.squeeze(output, 1 - axis), [shaping.squeeze(part, 1) for part in found]
        return output, tuple(found) if self._states > 1 else found[0]

    def _initial(self, state: "State | None", samples: int, is_single: bool, data: object, weight: Tensor) -> list:
        """Return each array of the initial state, of shape (layers, samples, hidden_size)."""
        layers, sizes = self.num_layers * len(self._directions), [self.hidden_size] * self._states
        sizes[0] = self.proj_size or self.hidden_size
        if state is None:
            m = common_backend([data, weight._data], type(self).__name__)
            return [m.zeros((layers, samples, size), weight._data) for size in sizes]
        parts: Sequence[Any] = state if self._states > 1 and isinstance(state, Sequence) else (state,)
        if len(parts) != self._states:
            raise ShapeError(f"the state must be a pair of arrays, (h, c), not {len(parts)} of them")
        found = []
        for part, size in zip(parts, sizes):
            wanted = (layers, size) if is_single else (layers, samples, size)
            part = as_input(as_operand(part), weight)
            if shape_of(part) != wanted:
                raise ShapeError(f"expected a state of shape {wanted}, not {shape_of(part)}")
            found.append(shaping.expand_dims(part, 1) if is_single else part)
        return found

    def _run(self, layer: str, steps: Any, state: list, reverse: bool) -> tuple[Any, list]:
        """Return the outputs of a layer at each step, and its final state."""
        w_ih, w_hh, b_ih, b_hh, w_hr = (
            vars(self).get(f"{name}_{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        )

        is_compiled = compiled_loops((steps, w_ih))  # then one product for all steps, before the loop, is faster

        def step(state: list, x: Any) -> tuple[list, Any]:
            of_input = x if is_compiled else linear(x, w_ih, b_ih)
            state = self._step(of_input, linear(state[0], w_hh, b_hh), state)
            if w_hr is not None:
                state = [linear(state[0], w_hr, None), *state[1:]]
            return state, state[0]

        xs = linear(steps, w_ih, b_ih) if is_compiled else steps
        final, outputs = scan(step, state, xs, reverse=reverse)
        return outputs, final


class RNN(_PlainUnit, _Recurrent):
    """The plain recurrent layer: h = tanh(W x + b + U h + c), or with ReLU.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> output, state = nn.RNN(3, 5, num_layers=2, seed=0)(np.zeros((4, 7, 3)))
    >>> output.shape, state.shape
    ((4, 7, 5), (2, 4, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = True,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, seed=seed, dtype=dtype
        )
        self._set_nonlinearity(nonlinearity)


class LSTM(_LSTMUnit, _Recurrent):
    """Long short-term memory: a cell with forget, input and output gates. Its state is a pair, (h, c).

    With `proj_size` the outputs, and h, are projected to so many features.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> output, (h, c) = nn.LSTM(3, 5, seed=0)(np.zeros((4, 7, 3)))
    >>> output.shape, c.shape
    ((4, 7, 5), (1, 4, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = True,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        if proj_size and whole(proj_size, "LSTM: proj_size") >= hidden_size:
            raise ArgumentError(f"LSTM: proj_size={proj_size} must be less than hidden_size={hidden_size}")
        self.proj_size = proj_size
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, seed=seed, dtype=dtype
        )


class GRU(_GRUUnit, _Recurrent):
    """The gated recurrent unit: an update gate blends the old state and a candidate that the reset gate limits.

    >>> import numpy as np
    >>> from adjoint import nn
    >>> output, state = nn.GRU(3, 5, seed=0)(np.zeros((4, 7, 3)))
    >>> output.shape, state.shape
    ((4, 7, 5), (1, 4, 5))
    """


# --- cells ---------------------------------------------------------------------------------------------


class _Cell(_Unit):
    """The base class of cells, which compute a single step: (samples, input_size), or (input_size,)."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, *, seed: Seed = None, dtype="float64"):
        who = type(self).__name__
        self.input_size = whole(input_size, f"{who}: input_size")
        self.hidden_size = whole(hidden_size, f"{who}: hidden_size")
        self.bias = bool(bias)
        rng, bound, rows = generator(seed), 1 / math.sqrt(self.hidden_size), self._gates * self.hidden_size
        self.weight_ih = parameter((rows, self.input_size), bound, rng, dtype)
        self.weight_hh = parameter((rows, self.hidden_size), bound, rng, dtype)
        self.bias_ih = parameter((rows,), bound, rng, dtype) if bias else None
        self.bias_hh = parameter((rows,), bound, rng, dtype) if bias else None

    def forward(self, x: "ArrayLike", state: "State | None" = None) -> Any:
        """Return the next state; the state of an LSTM is a pair of arrays, (h, c), and defaults to zeros."""
        given = as_input(x, self.weight_ih)
        shape = shape_of(given)
        if len(shape) not in (1, 2) or shape[-1] != self.input_size:
            raise ShapeError(
                f"expected an input of shape (samples, {self.input_size}) or ({self.input_size},), not {shape}"
            )
        wanted = (*shape[:-1], self.hidden_size)
        if state is None:
            m = common_backend([data_of(given), self.weight_ih._data], type(self).__name__)
            parts: Sequence[Any] = [m.zeros(wanted, self.weight_ih._data)] * self._states
        else:
            parts = state if self._states > 1 and isinstance(state, Sequence) else (state,)
        if len(parts) != self._states:
            raise ShapeError(f"the state must be a pair of arrays, (h, c), not {len(parts)} of them")
        before = [as_input(as_operand(part), self.weight_ih) for part in parts]
        for part in before:
            if shape_of(part) != wanted:
                raise ShapeError(f"expected a state of shape {wanted}, not {shape_of(part)}")
        of_state = linear(before[0], self.weight_hh, self.bias_hh)
        after = self._step(linear(given, self.weight_ih, self.bias_ih), of_state, before)
        return tuple(after) if self._states > 1 else after[0]


class RNNCell(_PlainUnit, _Cell):
    """One step of `RNN`: the next state, given an input and the state.

    >>> from adjoint import nn
    >>> nn.RNNCell(3, 5, seed=0)([[1.0, 2.0, 3.0]]).shape
    (1, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        seed: Seed = None,
        dtype="float64",
    ):
        super().__init__(input_size, hidden_size, bias, seed=seed, dtype=dtype)
        self._set_nonlinearity(nonlinearity)


class LSTMCell(_LSTMUnit, _Cell):
    """One step of `LSTM`: the next state, a pair (h, c), given an input and the state.

    >>> from adjoint import nn
    >>> h, c = nn.LSTMCell(3, 5, seed=0)([[1.0, 2.0, 3.0]])
    >>> h.shape, c.shape
    ((1, 5), (1, 5))
    """


class GRUCell(_GRUUnit, _Cell):
    """One step of `GRU`: the next state, given an input and the state.

    >>> from adjoint import nn
    >>> nn.GRUCell(3, 5, seed=0)([[1.0, 2.0, 3.0]], [[0.0] * 5]).shape
    (1, 5)
    """
