"""jit: a whole program, forward, backward and update, compiled by XLA.

    @adjoint.jit
    def step(x, y):
        loss = ((model(x) - y) ** 2).mean()
        model.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

The function is run once with tracers in the place of its numbers (`tracing.py`); what it computed is compiled
(`programs.py`) and from then on takes the place of running it. All that it can reach is taken care of (`state.py`):
the Values that it is given, or that are in the models and optimisers that it uses, keep their identity and have
their new numbers afterwards.
"""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from types import MethodType
from typing import Any

from adjoint.compile.batching import vmap as vmap
from adjoint.compile.bindings import CHANGED, Binding
from adjoint.compile.devices import Placement
from adjoint.compile.places import Place
from adjoint.compile.program import Program
from adjoint.compile.reachable import Reach, Wrapped, reach
from adjoint.compile.tracing import Trace, thread, trace
from adjoint.compile.xla import load_jax, require_jax
from adjoint.engine.modes import modes
from adjoint.errors import ArgumentError, TraceError
from adjoint.errors.given import described

_RECENT = 4  # bindings that are kept, for functions that are called in turn with this and that


def jit(fn: Callable | None = None, *, static_argnames: str | Iterable[str] = (), devices: Any = None) -> Any:
    """Return `fn` compiled: the first call traces it, those that follow run the program. Also a decorator.

    >>> import numpy as np
    >>> from adjoint import Value, jit
    >>> w = Value([1.0, 2.0])
    >>> @jit
    ... def step(x):
    ...     loss = ((w * x).sum() - 1.0) ** 2
    ...     w.zero_grad()
    ...     loss.backward()
    ...     w.data -= 0.1 * w.grad
    ...     return loss
    >>> float(step(np.array([1.0, 1.0])))
    4.0
    >>> w.data
    array([0.6, 1.6])

    Arguments and results may be numbers, arrays, Values, nested lists, tuples and dictionaries of them, and objects
    that hold them, such as models and optimisers; those that the function finds in its closure or among its globals
    are taken care of as well. Whatever it changes in them is changed after each call: the data and gradients of
    Values, which keep their identity, arrays, and numbers. Anything else that it does, such as printing, it does
    when it is traced.

    There is one program for each combination of shapes and dtypes. Numbers that are arguments are inputs of it;
    numbers of objects are taken as they are, until one changes. Strings, truth values and the arguments named in
    `static_argnames` are plain Python values to the function, and each has its own program.

    NumPy's arrays come back as NumPy's, in their precision, those of JAX as JAX's; a 0-d array that was computed
    from numbers alone is a number again. A function that changes nothing passes gradients on to the Values that it
    used; the loss of a training step has no history outside of it.

    With `devices` (how many, or a list of JAX's devices, or a `jax.sharding.Mesh`) the arrays among the arguments
    are split along their first axis, and each device computes its part. Where several processes work together, each
    gives its own part of the batch.
    """
    if fn is None:
        return lambda fn: jit(fn, static_argnames=static_argnames, devices=devices)
    return Compiled(fn, static_argnames, devices)


class Compiled(Wrapped):
    """A function that runs as a compiled program."""

    def __init__(self, fn: Callable, static_argnames: str | Iterable[str], devices):
        require_jax("jit")
        if not callable(fn):
            raise ArgumentError(f"jit compiles a function, not {described(fn)}")
        functools.update_wrapper(self, fn, updated=())
        self.fn, self._given = fn, [static_argnames] if isinstance(static_argnames, str) else list(static_argnames)
        self._names, self._static = _static(fn, self._given)
        self._devices, self._placement = devices, None
        self._programs: dict[Any, Program] = {}
        self._recent: list[Binding] = []
        self._numbers: dict[str, Place] = {}  # of objects, by their path, as the last walk found them
        self._promoted: set[str] = set()  # paths of those that were seen to change
        self._tentative: set[str] = set()  # those that were changed between two calls: may they be inputs?
        self._structural: set[str] = set()  # those of them that the function needs as Python numbers
        self._growing: dict[str, int] = {}

    def __reduce__(self):
        return Compiled, (self.fn, self._given, self._devices)  # programs are made anew

    def __get__(self, instance, owner=None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *arguments, **options) -> Any:
        if thread.depth or modes.anomaly:  # inside another trace, or to find the operation that went wrong
            return self.fn(*arguments, **options)
        for binding in self._recent:
            result = binding(arguments, options)
            if result is not CHANGED:
                return result
        return self._first_call(list(arguments), dict(sorted(options.items())))

    # --- the first call of its kind ---

    def _first_call(self, arguments: list, options: dict) -> Any:
        jax = load_jax()
        if self._devices is not None and self._placement is None:
            self._placement = Placement(self._devices)
        self._require_hashable(arguments, options)
        found = self._walk(arguments, options)
        if any(isinstance(x, jax.core.Tracer) for x in _arrays(found)):
            return self.fn(*arguments, **options)  # inside a trace of JAX's own
        program = self._programs.get((modes.recording, found.key))
        if program is None:
            found, program = self._compile(arguments, options, found)
        binding = Binding(program, found, arguments, options, self._static, self._placement)
        result = binding.run_first(tuple(arguments), options)
        if binding.is_lasting:
            self._recent.insert(0, binding)
            del self._recent[_RECENT:]
        return result

    def _walk(self, arguments: list, options: dict) -> Reach:
        """Return what the call can reach, with the numbers of objects that have changed since the last as inputs."""
        found = self._reach(arguments, options)
        changed = {
            place.path
            for place in found.numbers
            if place.path in self._numbers
            and place.path not in self._structural
            and self._numbers[place.path].is_in_place_of(place)
            and self._numbers[place.path].content != place.content
        }
        self._numbers = {place.path: place for place in found.numbers}
        if changed:
            self._tentative |= changed
            found = self._reach(arguments, options)
        return found

    def _reach(self, arguments: list, options: dict) -> Reach:
        return reach(self.fn, arguments, options, self._names, self._static, self._promoted | self._tentative)

    def _compile(self, arguments: list, options: dict, found: Reach) -> tuple[Reach, Program]:
        """Trace and compile, again if a number turns out to be one that changes."""
        while True:
            key = modes.recording, found.key
            try:
                shape_of = [self._placement.shape] if self._placement else []
                seen = trace(self.fn, found, arguments, options, *shape_of)
            except TraceError:
                if not self._tentative:
                    raise
                # a number that was assigned between two calls, but the function needs it as one of Python's
                self._structural |= self._tentative
                self._tentative = set()
            else:
                self._promoted |= self._tentative
                self._tentative = set()
                if not seen.changed_numbers:
                    break
                self._promoted |= {place.path for place in seen.changed_numbers}
            found = self._reach(arguments, options)
        self._require_bounded(seen)
        program = self._programs[key] = Program(seen, self._placement)
        return found, program

    def _require_bounded(self, seen: Trace) -> None:
        """Raise if a list grows with every call: each would be compiled anew."""
        for c, key, content in seen.effects:
            container = seen.reach.containers[c]
            if key is None and len(getattr(content, "items", ())) > len(container.before):
                times = self._growing[container.path] = self._growing.get(container.path, 0) + 1
                if times > 2:
                    raise TraceError(
                        f"the list {container.path} grows with every call, so that each call would have to be compiled "
                        "anew; let the function return the value, and append it outside"
                    )

    def _require_hashable(self, arguments: list, options: dict) -> None:
        for key in self._static:
            holder: Any = arguments if isinstance(key, int) else options
            if key in (range(len(arguments)) if isinstance(key, int) else options):
                try:
                    hash(holder[key])
                except TypeError:
                    name = self._names[key] if isinstance(key, int) else key
                    raise ArgumentError(
                        f"the static argument {name!r} must be hashable, for each value has its own program; "
                        f"it is {described(holder[key])}"
                    ) from None


def _static(fn: Callable, names: Sequence[str]) -> tuple[list[str], set[int | str]]:
    """Return the names of the parameters, and the static ones by name and by position."""
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):  # a function in C says nothing of its parameters
        parameters = {}
    kinds = [parameter.kind for parameter in parameters.values()]
    for name in names:
        if name not in parameters and inspect.Parameter.VAR_KEYWORD not in kinds:
            known = ", ".join(parameters) or "none"
            raise ArgumentError(f"static_argnames: {name!r} is no parameter of the function; it has {known}")
    positional = [name for name, parameter in parameters.items() if parameter.kind in _POSITIONAL]
    return positional, {*names, *(positional.index(name) for name in names if name in positional)}


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _arrays(found: Reach) -> Iterable:
    yield from (v._data for v in found.values)
    yield from (place.content for place in found.places if place.kind == "array")
