"""The guards of `backward()`: mistakes in training loops and in a `_backward` that are written by hand.

`stale_gradients` sees gradients that an update has used and that were not set to zero since. Reading `p.grad` and then
assigning `p.data` is an update; accumulating over several passes is none. `stale_graph` sees results that are older
than the data they were computed from. `second_backward`, which is off by default, sees a second pass through a node.
`overwritten_gradients` sees a `_backward` that assigns the gradient of a parent without reading it before.
`lost_updates` sees `w = w - lr * w.grad` in a loop, `missing_history` a pass from a leaf, and `not_finite_loss` an
update with the gradients of a loss that is NaN or infinite.

A pass calls `check` only if it notices something: a node that is older than the last assignment to data, or a gradient
that an update has used. `_native/clock.h` and the flags in `_native/node.h` do the same in C as the notes here.
"""

from collections.abc import Callable, Iterable
from math import isclose
from types import FunctionType
from typing import TYPE_CHECKING, Any

from adjoint import errors
from adjoint.engine.graph import backward_order
from adjoint.engine.marks import clock
from adjoint.engine.modes import modes
from adjoint.engine.rule import Op, evaluate
from adjoint.errors import switched_on
from adjoint.errors.given import Operand

if TYPE_CHECKING:
    from adjoint.engine.value import Value

# --- what the Python engine notes about numbers ---


def note_assignment(value: "Value") -> None:
    """Note that the user's program has assigned the data of a number."""
    clock.now += 1
    value._assigned_at = clock.now
    if value._grad_read:
        value._grad_read = False
        if not value.parents and not value._grad_used and (isinstance(value._grad, Operand) or value._grad != 0.0):
            value._grad_used = True
        if value._doubtful:
            check_update(value)


def note_assigned_grad(value: "Value") -> None:
    """Note that the user's program has assigned the gradient of a number."""
    if value._grad_read:
        value._grad_read = False
    else:
        value._grad_replaced = True
    value._grad_used = value._spent = False


def note_read_of_inner(value: "Value") -> None:
    """Note that the user's program reads the gradient of an inner node."""
    if _is_shift(value) and type(value._grad) is float and value._grad != 0.0:
        clock.now += 1
        note_read(value, value._computed_at, clock.now)


# --- at an update ---


def note_read(value: "Value", made: int, now: int) -> None:
    """Note that the program reads the gradient of `x + constant` or `x - constant`, made at the time `made`.

    `w = w - lr * w.grad` in a loop makes a chain of such Values, each computed after the gradient of the one before it
    was read.
    """
    if value._read_at or modes.takeover:
        return
    before = value.parents[0]
    value._updates = before._updates + 1 if 0 < before._read_at <= made else 0
    value._read_at = now
    if value._updates == _UPDATES:
        from adjoint.errors.guard_warnings import is_on, warn_once

        if is_on("lost_updates"):
            warn_once("lost_updates", errors.LostUpdateWarning, _CHAIN_OF_UPDATES)


def note_read_of_array(value: "Value", made: int, tick: "Callable[[], int]") -> None:
    """Note that the user's program reads the gradient of an inner array."""
    if _is_shift(value):
        note_read(value, made, tick())


def _is_shift(value: "Value") -> bool:
    """Return whether a node is the sum or difference of a Value and a constant."""
    return getattr(value._rule, "name", "") in ("+", "-") and len(value.parents) == 1


def check_update(value: "Value") -> None:
    """Warn of an update by hand that makes a number or an array NaN or infinite."""
    from adjoint.engine.non_finite import warn_of_update

    value._doubtful = False
    warn_of_update(value)


# --- before a pass ---


def check_history(root: "Value") -> None:
    """Warn of a pass from a leaf, which reaches no other Value, unless the pass is an error or the leaf a constant."""
    is_known = root._derivatives is None or root._frozen or root._closure or root._constant
    if not root.parents and not is_known and not modes.takeover:
        from adjoint.errors.guard_warnings import is_on, warn_once

        if is_on("missing_history"):
            warn_once("missing_history", errors.MissingHistoryWarning, _NO_HISTORY)


def check(root: "Value", create_graph: bool = False) -> None:
    """Warn of gradients and of a graph that are stale, before a backward pass over numbers changes anything.

    With `create_graph` the pass itself raises an error if the graph is stale.
    """
    if root._is_reported:  # a loss that is kept across steps
        return
    order = backward_order(root)
    for assigned in (x for node in order for x in _assigned_later(node) if not create_graph and _is_outdated(node)):
        root._is_reported = warn_of_stale_graph(assigned)
        break
    for leaf in (x for node in order for x in node.parents if x._grad_used and not x.parents):
        warn_of_used_gradient(leaf)
        break


def warn_of_stale_graph(value: "Value") -> bool:
    """Warn of a Value whose data was assigned after the graph had used it. Return whether the guard is on."""
    from adjoint.errors.guard_warnings import is_on, warn_once  # `import adjoint` stays fast without them

    if is_on("stale_graph"):
        warn_once("stale_graph", errors.StaleGraphWarning, _STALE_GRAPH.format(_name_of_data(value)))
    return is_on("stale_graph")


def warn_of_used_gradient(leaf: "Value") -> None:
    """Warn of a gradient that an update has used, before a backward pass adds to it."""
    from adjoint.errors.guard_warnings import is_on, warn_once

    if is_on("stale_gradients"):
        warn_once("stale_gradients", errors.StaleGradientWarning, _STALE_GRADIENTS.format(_name_of_data(leaf)))


def note_not_finite(root: "Value") -> None:
    """Note the operation that made a root NaN or infinite, for the next step of an optimizer."""
    from adjoint.engine.non_finite import note

    note(root)


def check_second_pass(root: "Value", is_kept: bool = False) -> None:
    """Warn if a pass has gone through a part of the graph before. The graph is noted as used, unless it is kept."""
    from adjoint.errors.guard_warnings import is_on, warn_once

    if modes.takeover or not is_on("second_backward"):
        return
    order = backward_order(root)
    if any(node._passed for node in order):
        warn_once("second_backward", errors.SecondBackwardWarning, _SECOND_BACKWARD)
    for node in order:
        node._passed = node._passed or not is_kept


def check_general(root: "Value", order: "Iterable[Value]", create_graph: bool) -> None:
    """Do all checks for a graph of numbers in which user code may run."""
    if switched_on:
        check_second_pass(root, create_graph)
    if any(x._grad_used for node in order for x in node.parents) or any(map(_assigned_later, order)):
        check(root, create_graph)


def _assigned_later(node: "Value") -> "list[Value]":
    """Return the numbers among the parents whose data was assigned after the node had used it."""
    if node._is_array:
        return []
    return [x for x in node.parents if not x._is_array and x._assigned_at > node._computed_at]


def _is_outdated(node: "Value") -> bool:
    """Return whether computing a node again would give something else: data may have been restored, up to rounding."""
    if type(node._rule) is not Op:
        return True
    inputs: list[Any] = [getattr(x, "data", x) for x in node._operands]
    variables = [i for i, x in enumerate(node._operands) if isinstance(x, Operand)]
    y, derivatives = evaluate(node._rule, inputs, variables)
    pairs = zip((y, *derivatives), (node.data, *node._derivatives))
    return not all(isclose(new, old, rel_tol=1e-9, abs_tol=1e-12) or (new != new and old != old) for new, old in pairs)


def _name_of_data(value: "Value") -> str:
    return f"{value.label}.data" if value.label else "the .data of a Value"


_UPDATES = 2  # after so many, with two more nodes before them, it is a loop
_CHAIN_OF_UPDATES = (
    "`w = w - lr * w.grad` makes a new Value in each step, which depends on those of all earlier steps: the graph "
    "grows, every backward() passes through all of it, and the Value that the loop began with does not change. Write "
    "`w.data -= lr * w.grad`, and set w.grad = 0.0 before the next backward()."
)
_NO_HISTORY = (
    "backward() of a Value without history reaches no other Value. Value(...) around a number or an array makes a new "
    "leaf: compute the loss from Values, without .data, float(), item() or .numpy() in between."
)
_STALE_GRAPH = (
    "backward() passes through results that were computed before {} was assigned, so the gradients belong to the old "
    "numbers. Compute the loss again after each update, and do not assign .data between the computation and backward()."
)
_STALE_GRADIENTS = (
    "backward() adds to gradients of an earlier step: an update of {} has used its gradient, which was not set to zero "
    "since then. Set p.grad = 0.0 for each parameter p, once in each step, before backward()."
)
_SECOND_BACKWARD = (
    "backward() passes through the same graph a second time and adds to the gradients of the first pass. PyTorch "
    "raises an error here unless the first call has retain_graph=True. Compute the result again; for two losses that "
    "share a part of the graph, call (loss1 + loss2).backward()."
)


# --- a `_backward` written by hand ---


def watch_parents(node: "Value") -> None:
    """Forget whether the gradients of the parents were read or assigned, before a `_backward` runs."""
    for parent in node.parents:
        parent._grad_read = parent._grad_replaced = False


def check_parents(node: "Value", closure: Callable[[], None]) -> None:
    """Warn if a `_backward` has assigned the gradient of a parent without reading it before."""
    replaced = [parent for parent in dict.fromkeys(node.parents) if parent._grad_replaced]
    if not replaced:
        return
    from adjoint.errors.guard_warnings import is_on, warn_once

    if is_on("overwritten_gradients"):
        names = _variables(closure)
        of = node.label or names.get(id(node)) or (f"a node {node.op!r}" if node.op else "a node")
        grads = sorted({f"{names.get(id(parent)) or parent.label or 'parent'}.grad" for parent in replaced})
        text = _OVERWRITTEN.format(of, " and ".join(grads), "it" if len(grads) == 1 else "them", grads[0])
        warn_once("overwritten_gradients", errors.OverwrittenGradientWarning, text, closure)


def _variables(closure: Callable[[], None]) -> dict[int, str]:
    """Return the names by which a function knows Values, by the identity of the Values."""
    if not isinstance(closure, FunctionType):
        return {}
    code, found = closure.__code__, {}
    found |= {name: closure.__globals__[name] for name in code.co_names if name in closure.__globals__}
    found |= dict(zip(reversed(code.co_varnames[: code.co_argcount]), reversed(closure.__defaults__ or ())))
    for name, cell in zip(code.co_freevars, closure.__closure__ or ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # a variable that has no value yet
            continue
    return {id(x): name for name, x in found.items() if isinstance(x, Operand)}


_OVERWRITTEN = (
    "the _backward of {} set {} instead of adding to {}. A value that is used twice receives a gradient from each use: "
    "write {} += ... to keep them all. Here backward() has added them; a loop of your own over _backward() does not."
)
