"""The graph below a Value: its nodes in the order of either pass, and its leaves."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from adjoint.errors import GraphError

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def backward_order(*roots: "Value", until: Collection["Value"] = ()) -> list["Value"]:
    """Return the inner nodes that the roots depend on, themselves included, each before its own parents.

    A node is ready once all nodes that use it have been visited. No recursion: a history may be a
    million nodes deep.
    """
    for root in roots:
        if root._derivatives is None:
            raise freed(root)
    uses, found = dict.fromkeys(roots, 0), [root for root in roots if root not in until]
    while found:
        for parent in found.pop().parents:
            if parent in uses:
                uses[parent] += 1
            elif parent.parents and parent not in until:
                uses[parent] = 1
                found.append(parent)
            elif parent._derivatives is None:
                raise freed(parent)
    order, ready = [], [root for root in roots if root.parents and not uses[root] and root not in until]
    while ready:
        node = ready.pop()
        order.append(node)
        for parent in node.parents:
            if parent in uses:
                uses[parent] = left = uses[parent] - 1
                if not left:
                    ready.append(parent)
    return order


def evaluation_order(*roots: "Value") -> list["Value"]:
    """Return all nodes that the roots depend on, themselves included, each after its own parents.

    It is the backward order turned round, with each leaf before the first operation that uses it.
    """
    inner = backward_order(*roots)[::-1]
    found = dict.fromkeys(x for node in inner for x in (*node.parents, node))
    return list(found | dict.fromkeys(roots))


def leaves_of(root: "Value") -> list["Value"]:
    """Return the leaves that `root` depends on, in the order in which its computation meets them."""
    inner = backward_order(root)[::-1]
    return list(dict.fromkeys(x for node in inner for x in node.parents if not x.parents)) or [root]


def recompute(root: "Value", leaves: "Mapping[Value, Any]") -> "Any":
    """Return what `root` would be with other leaves: a graph computed again, by the rules of its nodes.

    >>> from adjoint import Value
    >>> a, b = Value(2.0), Value(3.0)
    >>> recompute(a * b + a, {a: Value(10.0)}).data
    40.0
    """
    from adjoint.engine.value import Value

    made: dict[Value, Any] = {}
    for node in evaluation_order(root):
        if not node.parents:
            made[node] = leaves.get(node, node.data)
            continue
        rule: Any = node._rule
        if isinstance(rule, str) or node._closure:
            raise GraphError(
                f"{node!r} was made by hand and has no rule to compute it again; give a function of the inputs "
                "instead of its graph, as in check_gradients(function, *inputs)"
            )
        if rule.forward is None:
            raise GraphError(
                f"{node!r} was made by {node.op}, which cannot be computed again; give a function of the inputs "
                "instead of its graph, as in check_gradients(function, *inputs)"
            )
        operands = [made[x] if isinstance(x, Value) else x for x in node._operands]
        made[node] = rule(*operands, **(getattr(node, "_static", None) or {}))
    return made[root]


def freed(node: "Value") -> GraphError:
    """Return the error for a node whose history is gone."""
    return GraphError(
        f"the graph below {node!r} was freed by backward(retain_graph=False); compute the result "
        "again, or leave retain_graph as it is"
    )
