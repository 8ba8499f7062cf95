"""A function evaluated at one point, ready for derivatives there in reverse and in forward mode."""

from collections.abc import Callable, Collection, Sequence

from adjoint.arrays.forward_mode import push
from adjoint.arrays.kinds import array_code, data_of, is_numpy_array, is_tensor
from adjoint.arrays.scalars import numpy_backend, quietly
from adjoint.engine.chain_rule import continue_pull
from adjoint.engine.modes import Switch, modes
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_array, is_number, is_traced
from adjoint.transforms.trees import tree_leaves, tree_map, tree_unflatten
from adjoint.transforms.variables import as_value, make_constant, make_variable, zeros_like


class Linearization:
    """One evaluation of a function with some of its arguments as variables.

    `pull` is the product with the transposed Jacobian, `push` the product with the Jacobian. Plain numbers and arrays
    go in and come out, unless something around the call can differentiate the results again: then they are Values.
    """

    def __init__(
        self, function: Callable, arguments: tuple, options: dict, argnums: Sequence[int], has_aux: bool = False
    ):
        self.primals = tuple(arguments[i] for i in argnums)
        self.given = tree_leaves(self.primals)
        if not self.given:
            raise ArgumentError(
                f"the arguments to differentiate contain no numbers or arrays: {describe(self.primals)}"
            )
        self.gets_values = any(isinstance(x, Value) for x in self.given)
        self.outside_records = modes.recording
        with Switch("recording", True):
            self.variables = [make_variable(x) for x in self.given]
            replaced = tree_unflatten(self.primals, self.variables)
            arguments = tuple(replaced[argnums.index(i)] if i in argnums else x for i, x in enumerate(arguments))
            with Switch("differentiating", True):
                result = function(*arguments, **options)
        for variable, given in zip(self.variables, self.given):
            if not isinstance(given, Value):
                variable._constant = True  # only now: while the function ran, transforms inside saw a variable
        aux = None
        if has_aux:
            if not isinstance(result, tuple) or len(result) != 2:
                raise ArgumentError(f"with has_aux the function must return (result, aux), not {describe(result)}")
            result, aux = result
        self.result = result = tree_map(_stacked, result)
        self.results = [_require_numeric(x) for x in tree_leaves(result)]
        if not self.results:
            raise _not_numeric(result)
        self.targets = set(self.variables)
        self.differentiable = self.outside_records and (self.gets_values or self._depends_on_others())
        self.value, self.aux = tree_map(self._for_caller, result), tree_map(self._for_caller, aux)

    def _depends_on_others(self) -> bool:
        """Return whether a result depends on Values that are not arguments of the function."""
        seen, pending = set(self.variables), [x for x in self.results if isinstance(x, Value)]
        while pending:
            node = pending.pop()
            if node in seen:
                continue
            seen.add(node)
            if not node.parents and not node._constant:
                return True
            pending += node.parents
        return False

    def _for_caller(self, x):
        """Return a result as the caller sees it: a plain number or array, unless it can be differentiated."""
        if self.differentiable or not isinstance(x, Value):
            return x
        return make_constant(data_of(x)) if self.gets_values else data_of(x)

    # --- reverse mode ---

    def pull(self, cotangents: Sequence) -> list:
        """Return the gradients of the variables, given a cotangent or None for each result."""
        received: dict[Value, object] = {}
        differentiable = self._differentiable_with(cotangents)
        with Switch("recording", True):
            for result, cotangent in zip(self.results, cotangents):
                if isinstance(result, Value) and cotangent is not None:
                    seed = as_value(cotangent) if differentiable else data_of(cotangent)
                    found = _pull(result, seed, differentiable, self.targets)
                    for node in self.targets & found.keys():
                        received[node] = found[node] if node not in received else received[node] + found[node]
        in_use = {id(data_of(c)) for c in cotangents}
        return [self._gradient(x, received.get(x), differentiable, in_use) for x in self.variables]

    def _gradient(self, variable: Value, gradient, differentiable: bool, in_use: set[int]):
        if gradient is None:
            gradient = zeros_like(variable)
        elif not is_tensor(variable) and not isinstance(gradient, Value):
            gradient = gradient if is_traced(gradient) else float(gradient)
        elif not isinstance(gradient, Value):
            gradient = _unshare(gradient, in_use)
        return as_value(gradient) if self.gets_values or differentiable else gradient

    # --- forward mode ---

    def push(self, tangents: Sequence) -> list:
        """Return the tangents of the results, given those of the variables."""
        moving = dict(zip(self.variables, tangents))
        differentiable = self._differentiable_with(tangents)
        if not differentiable:
            moving = {x: data_of(t) for x, t in moving.items()}
        with Switch("recording", True):
            found = quietly(push, self.results, moving, differentiable)
        in_use = {id(data_of(t)) for t in tangents}
        return [
            zeros_like(x) if t is None else self._tangent(t, differentiable, in_use)
            for x, t in zip(self.results, found)
        ]

    def _tangent(self, tangent, differentiable: bool, in_use: set[int]):
        if not isinstance(tangent, (Value, float)):
            tangent = _unshare(tangent, in_use)
        return as_value(tangent) if self.gets_values and not differentiable else tangent

    def _differentiable_with(self, directions: Sequence) -> bool:
        among = any(isinstance(x, Value) for x in directions)
        return self.outside_records and (self.differentiable or among)


def _pull(root: Value, seed: object, create_graph: bool, targets: Collection[Value]) -> dict:
    """Return the gradients of the targets and of the other leaves."""
    m = numpy_backend()
    if m:
        return m.quietly(array_code("backward_pass").pull, root, seed, create_graph=create_graph, targets=targets)
    received: dict = {root: seed}  # a graph of numbers alone
    for _ in continue_pull(received, [root], create_graph, targets):
        pass
    return received


def _stacked(x: object) -> object:
    """Return an array of Values as one Value."""
    return array_code("functions.shaping").stack_objects(x) if is_numpy_array(x) else x


def _require_numeric(x):
    if isinstance(x, Value) or is_number(x):
        return x
    if is_array(x):
        m = array_code("backends").backend_of(x)
        if m is not None and m.is_real(x.dtype):
            return x
    raise _not_numeric(x)


def _not_numeric(x: object) -> ArgumentError:
    return ArgumentError(f"the function must return numbers, arrays or Values, not {describe(x)}")


def _unshare(array, in_use: set[int]):
    """Return an array that only the caller holds: a copy if it was given, or already handed out."""
    m = array_code("backends").backend_of(array)
    if m is not None and (id(array) in in_use or not m.is_writeable_alone(array)):
        array = m.array(array)
    in_use.add(id(array))
    return array
