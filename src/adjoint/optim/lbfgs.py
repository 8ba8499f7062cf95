"""L-BFGS: Liu and Nocedal, On the limited memory BFGS method for large scale optimization, 1989."""

from collections.abc import Callable, Mapping
from itertools import accumulate
from math import prod
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, data_of, is_tensor
from adjoint.arrays.scalars import NumberVector, as_vector, mathematics_of, sum_in_order
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError, TraceError
from adjoint.errors.given import describe, is_number
from adjoint.errors.optional import installed_numpy
from adjoint.optim.line_search import Point, strong_wolfe
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import Options, Parameters
from adjoint.optim.stale_gradients import watches


class LBFGS(Optimizer):
    """A quasi-Newton method for full batches; it computes the loss several times in each step.

    `step` takes a function that sets the gradients to zero, computes the loss, calls `backward()` and returns the loss.
    The options are PyTorch's; use `line_search_fn="strong_wolfe"` unless you have a reason not to. It has one group of
    parameters. The function may be compiled by `jit`, but the optimizer itself runs outside.

    >>> from adjoint import Value, optim
    >>> x, y = Value(-1.5), Value(2.0)
    >>> optimizer = optim.LBFGS([x, y], line_search_fn="strong_wolfe", max_iter=50)
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (1 - x) ** 2 + 100 * (y - x**2) ** 2
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)
    >>> round(x.data, 4), round(y.data, 4)
    (1.0, 1.0)
    """

    needs_closure = True

    def __init__(
        self,
        params: "Parameters",
        lr: float = 1.0,
        *,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ):
        super().__init__(
            params,
            lr=lr,
            max_iter=max_iter,
            max_eval=max_iter * 5 // 4 if max_eval is None else max_eval,
            tolerance_grad=tolerance_grad,
            tolerance_change=tolerance_change,
            history_size=history_size,
            line_search_fn=line_search_fn,
        )
        if len(self.param_groups) > 1:
            raise ArgumentError(f"LBFGS has one group of parameters, not {len(self.param_groups)}; use one list")
        self._memory: dict[str, Any] = {"func_evals": 0, "n_iter": 0}
        self._are_scalars = not any(map(is_tensor, self._parameters()))
        self._frozen: list[bool] | None = None  # which parameters the memory takes for constants, once it is known

    def add_param_group(self, group: Options) -> None:
        raise ArgumentError("LBFGS has one group of parameters; create it with all of them")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take up to `max_iter` iterations; return the first loss."""
        if not callable(closure):
            raise ArgumentError(
                "LBFGS.step needs a function that computes the loss: def closure(): optimizer.zero_grad(); "
                f"loss = ...; loss.backward(); return loss; it got {describe(closure)}"
            )
        if not isinstance(self._clock.data, float):
            raise TraceError("LBFGS chooses its steps by the loss, so it cannot run inside jit; compile the closure")
        self._clock.data += 1.0
        frozen = [p._frozen for p in self._parameters()]
        if self._frozen not in (None, frozen):  # the memory has steps of parameters that are constants now
            self._memory = {"func_evals": self._memory["func_evals"], "n_iter": 0}
        self._frozen = frozen
        first = closure()
        watch = watches.get(self)
        if watch:  # for parameters without a gradient; backward() warns of gradients that were not set to zero
            watch.before_step(self)
        self._minimize(closure, float(first), self._flatten("grad"))
        return first

    def _minimize(self, closure: Callable[[], Any], loss: float, g: Any) -> None:
        options, memory = self.param_groups[0], self._memory
        lr, tolerance = options["lr"], options["tolerance_change"]
        memory["func_evals"] += 1
        evaluations = 1
        if _largest(g) <= options["tolerance_grad"]:
            return
        for i in range(options["max_iter"]):
            is_last = i + 1 == options["max_iter"]
            memory["n_iter"] += 1
            d = memory["d"] = self._direction(g, options["history_size"])
            memory |= {"prev_flat_grad": g, "prev_loss": loss}
            t = memory["t"] = lr * (min(1.0, 1.0 / self._sum(abs(g))) if memory["n_iter"] == 1 else 1.0)
            slope = self._sum(g, d)
            if slope > -tolerance:
                return
            before, added, previous = self._flatten("data"), 0, loss
            if options["line_search_fn"] is not None:
                search = _Line(self, closure, before, d)
                start, size = Point(0.0, loss, g, slope), _largest(d)
                found, added = strong_wolfe(search, start, t, size, tolerance, options["max_eval"] - evaluations)
                t, loss, g = found.t, found.loss, found.gradient
                self._assign(before + t * d)
            else:
                self._assign(before + t * d)
                if not is_last:
                    loss, g, added = float(closure()), self._flatten("grad"), 1
            memory["t"] = t
            memory["func_evals"] += added
            evaluations += added
            if (
                is_last
                or evaluations >= options["max_eval"]
                or _largest(g) <= options["tolerance_grad"]
                or _largest(t * d) <= tolerance
                or abs(loss - previous) < tolerance
            ):
                return

    def _direction(self, g: Any, size: int) -> Any:
        """Return the approximate inverse of the Hessian times the negative gradient, by the two-loop recursion."""
        memory = self._memory
        if memory["n_iter"] == 1:
            memory |= {"old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1.0}
            return -g
        changes, steps, ro = memory["old_dirs"], memory["old_stps"], memory["ro"]
        y, s = g - memory["prev_flat_grad"], memory["d"] * memory["t"]
        product = self._sum(y, s)
        if product > 1e-10:
            for held, new in ((changes, y), (steps, s), (ro, 1 / product)):
                del held[: max(0, len(held) + 1 - size)]
                held.append(new)
            memory["H_diag"] = product / self._sum(y, y)
        q, factors = -g, []
        for y, s, r in zip(reversed(changes), reversed(steps), reversed(ro)):
            factors.append(self._sum(s, q) * r)
            q = q - factors[-1] * y
        d = q * memory["H_diag"]
        for y, s, r, factor in zip(changes, steps, ro, reversed(factors)):
            d = d + (factor - self._sum(y, d) * r) * s
        return d

    # --- all parameters as one vector ---

    def _flatten(self, name: str) -> Any:
        """Return the data or the gradients of all parameters."""
        found = [data_of(getattr(p, name)) * (0.0 if p._frozen and name == "grad" else 1.0) for p in self._parameters()]
        if self._are_scalars:
            return as_vector(found)
        import numpy as np

        return np.concatenate([np.ravel(_as_numpy(x)).astype(float) for x in found])

    def _assign(self, vector: Any) -> None:
        ends = [0, *accumulate(prod(shape_of(p)) for p in self._parameters())]
        for p, first, last in zip(self._parameters(), ends, ends[1:]):
            _assign_data(p, vector[first] if not p._is_array else vector[first:last])

    def _sum(self, x: Any, z: Any = 1.0) -> float:
        """Return the sum of a vector, or the dot product of two. That of scalars is the same without NumPy."""
        return sum_in_order(x * z) if self._are_scalars else float((x * z).sum() if is_number(z) else x @ z)

    # --- saving and resuming ---

    def state_dict(self) -> dict[str, Any]:
        """Return the options and the memory, which PyTorch keeps as the state of the first parameter."""
        copied = {name: _saved(x) for name, x in self._memory.items()}
        return super().state_dict() | {"state": {0: {"step": self._clock.data, **copied}}}

    def load_state_dict(self, state_dict: Options) -> None:
        _, held = self._check_state(state_dict)
        super().load_state_dict({**state_dict, "state": {}})
        memory = dict(held.get(0, {}))
        memory.pop("al", None)  # of PyTorch; it is computed in each iteration
        self._clock.data = float(memory.pop("step", 0.0))
        self._memory = {"func_evals": 0, "n_iter": 0} | {
            name: [_plain(part) for part in x] if name in ("old_dirs", "old_stps", "ro") else _plain(x)
            for name, x in memory.items()
        }

    def _require_fitting(self, state: Mapping[int, Options]) -> None:
        size, found = len(self._flatten("data")), state.get(0, {}).get("d")
        if found is not None and len(_plain(found)) != size:
            raise ShapeError(f"the state is for {len(_plain(found))} numbers, but the parameters have {size}")


class _Line:
    """The points of a line through the parameters."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any], start: Any, direction: Any):
        self.optimizer, self.closure, self.start, self.direction = optimizer, closure, start, direction

    def __call__(self, t: float) -> Point:
        self.optimizer._assign(self.start + t * self.direction)
        loss = float(self.closure())
        g = self.optimizer._flatten("grad")
        return Point(t, loss, g, self.optimizer._sum(g, self.direction))


def _largest(x: Any) -> float:
    return float(mathematics_of(x, "LBFGS").max(abs(x)))


def _as_numpy(x: Any) -> Any:
    if is_number(x):
        return x

    m = array_code("backends").backend_of(x)
    return x if m is None else m.to_numpy(x)


def _plain(x: Any) -> Any:
    """Return a part of the memory as a vector, a float or an int."""
    if isinstance(x, list):
        return as_vector(x)
    x = _as_numpy(x)
    return x if isinstance(x, int) else as_vector(x) if shape_of(x) else float(x)


def _saved(x: Any) -> Any:
    """Return a part of the memory for a state: as a NumPy array, or as a list where NumPy is not installed."""
    np = installed_numpy()
    if np:
        return np.array(x) if isinstance(x, list) else x
    parts = [_saved(part) for part in x] if isinstance(x, list) else x
    return parts.tolist() if isinstance(parts, NumberVector) else parts


def _assign_data(p: Value, part: Any) -> None:
    data: Any = p.data
    if not p._is_array:
        p.data = float(part)
        return
    m = mathematics_of(data, "LBFGS")
    p.data = m.astype(m.from_numpy(part.reshape(data.shape)), data.dtype)
