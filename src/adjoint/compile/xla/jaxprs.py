"""A traced function as JAX records it: the only module that looks inside a jaxpr.

A jaxpr is a list of equations. Each has a primitive, input variables or literals, and output variables. JAX offers
this interface to other libraries in `jax.extend.core`, without a promise of stability. pyproject.toml bounds the
version: jax>=0.8,<0.12. JAX 0.8.0 is the first version with `jax.enable_x64`. Run tests/compile before changing the
bounds.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

Variable = Hashable  # a variable or a literal of a jaxpr


class Equation(NamedTuple):
    """How one variable is computed: the name of the primitive, its operands, and the exponent of a power."""

    primitive: str
    operands: Sequence[Variable]
    exponent: int


class RecordedJaxpr:
    """The equations of a traced function, from its inputs to its outputs."""

    def __init__(self, closed_jaxpr):
        self._jaxpr, self._constants = closed_jaxpr.jaxpr, closed_jaxpr.consts
        self.inputs: list[Variable] = list(self._jaxpr.invars)
        self.outputs: list[Variable] = list(self._jaxpr.outvars)

    def restrict_to(self, outputs: Sequence[Variable]) -> set[Variable]:
        """Drop the equations that these outputs do not need, and return the variables that are still used."""
        used = {var for var in outputs if not is_literal(var)}
        equations = []
        for eqn in reversed(self._jaxpr.eqns):
            if eqn.effects or any(var in used for var in eqn.outvars):
                equations.append(eqn)
                used.update(var for var in eqn.invars if not is_literal(var))
        self._jaxpr = self._jaxpr.replace(eqns=equations[::-1])
        return used

    def evaluate(self, outputs: Sequence[Variable], inputs: Sequence) -> list:
        """Return the content of some outputs, given that of the inputs; unused inputs may be None."""
        core = _core()
        return core.jaxpr_as_fun(core.ClosedJaxpr(self._jaxpr.replace(outvars=list(outputs)), self._constants))(*inputs)

    def equations(self) -> dict[Variable, Equation]:
        """Return, for each variable that is computed, its equation, in the order of the computation."""
        return {
            var: Equation(eqn.primitive.name, eqn.invars, eqn.params.get("y", 1))
            for eqn in self._jaxpr.eqns
            for var in eqn.outvars
        }

    def primitives(self) -> Counter[str]:
        """Return how many equations there are of each primitive, those of functions inside included."""
        found = Counter()
        for eqn in _all_equations(self._jaxpr):
            if not _jaxprs_inside(eqn):
                found[eqn.primitive.name] += 1
        return found

    def __str__(self) -> str:
        return str(self._jaxpr)

    def make_inputs(self, variables: Sequence[Variable]) -> None:
        """Make variables that are computed further inputs."""
        equations = [eqn for eqn in self._jaxpr.eqns if not any(var in variables for var in eqn.outvars)]
        self.inputs += variables
        self._jaxpr = self._jaxpr.replace(invars=list(self.inputs), eqns=equations)

    def largest_size(self) -> int:
        """Return the number of elements of the largest array that is computed."""
        variables = (var for eqn in _all_equations(self._jaxpr) for var in eqn.outvars)
        return max((math.prod(getattr(var.aval, "shape", ())) for var in variables), default=0)


def _all_equations(jaxpr: Any) -> Iterator[Any]:
    """Yield the equations of a jaxpr and of those inside, such as the bodies of loops."""
    waiting = [jaxpr]
    while waiting:
        for eqn in waiting.pop().eqns:
            yield eqn
            waiting += _jaxprs_inside(eqn)


def _jaxprs_inside(eqn: Any) -> list:
    """Return the jaxprs that an equation contains: those of a called function, a loop or its condition, a branch."""
    given = [x for p in eqn.params.values() for x in (p if isinstance(p, (tuple, list)) else (p,))]
    return [getattr(x, "jaxpr", x) for x in given if hasattr(getattr(x, "jaxpr", x), "eqns")]


def _core() -> ModuleType:
    import jax.extend.core

    return jax.extend.core


def is_literal(var: Variable) -> bool:
    """Return whether an operand or output is a constant instead of a variable."""
    return isinstance(var, _core().Literal)


def literal_number(var) -> float | int:
    """Return the number of a literal."""
    return var.val.item() if hasattr(var.val, "item") else var.val


def dtype_of(var):
    """Return the dtype of a variable."""
    return var.aval.dtype


def kind_of(var) -> str:
    """Return the kind of the dtype of a variable, such as "f" or "i"; random keys have none."""
    return getattr(getattr(var.aval, "dtype", None), "kind", "")


def is_python_number(var) -> bool:
    """Return whether a variable was computed from Python numbers alone: it has no axes, and no dtype of its own."""
    return not var.aval.shape and bool(getattr(var.aval, "weak_type", False))
