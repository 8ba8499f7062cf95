"""vmap: a function of one example, applied to a batch at once.

The function is traced with one example, and JAX vectorizes the recorded computation. Gradients pass through.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import numpy as np

from adjoint.arrays.backends.jax import differentiated
from adjoint.arrays.tensor import Tensor
from adjoint.compile.backend import Source
from adjoint.compile.places import Place
from adjoint.compile.reachable import Reach, find_reachable
from adjoint.compile.results import Nest, NewArray, NewValue, Outcome, Template, all_templates
from adjoint.compile.session import exclusive, thread, trace
from adjoint.compile.state import Wrapped, is_traceable_array
from adjoint.compile.xla.jax_op import JAXOp, to_home
from adjoint.compile.xla.program import Program
from adjoint.compile.xla.recorder import XLARecorder
from adjoint.engine.modes import modes
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError, TraceError
from adjoint.errors.given import describe
from adjoint.errors.optional_jax import load_jax, require_jax
from adjoint.transforms.trees import tree_map

P = ParamSpec("P")
R = TypeVar("R")


def vmap(fn: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0) -> Callable[P, R]:
    """Return a function that applies `fn`, a function of one example, to a batch of examples.

    `in_axes` is the batch axis of the arguments: one for all arguments, or a tuple with one for each. None means that
    all examples share the argument. For an argument that is a pytree, it may be a pytree too. `out_axes` is the batch
    axis of the results.

    >>> import numpy as np
    >>> from adjoint import grad, vmap
    >>> vmap(grad(lambda x: (x ** 3).sum()))(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[ 3., 12.],
           [27., 48.]])
    """
    return Vectorized(fn, in_axes, out_axes)


class Vectorized(Wrapped):
    """A function that is applied to each example of a batch."""

    def __init__(self, fn: Callable, in_axes, out_axes):
        require_jax("vmap")
        if not callable(fn):
            raise ArgumentError(f"vmap needs a function, not {describe(fn)}")
        functools.update_wrapper(self, fn, updated=())
        self.fn, self.in_axes, self.out_axes = fn, in_axes, out_axes
        self._batches: dict[tuple, _Batch] = {}
        try:
            self._names = list(inspect.signature(fn).parameters)
        except (TypeError, ValueError):  # a function written in C may not describe its parameters
            self._names = []

    def __call__(self, *given, **options) -> Any:
        arguments = list(given)
        with exclusive:
            found, batch = self._prepare(arguments, options)
        return batch(found)

    def _prepare(self, arguments: list, options: dict) -> "tuple[Reach, _Batch]":
        found = self._find(arguments, options)
        axes, size = self._axes(found, arguments, options)
        key = modes.recording, modes.precision, found.key, tuple(axes.items()), size
        batch = self._batches.get(key)
        if batch is None:
            batch = _Batch(self.fn, found, arguments, options, axes, size, self.out_axes)
            if not thread.depth:  # inside a trace it may hold tracers, which are valid only there
                self._batches[key] = batch
        return found, batch

    def _find(self, arguments: list, options: dict) -> Reach:
        """Return what the call can reach, after giving each batch an identity of its own.

        The function may use the array of a batch also as a whole, by a name outside or as another argument.
        """
        found = find_reachable(self.fn, arguments, options, self._names, (), ())
        if not any(id(x) in found.repeated for x in _parts([*arguments, *options.values()])):
            return found
        axes = self.in_axes if isinstance(self.in_axes, (tuple, list)) else [self.in_axes] * len(arguments)
        for i, axis in enumerate(axes[: len(arguments)]):
            arguments[i] = arguments[i] if axis is None else tree_map(_copy, arguments[i])
        options.update({name: tree_map(_copy, x) for name, x in options.items()})
        return find_reachable(self.fn, arguments, options, self._names, (), ())

    def _axes(self, found: Reach, arguments: list, options: dict) -> tuple[dict[str, int], int]:
        """Return the batch axis of each array that has one, by its path, and the number of examples."""
        given = self.in_axes if isinstance(self.in_axes, (tuple, list)) else [self.in_axes] * len(arguments)
        if len(given) != len(arguments):
            raise ArgumentError(f"vmap: in_axes has {len(given)} entries for {len(arguments)} arguments")
        axes: dict[str, int] = {}
        for i, (argument, axis) in enumerate(zip(arguments, given)):
            _assign(axes, argument, axis, self._names[i] if i < len(self._names) else f"argument {i + 1}")
        for name, argument in options.items():
            _assign(axes, argument, 0, name)
        arrays = [*found.value_places, *(place for place in found.places if place.kind == "array")]
        sizes = {place.path: place.content.shape[axes[place.path]] for place in arrays if place.path in axes}
        if not sizes:
            raise ArgumentError("vmap: no argument has a batch axis; pass an array whose entry of in_axes is not None")
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{path} has {size}" for path, size in sizes.items())
            raise ShapeError(f"vmap: the arguments have different numbers of examples: {listed}")
        return axes, next(iter(sizes.values()))


def _parts(argument: Any) -> Iterator[Any]:
    """Yield the containers in an argument, and their items."""
    yield argument
    if isinstance(argument, (list, tuple, dict)):
        for item in argument.values() if isinstance(argument, dict) else argument:
            yield from _parts(item)


def _copy(x: Any) -> Any:
    """Return another object for an array; a Value has a history, by which gradients return."""
    if isinstance(x, Tensor):
        return x.clone()
    if isinstance(x, np.ndarray):
        return x.view()
    return load_jax().numpy.array(x) if is_traceable_array(x) else x


def _assign(axes: dict[str, int], argument, axis, path: str) -> None:
    """Add the batch axis of every array of an argument to `axes`."""
    if axis is None:
        return
    if isinstance(argument, (list, tuple, dict)):
        keys = argument if isinstance(argument, dict) else range(len(argument))
        nested = isinstance(axis, (list, tuple, dict))
        for key in keys:
            each = axis[key] if nested else axis
            _assign(axes, argument[key], each, f"{path}[{key!r}]")
        return
    shape = getattr(argument, "shape", None)
    if not is_traceable_array(argument) and not isinstance(argument, Tensor):
        if isinstance(argument, (Value, float, int)) and not isinstance(argument, bool):
            raise ArgumentError(f"vmap: {path} is a number and has no batch axis; set its in_axes entry to None")
        return
    if shape is None or not -len(shape) <= axis < len(shape):
        raise ShapeError(f"vmap: {path} has the shape {tuple(shape or ())}, which has no axis {axis}")
    axes[path] = axis % len(shape)


class _Batch:
    """A function vectorized for one combination of shapes."""

    def __init__(self, fn: Callable, found: Reach, arguments: list, options: dict, axes: dict, size: int, out_axes):
        def one_example(place: Place) -> tuple[int, ...]:
            shape, axis = tuple(place.content.shape), axes.get(place.path)
            return shape if axis is None else shape[:axis] + shape[axis + 1 :]

        with differentiated():
            seen = trace(fn, found, arguments, options, XLARecorder(found, one_example), keeps_identity=False)
        if not seen.is_pure:
            raise TraceError(
                "vmap: the function changes a Value or an object, for example a gradient by backward(); return what it "
                "computes instead, for example adjoint.grad(f)(x)"
            )
        self.program = program = Program(seen, computes_numbers=False)
        for template in all_templates([program.returned]):
            if isinstance(template, NewArray):
                template.is_number = False  # there is one per example
        into = [self._axis(source, found, axes) for source in program.inputs]
        out = _out_axes(program.returned, out_axes)
        vmap = load_jax().vmap

        def vectorized(outputs: list[int]) -> Callable:
            axes_out = [out.get(k, 0) for k in outputs]
            return vmap(program.function(outputs), in_axes=into, out_axes=axes_out, axis_size=size)

        self.without_history = [k for k in program.rest if k not in program.with_history]
        self.plain = JAXOp("vmap", vectorized(self.without_history), program.x64)
        self.op = JAXOp("vmap", vectorized(program.with_history), program.x64)

    @staticmethod
    def _axis(source: Source, found: Reach, axes: dict) -> int | None:
        name, i = source
        return axes.get(found.places[i].path if name == "place" else found.value_places[i].path)

    def __call__(self, found: Reach) -> Any:
        program = self.program
        for j, check in program.checks:
            check(found.places[j].content)
        inputs = []
        for name, i in program.inputs:
            if name == "place":
                inputs.append(found.places[i].content)
            else:
                inputs.append(found.values[i] if name == "data" else found.values[i].grad)
        operands = tuple(inputs)
        arrays = dict(zip(self.without_history, self.plain.compute(operands))) if self.without_history else {}
        values = {}
        if program.with_history:
            results = [to_home(x, operands) for x in self.op.compute(operands)]
            values = dict(zip(program.with_history, self.op.record(operands, results)))
        home = "JAX" if thread.depth else program.home  # a tracer cannot become a NumPy array
        return program.returned.fill(Outcome(arrays, found.known, home, values))


def _out_axes(returned: Template, out_axes) -> dict[int, int | None]:
    """Return the batch axis of each output."""
    if not isinstance(out_axes, (tuple, list)):
        return {t.k: out_axes for t in all_templates([returned]) if isinstance(t, (NewArray, NewValue))}
    items = returned.items if isinstance(returned, Nest) else []
    if len(items) != len(out_axes):
        raise ArgumentError(f"vmap: out_axes has {len(out_axes)} entries for {len(items) or 1} results")
    found: dict[int, int | None] = {}
    for item, axis in zip(items, out_axes):
        found |= _out_axes(item, axis)
    return found
