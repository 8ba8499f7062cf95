"""What XLA compiles for a program: a function for each set of gradients that are zero when the program is called.

A gradient of zero takes no memory and no transfer: a step that clears the gradients at its end starts without them.
"""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from adjoint.compile.xla.jax_settings import precision
from adjoint.compile.xla.stores import without_interrupt
from adjoint.errors.optional_jax import load_jax

Zero = frozenset[int]  # which of the gradients that a program reads are zero
NONE: Zero = frozenset()


class Variant:
    """A function that XLA compiles, and whether it has run."""

    def __init__(self, compute: Callable[..., list], donated: int, x64: bool, options: dict[str, Any]):
        def traced(*arrays) -> list:
            self._traces += 1
            return compute(*arrays)

        # an argument that is written and not read would be dropped, and its memory not be used
        self.run = load_jax().jit(traced, donate_argnums=tuple(range(donated)), keep_unused=True, **options)
        self.is_warm, self._x64, self._traces = False, x64, 0

    def run_safely(self, inputs: list, run: Callable[[], list]) -> list:
        """Return `run()`, which runs the function with these inputs, deletes them and stores the results.

        The first time, the function is compiled before, while an exception can still leave everything as it was. The
        inputs are not copied for that: the state of a large model would be in the memory of the device twice.
        """
        if self.is_warm:
            return run()
        self.run.lower(*inputs).compile()
        results = without_interrupt(lambda: self._run_in_thread(inputs, run))
        if results is None:
            results = run()
        self.is_warm = True
        return results

    def _run_in_thread(self, inputs: list, run: Callable[[], list]) -> list | None:
        """Run what the main thread has compiled; return None if JAX has other settings there."""
        traces = self._traces
        with precision(self._x64):
            self.run.lower(*inputs)  # traces the function again if a setting that it depends on is another one here
            return run() if self._traces == traces else None


class Variants:
    """The variants of a program, each made when it is first needed."""

    def __init__(self, compute: Callable[..., list], donated: int, x64: bool, options: dict[str, Any]):
        self._make = lambda zero: Variant(partial(compute, zero), donated, x64, options)
        self._made: dict[Zero, Variant] = {}

    def of(self, zero: Collection[int] = ()) -> Variant:
        """Return the variant for calls in which these gradients are zero."""
        key = frozenset(zero) if zero else NONE
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._make(key)
        return found
