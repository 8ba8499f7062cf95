"""Functions into functions: grad, value_and_grad, vjp, jvp, jacobian, hessian, hvp; checkpoint, custom_vjp.

They take functions of numbers, arrays and nested lists, tuples and dicts of them. Inside, the function sees Values;
outside, numbers go in and numbers come out. Given Values, or called inside another transform, they return Values that
can be differentiated again, so that they nest to any order:

    grad(grad(grad(f)))(2.0)
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from adjoint.arrays.array_rule import ArrayOp, array_op
from adjoint.arrays.backends import NUMPY, as_constant, backend_of, common_backend, total
from adjoint.arrays.backward_pass import pull, tick
from adjoint.arrays.forward_mode import push
from adjoint.arrays.several_results import Bundle, pick
from adjoint.arrays.tensor import Tensor, apply_array_op, data_of, make_leaf
from adjoint.engine import ops
from adjoint.engine.modes import Switch, modes
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingRuleError, ShapeError
from adjoint.errors.given import described, is_array, is_number
from adjoint.transforms.trees import leaves, leaves_like, mapped, rebuilt, same_form

_identity = array_op("identity", lambda m, x: x, lambda m, g, y, x: g, linear="jointly", view=True)


# --- variables in, numbers out ------------------------------------------------------------------------------


class _Call:
    """One evaluation of a function with some of its arguments as variables."""

    def __init__(self, function: Callable, arguments: tuple, options: dict, argnums: Sequence[int], has_aux: bool):
        self.wanted = tuple(arguments[i] for i in argnums)
        self.given = leaves(self.wanted)
        if not self.given:
            raise ArgumentError(f"there is nothing to differentiate for in {described(self.wanted)}")
        self.outside_records = modes.recording
        with Switch("recording", True):
            self.variables = [_variable(x) for x in self.given]
            replaced = rebuilt(self.wanted, self.variables)
            arguments = tuple(replaced[argnums.index(i)] if i in argnums else x for i, x in enumerate(arguments))
            result = function(*arguments, **options)
        for variable, given in zip(self.variables, self.given):
            if not isinstance(given, Value):
                variable._constant = True  # from now on; while the function ran it was a variable to all inside
        self.aux = None
        if has_aux:
            if not isinstance(result, tuple) or len(result) != 2:
                raise ArgumentError(f"with has_aux the function returns (result, aux), not {described(result)}")
            result, self.aux = result
        if not leaves([result]):
            raise ArgumentError(f"the function must return numbers, arrays or Values, not {described(result)}")
        self.result = result
        self.results = [x if isinstance(x, Value) else _constant(x) for x in leaves(result)]
        self.targets = set(self.variables)
        among = any(isinstance(x, Value) for x in self.given) or self._depends_on_others()
        self.differentiable = self.outside_records and among

    def _depends_on_others(self) -> bool:
        """Return whether a result depends on Values that the function did not get as arguments."""
        seen, waiting = set(self.variables), [x for x in self.results if isinstance(x, Value)]
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if not node.parents and not node._constant:
                return True
            waiting += node.parents
        return False

    def outside(self, x: Any) -> Any:
        """Return a result as the caller sees it: a plain number or array, unless it may be differentiated."""
        if self.differentiable or not isinstance(x, Value):
            return x
        return _leaf(data_of(x)) if any(isinstance(given, Value) for given in self.given) else data_of(x)

    def pull(self, cotangents: Sequence) -> list:
        """Return the gradients of the variables, given the gradients of the results."""
        received: dict[Value, Any] = {}
        among = any(isinstance(c, Value) for c in cotangents)
        differentiable = self.outside_records and (self.differentiable or among)
        with Switch("recording", True):
            for result, cotangent in zip(self.results, cotangents):
                if isinstance(result, Value) and cotangent is not None:
                    seed = _as_value(cotangent) if differentiable else data_of(cotangent)
                    found = NUMPY.quietly(pull, result, seed, create_graph=differentiable, targets=self.targets)
                    for node in self.targets & found.keys():
                        received[node] = found[node] if node not in received else received[node] + found[node]
        handed_out = {id(data_of(c)) for c in cotangents}
        return [self._gradient(x, received.get(x), differentiable, handed_out) for x in self.variables]

    def _gradient(self, variable: Value, gradient, differentiable: bool, handed_out: set[int]) -> Any:
        if gradient is None:
            gradient = _zeros_like(variable)
        elif not isinstance(variable, Tensor) and not isinstance(gradient, Value):
            gradient = float(gradient)
        elif not isinstance(gradient, Value):
            gradient = _own(gradient, handed_out)
        if any(isinstance(given, Value) for given in self.given) or differentiable:
            return _as_value(gradient)
        return gradient

    def push(self, tangents: Sequence) -> list:
        """Return the tangents of the results, given those of the variables."""
        moving = dict(zip(self.variables, tangents))
        among = any(isinstance(t, Value) for t in tangents)
        differentiable = self.outside_records and (self.differentiable or among)
        if not differentiable:
            moving = {x: data_of(t) for x, t in moving.items()}
        with Switch("recording", True):
            found = NUMPY.quietly(push, self.results, moving, differentiable)
        handed_out = {id(data_of(t)) for t in tangents}
        return [
            _zeros_like(x) if t is None else self._result(t, differentiable, handed_out)
            for x, t in zip(self.results, found)
        ]

    def _result(self, tangent, differentiable: bool, handed_out: set[int]) -> Any:
        if not isinstance(tangent, (Value, float)):
            tangent = _own(tangent, handed_out)
        if differentiable or not any(isinstance(x, Value) for x in self.given):
            return tangent
        return _as_value(tangent)


def _variable(x: Any) -> Value:
    """Return a fresh variable with the number or array of `x`; it still depends on `x` if that is a Value."""
    if isinstance(x, Value):
        variable = _identity(x) if isinstance(x, Tensor) else ops.mul(x, 1.0)
        variable._is_boundary = True  # nobody inside the transform looks behind it
        return variable
    if is_number(x) and not hasattr(x, "__setitem__"):  # which an array without axes has
        return Value(x)
    if is_array(x) or is_number(x):
        m = common_backend([x], "a transform")
        return make_leaf(as_constant(x, m, weak=False))
    raise ArgumentError(
        f"a derivative is taken for numbers, arrays and nested lists, tuples and dicts of them, not {described(x)}"
    )


def _constant(x: Any) -> Any:
    if is_number(x) or is_array(x):
        return x
    raise ArgumentError(f"the function must return numbers, arrays or Values, not {described(x)}")


def _as_value(x: Any) -> Value:
    return x if isinstance(x, Value) else _leaf(x)


def _leaf(data: Any) -> Value:
    """Return a Value that stands for a constant: nothing around a function that uses it is a variable of it."""
    leaf = make_leaf(data) if hasattr(data, "dtype") else Value(data)
    leaf._constant = True
    return leaf


def _own(array, handed_out: set[int]) -> Any:
    """Return an array that is the caller's alone: not one that he gave, or has got already."""
    m = backend_of(array)
    if m is not None and (id(array) in handed_out or not m.is_writeable_alone(array)):
        array = m.array(array)
    handed_out.add(id(array))
    return array


def _zeros_like(x: Any) -> Any:
    data = data_of(x)
    return common_backend([data], "a transform").zeros_like(data) if hasattr(data, "dtype") else 0.0


def _argnums(argnums, count: int, who: str) -> tuple[int, ...]:
    numbers = tuple(argnums) if isinstance(argnums, Iterable) else (argnums,)
    for i in numbers:
        if not hasattr(i, "__index__") or not -count <= i < count:
            raise ArgumentError(f"{who}: argnums={argnums!r}, but the function was called with {count} arguments")
    found = tuple(i % count for i in numbers)
    if len(set(found)) < len(found):
        raise ArgumentError(f"{who}: argnums={argnums!r} names an argument twice")
    return found


def _require_function(function, who: str) -> None:
    if not callable(function):
        raise ArgumentError(f"{who} needs a function, not {described(function)}")


# --- reverse mode ---------------------------------------------------------------------------------------------


def value_and_grad(function: Callable, argnums: Any = 0, *, has_aux: bool = False) -> Callable:
    """Return a function that gives the value of `function` and its gradient, in the form of the arguments.

    With `has_aux` the function returns (value, aux), and so does this one in the place of the value.

    >>> value_and_grad(lambda x: x ** 3)(2.0)
    (8.0, 12.0)
    """
    _require_function(function, "value_and_grad")

    @functools.wraps(function)
    def differentiated(*arguments, **options):
        call = _Call(function, arguments, options, _argnums(argnums, len(arguments), "grad"), has_aux)
        if isinstance(call.result, (list, tuple, dict)) or _size(call.result) != 1:
            shape = getattr(call.result, "shape", None)
            what = described(call.result) if shape is None else f"an array of shape {shape}"
            raise ShapeError(f"grad needs a function that returns one number, not {what}; use jacobian, or vjp")
        gradients = call.pull([_ones_like(call.results[0])])
        found = rebuilt(call.wanted, gradients)
        value = call.outside(call.result)
        aux = _mapped_aux(call)
        return (value, aux) if has_aux else value, found if isinstance(argnums, Iterable) else found[0]

    return differentiated


def grad(function: Callable, argnums: Any = 0, *, has_aux: bool = False) -> Callable:
    """Return the function that computes the gradient of `function` for the arguments in `argnums`.

    The gradient has the form of the argument: a number, an array, or nested lists, tuples and dicts. It can be taken
    again, to any order. With `has_aux` it comes with what the function returned beside its value.

    >>> grad(grad(grad(lambda x: x ** 4)))(2.0)
    48.0
    """
    _require_function(function, "grad")
    both = value_and_grad(function, argnums, has_aux=has_aux)

    @functools.wraps(function)
    def gradient(*arguments, **options):
        value, found = both(*arguments, **options)
        return (found, value[1]) if has_aux else found

    return gradient


def vjp(function: Callable, *primals, has_aux: bool = False) -> tuple:
    """Return the value at `primals`, and a function from a gradient of the value to those of the primals.

    >>> value, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> value, pullback(10.0)
    (6.0, (30.0, 20.0))
    """
    _require_function(function, "vjp")
    call = _Call(function, primals, {}, range(len(primals)), has_aux)

    def pullback(cotangent):
        if not same_form(call.result, cotangent):
            raise ShapeError(f"the gradient must have the form of the result, {described(call.result)}")
        cotangents = [_fitted(c, x, "the gradient") for c, x in zip(leaves_like(call.result, cotangent), call.results)]
        return tuple(rebuilt(call.wanted, call.pull(cotangents)))

    value = mapped(call.outside, call.result)
    return (value, pullback, _mapped_aux(call)) if has_aux else (value, pullback)


def _fitted(given, like, who: str) -> Any:
    """Return a cotangent or tangent as an array or number like the value that it belongs to."""
    if not isinstance(like, Tensor) and not is_array(like):
        if isinstance(given, Value) or is_number(given):
            return given
        raise ShapeError(f"{who} of a number is a number, not {described(given)}")
    data = data_of(like)
    m = common_backend([data], who)
    if not isinstance(given, Value):
        if not is_number(given) and not is_array(given):
            raise ShapeError(f"{who} is a number or an array of shape {tuple(data.shape)}, not {described(given)}")
        given = m.astype(m.xp.asarray(as_constant(given, m, data.dtype)), data.dtype)
    if tuple(getattr(given, "shape", ())) != tuple(data.shape):
        raise ShapeError(f"{who} has the shape {tuple(getattr(given, 'shape', ()))}; {tuple(data.shape)} is needed")
    return given


def _mapped_aux(call: _Call) -> Any:
    return mapped(call.outside, call.aux)


def _ones_like(x: Any) -> Any:
    data = data_of(x)
    return common_backend([data], "grad").ones_like(data) if hasattr(data, "dtype") else 1.0


def _size(x: Any) -> int:
    size = 1
    for length in getattr(data_of(x), "shape", ()):
        size *= length
    return size


# --- forward mode ----------------------------------------------------------------------------------------------


def jvp(function: Callable, primals, tangents, *, has_aux: bool = False) -> tuple:
    """Return the value at `primals`, and how fast it changes as they move along `tangents`.

    Forward mode: one sweep beside the computation. Both are tuples, one entry for each argument; a single argument
    may be given bare.

    >>> jvp(lambda x: x ** 3, (2.0,), (1.0,))
    (8.0, 12.0)
    """
    _require_function(function, "jvp")
    primals, tangents = _tuples(primals, tangents, "jvp")
    call = _Call(function, primals, {}, range(len(primals)), has_aux)
    moved = [_fitted(t, x, "a tangent") for t, x in zip(leaves_like(primals, tangents), call.variables)]
    tangent = rebuilt(call.result, call.push(moved))
    value = mapped(call.outside, call.result)
    return (value, tangent, _mapped_aux(call)) if has_aux else (value, tangent)


def _tuples(primals, tangents, who: str) -> tuple[tuple, tuple]:
    if not isinstance(primals, (tuple, list)):
        primals, tangents = (primals,), (tangents,)
    if not same_form(primals, tangents):
        raise ArgumentError(f"{who}: tangents have the form of the primals: one for each, nested alike")
    return tuple(primals), tuple(tangents)


def hvp(function: Callable, primals, tangents) -> Any:
    """Return the product of the Hessian with a vector, without the Hessian: forward mode over reverse mode.

    >>> import numpy as np
    >>> hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    _require_function(function, "hvp")
    single = not isinstance(primals, (tuple, list))
    primals, tangents = _tuples(primals, tangents, "hvp")
    gradient = grad(function, tuple(range(len(primals))))
    found = jvp(gradient, primals, tangents)[1]
    return found[0] if single else found


# --- whole matrices of derivatives --------------------------------------------------------------------------------


def jacobian(function: Callable, argnums: Any = 0, *, mode: str = "auto") -> Callable:
    """Return the function that computes all derivatives of each result for each element of the arguments.

    For an array result of shape S and an argument of shape A it is an array of shape S + A; structures of results and
    arguments give nested structures. `mode` is "reverse" (a pass for each result), "forward" (one for each element of
    the arguments) or "auto", which takes the cheaper.

    >>> import numpy as np
    >>> jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    _require_function(function, "jacobian")
    if mode not in ("auto", "reverse", "forward"):
        raise ArgumentError(f"jacobian: mode is 'auto', 'reverse' or 'forward', not {mode!r}")

    @functools.wraps(function)
    def jacobian_of(*arguments, **options):
        call = _Call(function, arguments, options, _argnums(argnums, len(arguments), "jacobian"), False)
        results, inputs = sum(map(_size, call.results)), sum(map(_size, call.variables))
        forward = mode == "forward" or (mode == "auto" and inputs < results)
        blocks = (_blocks_forward if forward else _blocks_reverse)(call)
        single = not isinstance(argnums, Iterable)
        rows = []
        for row in blocks:
            found = rebuilt(call.wanted, row)
            rows.append(found[0] if single else found)
        return rebuilt(call.result, rows)

    return jacobian_of


def _blocks_reverse(call: _Call) -> list[list]:
    """Return the derivatives of each result for each variable, by a backward pass for each element of a result."""
    blocks = []
    for k, result in enumerate(call.results):
        rows = []
        for seed in _units(result):
            cotangents: list = [None] * len(call.results)
            cotangents[k] = seed
            rows.append(call.pull(cotangents))
        blocks.append([_stacked(column, result, x, 0) for x, column in _columns(rows, call.variables)])
    return blocks


def _blocks_forward(call: _Call) -> list[list]:
    """Return the same by a sweep for each element of a variable."""
    blocks: list[list] = [[] for _ in call.results]
    for i, variable in enumerate(call.variables):
        columns = []
        for seed in _units(variable):
            tangents = [seed if k == i else _zeros_like(x) for k, x in enumerate(call.variables)]
            columns.append(call.push(tangents))
        for k, (result, found) in enumerate(_columns(columns, call.results)):
            blocks[k].append(_stacked(found, result, variable, -1))
    return blocks


def _columns(rows: list[list], owners: Sequence) -> list[tuple[Any, list]]:
    return [(owner, [row[i] for row in rows]) for i, owner in enumerate(owners)]


def _units(x: Any) -> Iterable:
    """Yield arrays like `x` that are zero but for a one, at each element in turn."""
    data = data_of(x)
    if not hasattr(data, "dtype"):
        yield 1.0
        return
    m = common_backend([data], "jacobian")
    rows = m.reshape(m.eye(_size(x), data), (_size(x), *data.shape))
    for i in range(_size(x)):
        yield rows[i]


def _stacked(parts: list, result: Any, variable: Any, axis: int) -> Any:
    """Return the derivatives of all elements as one array: the axes of the result, then those of the variable."""
    shape = (*getattr(data_of(result), "shape", ()), *getattr(data_of(variable), "shape", ()))
    if not shape:
        return parts[0]
    from adjoint.arrays.functions.shaping import reshape, stack

    if not parts:
        like = data_of(result if hasattr(data_of(result), "dtype") else variable)
        return common_backend([like], "jacobian").zeros(shape, like)
    inner = len(getattr(data_of(parts[0]), "shape", ()))
    return reshape(stack(parts, 0 if axis == 0 else inner), shape)


def hessian(function: Callable, argnums: Any = 0) -> Callable:
    """Return the function that computes all second derivatives, by forward mode over reverse mode.

    >>> import numpy as np
    >>> hessian(lambda x: (x[0] * x[1]) ** 2)(np.array([1.0, 2.0]))
    array([[8., 8.],
           [8., 2.]])
    """
    _require_function(function, "hessian")
    return jacobian(grad(function, argnums), argnums, mode="forward")


# --- a user's own rule, and recomputing -----------------------------------------------------------------------------


class _CustomOp(ArrayOp):
    """An operation that a user wrote: any code forward, and its own rule backward."""

    __slots__ = ("rule",)

    def __init__(self, function: Callable, rule: Callable, jvp: Callable | None):
        forward_mode = None if jvp is None else lambda m, ts, y, *xs: jvp(ts, y, *xs)
        name = getattr(function, "__name__", "custom")
        super().__init__(name, lambda m, *xs: _as_array(m, function(*xs), name), (), None, forward_mode, "", "xy", True)
        self.rule = rule

    def contributions(self, m, g, y, operands, static, wanted):
        found = self.rule(g, y, *operands)
        found = found if isinstance(found, (tuple, list)) else (found,)
        for part, x in zip(found, operands):
            self._require_fitting(part, x)
        if len(found) != len(operands):
            raise ArgumentError(
                f"the vjp of {self.name} returned {len(found)} gradients; it has {len(operands)} operands: one for "
                "each, None where there is none"
            )
        return [found[i] for i in wanted]

    def _require_fitting(self, gradient, x) -> None:
        shape, own = (tuple(getattr(data_of(a), "shape", ())) for a in (gradient, x))
        is_known = gradient is None or isinstance(gradient, Value) or is_number(gradient) or is_array(gradient)
        extra = len(shape) - len(own)
        if not is_known:
            raise ArgumentError(f"the vjp of {self.name} returned {described(gradient)}; a gradient is an array")
        if (extra < 0 and shape) or any(a not in (1, b) for a, b in zip(own, shape[max(extra, 0) :])):
            raise ShapeError(
                f"the vjp of {self.name} returned a gradient of shape {shape} for an operand of shape {own}"
            )


def _as_array(m, y, name: str) -> Any:
    if is_array(y):
        return y
    if is_number(y):
        return m.xp.asarray(y, dtype=m.default_float())
    raise ArgumentError(f"{name} must return an array or a number, not {described(y)}")


class custom_vjp:
    """A function with a rule of your own for its gradient.

    The function is any code on plain arrays and numbers. Its rule gets the gradient of the result, the result, and the
    operands, and returns the gradient of each operand (None for one without). It is called with Values where
    derivatives are taken again, so written in operators and adjoint's functions it differentiates to any order.

    >>> from adjoint import Value
    >>> @custom_vjp
    ... def double(x):
    ...     return 2 * x
    >>> @double.vjp
    ... def rule(g, y, x):
    ...     return 100 * g  # not its derivative, but what we ask for
    >>> grad(double)(1.0)
    100.0
    """

    def __init__(self, function: Callable, vjp: Callable | None = None, jvp: Callable | None = None):
        _require_function(function, "custom_vjp")
        for rule in (vjp, jvp):
            if rule is not None:
                _require_function(rule, "custom_vjp, for a rule,")
        self._function, self._vjp, self._jvp = function, vjp, jvp
        self._op: _CustomOp | None = None
        functools.update_wrapper(self, function)

    def vjp(self, rule: Callable) -> Callable:
        """Set the rule for reverse mode: `rule(g, y, *operands)` returns a gradient for each operand."""
        _require_function(rule, "custom_vjp, for a rule,")
        self._vjp, self._op = rule, None
        return rule

    def jvp(self, rule: Callable) -> Callable:
        """Set the rule for forward mode: `rule(tangents, y, *operands)` returns the tangent of the result."""
        _require_function(rule, "custom_vjp, for a rule,")
        self._jvp, self._op = rule, None
        return rule

    def __call__(self, *operands) -> Any:
        if self._vjp is None:
            name = getattr(self, "__name__", "the function")
            raise MissingRuleError(f"{name} has no rule yet: decorate it with @{name}.vjp")
        if self._op is None:
            self._op = _CustomOp(self._function, self._vjp, self._jvp)
        return apply_array_op(self._op, operands, {})


class _RecomputedOp(ArrayOp):
    """A part of a computation that keeps its inputs alone, and is run again when its gradient is needed.

    Its operands are the Values among the arguments, and then those that the function took from around it.
    """

    __slots__ = ("arguments", "captured", "function", "structure")

    def __init__(self, function: Callable, structure: Any, captured: list[Value]):
        super().__init__("checkpoint", None, (), None, self._along, "", "xy", False)
        self.function, self.structure, self.captured = function, structure, captured
        self.arguments = sum(isinstance(x, Value) for x in leaves(structure))

    def run(self, values: Sequence) -> list:
        """Run the function on other Values in the place of those that it was given; return its results."""
        replacements = iter(values)
        given = [next(replacements) if isinstance(x, Value) else x for x in leaves(self.structure)]
        arguments, options = rebuilt(self.structure, given)
        return [x for x in leaves(self.function(*arguments, **options)) if isinstance(x, Value)]

    def contributions(self, m, g, y, operands, static, wanted):
        create_graph = any(isinstance(x, Value) for x in operands)
        with Switch("recording", True):
            variables = [*map(_variable, operands[: self.arguments]), *self.captured]
            results = self.run(variables[: self.arguments])
            received: dict[Value, Any] = {}
            for result, part in zip(results, g if isinstance(g, Bundle) else (g,)):
                if part is not None:
                    found = pull(result, part, create_graph=create_graph, targets=set(variables))
                    for node in found.keys() & set(variables):
                        received[node] = total(received.get(node), found[node])
        return [received.get(variables[i]) for i in wanted]

    def _along(self, m, ts, y, *operands):
        differentiable = any(isinstance(x, Value) for x in operands)
        with Switch("recording", True):
            variables = [*map(_variable, operands[: self.arguments]), *self.captured]
            results = self.run(variables[: self.arguments])
            moving = {x: t for x, t in zip(variables, ts) if t is not None}
            tangents = push(results, moving, differentiable)
        found = [_zeros_like(x) if t is None else t for x, t in zip(results, tangents)]
        return tuple(found) if len(found) > 1 else found[0]


def checkpoint(function: Callable) -> Callable:
    """Return a function that computes the same, but forgets what lies between, and computes it again in backward.

    It trades time for memory: of all that the function computes only its arguments and results are kept.

    >>> from adjoint import Value
    >>> x = Value([1.0, 2.0])
    >>> checkpoint(lambda x: x.exp().sin())(x).sum().backward()
    >>> bool((x.grad == grad(lambda x: x.exp().sin().sum())(x.data)).all())
    True
    """
    _require_function(function, "checkpoint")

    @functools.wraps(function)
    def checkpointed(*arguments, **options):
        if not modes.recording:
            return function(*arguments, **options)
        structure = (arguments, options)
        start, given = tick(), leaves(structure)
        inside = [_leaf(data_of(x)) if isinstance(x, Value) else x for x in given]
        result = function(*rebuilt(structure, inside)[0], **rebuilt(structure, inside)[1])
        results = leaves(result)
        captured = _captured(results, [x for x in inside if isinstance(x, Value)], start)
        operands = (*[x for x in given if isinstance(x, Value)], *captured)
        datas = [data_of(x) for x in results if isinstance(x, Value)]
        if not operands or not datas:
            return result
        op = _RecomputedOp(function, structure, captured)
        node = _recorded(op, operands, tuple(datas) if len(datas) > 1 else datas[0])
        parts = iter([pick(node, k) for k in range(len(datas))] if len(datas) > 1 else [node])
        return rebuilt(result, [next(parts) if isinstance(x, Value) else x for x in results])

    return checkpointed


def _recorded(op: ArrayOp, operands: tuple, data: Any) -> Tensor:
    from adjoint.arrays.tensor import array_back, make_array_node

    if not hasattr(data, "dtype") and not isinstance(data, tuple):
        data = common_backend([data], op.name).xp.asarray(data)
    return make_array_node(data, op, operands, {}, array_back)


def _captured(results: Sequence, own: Sequence[Value], start: int) -> list[Value]:
    """Return the Values from around a function that its results depend on: what it did not compute itself."""
    captured, seen = [], set(own)
    waiting = [x for x in results if isinstance(x, Value)]
    while waiting:
        node: Any = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        is_older = isinstance(node, Tensor) and node._serial < start
        if is_older or not node.parents or node._is_boundary:
            captured += [] if node._constant else [node]
        else:
            waiting += node.parents
    return captured
