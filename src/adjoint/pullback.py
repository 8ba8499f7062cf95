"""The backward pass over graphs with arrays in them, and its clock.

`pull` visits every node once, each before its own parents, and returns the gradients of the leaves. What a node
received is dropped as soon as it was passed on. An inner array keeps its gradient only if somebody can still see
the node (a variable, a list, a label): nothing else would ever read it.
"""

import sys
from typing import Any

from adjoint import anomaly, kernels
from adjoint.backends import Resident, backend_of
from adjoint.contributions import contributions as scalar_contributions
from adjoint.errors import GraphError
from adjoint.graph import freed
from adjoint.modes import Switch, modes
from adjoint.rules import ArrayOp, Op
from adjoint.symbols import names_in, read
from adjoint.value import Value


class _Clock:
    """Counts assignments to the data of arrays: a node made at this very time needs no further look."""

    __slots__ = ("now",)

    def __init__(self):
        self.now = 0


clock = _Clock()
_USE = 1 << 40  # one use, beside the number of references that the graph itself holds to a node


def pull(
    root: Value,
    gradient,
    *,
    create_graph: bool = False,
    retain_graph: bool = True,
    keep: bool = False,
    targets: set | None = None,
) -> dict[Value, Any]:
    """Return the gradient that each leaf receives if `root` has this one; `targets` count as leaves."""
    if root._derivatives is None:
        raise freed(root)
    uses = _count(root, targets)
    ends = targets or ()
    received: dict[Value, Any] = {root: gradient}
    ready = [root] if root.parents and root not in ends else []
    plain = modes.plain and not create_graph
    references = sys.getrefcount
    node = parent = None
    while ready:
        node = ready.pop()
        total = received.pop(node, None)
        if node._hooks and total is not None:
            total = hooked(node, total)
        if keep:
            # beyond the graph's tuples: `uses`, and this function's `node`
            seen = node is root or references(node) > (uses[node] & (_USE - 1)) + _OWN or node.label
            if type(node) is Value:
                node._grad = total if isinstance(total, Value) else float(total or 0.0)
            else:
                node._grad = total if seen else None
        if total is None:
            found: Any = (None,) * len(node.parents)
        elif not plain or type(node) is Value or node._clock != clock.now:
            found = contributions(node, total, create_graph)
        else:
            found = node._back(total, node)
        for parent, contribution in zip(node.parents, found):
            if contribution is not None:
                if parent in received:
                    received[parent] = received[parent] + contribution
                else:
                    received[parent] = contribution
                if modes.anomaly:
                    anomaly.check_array_total(parent, received[parent])
            left = uses[parent] = uses[parent] - _USE
            if left < _USE and parent.parents and parent not in ends:
                ready.append(parent)
        contribution = found = total = parent = None
        if not retain_graph:
            node._free()
    return received


def _count(root: Value, targets: set | None) -> dict[Value, int]:
    """Return how often each node that `root` depends on is used, and how often the graph refers to it."""
    uses, found, ends = {root: 0}, [root], targets or ()
    while found:
        node = found.pop()
        if node in ends:
            continue
        parents = node.parents
        step = _USE + (1 if type(node) is Value or node._operands is parents else 2)
        for parent in parents:
            if parent in uses:
                uses[parent] += step
            else:
                uses[parent] = step
                if parent.parents:
                    found.append(parent)
                elif parent._derivatives is None:
                    raise freed(parent)
    return uses


def _own_references() -> int:
    probe = object()
    return sys.getrefcount(probe) + 1


_OWN = _own_references()


def store(root: Value, gradient, retain_graph: bool, create_graph: bool) -> None:
    """Run the backward pass from `root` and add what the leaves receive to their gradients."""
    if not modes.recording:
        raise GraphError("backward() inside no_grad(): nothing is recorded there; call it outside")
    m = None if isinstance(gradient, Value) else backend_of(gradient)
    run = m.quietly if m is not None else _call
    received = run(
        pull, root, gradient, create_graph=create_graph, retain_graph=retain_graph, keep=True, targets=None
    )
    for leaf in received:
        if leaf._closure:
            raise GraphError(
                f"{leaf!r} has a _backward but no parents, so backward() cannot tell when to run it: "
                "make it with Value(data, (parents), 'op')"
            )
    while received:
        leaf, total = received.popitem()
        if leaf._hooks:
            total = hooked(leaf, total)
        if type(leaf) is Value:
            leaf._grad = leaf._grad + total if isinstance(total, Value) else leaf._grad + float(total)
            continue
        before = leaf._grad
        if type(before) is Resident:
            before = leaf.grad
        if before is not None:
            total = before + total
        elif not isinstance(total, Value) and (sys.getrefcount(total) > _OWN - 1 or not _is_alone(total)):
            total = backend_of(total).array(total)  # another node, or the caller, holds this one
        leaf._grad = total


def _call(function, *arguments, **options):
    return function(*arguments, **options)


def _is_alone(total) -> bool:
    m = backend_of(total)
    return m is not None and m.is_writeable_alone(total)


def hooked(node: Value, gradient):
    """Return a gradient as the hooks of its node leave it."""
    for hook in node._hooks:
        changed = hook(gradient)
        if changed is not None:
            gradient = changed
    return gradient


# --- one step, where it is not usual ---------------------------------------------------------------------


def contributions(node: Value, gradient, create_graph: bool):
    """Return what each parent receives, where more is needed than to call what the node keeps."""
    if type(node) is Value or node._closure or not isinstance(node._rule, (Op, ArrayOp)):
        return scalar_contributions(node, gradient, create_graph)
    node: Any = node
    require_unchanged(node)
    # what is computed on the way is no anomaly: the side of a `where` that is not taken may be infinite
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
    from adjoint.maths import maths

    op, operands = node._rule, node._operands
    variables = tuple([isinstance(x, Value) for x in operands])
    datas = [x._data if isinstance(x, Value) else x for x in operands]
    if op.is_row:
        return kernels.differentiable_back(op, variables, datas, maths)(gradient, node)
    found = []
    with Switch("reading", True):
        for i, x in enumerate(operands):
            if isinstance(x, Value):
                found.append(kernels.fit(op.partials[i](maths, node, *operands) * gradient, x, maths))
    return found


def _differentiable_array(node, gradient):
    from adjoint.maths import maths

    op, operands = node._rule, node._operands
    wanted = [i for i, x in enumerate(operands) if isinstance(x, Value)]
    found = op.contributions(maths, gradient, maths.result(node), operands, node._static, wanted)
    for k, i in enumerate(wanted):
        if found[k] is not None and not isinstance(operands[i]._data, tuple):
            found[k] = kernels.fit(found[k], operands[i], maths)
    return found


def require_unchanged(node) -> None:
    """Raise if data that the derivatives of a node are computed from was assigned since the node was made."""
    if node._clock == clock.now:
        return
    for read_value in _values_read(node):
        changed = _changed(read_value)
        if changed > node._clock:
            shapes = ", ".join(str(getattr(x, "shape", "")) for x in node._operands if isinstance(x, Value))
            name = repr(read_value.label) if read_value.label else f"a Value of shape {read_value.shape}"
            raise GraphError(
                f"the data of {name} was assigned after {node.op}{f' of {shapes}' if shapes else ''} had used it, and "
                "backward() needs the old array; compute the result again, or assign after backward()"
            )


def _changed(value) -> int:
    """Return when the memory of a value was last assigned to: its own, or what it is a view of."""
    latest = 0
    while type(value) is not Value:
        latest = max(latest, value._changed)
        if not (isinstance(value._rule, ArrayOp) and value._rule.view and value._operands):
            break
        value = value._operands[0]
    return latest


def _values_read(node) -> list:
    """Return the arrays, of the operands and the result, whose numbers the derivatives of a node use."""
    op, operands = node._rule, node._operands
    if isinstance(op, ArrayOp):
        found = list(operands) if "x" in op.reads else []
        found += [node] if "y" in op.reads else []
    else:
        names: set[str] = {"y", *op.operands}
        if op.is_row:
            partials = read(op)[1]
            wanted = [partials[i] for i, x in enumerate(operands) if isinstance(x, Value)]
            names = set().union(*map(names_in, wanted))
        found = [x for name, x in zip(op.operands, operands) if name in names] + [node] * ("y" in names)
    return [x for x in found if isinstance(x, Value) and type(x) is not Value]
