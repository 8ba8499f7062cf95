"""The graph below a Value: its nodes in the order of either pass, and its leaves."""

from collections.abc import Collection
from typing import TYPE_CHECKING

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


def freed(node: "Value") -> GraphError:
    """Return the error for a node whose history is gone."""
    return GraphError(
        f"the graph below {node!r} was freed by backward(retain_graph=False); compute the result "
        "again, or leave retain_graph as it is"
    )
