"""The backward pass over graphs with arrays.

`_pass_back` visits every node once, each before its parents: newest first, because a node is newer than its operands.
What happens at a node is a step: `_plain_step`, or `_general_step` where hooks, a `_backward` by hand, anomalies or
higher derivatives take part.

The gradient of a node is freed once it has been passed on. An inner array keeps its gradient after `retain_grad()`, or
if it has a label, a hook or a `_backward` assigned by hand. Otherwise it holds a `NotKept`, and reading its `grad`
computes the gradient again, by a second pass.
"""

import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from heapq import heappop, heappush
from threading import local
from typing import Any, TypeAlias

import numpy as np

from adjoint.arrays import kernels
from adjoint.arrays.apply import make_leaf
from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.assignments import assigned
from adjoint.arrays.backends import NUMPY, Resident, backend_of
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.changes import name_of_source, require_unchanged, warn_of_kept_graph
from adjoint.arrays.kinds import data_of
from adjoint.arrays.value_mathematics import maths
from adjoint.engine import anomaly, hooks, native
from adjoint.engine.backward_guards import check_second_pass, warn_of_used_gradient
from adjoint.engine.chain_rule import closure_on_leaf, continue_pull, contributions, made_by_hand, require_recording
from adjoint.engine.freezing import require_history, require_trainable, used
from adjoint.engine.graph import backward_order, freed_error, require_rule
from adjoint.engine.hooks import apply_hooks
from adjoint.engine.locks import accumulating, reserved
from adjoint.engine.marks import GRAD_USED
from adjoint.engine.modes import Switch, modes
from adjoint.engine.native import twin
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors import GraphError, switched_on

Gradients: TypeAlias = dict[Value, Any]  # a float, an array, a Bundle, or a Value under create_graph


# --- the pass -------------------------------------------------------------------------------------


def pull(
    root: Value,
    gradient: Any,
    *,
    create_graph: bool = False,
    targets: Collection[Value] = (),
    inner: Callable[[Value, Any], None] | None = None,
) -> Gradients:
    """Return the gradient of each leaf, given the `gradient` of `root`; `targets` count as leaves.

    `inner(node, gradient)` is called for every inner node.
    """
    if root._derivatives is None:
        raise freed_error(root)
    if _is_plain(create_graph):
        step: Callable = _plain_step if inner is None else partial(_general_step, inner, False)
    else:
        step = partial(_general_step, inner, create_graph)
    received = {root: gradient}
    if not root._is_array:
        _pass_numbers(received, [root], create_graph, targets, inner)
    _pass_back(received, step, targets)
    _pass_through_numbers(received, create_graph, targets, inner)
    return received


def _is_plain(create_graph: bool) -> bool:
    """Return whether no hook, no mode and no higher derivative takes part in a pass."""
    return not create_graph and not hooks.registered and (not modes.active or modes.plain)


def _pass_back(received: Gradients, step: Callable[[Value, Any], Sequence], targets: Collection[Value] = ()) -> None:
    """Pass the gradients that arrays have `received` back to the leaves and numbers below them.

    `step(node, gradient)` returns what each operand receives.
    """
    arrays: list[Any] = [x for x in received if x._is_array and x._operands and x not in targets]
    heap = [(-x._serial, x) for x in arrays]
    while heap:
        node = heappop(heap)[1]
        operands = node._operands
        for parent, contribution in zip(operands, step(node, received.pop(node))):
            if contribution is None:
                continue
            if parent in received:
                received[parent] = received[parent] + contribution
            else:
                received[parent] = contribution
                if parent._is_array:
                    if parent._operands and parent not in targets:
                        heappush(heap, (-parent._serial, parent))
                    elif parent._back is freed_back:
                        raise freed_error(parent)
            if modes.active and modes.anomaly:
                anomaly.check_array_total(parent, received[parent])


def _plain_step(node: Any, gradient: Any) -> Sequence:
    last = assigned.last
    found = node._back(gradient, node) if last < node._serial else contributions(node, gradient)
    if assigned.last != last:  # another thread assigned data meanwhile: it may be the data that was read here
        require_unchanged(node)
    return found


def _general_step(inner: Callable | None, create_graph: bool, node: Any, gradient: Any) -> Sequence:
    gradient, last = apply_hooks(node, gradient), assigned.last
    if node._closure:
        found = by_hand(gradient, node, create_graph)
    else:
        found = contributions(node, gradient, create_graph)
    if assigned.last != last:
        require_unchanged(node)
    if inner is not None:
        inner(node, gradient)
    return found


def _pass_through_numbers(
    received: Gradients, create_graph: bool, targets: Collection[Value], inner: Callable | None
) -> None:
    """Continue a pass over arrays through the numbers that they were computed from."""
    numbers = [x for x in received if not x._is_array and x.parents and x not in targets]
    if not numbers:
        return
    _pass_numbers(received, numbers, create_graph, targets, inner)
    if any(x._is_array and x._operands and x not in targets for x in received):
        raise GraphError(
            "a number made by hand from arrays cannot be part of an array graph; define its operation with "
            "adjoint.custom_vjp instead"
        )


def _pass_numbers(
    received: Gradients, roots: list[Value], create_graph: bool, targets: Collection[Value], inner: Callable | None
) -> None:
    for node, total in continue_pull(received, roots, create_graph, targets):
        if inner is not None:
            inner(node, total)


def by_hand(g, node, create_graph: bool = False) -> list:
    """Return what the operands of an array receive by a `_backward` that was assigned by hand."""
    parts = iter(contributions(node, g, create_graph))
    found = [next(parts) if isinstance(x, Value) else None for x in node._operands]
    return [None if isinstance(part, float) and part == 0.0 else part for part in found]


def freed_back(g, node):
    """Raise an error: the backward function of a node whose history was freed."""
    raise freed_error(node)


# --- backward() -----------------------------------------------------------------------------------


class _Observer(local):
    """What a thread calls with the root before each `backward()` over arrays; `jit` sets it while it traces."""

    before_backward: Callable[[Value], None] | None = None


observer = _Observer()


def store(root: Value, gradient, retain_graph: bool, create_graph: bool) -> None:
    """Run the backward pass from `root` and add what the leaves receive to their gradients."""
    if modes.active:
        require_recording()
    if root._marks:
        require_history(root)
    if observer.before_backward is not None:
        observer.before_backward(root)
    if modes.anomaly:
        anomaly.note_backward(root, gradient)
    if switched_on:
        check_second_pass(root, create_graph)
    is_again = retain_graph and root._is_array and root._grad is not None and _is_older_than_data(root)
    mark = NotKept(root, gradient)
    if root._is_array and _is_plain(create_graph):
        received = NUMPY.quietly(plain_pass, root, gradient, mark, retain_graph)
        changes = _continue_plain_pass(root, received, retain_graph)
    else:
        changes = _PendingGradients(root, mark, retain_graph)
        received = NUMPY.quietly(pull, root, gradient, create_graph=create_graph, inner=changes.note)
    if is_again:  # it is not the first pass, and data was assigned since the result was computed
        warn_of_kept_graph(root)
    add_to_leaves(root, received, create_graph, changes)


def plain_pass(root: Any, gradient: Any, mark: "NotKept", retain_graph: bool) -> Gradients:
    """Run a pass without hooks, anomaly detection or higher derivatives; return what leaves and numbers receive."""

    def step(node: Any, gradient: Any) -> Sequence:
        found = _plain_step(node, gradient)
        node._grad = own(gradient) if node is root or keeps_gradient(node) else mark
        if not retain_graph:
            node._free()
        return found

    if root._back is freed_back:
        raise freed_error(root)
    received = {root: gradient}
    _pass_back(received, step)
    return received


if native.core:
    plain_pass = partial(native.core.pull, assigned, contributions, require_unchanged, freed_back)


def finish(root: Value, received: Gradients, retain_graph: bool) -> None:
    """Complete a plain pass of the native core, where its leaves are not all ordinary arrays."""
    add_to_leaves(root, received, False, _continue_plain_pass(root, received, retain_graph))


def _continue_plain_pass(root: Value, received: Gradients, retain_graph: bool) -> "_PendingGradients":
    changes = _PendingGradients(root, NotKept(), retain_graph)
    NUMPY.quietly(_pass_through_numbers, received, False, (), changes.note)
    return changes


class _PendingGradients:
    """What a pass changes in inner nodes, kept until it has succeeded: if a hook raises, nothing changes."""

    def __init__(self, root: Value, mark: "NotKept", retain_graph: bool):
        self._root, self._mark, self._retain_graph = root, mark, retain_graph
        self._gradients: list[tuple[Value, Any]] = []

    def note(self, node: Value, total: Any) -> None:
        """Note the gradient of an inner node."""
        if node._hooks:
            self._mark.is_hooked = True
        if not node._is_array:
            total = _number(total)
        else:
            total = own(total) if node is self._root or keeps_gradient(node) else self._mark
        self._gradients.append((node, total))

    def make(self) -> None:
        for node, gradient in self._gradients:
            node._grad = gradient
            if not self._retain_graph:
                node._free()


def add_to_leaves(root: Value, received: Gradients, create_graph: bool, changes: _PendingGradients) -> None:
    """Add what the leaves have received in a pass from `root` to their gradients."""
    if used.ever:
        require_trainable(root, received)
        received = {leaf: total for leaf, total in received.items() if not leaf._frozen}
    is_general = create_graph
    for leaf in received:
        if leaf._rare is not None:
            if leaf._closure:
                raise closure_on_leaf(leaf)
            is_general |= bool(leaf._hooks)
        if leaf._marks & GRAD_USED and is_nonzero(leaf._grad):
            warn_of_used_gradient(leaf)
    if is_general:
        # All hooks come first: one that raises leaves every gradient as it was, and one may call backward() itself.
        for leaf, total in received.items():
            if create_graph and not isinstance(total, Value):  # the derivative does not depend on anything
                received[leaf] = type(leaf)(total) if leaf._is_array else Value(total)
            if leaf._hooks:
                received[leaf] = apply_hooks(leaf, received[leaf])
        total = None
    with accumulating, reserved:
        sums = []
        while received:  # all sums first: if one fails, no leaf has changed
            leaf, total = received.popitem()
            before = leaf._grad
            if before is None:
                total = own(total)
            elif leaf._is_array:
                total = (leaf.grad if type(before) is Resident else before) + total
            else:
                total = before + _number(total)
            sums.append((leaf, total))
        changes.make()
        for leaf, total in sums:
            leaf._grad = total


def fast_backward(backward: Callable) -> Callable:
    """Return the method `backward()` of arrays; with the native core, one that runs plain passes in C."""
    quiet = partial(np.errstate, all="ignore")
    needed = (assigned, contributions, require_unchanged, freed_back, NotKept, observer, hooks, quiet)
    return twin("backward", backward, backward, (*needed, finish))


def _is_older_than_data(root: Any) -> bool:
    """Return whether the data of any array was assigned since `root` was computed."""
    return assigned.last > root._serial


def is_nonzero(gradient: Any) -> bool:
    """Return whether a gradient is known and not zero: reading one that was never computed gives zeros."""
    if type(gradient) is Resident:
        return True
    data: Any = gradient.data if isinstance(gradient, Value) else gradient
    m = backend_of(data)
    return bool(data) if m is None else not m.is_traced(data) and bool((data != 0).any())


def _number(total) -> Any:
    """Return what a number receives as a float; under a trace, where it is not known yet, as an array in a Value."""
    m = None if isinstance(total, (Value, float)) else backend_of(total)
    if m is not None and m.is_traced(total):
        return make_leaf(total)
    return total if isinstance(total, Value) else float(total)


def own(gradient: Any) -> Any:
    """Return a gradient that a node keeps: a copy of an array, which other nodes may hold, too."""
    if type(gradient) is np.ndarray:
        return np.array(gradient)
    m = None if isinstance(gradient, (Value, tuple, np.generic)) else backend_of(gradient)
    return gradient if m is None else m.array(gradient)


# --- gradients of intermediate results --------------------------------------------------------------


def keeps_gradient(node: Value) -> bool:
    """Return whether an inner array keeps its gradient."""
    return node._rare is not None and bool(node.label or node._retains_grad or node._hooks or node._closure)


class NotKept:
    """Placeholder in an inner array for a gradient that a backward pass computed and did not keep.

    It identifies the pass by its root and the gradient of the root. The reference is weak: the graph
    below the root refers to this object, and a cycle would keep the whole graph alive until the garbage collector runs.
    """

    __slots__ = ("gradient", "is_hooked", "root")

    def __init__(self, root: Value | None = None, gradient: Any = None):
        self.root = (
            weakref.ref(root) if root is not None and root._is_array else None
        )  # numbers have no weak references
        self.gradient = gradient
        self.is_hooked = False  # whether hooks took part in the pass

    def __reduce__(self):
        return NotKept, ()  # a copied node belongs to another graph

    def gradients(self, nodes: Collection[Value]) -> Gradients:
        """Compute the gradients of inner nodes of the pass again, by a second pass.

        Raise a GraphError if that is impossible: the root of the pass is gone, the graph was freed, hooks took part in
        the pass, or data was changed since.
        """
        root = self.root() if self.root else None
        if root is None:
            raise GraphError("the result on which backward() was called is gone (hold it in a variable)")
        if root._derivatives is None:
            raise GraphError("backward(retain_graph=False) freed the graph")
        if self.is_hooked:
            raise GraphError("a hook took part in the pass")
        found: Gradients = {}

        def note(node: Value, gradient: Any) -> None:
            if node in nodes:
                found[node] = own(gradient)

        create_graph = isinstance(self.gradient, Value)
        with hooks.suspended(), Switch("recording", True):
            if not NUMPY.quietly(_has_its_data, root):
                raise GraphError("data of the graph was changed since")
            NUMPY.quietly(pull, root, self.gradient, create_graph=create_graph, inner=note)
        return found

    def gradient_of(self, node: Value) -> Any:
        """Return the gradient of one node; raise an error that says how to keep it, if it cannot be computed again."""
        try:
            return self.gradients({node})[node]
        except GraphError as error:
            raise GraphError(
                f"backward() did not keep the gradient of {name_of_source(node)}, an intermediate result of "
                f"{node.op!r}, and it cannot be computed again: {error}. Call its retain_grad(), or give it a label, "
                "before backward()"
            ) from None


def known_gradients(values: Iterable[Value]) -> Gradients:
    """Return the gradient of each value that has received one, including those that `backward()` did not keep.

    These are computed again, all of a pass at once. One is left out if that is impossible.
    """
    known: Gradients = {}
    passes: dict[NotKept, list[Value]] = {}
    for value in values:
        held = value._grad
        if type(held) is NotKept:
            passes.setdefault(held, []).append(value)
        elif held is not None:
            known[value] = value.grad
    for ended, nodes in passes.items():
        try:
            known |= ended.gradients(set(nodes))
        except GraphError:
            continue
    return known


def _has_its_data(root: Value) -> bool:
    """Return whether every node below `root` still holds what its operation computes from its operands.

    A second pass notices assignments by itself, but not data that was changed in place.
    """
    for node in backward_order(root):
        try:
            require_rule(node)
        except GraphError:
            raise GraphError(f"{name_of_source(node)} was made by hand") from None
        operands = list(map(data_of, node._operands))
        if any(isinstance(x, tuple) for x in operands):
            continue  # one of several results, which the node before it holds
        result = node._rule(*operands, **((node._static if node._is_array else None) or {}))
        pairs = zip(result, node._array) if isinstance(node._array, tuple) else [(result, node._array)]
        if not all(_is_same(new, old) for new, old in pairs):
            return False
    return True


_ROUNDING = {8: 1e-11, 4: 1e-5}  # of the largest element, by the bytes of a float: fast paths round differently


def _is_same(new: Any, old: Any) -> bool:
    """Return whether an array that was computed again is the same, up to rounding."""
    m = backend_of(old) or NUMPY
    if m.is_traced(new) or m.is_traced(old):  # arrays of a trace are never changed in place
        return True
    new, old = m.to_numpy(new), m.to_numpy(old)
    if new.shape != old.shape:
        return False
    tolerance = _ROUNDING.get(old.dtype.itemsize, 1e-2)
    new, old = new.astype(np.float64), old.astype(np.float64)
    scale = np.max(np.abs(old), where=np.isfinite(old), initial=0.0)
    return np.allclose(new, old, tolerance, tolerance * scale, equal_nan=True)


# --- one step, in the general case ------------------------------------------------------------------------


def contributions_of_array(node: Any, gradient, create_graph: bool):
    """Return what each operand receives, with the checks and modes that the fast loop leaves out."""
    if not isinstance(node._rule, (Op, ArrayOp)):
        raise made_by_hand(node)
    require_unchanged(node, numbers=create_graph)
    # intermediate results are not checked: the branch of a `where` that is not taken may be infinite
    with Switch("anomaly", False):
        if not create_graph:
            found = node._back(gradient, node)
        elif isinstance(node._rule, Op):
            found = _differentiable(node, gradient)
        else:
            found = _differentiable_array(node, gradient)
    if modes.anomaly:
        anomaly.check_array_contributions(node, found)
    return found


def _differentiable(node, gradient):
    op, operands = node._rule, node._operands
    variables = tuple([isinstance(x, Value) for x in operands])
    datas = [x._data if isinstance(x, Value) else x for x in operands]
    if op.is_row:
        return kernels.differentiable_back(op, variables, datas, maths)(gradient, node)
    found = []
    with Switch("reading", True):
        for i, x in enumerate(operands):
            is_variable = isinstance(x, Value)
            part = kernels.slope_times(op, i, datas, maths)(gradient, node, *operands) if is_variable else None
            found.append(unbroadcast(part, x, maths) if is_variable else None)
    return found


def _differentiable_array(node, gradient):
    op, operands = node._rule, node._operands
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Value)]
    arrays = maths.with_an_array(operands)
    wanted_parts = op.contributions(maths, gradient, maths.result(node), arrays, node._static, wanted)
    found: list = [None] * len(operands)
    for i, part in zip(wanted, wanted_parts):
        is_whole = part is None or isinstance(operands[i]._data, tuple)
        found[i] = part if is_whole else unbroadcast(part, operands[i], maths)
    return found
