"""A trace as a compiled program.

What the function changed but nobody can see is left out, and so are inputs that it never read: a gradient that is
set to zero first, for instance. What is computed from numbers alone, such as the count of steps of an optimiser,
stays in Python.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.compile.device_arrays import SMALL, pack, unpack
from adjoint.compile.formulas import Formula, formula
from adjoint.compile.jax_op import JAXOp
from adjoint.compile.reachable import home_of
from adjoint.compile.results import NewValue, Template
from adjoint.compile.tracing import Trace
from adjoint.compile.xla import is_literal, load_jax, one_after_the_other

LITTLE = 1 << 15  # elements: what is computed on arrays up to here takes less time than to wake up another thread
FEW = 4  # Values of one number up to here are handed over one by one


class Slot(NamedTuple):
    """The data or the gradient of a Value, and the output that is its new content."""

    value: int
    attribute: str  # "_data" or "_grad"
    output: int


class LotPlan(NamedTuple):
    """Which slots share one array, and which of them the program reads before it writes them."""

    slots: list[Slot]
    shapes: list[tuple[int, ...]]
    read: list[int]


class Program:
    """What XLA compiled, what it takes and what it gives."""

    def __init__(self, trace: Trace, placement: Any = None, *, computes_numbers: bool = True):
        self.trace, self.sources = trace, trace.inputs
        self.reach: Any = trace.reach
        self.kept = trace.reach.constants  # so that no id in the key becomes another object's
        jaxpr, self._constants = trace.jaxpr.jaxpr, trace.jaxpr.consts
        self._variables = dict(zip(trace.inputs, jaxpr.invars))
        self.in_python = self._numbers_in_python(jaxpr) if computes_numbers else {}
        wanted = [var for k, var in enumerate(jaxpr.outvars) if k not in self.in_python]
        equations, used = _needed(jaxpr, wanted)
        self._jaxpr = jaxpr.replace(eqns=equations)
        self.used = {source for source, var in self._variables.items() if var in used}
        self._plan_state()
        self.rest = sorted(self._outputs_of_templates())
        self.returned, self.effects = trace.returned, trace.effects
        self.home, self.x64 = trace.home, trace.x64
        self.changed = {*trace.data, *trace.grads}
        self.zeroed = [i for i, grad in trace.grads.items() if grad is None]
        self.new_gradients = [(i, grad) for i, grad in trace.grads.items() if isinstance(grad, Template)]
        is_pure = not (trace.data or trace.grads or trace.effects)
        kept = {t.k for t in within([trace.returned]) if isinstance(t, NewValue) and t.has_history}
        self.with_history = sorted(kept) if is_pure else []
        read_lots = sum(bool(lot.read) for lot in self.lots)
        options = {} if placement is None else {"out_shardings": placement.results()}
        if max([math.prod(var.aval.shape) for eqn in equations for var in eqn.outvars], default=0) < LITTLE:
            options["compiler_options"] = one_after_the_other()
        self.op = JAXOp("jit", self.function(self.with_history), trace.x64) if self.with_history else None
        self.run = load_jax().jit(self._compute, donate_argnums=tuple(range(read_lots)), **options)
        self.reach = trace.reach = None  # a program serves all Values of these shapes, and keeps none of them alive

    # --- the plan ---

    def _plan_state(self) -> None:
        """Decide how each Value and each place goes in and comes out."""
        values, trace = self.reach.values, self.trace
        slots = [Slot(i, "_data", k) for i, k in trace.data.items()]
        slots += [Slot(i, "_grad", k) for i, k in trace.grads.items() if isinstance(k, int)]
        scalars = [slot for slot in slots if not isinstance(values[slot.value], Tensor)]
        self.scalars_in_python = [slot for slot in scalars if slot.output in self.in_python]
        self.scalars_out = [slot for slot in scalars if slot.output not in self.in_python]
        arrays = [slot for slot in slots if isinstance(values[slot.value], Tensor)]
        at_home = [slot for slot in arrays if home_of(values[slot.value]._data) == "NumPy"]
        self.jax_out = [slot for slot in arrays if slot not in at_home]
        self.lots = sorted(self._grouped(at_home), key=lambda lot: not lot.read)
        inside = {source_of(slot) for lot in self.lots for slot in lot.slots}
        read = [source for source in self.trace.inputs if source in self.used and source not in inside]
        values_read = [(name, i) for name, i in read if name != "place"]
        self.scalars_in = [(name, i) for name, i in values_read if not isinstance(values[i], Tensor)]
        self.values_in = [(name, i) for name, i in values_read if isinstance(values[i], Tensor)]
        places = [j for name, j in read if name == "place"]
        self.state_places = [j for j in places if not self.reach.places[j].is_data]
        self.data_places = [j for j in places if self.reach.places[j].is_data]
        self.places_in = [("place", j) for j in (*self.state_places, *self.data_places)]
        self.inputs = [*self.scalars_in, *self.values_in, *self.places_in]  # beside the lots

    def _grouped(self, slots: Sequence[Slot]) -> Iterator[LotPlan]:
        """Yield how arrays are put together: the small ones of a dtype in one lot, the others alone."""
        together: dict[Any, list[Slot]] = {}
        for slot in slots:
            data = self.reach.values[slot.value]._data
            dtype = np.dtype(data.dtype)
            is_small = 0 < dtype.itemsize * math.prod(data.shape) <= SMALL
            together.setdefault(dtype if is_small else slot, []).append(slot)
        for lot in together.values():
            shapes = [tuple(self.reach.values[slot.value]._data.shape) for slot in lot]
            yield LotPlan(lot, shapes, [i for i, slot in enumerate(lot) if source_of(slot) in self.used])

    def _outputs_of_templates(self) -> set[int]:
        templates: list[Any] = [self.trace.returned, *(t for _, _, t in self.trace.effects)]
        templates += [grad for grad in self.trace.grads.values() if isinstance(grad, Template)]
        found = {template.k for template in within(templates) if hasattr(template, "k")}
        return found - set(self.in_python)

    # --- numbers that stay in Python ---

    def _numbers_in_python(self, jaxpr) -> dict[int, Formula]:
        """Return how to compute those outputs that are made from numbers alone, as the function itself would."""
        made_by = {var: eqn for eqn in jaxpr.eqns for var in eqn.outvars}
        numbers = {var: source for source, var in self._variables.items() if self._is_number(source)}
        found = {}
        for k, var in enumerate(jaxpr.outvars):
            if not var.aval.shape and getattr(var.aval, "weak_type", False):
                computed = formula(var, numbers, made_by)
                if computed is not None:
                    found[k] = computed
        return found

    def _is_number(self, source: tuple[str, int]) -> bool:
        name, i = source
        if name == "place":
            return self.reach.places[i].kind == "number"
        return name == "data" and not isinstance(self.reach.values[i], Tensor)

    # --- the computation, as XLA sees it ---

    def _compute(self, *arrays) -> list:
        import jax.numpy as jnp

        waiting = iter(arrays)
        known: dict[tuple[str, int], Any] = {}
        for lot in self.lots:
            if lot.read:
                whole = next(waiting)
                parts = unpack(whole, lot.shapes) if len(lot.slots) > 1 else [whole]
                known.update((source_of(slot), part) for slot, part in zip(lot.slots, parts))
        if self.scalars_in:
            scalars = next(waiting) if len(self.scalars_in) > FEW else waiting
            known.update((source, x) for source, x in zip(self.scalars_in, scalars))
        known.update((source, next(waiting)) for source in (*self.values_in, *self.places_in))
        results = self._results([known.get(source) for source in self.sources])
        out = []
        for lot in self.lots:
            parts = [results[slot.output] for slot in lot.slots]
            out.append(pack(jnp, parts) if len(parts) > 1 else parts[0])
        out += [results[slot.output] for slot in self.jax_out]
        if self.scalars_out:
            out.append(jnp.stack([results[slot.output].astype(float) for slot in self.scalars_out]))
        return out + [results[k] for k in self.rest]

    def function(self, outputs: Sequence[int]) -> Callable[..., list]:
        """Return the program as a function of its `inputs`, to some of its outputs."""

        def function(*inputs):
            known = dict(zip(self.inputs, inputs))
            results = self._results([known.get(source) for source in self.sources])
            return [results[k] for k in outputs]

        return function

    def _results(self, inputs: list) -> dict[int, Any]:
        """Return the outputs by their number; each is an array of its own, also if it is an input or another one."""
        import jax.numpy as jnp

        jaxpr, wanted = self._jaxpr, sorted(set(self._outputs()))
        outvars = [jaxpr.outvars[k] for k in wanted]
        found = load_jax().core.eval_jaxpr(jaxpr.replace(outvars=outvars), self._constants, *inputs)
        shared = Counter(jaxpr.outvars[k] for k in self._outputs() if not is_literal(jaxpr.outvars[k]))
        shared.update(jaxpr.invars)
        results = {}
        for k, var, x in zip(wanted, outvars, found):
            if is_literal(var):
                x = jnp.asarray(x, dtype=var.aval.dtype)
            elif shared[var] > 1:
                x = jnp.copy(x)
            results[k] = x
        return results

    def _outputs(self) -> Iterator[int]:
        for lot in self.lots:
            yield from (slot.output for slot in lot.slots)
        yield from (slot.output for slot in (*self.jax_out, *self.scalars_out))
        yield from self.rest


def within(templates: list) -> Iterator[Any]:
    """Yield templates and those inside them."""
    waiting = list(templates)
    while waiting:
        template = waiting.pop()
        yield template
        waiting += getattr(template, "items", ())
        if hasattr(template, "attributes"):
            waiting.append(template.attributes)


def source_of(slot: Slot) -> tuple[str, int]:
    """Return the input that is the old content of a slot."""
    return slot.attribute[1:], slot.value


def _needed(jaxpr, wanted: Sequence) -> tuple[list, set]:
    """Return the equations that these outputs depend on, and all variables in use."""
    used = {var for var in wanted if not is_literal(var)}
    equations = []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects or any(var in used for var in eqn.outvars):
            equations.append(eqn)
            used.update(var for var in eqn.invars if not is_literal(var))
    return equations[::-1], used
