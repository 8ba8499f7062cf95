"""A JAX function as an operation of adjoint, which differentiates to any order.

Through it, gradients pass from the results of a compiled function, or of vmap, to the Values outside.
"""

from collections.abc import Callable, Sequence

import numpy as np

from adjoint.arrays.apply import make_array_node, make_leaf
from adjoint.arrays.array_rule import ArrayOp, pick
from adjoint.arrays.tensor import Tensor
from adjoint.compile.xla.device_arrays import note_reading, on_device
from adjoint.compile.xla.jax_settings import precision
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors import MissingRuleError
from adjoint.errors.optional_jax import load_jax


class JAXOp(ArrayOp):
    """The operation `function(*arrays)`, which returns a list of arrays. JAX computes its derivatives."""

    __slots__ = ("_derived", "_run", "function", "x64")

    def __init__(self, name: str, function: Callable[..., list], x64: bool):
        super().__init__(name, None, (), None, self._along, "", "x", False)
        self.function, self.x64, self._run = function, x64, load_jax().jit(function)
        self._derived: dict[tuple, JAXOp] = {}

    def compute(self, operands: Sequence) -> list:
        """Return the results as plain JAX arrays."""
        datas = [on_device(x) for x in operands]
        with precision(self.x64):
            return self._run(*datas)

    def record(self, operands: tuple, results: Sequence) -> list[Tensor]:
        """Return results as Values that this operation computed from its operands."""
        if not modes.recording:
            return [make_leaf(x) for x in results]
        for x in operands:
            if isinstance(x, Value):
                note_reading(x)
        whole = make_array_node(results[0] if len(results) == 1 else tuple(results), self, operands, {}, _back)
        return [whole] if len(results) == 1 else [pick(whole, k) for k in range(len(results))]

    def contributions(self, m, g, y, operands, static, wanted) -> list:
        parts = g if isinstance(g, tuple) else (g,)
        given = tuple(k for k, part in enumerate(parts) if part is not None)
        vjp_op = self._vjp_op(given, tuple(wanted), len(operands))
        return vjp_op.apply_to((*operands, *(parts[k] for k in given)))

    def apply_to(self, operands: tuple) -> list:
        """Return the results in the library of the operands, as Values if there are Values among the operands."""
        results = [to_home(x, operands) for x in self.compute(operands)]
        return self.record(operands, results) if any(isinstance(x, Value) for x in operands) else results

    # --- its derivatives, which are operations themselves ---

    def _vjp_op(self, given: tuple[int, ...], wanted: tuple[int, ...], count: int) -> "JAXOp":
        """Return the operation from operands and cotangents of `given` results to gradients of `wanted` operands."""
        jax = load_jax()

        def pull(*inputs):
            operands, gradients = list(inputs[:count]), inputs[count:]

            def restricted(*moving):
                for i, x in zip(wanted, moving):
                    operands[i] = x
                results = self.function(*operands)
                return [results[k] for k in given]

            try:
                results, back = jax.vjp(restricted, *[operands[i] for i in wanted])
                gradients = [jax.numpy.asarray(g, dtype=y.dtype).reshape(y.shape) for g, y in zip(gradients, results)]
                return list(back(gradients))
            except ValueError as error:
                raise (unbounded_loop_error() if "lax.while_loop" in str(error) else error) from error

        return self._derive(("pull", given, wanted, count), pull)

    def _along(self, m, tangents, y, *operands):
        moving = tuple(i for i, t in enumerate(tangents) if t is not None)
        jvp_op = self._jvp_op(moving, len(operands))
        found = jvp_op.apply_to((*operands, *(tangents[i] for i in moving)))
        return found[0] if len(found) == 1 else tuple(found)

    def _jvp_op(self, moving: tuple[int, ...], count: int) -> "JAXOp":
        """Return the operation from operands and the tangents of `moving` ones to the tangents of the results."""
        jax = load_jax()

        def push(*inputs):
            operands, tangents = list(inputs[:count]), inputs[count:]

            def restricted(*at):
                for i, x in zip(moving, at):
                    operands[i] = x
                return self.function(*operands)

            primals = [jax.numpy.asarray(operands[i]) for i in moving]
            along = [jax.numpy.asarray(t, dtype=x.dtype) for t, x in zip(tangents, primals)]
            return jax.jvp(restricted, primals, along)[1]

        return self._derive(("push", moving, count), push)

    def _derive(self, key: tuple, function: Callable) -> "JAXOp":
        if key not in self._derived:
            self._derived[key] = JAXOp(self.name, function, self.x64)
        return self._derived[key]


def unbounded_loop_error() -> MissingRuleError:
    """Return the error for reverse mode through a loop that has no place to keep what each step needs."""
    return MissingRuleError(
        "inside jit, reverse mode through a loop whose number of steps is not known needs a bound: give while_loop "
        "max_steps=..."
    )


def _back(g, node) -> list:
    """Return what the operands receive, like `array_back`, but leave arrays on the device."""
    operands, found = node._operands, [None] * len(node._operands)
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Value)]
    datas = [x._data if isinstance(x, Value) else x for x in operands]
    for i, c in zip(wanted, node._rule.contributions(None, g, None, datas, {}, wanted)):
        found[i] = c
    return found


def to_home(x, operands: Sequence):
    """Return a result as a NumPy array, unless it is a tracer or an operand is a JAX array."""
    jax = load_jax()
    if isinstance(x, jax.core.Tracer):
        return x
    for operand in operands:
        if isinstance(operand._data if isinstance(operand, Value) else operand, jax.Array):
            return x
    return np.asarray(x)
