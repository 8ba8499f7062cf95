"""checkpoint: trade time for memory by computing a part of a function again in the backward pass."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ParamSpec, TypeVar, cast

from adjoint.arrays.apply import array_back, make_array_node
from adjoint.arrays.array_rule import ArrayOp, Bundle, pick
from adjoint.arrays.assignments import tick
from adjoint.arrays.backends import backend_of, common_backend, total
from adjoint.arrays.backward_pass import pull
from adjoint.arrays.convert import data_of
from adjoint.arrays.forward_mode import push
from adjoint.arrays.functions.shaping import stack_objects
from adjoint.arrays.tensor import Tensor
from adjoint.engine.modes import Switch, modes, precision
from adjoint.engine.reruns import recorded_draws, second_run
from adjoint.engine.value import Value
from adjoint.errors import GraphError
from adjoint.transforms.trees import tree_leaves, tree_map, tree_unflatten
from adjoint.transforms.variables import make_constant, make_variable, require_function, zeros_like

P = ParamSpec("P")
R = TypeVar("R")


def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function with the same results that keeps no intermediate arrays for the backward pass.

    Only the arguments and the results are kept. The backward pass runs the function again, with the same masks of
    dropout, and without counting the batch a second time in the running statistics of batch norm. Inside a function
    that `jit` compiles together with its backward pass, an optimization barrier keeps XLA from merging the second run
    with the first.

    >>> from adjoint import Value, checkpoint, grad
    >>> x = Value([1.0, 2.0])
    >>> checkpoint(lambda x: x.exp().sin())(x).sum().backward()
    >>> bool((x.grad == grad(lambda x: x.exp().sin().sum())(x.data)).all())
    True
    """
    require_function(function, "checkpoint")

    @functools.wraps(function)
    def checkpointed(*arguments: P.args, **options: P.kwargs) -> R:
        if not modes.recording:
            return function(*arguments, **options)
        tree = (arguments, options)
        start, given = tick(), tree_leaves(tree)
        inside = [_inside(x) if isinstance(x, Value) else x for x in given]
        inner_arguments, inner_options = tree_unflatten(tree, inside)
        with recorded_draws() as draws:
            result = tree_map(stack_objects, cast(Callable[..., R], function)(*inner_arguments, **inner_options))
        results = tree_leaves(result)
        captured = _find_captured(results, [x for x in inside if isinstance(x, Value)], start)
        operands = (*[x for x in given if isinstance(x, Value)], *captured)
        datas = [data_of(x) for x in results if isinstance(x, Value)]
        if not operands or not datas:
            return result
        op = _RecomputedOp(function, tree, captured, draws)
        node = _record(op, operands, tuple(datas) if len(datas) > 1 else datas[0])
        parts = iter([pick(node, k) for k in range(len(datas))] if len(datas) > 1 else [node])
        return tree_unflatten(result, [next(parts) if isinstance(x, Value) else x for x in results])

    return checkpointed


def _inside(x: Value) -> Value:
    """Return the Value that the first run gets for an argument."""
    leaf = make_constant(data_of(x))
    leaf._is_variable = bool(x.parents) or x._is_variable  # inside a transform, float(leaf) would lose a derivative
    return leaf


class _RecomputedOp(ArrayOp):
    """A part of a computation that keeps only its inputs and runs again when a derivative is needed.

    Its operands are the Values among the arguments, followed by the Values that the function captured.
    """

    __slots__ = ("captured", "count", "draws", "function", "precision", "tree")

    def __init__(self, function: Callable, tree: tuple, captured: list[Value], draws: list):
        super().__init__("checkpoint", None, (), None, self._along, "", "xy", False)
        self.function, self.tree, self.captured, self.draws = function, tree, captured, draws
        self.precision = modes.precision or "float32"  # of the first run, and of the others
        self.count = sum(isinstance(x, Value) for x in tree_leaves(tree))  # Values among the arguments

    def contributions(self, m, g, y, operands, static, wanted):
        create_graph = any(isinstance(x, Value) for x in operands)
        cotangents = g if isinstance(g, Bundle) else (g,)
        with Switch("recording", True), self._variables(operands, cotangents) as (variables, cotangents, draws):
            targets = set(variables)
            received: dict[Value, object] = {}
            for result, cotangent in zip(self._run(variables, draws), cotangents):
                if cotangent is not None:
                    found = pull(result, cotangent, create_graph=create_graph, targets=targets)
                    for node in found.keys() & targets:
                        received[node] = total(received.get(node), found[node])
        return [received.get(variables[i]) for i in wanted]

    def _along(self, m, ts, y, *operands):
        differentiable = any(isinstance(x, Value) for x in operands)
        with Switch("recording", True), self._variables(operands, ()) as (variables, _, draws):
            results = self._run(variables, draws)
            moving = {x: t for x, t in zip(variables, ts) if t is not None}
            tangents = push(results, moving, differentiable)
        found = [zeros_like(x) if t is None else t for x, t in zip(results, tangents)]
        return tuple(found) if len(found) > 1 else found[0]

    @contextmanager
    def _variables(self, operands: Sequence, cotangents: Sequence) -> Iterator[tuple[list[Value], Sequence, list]]:
        """Give the variables, cotangents and draws of the second run; under a trace, behind an optimization barrier.

        Without the barrier, XLA sees two equal computations and merges them, so the arrays of the first would be kept.
        The cotangents pass the same barrier: the second run cannot start before the backward pass arrives here.
        Captured Values get the data from behind the barrier only inside this block.
        """
        given = [x for x in tree_leaves(self.tree) if isinstance(x, Value)]
        variables = [*[make_variable(_as_given(x, first)) for x, first in zip(operands, given)], *self.captured]
        traced = [x for x in (*variables, *cotangents, *self.draws) if _is_traced(data_of(x))]
        if not traced:
            yield variables, cotangents, self.draws
            return
        datas = [data_of(x) for x in traced]
        behind = dict(zip(map(id, traced), common_backend(datas[:1], self.name).optimization_barrier(datas)))
        held = [(x, x._data) for x in variables if id(x) in behind]
        for x, _ in held:
            x._data = behind[id(x)]
        try:
            new = [c if isinstance(c, Value) else behind.get(id(c), c) for c in cotangents]
            yield variables, new, [behind.get(id(x), x) for x in self.draws]
        finally:
            for x, data in held:
                x._data = data

    def _run(self, variables: Sequence[Value], draws: list) -> list[Value]:
        """Run the function with variables for the Values among its arguments, and return the Values it returns."""
        start, replacements = tick(), iter(variables[: self.count])
        given = [next(replacements) if isinstance(x, Value) else x for x in tree_leaves(self.tree)]
        arguments, options = tree_unflatten(self.tree, given)
        with precision(self.precision), second_run(draws):
            results = tree_leaves(self.function(*arguments, **options))
        results = [x for x in map(stack_objects, results) if isinstance(x, Value)]
        differing = set(_find_captured(results, variables[: self.count], start)) ^ set(self.captured)
        if any(not x._constant for x in differing):  # the variables of a transform are constants after its function ran
            raise GraphError(
                "checkpoint: the function used other Values when it ran again for the derivative, so the derivative "
                "would be wrong. A function in a loop may use the last Value of a loop variable: pass it as an argument"
            )
        return results


def _as_given(x, first: Value):
    """Return an operand as the function got it: a rule sees numbers as arrays without axes."""
    if isinstance(first, Tensor):
        return x
    return first if isinstance(x, Value) else float(x)


def _is_traced(data: object) -> bool:
    m = backend_of(data) if hasattr(data, "dtype") else None
    return m is not None and m.is_traced(data)


def _record(op: ArrayOp, operands: tuple, data) -> Tensor:
    if not hasattr(data, "dtype") and not isinstance(data, tuple):
        data = common_backend([data], op.name).xp.asarray(data)
    return make_array_node(data, op, operands, {}, array_back)


def _find_captured(results: Sequence, own: Sequence[Value], start: int) -> list[Value]:
    """Return the Values that the results depend on and that the function neither got nor computed."""
    captured, seen = [], set(own)
    pending = [x for x in results if isinstance(x, Value)]
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        is_older = isinstance(node, Tensor) and node._serial < start
        if is_older or not node.parents or node._is_boundary:
            captured += [] if node._constant else [node]
        else:
            pending += node.parents
    return captured
