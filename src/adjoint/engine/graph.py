"""The graph of a Value: its backward pass, evaluation order, leaves, and recomputation."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, cast

from adjoint import errors
from adjoint.engine.marks import TAKES_PART, clock
from adjoint.errors import switched_on
from adjoint.errors.given import Operand

if TYPE_CHECKING:
    from adjoint.engine.value import Value


def backward_order(*roots: "Value", until: Collection["Value"] = ()) -> list["Value"]:
    """Return the inner nodes that the roots depend on, including the roots, each node before its parents.

    A node is ready once all nodes that use it have been visited. The walk does not recurse: a history may be a
    million nodes deep. Nodes of `until` count as leaves.
    """
    again = used_again(*roots, until=until) or {}
    order, ready = [], [root for root in roots if root.parents and again[root] < 0]
    while ready:  # visit a node after all that use it
        node = ready.pop()
        order.append(node)
        for parent in node.parents:
            if again.get(parent):
                again[parent] -= 1
            elif parent.parents:
                ready.append(parent)
    return order


def used_again(*roots: "Value", until: Collection["Value"] = (), plain: bool = False) -> "dict[Value, float] | None":
    """Return how often inner nodes below the roots are used after their first use; most are used once, and not here.

    A root has been used once less: -1 for one that no other node uses. Nodes of `until` have infinitely many uses. If
    it is to be `plain`, return None for a graph whose backward pass is more than arithmetic: see `pull`.
    """
    for root in roots:
        if root._derivatives is None:
            raise freed_error(root)
    again: dict[Value, float] = {**dict.fromkeys(roots, -1), **dict.fromkeys(until, inf)}
    seen, found, now = set(again), [root for root in roots if root not in until], clock.now
    for node in found:  # it grows
        if plain and (node._computed_at != now or node._marks & TAKES_PART):
            return None
        for parent in node.parents:
            if parent.parents:
                if parent in seen:
                    again[parent] = again.get(parent, 0) + 1
                else:
                    seen.add(parent)
                    found.append(parent)
            elif parent._derivatives is None:
                raise freed_error(parent)
            elif plain and parent._marks & TAKES_PART:
                return None
    return again


def pull(root: "Value", gradient: float) -> "dict[Value, float] | None":
    """Carry a gradient back from the root, by the chain rule: each node passes on its gradient times its derivatives.

    Inner nodes store their gradients; return what the leaves receive. Return None, and change nothing, if more than
    arithmetic has to happen: data was assigned since a node was computed, a leaf is frozen, the gradient is no float,
    the root is a leaf or not finite, the user's code takes part, or a guard looks at every pass.
    """
    if type(gradient) is not float or not root.parents or not isfinite(root._data) or switched_on:
        return None
    again = used_again(root, plain=True)  # how many gradients the nodes that are used several times still wait for
    if again is None:
        return None
    received: dict[Value, float] = defaultdict(float)  # by these nodes, and by leaves
    ready = [(root, gradient)]  # nodes, each with all of its gradient
    while ready:
        node, gradient = ready.pop()
        node._grad = gradient
        for parent, derivative in zip(node.parents, node._derivatives):
            if not parent.parents:
                received[parent] += derivative * gradient
            elif parent not in again:
                ready.append((parent, 0.0 + derivative * gradient))
            else:
                received[parent] += derivative * gradient
                left = again[parent]
                if left:
                    again[parent] = left - 1
                else:
                    ready.append((parent, received.pop(parent)))
    return received


def freed_error(node: "Value") -> "errors.GraphError":
    """Return the error for a node whose history is gone."""
    if node.op == "jit":
        return errors.GraphError(
            f"the graph below {node!r} was inside a compiled function that changes Values, and does not exist outside; "
            "call backward() inside the function, or call the function without jit"
        )
    return errors.GraphError(
        f"the graph below {node!r} was freed by backward(retain_graph=False); compute the result "
        "again, or call backward() without retain_graph=False"
    )


# --- the other direction, the leaves, and the graph computed again ---


def evaluation_order(*roots: "Value") -> list["Value"]:
    """Return all nodes that the roots depend on, including the roots, each node after its parents.

    This is the backward order reversed, with each leaf before the first operation that uses it.
    """
    inner = backward_order(*roots)[::-1]
    found = dict.fromkeys(x for node in inner for x in (*node.parents, node))
    return list(found | dict.fromkeys(roots))


def leaves_of(root: "Value") -> list["Value"]:
    """Return the leaves that `root` depends on, in the order in which its computation uses them."""
    inner = backward_order(root)[::-1]
    return list(dict.fromkeys(x for node in inner for x in node.parents if not x.parents)) or [root]


def recompute(root: "Value", leaves: Mapping["Value", Any]) -> Any:
    """Compute `root` again with other leaves, and return the result; the graph is not changed.

    `leaves` maps leaves of the graph to numbers, arrays or Values. Other leaves keep their data.
    If any leaf is given as a Value, the result is a Value with a new graph, which has the labels of the old one.

    >>> from adjoint import Value
    >>> a, b = Value(2.0), Value(-3.0)
    >>> recompute(a * b + a, {a: 4.0})
    -8.0
    """
    return recomputation(root)(leaves)


class recomputation:
    """A graph prepared for repeated recomputation with other leaves: see `recompute`."""

    def __init__(self, root: "Value"):
        self._root, self._inner = root, backward_order(root)[::-1]
        self._leaves = {leaf: leaf.data for leaf in leaves_of(root)}
        for node in self._inner:
            require_rule(node)

    def __call__(self, leaves: Mapping["Value", Any]) -> Any:
        found: dict[Operand, Any] = {**self._leaves, **leaves}
        for node in self._inner:
            operands = [found[x] if isinstance(x, Operand) else x for x in node._operands]
            static = node._static if node._is_array else None
            made = found[node] = node._rule(*operands, **(static or {}))
            if node.label and isinstance(made, Operand):
                cast("Value", made).label = node.label
        return found[self._root]


def require_rule(node: "Value") -> None:
    """Raise if the operation that made an inner node cannot be applied again."""
    if isinstance(node._rule, str):
        why = "was made by hand and has no rule"
    elif node._closure:
        why = "has a _backward that was assigned by hand"
    elif getattr(node._rule, "forward", None) is None:
        why = f"was made by {node.op}, which keeps no forward expression"
    else:
        return
    raise errors.GraphError(
        f"{node!r} {why}, so its graph cannot be computed again; use the function that made it, for instance "
        "check_gradients(f, x) instead of check_gradients(f(x))"
    )
