"""jit: a whole training step, with forward pass, backward pass and update, as one compiled program.

    @adjoint.jit
    def step(x, y):
        loss = ((model(x) - y) ** 2).mean()
        model.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

The function runs once with stand-ins for its numbers (`session.py`). A back end (`backend.py`) records and compiles
what it computed, and later calls run the compiled program. Everything that the function can reach is its state
(`reachable.py`): Values that are arguments, or belong to models and optimizers that it uses, keep their identity and
have their new data afterward.
"""

import functools
import inspect
import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from adjoint.compile.backend import BackEnd, Program, Unsuitable
from adjoint.compile.fast.bindings import CHANGED, Binding
from adjoint.compile.numbers import Numbers
from adjoint.compile.programs import PROGRAMS, ChangedNumbers, NotCompiled, Programs, shared_programs
from adjoint.compile.reachable import Reach, find_reachable
from adjoint.compile.recompilation import Compilations
from adjoint.compile.results import Nest
from adjoint.compile.roles import Roles
from adjoint.compile.session import Trace, exclusive, thread, trace
from adjoint.compile.shard_rules import Shard, check_shard
from adjoint.compile.state import Wrapped
from adjoint.compile.xla import XLA
from adjoint.engine.modes import modes, precision as precision_of, precision_name
from adjoint.errors import ArgumentError, TraceError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.compile.xla.sharding import StateTable

_RECENT = 16  # bindings to keep, for functions whose calls alternate between several kinds of arguments


class _Settings:
    """Switches for tests."""

    fast = os.environ.get("ADJOINT_FAST_CALLS") != "0"  # whether bindings are kept; without them, calls are slow


settings = _Settings()


P = ParamSpec("P")
R = TypeVar("R")
Instance = TypeVar("Instance")
Rest = ParamSpec("Rest")


@overload
def jit(
    fn: Callable[P, R], *, static_argnames: str | Iterable[str] = (), devices: object = None, shard: Shard = None,
    precision: object = None, check: bool | int = False,
) -> "Compiled[P, R]": ...  # fmt: skip
@overload
def jit(
    fn: None = None, *, static_argnames: str | Iterable[str] = (), devices: object = None, shard: Shard = None,
    precision: object = None, check: bool | int = False,
) -> "Callable[[Callable[P, R]], Compiled[P, R]]": ...  # fmt: skip
def jit(
    fn: Callable | None = None, *, static_argnames: str | Iterable[str] = (), devices: object = None,
    shard: Shard = None, precision: object = None, check: bool | int = False,
) -> Any:  # fmt: skip
    """Compile a function: the first call traces it, later calls run the program. Also a decorator.

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

    Arguments and results may be numbers, arrays, Values, pytrees of them, and objects that hold them, such as models
    and optimizers. The state of the function is everything that it can reach by names: its arguments, the variables of
    its closure, the globals that its code names, the functions that it calls, and everything inside these, such as
    items of containers and attributes of objects and classes. Each call sees the state as it is, and the changes that
    the function makes to it take effect in each call: the data and gradients of Values, which keep their identity,
    arrays, and numbers. After an exception, also one by Ctrl-C, the state is that before or after the call. Other
    objects of Python's library are compared as pickle would save them; what cannot be pickled, and objects of other
    libraries, are constants. Other side effects, such as printing, happen only when the function is traced.

    Functions of arrays are compiled by XLA, which needs JAX. Functions of single numbers need nothing: their operations
    are recorded, folded into dot products and vectors, and replayed. `print(step.program)` says what was found,
    `step.program.listing()` lists the instructions, and `adjoint.draw(step.program)` draws those of numbers.

    There is one program for each combination of shapes and dtypes, and of which objects are the same object. Numbers
    that are arguments are inputs of it. Numbers of objects are constants of it, until one changes. Strings, booleans
    and the arguments named in `static_argnames` are plain Python values to the function, with one program for each
    value. The third program for the same shapes comes with a warning that says what changed. Functions with the same
    code share programs, so `jit(...)` may be written where it is called.

    Any number of threads may call compiled functions. Calls that change state come one after the other. While a
    function is traced, other threads read the Values that it uses as they were; other threads should not read plain
    arrays and numbers of objects that it uses.

    NumPy arrays are returned as NumPy arrays in their precision, JAX arrays as JAX arrays. A 0-d array that was
    computed from numbers alone is returned as a number. Gradients pass through a function that changes nothing to the
    Values that it uses. The loss of a training step has no graph outside of the function.

    With `devices` (a number, a list of JAX devices, or a `jax.sharding.Mesh`) the arrays among the arguments are split
    along their first axis, and each device computes its part. With several processes, each passes its own part of the
    batch.

    `shard` says how the devices share the state; without it, each holds all of it. With `shard="parameters"` each array
    of more than 16 KiB is split along its largest axis that the number of devices divides: the data and gradients of
    Values, and what the optimizer keeps for them. A dictionary of patterns splits parameters by their names, those of
    `model.named_parameters()`, along axes of the mesh, which is tensor parallelism:

        mesh = jax.make_mesh((2, 4), ("batch", "model"))
        shard = {"*.in_proj_weight": ("model", None), "*.out_proj.weight": (None, "model"), "*": "parameters"}

        @jit(devices=mesh, shard=shard)
        def step(x, y): ...

    The tuple has an axis of the mesh, or None, for each axis of the array. The first pattern that matches decides, and
    parameters that none matches are on each device. The batch is split over the axis "batch", or over the first one;
    "parameters" splits over the same axis. Plain arrays that are attributes of objects are on each device. The state
    stays split between two calls, and `print(step.placement())` shows what each device holds. Reading `.data` gathers
    an array; where several processes hold it, all of them must call `adjoint.distributed.gather(value)`.

    With `precision` ("bfloat16", "float16") the function runs within `adjoint.precision`: products compute in that
    dtype, while parameters and their gradients stay as they are. Without it, the precision is that of the caller.

    With `check`, each call also runs the function eagerly, on copies of its state, and the first result that differs by
    more than rounding is an error that names it. A number, such as `check=2`, checks only so many calls. Calls that
    draw random numbers, or compute in another `precision`, are not compared.
    """
    if fn is None:
        return lambda fn: jit(
            fn, static_argnames=static_argnames, devices=devices, shard=shard, precision=precision, check=check
        )
    return Compiled(fn, static_argnames, devices, shard, precision, check=check)


class Compiled(Wrapped, Generic[P, R]):
    """A function that runs as a compiled program. Functions with the same code share their programs."""

    def __init__(
        self, fn: Callable[P, R], static_argnames: str | Iterable[str] = (), devices: object = None,
        shard: Shard = None, precision: object = None, check: bool | int = False, is_strict: bool = True,
    ):  # fmt: skip
        if not callable(fn):
            raise ArgumentError(f"jit needs a function, not {describe(fn)}")
        functools.update_wrapper(self, fn, updated=())
        self.fn, self._given = fn, [static_argnames] if isinstance(static_argnames, str) else list(static_argnames)
        self._names, self._static, self._is_ordered = _parameters(fn, self._given)
        self._devices, self._precision = devices, None if precision is None else precision_name(precision)
        self._shard, rules = shard, check_shard(shard, devices)
        # in the order in which they are tried
        self._backends: list[BackEnd] = [Numbers(), XLA()] if devices is None else [XLA(devices, rules)]
        self._compilations = Compilations()
        self._programs = shared_programs(fn, self._static) if devices is None else Programs(PROGRAMS)
        self.program: Program | NotCompiled = NotCompiled()  # of the last call that no binding recognized, for people
        self._recent: tuple[Binding, ...] = ()  # replaced as a whole: other threads may be going through it
        self._roles = Roles()
        self._unchecked = math.inf if check is True else check or 0  # how many calls are still to be checked
        self._is_strict = is_strict  # whether a difference is an error, or a warning
        if check and devices is not None:
            raise ArgumentError("jit: check compares with one eager run, and not with devices; check without them")
        self._growing: dict[str, int] = {}  # how often a list has grown, by its path

    def __reduce__(self):
        # the copy compiles its own programs
        return Compiled, (self.fn, self._given, self._devices, self._shard, self._precision, self._unchecked)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(
        self: "Compiled[Concatenate[Instance, Rest], R]", instance: Instance, owner: type | None = None
    ) -> Callable[Rest, R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R:
        if thread.depth or modes.anomaly:  # the outer trace records it; detect_anomaly needs the operations
            with self._policy():
                return self.fn(*arguments, **options)
        if self._unchecked:
            return self._call_and_check(list(arguments), options)
        for binding in self._recent:
            if binding.changes_state:
                with exclusive:
                    result = binding(arguments, options)
            else:
                result = binding(arguments, options)
            if result is not CHANGED:
                return result
        return self._call_slowly(list(arguments), options if self._is_ordered else dict(sorted(options.items())))

    def _policy(self) -> AbstractContextManager:
        """Return the context in which the function runs."""
        return nullcontext() if self._precision is None else precision_of(self._precision)

    def placement(self) -> "StateTable":
        """Return what each device keeps between two calls: a list, which prints as a table.

        >>> import numpy as np
        >>> from adjoint import Value, jit
        >>> w = Value([1.0, 2.0])
        >>> @jit(devices=1)
        ... def step(x):
        ...     w.data = w.data * 2.0
        ...     return (w * x).sum()
        >>> float(step(np.ones((1, 2))))
        6.0
        >>> print(step.placement())
        name   shape  dtype    arrays  split  bytes per device
        w      (2,)   float64  data    no                   16
        total                                               16
        """
        found = getattr(self.program, "placement", None)
        if found is None:
            raise ArgumentError(
                "placement() shows what a program keeps on its devices, but there is none yet; call the function first"
                if isinstance(self.program, NotCompiled)
                else "the function computes with single numbers, which are not kept on a device"
            )
        return found

    # --- a call that no binding recognizes ---

    def _call_slowly(self, arguments: list, options: dict) -> Any:
        self._require_hashable(arguments, options)
        with exclusive:
            found = self._walk(arguments, options)
            if found.has_tracers():
                with self._policy():
                    return self.fn(*arguments, **options)  # inside a trace by JAX
            found, program = self._program(arguments, options, found)
            self.program = program
            bound = program.bind(found)
            state, data = ([place.content for place in p] for p in (found.state_places(), found.data_places()))
            binding = None
            if settings.fast and not found.mixes_data:
                binding = Binding(program, bound, found, arguments, options, self._static, self._is_ordered)
            if bound.changes_state:
                result = bound.run(state, data)
                self._keep(binding)
                return result
            self._keep(binding)
        return bound.run(state, data)

    def _call_and_check(self, arguments: list, options: dict) -> Any:
        """Call the program, and compare what it computes with the eager run of the function."""
        from adjoint.compile.checking import report_difference, run_eagerly, seen

        self._unchecked -= 1
        with exclusive:
            found, eager = self._reach(arguments, options), None
            if not found.has_tracers() and not (self._precision or modes.precision):
                _, program = self._program(arguments, options, found)  # an error before anything is computed
                if self._is_strict or not program.is_checked:
                    eager = run_eagerly(self.fn, found, arguments, options, self._is_strict)
                program.is_checked = not self._unchecked
            result = self._call_slowly(arguments, options)
            if eager is not None:
                name = getattr(self.fn, "__name__", "the function")
                report_difference(eager, seen(found, result), name, self._is_strict)
        return result

    def _keep(self, binding: Binding | None) -> None:
        if binding is not None and binding.is_lasting:
            binding.note_effects()
            self._recent = (binding, *self._recent[: _RECENT - 1])

    def _walk(self, arguments: list, options: dict) -> Reach:
        """Return what the call can reach. Numbers of objects that changed since the last call become inputs."""
        found = self._reach(arguments, options)
        return self._reach(arguments, options) if self._roles.try_changed(found.numbers) else found

    def _reach(self, arguments: list, options: dict) -> Reach:
        return find_reachable(self.fn, arguments, options, self._names, self._static, self._roles.inputs)

    def _program(self, arguments: list, options: dict, found: Reach) -> tuple[Reach, Program]:
        """Return the program of a call. Without one, trace the function; again, if it changes numbers in its key."""
        while True:
            key = modes.recording, self._precision or modes.precision, found.key
            known = self._programs.get(key)
            if known is not None and not isinstance(known, ChangedNumbers):
                self._roles.end_trial(succeeded=True)
                return found, known
            if known is None or known.paths <= self._roles.inputs:
                try:
                    with self._policy():
                        backend, seen = self._trace(arguments, options, found)
                except TraceError:
                    # a number was assigned between two calls, but the function needs it as a Python number
                    if not self._roles.end_trial(succeeded=False):
                        raise
                    found = self._reach(arguments, options)
                    continue
                self._roles.end_trial(succeeded=True)
                if not seen.changed_numbers:
                    break
                known = ChangedNumbers(frozenset(place.path for place in seen.changed_numbers), seen.reach.constants)
                self._programs.add(key, known)
            self._roles.make_inputs(known.paths)
            found = self._reach(arguments, options)
        self._require_bounded(seen)
        program = backend.compile(seen)
        self._programs.add(key, program)
        self._compilations.note(getattr(self.fn, "__name__", "the function"), found)
        return found, program

    def _trace(self, arguments: list, options: dict, found: Reach) -> tuple[BackEnd, Trace]:
        """Record the function with the first back end that is suitable for it."""
        *others, last = self._backends
        for backend in others:
            try:
                return backend, trace(self.fn, found, arguments, options, backend.recorder(found))
            except Unsuitable:
                pass
        return last, trace(self.fn, found, arguments, options, last.recorder(found))

    def _require_bounded(self, seen: Trace) -> None:
        """Raise an error if a list grows with every call: every call would be compiled."""
        for c, key, content in seen.effects:
            container = seen.reach.containers[c]
            if key is None and isinstance(content, Nest) and len(content.items) > len(container.before):
                times = self._growing[container.path] = self._growing.get(container.path, 0) + 1
                if times > 2:
                    raise TraceError(
                        f"the list {container.path} grows with every call, so every call would be recompiled; return "
                        "the item from the function, and append it outside"
                    )

    def _require_hashable(self, arguments: list, options: dict) -> None:
        for key in self._static:
            name = self._names[key] if isinstance(key, int) else key
            given = arguments[key : key + 1] if isinstance(key, int) else [options[k] for k in options if k == key]
            for x in given:
                try:
                    hash(x)
                except TypeError:
                    raise ArgumentError(
                        f"the static argument {name!r} must be hashable, because each value has its own program; it is "
                        f"{describe(x)}"
                    ) from None


def _parameters(fn: Callable, names: Sequence[str]) -> tuple[list[str], set[int | str], bool]:
    """Return the names of the positional parameters, the static parameters, and whether there is one like `**kwargs`.

    Static parameters are given by name and by position. What `**kwargs` holds has the order of the call.
    """
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):  # a function written in C may not describe its parameters
        parameters = {}
    is_ordered = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in names:
        if name not in parameters and not is_ordered:
            known = ", ".join(parameters) or "none"
            raise ArgumentError(f"static_argnames: the function has no parameter {name!r}; it has {known}")
    positional = [name for name, parameter in parameters.items() if parameter.kind in _POSITIONAL]
    return positional, {*names, *(positional.index(name) for name in names if name in positional)}, is_ordered


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
