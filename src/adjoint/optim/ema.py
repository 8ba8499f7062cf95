"""EMA: an exponential moving average of parameters, which is often better than the last ones."""

from collections.abc import Mapping
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.functions.choosing import where
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number
from adjoint.optim.parameter_groups import Parameters, parameters_of
from adjoint.optim.update_units import units_of


class EMA:
    """An exponential moving average of the parameters of a model, or of a list of parameters.

    `update()` after each step of the optimizer moves the average toward the parameters: the new average is
    `decay * average + (1 - decay) * parameter`, and the first update copies them, as in PyTorch's `AveragedModel`.
    Inside `with ema:`, the parameters are the averages; afterwards they are their own again.

    >>> from adjoint import Value, optim
    >>> w = Value([1.0, 2.0])
    >>> ema = optim.EMA([w], decay=0.5)
    >>> ema.update()
    >>> w.data = w.data + 4.0
    >>> ema.update()
    >>> with ema:
    ...     print(w.data)
    [3. 4.]
    >>> w.data
    array([5., 6.])
    """

    def __init__(self, parameters: Parameters, decay: float = 0.999):
        if not is_number(decay) or isinstance(decay, bool) or not 0 <= decay < 1:
            raise ArgumentError(f"the decay of EMA must be a number of at least 0 and below 1, not {describe(decay)}")
        self.decay = float(decay)
        self.parameters: list[Value] = parameters_of(parameters, "EMA")
        if not self.parameters:
            raise ArgumentError("EMA got no parameters; check that the model has parameters")
        self.units = units_of(self.parameters)
        for unit in self.units:
            unit.add_buffer("average", 0.0)
            unit.write_buffer("average", unit.data() + 0.0)
        self._count = Value(0.0)  # a Value, so that jit updates it
        self._own: list[Any] | None = None  # the parameters, while the model has the averages

    @property
    def updates(self) -> int:
        """The number of updates."""
        return int(self._count.data)

    def update(self) -> None:
        """Move the averages toward the parameters; this works inside `jit` too."""
        self._require_outside("update")
        decay = where(self._count.data > 0, self.decay, 0.0)
        for unit in self.units:
            average = unit.buffer("average")
            average *= decay
            average += (1 - decay) * unit.data()
            unit.write_buffer("average", average)
        self._count.data += 1.0

    def __enter__(self) -> "EMA":
        self._require_outside("with")
        self._own = [unit.data() for unit in self.units]
        self._assign()
        return self

    def __exit__(self, *exception: object) -> None:
        own, self._own = self._own or [], None
        for unit, data in zip(self.units, own):
            unit.write(data)

    def copy_to_parameters(self) -> None:
        """Assign the averages to the parameters for good, as at the end of training."""
        self._require_outside("copy_to_parameters")
        self._assign()

    def _assign(self) -> None:
        for unit in self.units:
            unit.write(unit.buffer("average") + 0.0)  # a copy: optimizers change parameters in place

    def _require_outside(self, what: str) -> None:
        if self._own is not None:
            raise ArgumentError(f"EMA: {what} inside `with ema`, where the parameters are the averages; leave it first")

    def state_dict(self) -> dict[str, Any]:
        """Return the averages as NumPy arrays and numbers, in the order of the parameters."""
        found: dict[int, Any] = {}
        for unit in self.units:
            parts = unit.saved_buffer("average")
            found |= {id(p): part for p, part in zip(unit.values, parts)}
        averages = {str(i): found[id(p)] for i, p in enumerate(self.parameters)}
        return {"decay": self.decay, "updates": float(self._count.data), "averages": averages}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Load the state of an EMA of the same parameters."""
        if not isinstance(state, Mapping) or not {"decay", "updates", "averages"} <= state.keys():
            raise ArgumentError(f"EMA needs a state as state_dict() returns it, not {describe(state)}")
        averages = [state["averages"].get(str(i)) for i in range(len(state["averages"]))]
        shapes, expected = [shape_of(x) for x in averages], [shape_of(p) for p in self.parameters]
        if shapes != expected:
            raise ShapeError(f"the state of EMA has averages of shapes {shapes}, but the parameters have {expected}")
        by_id = {id(p): x for p, x in zip(self.parameters, averages)}
        for unit in self.units:
            unit.load_buffer("average", [by_id[id(p)] for p in unit.values])
        self.decay, self._count.data = float(state["decay"]), float(state["updates"])

    def __repr__(self) -> str:
        return f"EMA(decay={self.decay:g}, {self.updates} updates, {len(self.parameters)} parameters)"
