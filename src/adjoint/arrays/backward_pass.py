"""The backward pass over graphs with arrays, and the time at which nodes were created.

`pull` visits every node once, each before its parents: newest first, because a node is newer than its operands. The
gradient of a node is freed once it has been passed on. An inner array keeps its gradient
if it has a label or if something outside the graph refers to it, such as a variable or a list. Otherwise it holds a
`NotKept`, reading its `grad` raises an error, and `known_gradients` can compute the gradient again.
"""

import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterable
from functools import partial
from heapq import heappop, heappush
from typing import Any, TypeAlias

import numpy as np

from adjoint.arrays import kernels
from adjoint.arrays.apply import make_leaf
from adjoint.arrays.array_rule import ArrayOp
from adjoint.arrays.assignments import assigned
from adjoint.arrays.backends import NUMPY, Resident, backend_of, common_backend
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.changes import name_of_source, require_unchanged, warn_of_kept_graph
from adjoint.arrays.value_mathematics import maths
from adjoint.engine import anomaly, hooks, native
from adjoint.engine.backward_guards import check_second_pass, warn_of_used_gradient
from adjoint.engine.chain_rule import closure_on_leaf, continue_pull, contributions, made_by_hand, require_recording
from adjoint.engine.freezing import require_history, require_trainable, used
from adjoint.engine.graph import backward_order, freed_error, require_rule
from adjoint.engine.hooks import apply_hooks
from adjoint.engine.locks import accumulating, reserved
from adjoint.engine.modes import Switch, modes
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.errors import GraphError, switched_on

Gradients: TypeAlias = dict[Value, Any]  # a float, an array, a Bundle, or a Value under create_graph


def by_hand(g, node, create_graph: bool = False) -> list:
    """Return what the operands of an array receive by a `_backward` that was assigned by hand."""
    parts = iter(contributions(node, g, create_graph))
    found = [next(parts) if isinstance(x, Value) else None for x in node._operands]
    return [None if isinstance(part, float) and part == 0.0 else part for part in found]


def freed_back(g, node):
    """Raise an error: the backward function of a node whose history was freed."""
    raise freed_error(node)


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

    def error(self, node: Value) -> GraphError:
        """Return the error for reading the gradient of `node`."""
        return GraphError(
            f"backward() did not keep the gradient of {name_of_source(node)}, an intermediate result of {node.op!r}: "
            "nothing outside the graph referred to it. Hold it in a variable or give it a label before backward()"
        )


def known_gradients(values: Iterable[Value]) -> Gradients:
    """Return the gradient of each value that has received one, including those that `backward()` did not keep.

    These are computed again by a second pass. One is left out if that is impossible: the root of the pass is gone, the
    graph was freed, hooks took part in the pass, or data was changed since. Only a change in place that leaves every
    result of the graph as it is goes unnoticed.
    """
    known: Gradients = {}
    passes: dict[NotKept, Gradients] = {}
    for value in values:
        held = value._grad
        if type(held) is NotKept:
            passes.setdefault(held, {})[value] = None
        elif held is not None:
            known[value] = value.grad
    for ended, watched in passes.items():
        root = ended.root() if ended.root else None
        if root is not None and not ended.is_hooked:
            gradient = ended.gradient.data if isinstance(ended.gradient, Value) else ended.gradient
            try:
                if not NUMPY.quietly(_has_its_data, root):
                    continue
                NUMPY.quietly(pull, root, gradient, watched=watched)
            except GraphError:
                continue
            known |= {value: total for value, total in watched.items() if total is not None}
    return known


def _has_its_data(root: Value) -> bool:
    """Return whether every node below `root` still holds what its operation computes from its operands."""
    for node in backward_order(root):
        require_rule(node)
        operands = [x.data if isinstance(x, Value) else x for x in node._operands]
        if any(isinstance(x, tuple) for x in operands):
            continue  # one of several results, which the node before it holds
        result = node._rule(*operands, **((node._static if node._is_array else None) or {}))
        pairs = zip(result, node.data) if isinstance(node.data, tuple) else [(result, node.data)]
        for new, old in pairs:
            m = backend_of(old) or NUMPY
            if not np.array_equal(m.to_numpy(new), m.to_numpy(old), equal_nan=True):
                return False
    return True


def _own_references() -> int:
    probe = object()
    return sys.getrefcount(probe)


_OWN = _own_references()  # the references of a local variable and of the call of getrefcount


def pull(
    root: Value,
    gradient,
    *,
    create_graph: bool = False,
    retain_graph: bool = True,
    not_kept: NotKept | None = None,
    targets: Collection[Value] = (),
    watched: Gradients | None = None,
    changes: "_Changes | None" = None,
) -> Gradients:
    """Return the gradient of each leaf, given the `gradient` of `root`; `targets` count as leaves.

    With `not_kept` inner nodes are assigned their gradients, or this object where a gradient is not kept. The
    gradients of the inner nodes in `watched` are put there. A pass that may run a user's code adds what it changes in
    inner nodes to `changes`, if given.
    """
    if root._derivatives is None:
        raise freed_error(root)
    made = changes or _Changes()
    plain = modes.plain and not create_graph and (not hooks.registered or watched is not None)
    if plain and not targets and watched is None and native.core and root._is_array:
        received = native.core.pull(
            root, gradient, assigned, contributions, require_unchanged, freed_back, not_kept, retain_graph
        )
    else:
        received = _pull_arrays(
            {root: gradient}, root, plain, create_graph, retain_graph, not_kept, targets, watched, made
        )
    if root._is_array:
        _pull_numbers(received, create_graph, retain_graph, not_kept is not None, targets, made)
    if changes is None:
        made.make()
    return received


def _pull_numbers(
    received: Gradients,
    create_graph: bool,
    retain_graph: bool,
    keep: bool,
    targets: Collection[Value],
    made: "_Changes",
) -> None:
    """Continue a pass over arrays through the numbers that they were computed from."""
    numbers = [x for x in received if not x._is_array and x.parents and x not in targets]
    if not numbers:
        return
    _pull_scalars(received, numbers, create_graph, retain_graph, keep, targets, made)
    if any(x._is_array and x._operands and x not in targets for x in received):
        raise GraphError(
            "a number made by hand from arrays cannot be part of an array graph; define its operation with "
            "adjoint.custom_vjp instead"
        )


class _Changes:
    """What a pass changes in inner nodes, kept until it has succeeded: if a hook raises, nothing changes."""

    def __init__(self):
        self.gradients: list[tuple[Value, Any]] = []
        self.freed: list[Value] = []

    def make(self) -> None:
        for node, gradient in self.gradients:
            node._grad = gradient
        for node in self.freed:
            node._free()


def _pull_arrays(
    received: dict[Any, Any],
    root: Value,
    plain: bool,
    create_graph: bool,
    retain_graph: bool,
    not_kept: NotKept | None,
    targets: Collection[Value],
    watched: Gradients | None,
    changes: _Changes,
) -> Gradients:
    if not root._is_array:
        _pull_scalars(received, [root], create_graph, retain_graph, not_kept is not None, targets, changes)
    heap = [(-x._serial, x) for x in received if x._is_array and x._operands and x not in targets]
    again: dict[Value, int] = {}  # how often the graph refers to a node, where it does more than once
    references = sys.getrefcount
    while heap:
        node = heappop(heap)[1]
        total, last = received.pop(node), assigned.last
        if plain:
            found = node._back(total, node) if last < node._serial else contributions(node, total)
        else:
            total = apply_hooks(node, total)
            if node._hooks and not_kept is not None:
                not_kept.is_hooked = True
            found = by_hand(total, node, create_graph) if node._closure else contributions(node, total, create_graph)
        if assigned.last != last:  # another thread assigned data meanwhile: it may be the data that was read here
            require_unchanged(node)
        if not_kept is not None:
            users = again.pop(node, 1)  # the dictionary refers to the node too
            if plain and not retain_graph:
                users = 0  # those that used it are freed already
            is_kept = references(node) > users + _OWN or node is root or node.label
            if plain:
                node._grad = total if is_kept else not_kept
            else:
                changes.gradients.append((node, total if is_kept else not_kept))
        if watched is not None and node in watched:
            watched[node] = total
        for parent, contribution in zip(node._operands, found):
            if contribution is None:
                continue
            if parent in received:
                received[parent] = received[parent] + contribution
                again[parent] = again.get(parent, 1) + 1
            else:
                received[parent] = contribution
                if parent._is_array:
                    if parent._operands and parent not in targets:
                        heappush(heap, (-parent._serial, parent))
                    elif parent._back is freed_back:
                        raise freed_error(parent)
            if modes.anomaly:
                anomaly.check_array_total(parent, received[parent])
        found = total = contribution = parent = None
        if not retain_graph and plain:
            node._free()
        elif not retain_graph:
            changes.freed.append(node)
    return received


def _pull_scalars(
    received: dict, roots: list[Value], create_graph: bool, retain_graph: bool, keep: bool, targets, changes: _Changes
) -> None:
    """Continue the pass through the scalar part of a graph."""
    for node, total in continue_pull(received, roots, create_graph, targets):
        if keep:
            changes.gradients.append((node, _number(total)))
        if not retain_graph:
            changes.freed.append(node)


class _Observer(threading.local):
    """What a thread calls with the root before each `backward()` over arrays; `jit` sets it while it traces."""

    before_backward: Callable[[Value], None] | None = None


observer = _Observer()


def store(root: Value, gradient, retain_graph: bool, create_graph: bool) -> None:
    """Run the backward pass from `root` and add what the leaves receive to their gradients."""
    require_recording()
    require_history(root)
    if observer.before_backward is not None:
        observer.before_backward(root)
    if switched_on:
        check_second_pass(root, create_graph)
    is_kept = retain_graph and root._is_array and root._grad is not None and _is_older_than_data(root)
    not_kept, changes = NotKept(root, gradient), _Changes()
    received = NUMPY.quietly(
        pull, root, gradient, create_graph=create_graph, retain_graph=retain_graph, not_kept=not_kept, changes=changes
    )
    if is_kept:  # it is not the first pass, and data was assigned since the result was computed
        warn_of_kept_graph(root)
    add_to_leaves(root, received, create_graph, changes)


def add_to_leaves(root: Value, received: Gradients, create_graph: bool, changes: _Changes) -> None:
    """Add what the leaves have received in a pass from `root` to their gradients."""
    if used.ever:
        require_trainable(root, received)
        received = {leaf: total for leaf, total in received.items() if not leaf._frozen}
    is_general = create_graph
    for leaf in received:
        if leaf._closure:
            raise closure_on_leaf(leaf)
        if leaf._hooks:
            is_general = True
        if leaf._grad_used and is_nonzero(leaf._grad):
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
                if not isinstance(total, Value) and (sys.getrefcount(total) > _OWN or not _is_alone(total)):
                    total = common_backend([total], "backward").array(total)  # another node, or the caller, holds it
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
    if not native.core:
        return backward
    quiet = partial(np.errstate, all="ignore")
    needed = (assigned, contributions, require_unchanged, freed_back, NotKept, observer, hooks, quiet)
    return native.core.backward(backward, (*needed, _finish))


def _finish(root: Value, received: Gradients, retain_graph: bool) -> None:
    """Complete a plain pass of the native core, where its leaves are not all ordinary arrays."""
    changes = _Changes()
    NUMPY.quietly(_pull_numbers, received, False, retain_graph, True, (), changes)
    add_to_leaves(root, received, False, changes)


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


def _is_alone(total) -> bool:
    m = backend_of(total)
    return m is not None and m.is_writeable_alone(total)


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
            part = op.partials[i](maths, node, *operands) * gradient if is_variable else None
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
