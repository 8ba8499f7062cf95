"""checkpoint: trade time for memory by computing a part of a function again in the backward pass."""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ParamSpec, TypeGuard, TypeVar, cast

from adjoint.arrays.apply import array_back, make_array_node
from adjoint.arrays.array_rule import ArrayOp, Bundle, pick
from adjoint.arrays.assignments import tick
from adjoint.arrays.backends import backend_of, common_backend, is_half, total
from adjoint.arrays.backward_pass import pull
from adjoint.arrays.convert import data_of
from adjoint.arrays.forward_mode import push
from adjoint.arrays.functions.shaping import stack_objects
from adjoint.arrays.tensor import Tensor
from adjoint.engine.checkpoint_draws import other_run_error, recorded_draws, second_run
from adjoint.engine.modes import Switch, modes, precision
from adjoint.engine.value import Value
from adjoint.transforms.trees import tree_leaves, tree_map, tree_unflatten
from adjoint.transforms.variables import make_constant, make_variable, require_function, zeros_like

P = ParamSpec("P")
R = TypeVar("R")


def checkpoint(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function with the same results that keeps no intermediate arrays for the backward pass.

    Only the arguments, the results, and leaves that the function makes are kept. The backward pass runs the function
    again, with the same masks of dropout and the same random arrays, and without counting the batch a second time in
    the running statistics of batch norm. Inside a function that `jit` compiles together with its backward pass, an
    optimization barrier keeps XLA from merging the second run with the first.

    Both runs must do the same. The second one raises a `GraphError` if it uses other Values, draws fewer or more
    random numbers, or, outside of `jit`, returns other results. Examples are a `lambda` that uses a loop variable,
    which has changed meanwhile, and a model after `model.eval()`.

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
        own = {x for x in inside if isinstance(x, Value)}
        inner_arguments, inner_options = tree_unflatten(tree, inside)
        with recorded_draws() as draws:
            result = tree_map(stack_objects, cast(Callable[..., R], function)(*inner_arguments, **inner_options))
        results = tree_leaves(result)
        computed = [x for x in results if _is_computed(x, own)]
        captured = find_captured(computed, own, start)
        operands = (*[x for x in given if isinstance(x, Value)], *captured)
        if not operands or not computed:
            return result
        for x in captured:
            if not isinstance(x, Tensor):
                x._known_since = x._known_since or tick()
        op, datas = _RecomputedOp(function, tree, captured, draws, start), _arrays(computed)
        node = make_array_node(tuple(datas) if len(datas) > 1 else datas[0], op, operands, {}, array_back)
        parts = iter([pick(node, k) for k in range(len(datas))] if len(datas) > 1 else [node])
        return tree_unflatten(result, [next(parts) if _is_computed(x, own) else x for x in results])

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

    __slots__ = ("captured", "count", "draws", "function", "precision", "start", "tree")

    def __init__(self, function: Callable, tree: tuple, captured: list[Value], draws: list, start: int):
        super().__init__("checkpoint", None, (), None, self._along, "", "xy", False)
        self.function, self.tree, self.captured, self.draws = function, tree, captured, draws
        self.start = start  # when the first run began
        self.precision = modes.precision or "float32"  # of the first run, and of the others
        self.count = sum(isinstance(x, Value) for x in tree_leaves(tree))  # Values among the arguments

    def contributions(self, m, g, y, operands, static, wanted):
        create_graph = any(isinstance(x, Value) for x in operands)
        cotangents = g if isinstance(g, Bundle) else (g,)
        with Switch("recording", True), self._variables(operands, cotangents) as (variables, cotangents, draws):
            targets = set(variables)
            received: dict[Value, object] = {}
            for result, cotangent in zip(self._run(variables, draws, y), cotangents):
                if cotangent is not None:
                    found = pull(result, cotangent, create_graph=create_graph, targets=targets)
                    for node in found.keys() & targets:
                        received[node] = total(received.get(node), found[node])
        return [received.get(variables[i]) for i in wanted]

    def _along(self, m, ts, y, *operands):
        differentiable = any(isinstance(x, Value) for x in operands)
        with Switch("recording", True), self._variables(operands, ()) as (variables, _, draws):
            results = self._run(variables, draws, y)
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

    def _run(self, variables: Sequence[Value], draws: list, y) -> list[Value]:
        """Run the function with variables for the Values among its arguments, and return the Values it computes.

        Raise if it does something else than in the first run, whose results are `y`.
        """
        start, replacements = tick(), iter(variables[: self.count])
        given = [next(replacements) if isinstance(x, Value) else x for x in tree_leaves(self.tree)]
        arguments, options = tree_unflatten(self.tree, given)
        with precision(self.precision), second_run(draws):
            results = tree_leaves(self.function(*arguments, **options))
        own = set(variables[: self.count])
        results = [x for x in map(stack_objects, results) if _is_computed(x, own)]
        before, now = set(self.captured), set(find_captured(results, own, start))
        # Leaves that the function makes are others in each run; a number of unknown age may be one of them.
        if any(_birth(x) < self.start for x in before - now) or any(0 < _birth(x) < start for x in now - before):
            raise other_run_error("used other Values")
        firsts = [data_of(x) for x in (y if isinstance(y, tuple) else (y,))]
        if len(results) != len(firsts) or not all(map(self._is_same, _arrays(results), firsts)):
            raise other_run_error("returned other results")
        return results

    def _is_same(self, new, old) -> bool:
        """Return whether a result is that of the first run; under a trace, whether the shape is.

        Both runs are normally equal bit for bit. Only a GPU that adds in another order, or another compiled program,
        changes the last digits. A tolerance far above rounding accepts this, and other numbers or masks exceed it.
        """
        if new.shape != old.shape or _is_traced(new) or _is_traced(old):
            return new.shape == old.shape
        m = common_backend([new, old], self.name)
        is_rough = self.precision != "float32" or is_half(old)
        new, old = [m.astype_float32(x) if is_half(x) else x for x in (new, old)]
        is_equal = new == old
        if bool(m.all(is_equal)):
            return True
        is_equal = is_equal | ((new != new) & (old != old))  # NaN in both
        difference = m.max(m.abs(m.where(is_equal, m.zeros_like(old), new - old)))
        scale = m.max(m.abs(m.where(m.isfinite(old), old, m.zeros_like(old))))
        return bool(difference <= scale * (0.05 if is_rough else 1e-6 if old.dtype.itemsize == 8 else 1e-3))


def _as_given(x, first: Value):
    """Return an operand as the function got it: a rule sees numbers as arrays without axes."""
    if isinstance(first, Tensor):
        return x
    return first if isinstance(x, Value) else float(x)


def _is_traced(data: object) -> bool:
    m = backend_of(data) if hasattr(data, "dtype") else None
    return m is not None and m.is_traced(data)


def _is_computed(x: object, own: set[Value]) -> TypeGuard[Value]:
    """Return whether a result can have a derivative: detached Values and captured leaves are returned as they are."""
    return isinstance(x, Value) and (bool(x.parents) or x in own)


def _arrays(values: Sequence[Value]) -> list:
    """Return the data of Values, numbers as arrays without axes."""
    datas = map(data_of, values)
    return [x if hasattr(x, "dtype") else common_backend([x], "checkpoint").xp.asarray(x) for x in datas]


def find_captured(results: Sequence[Value], own: set[Value], start: int) -> list[Value]:
    """Return the Values other than arguments that may receive gradients from the results.

    These are Values made before `start`, and leaves that the function makes: a module may make its parameters in its
    first call. What it detaches is none of them, because keeping it would take the memory of intermediate results.
    """
    captured, seen, pending = [], set(own), list(results)
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if _birth(node) < start:
            is_captured = node._is_variable or not node._constant  # a variable is constant when its transform has ended
        else:
            is_captured = not (node.parents or node._constant or node._unrecorded)
            pending += node.parents
        captured += [node] if is_captured else []
    return captured


def _birth(node: Value) -> float:
    """Return when a Value was made, in ticks: 0 for a leaf of unknown age, and infinity for a computed number."""
    if isinstance(node, Tensor):
        return node._serial
    return node._known_since if not node.parents or node._is_boundary else math.inf
