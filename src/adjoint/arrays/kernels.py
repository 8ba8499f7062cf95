"""Rows of the table compiled for arrays: each is evaluated with symbols and printed as straight-line Python.

`tanh` becomes, for arrays of any library, two functions of a few lines:

    def forward(x): return tanh(x)
    def back(g, node): y = node._data; t1 = y * y; t2 = 1.0 - t1; t2 *= g; …; return (t2,)

`back` multiplies the partial derivatives by the gradient `g` of the result and brings each product to the shape
and dtype of its operand by un-broadcasting. A subexpression that occurs twice is computed once, and the memory of
an array that is no longer needed is reused.

On half floats, a function of several steps reads its arrays as float32 and rounds once, at its end: otherwise each step
would round, and might overflow.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from adjoint.arrays.axes import common_shape, shape_of
from adjoint.arrays.backends import (
    NUMPY,
    Backend,
    are_integers,
    as_constant,
    as_integers,
    common_backend,
    is_bfloat16,
    is_half,
)
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.convert import as_operand
from adjoint.engine.mathematics.symbols import Symbol, SymbolMaths, is_composite, names_in, product, read
from adjoint.engine.native import twin
from adjoint.engine.ops import TABLE
from adjoint.engine.rule import Op

if TYPE_CHECKING:
    from adjoint.engine.mathematics.protocol import Mathematics

PLACES = {op: place for place, op in enumerate(TABLE.values())}  # the index of each row, as the native core knows it


_CHOICES = ("maximum", "minimum", "fmax", "fmin")  # their results are elements of the operands, and so have their dtype


def compute(op: Op, operands: Sequence) -> Any:
    """Return the result of `op` on plain arrays, nested lists and numbers."""
    operands = [as_operand(x) for x in operands]
    m = common_backend(operands, op.name)
    keep = op.name in _CHOICES and are_integers(operands)
    datas = [as_integers(x, m) if keep else as_constant(x, m) for x in operands]
    try:
        return m.quietly(reader(op, (False,) * len(datas), datas, m)[0], *datas)
    except Exception:
        common_shape(datas, op.name)  # raises an error of ours if the shapes do not broadcast
        raise


def reader(op: Op, variables: tuple[bool, ...], datas: Sequence, m: Backend) -> tuple[Callable, Callable]:
    """Return how to compute `op` on arrays such as `datas`, and how to pass a gradient back to the variables."""
    key = (variables, tuple(map(type, datas)))
    if halves := _halves(datas):
        key = (*key, halves)
    found = op.array_readers.get(key)
    if found is None:
        forward, back = (_compile_row if op.is_row else _interpret_rule)(op, variables, datas, m)
        if op.is_row and m is NUMPY:
            back = twin("row_back", back, PLACES[op], back)  # faster, above all for arrays of one shape
        found = op.array_readers[key] = forward, back
    return found


def _halves(datas: Sequence) -> str:
    """Return which half floats are among the operands: "half", or "bfloat16" if NumPy holds some, or nothing."""
    if not any(map(is_half, datas)):
        return ""
    return "bfloat16" if any(map(is_bfloat16, datas)) else "half"


def _widened(x, m):
    """Return an array of half floats in float32, and anything else as it is."""
    return m.astype_float32(x) if is_half(x) else x


def result_dtype(datas: Sequence, m: Backend):
    """Return the dtype of the result of an operation on arrays and numbers.

    An array without axes does not widen half floats, and float16 and bfloat16 together give float32.
    """
    arrays = [x for x in datas if hasattr(x, "dtype")]
    dtypes = [x.dtype for x in arrays]
    if halves := {x.dtype for x in arrays if is_half(x)}:
        wider = [x.dtype for x in arrays if x.shape and not is_half(x)]
        dtypes = wider or [*halves] if len(halves) == 1 else [*wider, m.xp.float32]
    return dtypes[0] if len(dtypes) == 1 else m.xp.result_type(*dtypes)


def _rounded(y, datas: Sequence, m: Backend):
    """Return the result of a row on half floats, computed in float32, in the dtype of the result."""
    dtype = result_dtype(datas, m)
    return y if y.dtype == dtype else m.astype(y, dtype)


def is_plain(x) -> bool:
    """Return whether an operand is a Python number, which takes the dtype of the arrays, and not a NumPy scalar."""
    return type(x) is float or type(x) is int


# --- a user's op: read rule by rule ---------------------------------------------------------------------


def _interpret_rule(op: Op, variables, datas, backend: Backend) -> tuple[Callable, Callable]:
    m: Any = backend  # its functions are found by name, in the namespace of the library

    def forward(*datas):
        y = op.forward(m, *[_widened(x, m) for x in datas])
        dtype = result_dtype(datas, m)
        has_number = not all(hasattr(x, "dtype") for x in datas)
        if has_number and shape_of(y) != (shape := common_shape(datas, op.name)):
            y = m.array(m.broadcast_to(y, shape))  # a number has decided which of the others is read
        if not hasattr(y, "dtype"):
            return m.xp.asarray(y, dtype=dtype)
        return y if y.dtype == dtype else m.astype(y, dtype)  # a choice between two plain numbers is a float64

    def back(g, node):
        datas = [x._data if variable else x for x, variable in zip(node._operands, variables)]
        datas = [node._numbers[i] if is_plain(x) and variables[i] else x for i, x in enumerate(datas)]
        return [
            unbroadcast(slope_times(op, i, datas, m)(g, node._data, *datas), datas[i], m) if variable else None
            for i, variable in enumerate(variables)
        ]

    return forward, back


# --- a row of the table: compiled --------------------------------------------------------------------------


def _compile_row(op: Op, variables, datas, m: Backend) -> tuple[Callable, Callable]:
    names, like = op.operands, _like(op, datas)
    body = _Body(m, like, full=names if len(names) == 1 else (), datas=dict(zip(names, datas)))
    result = body.expressions([read(op)[0]])[0]
    if body.loose:
        body.scope["shaped"] = lambda result, like: _as_array_like(result, like, m)
        result = f"shaped({result}, {like})"
    elif body.is_wide:
        body.scope["rounded"] = lambda result, *datas: _rounded(result, datas, m)
        result = f"rounded({', '.join([result, *names])})"
    forward = body.function(f"forward({', '.join(names)})", f"return {result}")
    head = {}
    for i, x in enumerate(names):
        is_number = variables[i] and is_plain(datas[i])
        head[x] = f"{x} = node._numbers[{i}]" if is_number else f"{x} = operands[{i}]{'._data' if variables[i] else ''}"
    return forward, _back(op, variables, datas, m, like, head | {"y": "y = node._data"})


def _as_array_like(result, like, m: Backend):
    """Return the result of a row with numbers among its operands, as an array like the other operands."""
    if not hasattr(result, "dtype") or not result.shape:
        result = m.broadcast_to(m.astype(m.xp.asarray(result), like.dtype), like.shape)
    return result if result.dtype == like.dtype else m.astype(result, like.dtype)


def differentiable_back(op: Op, variables, datas, m) -> Callable:
    """Return the same as `back` for Values: its results can be differentiated again."""
    key = ("differentiable", variables, tuple([is_plain(x) for x in datas]), _halves(datas))
    if key not in op.array_readers:
        head = {x: f"{x} = operands[{i}]" for i, x in enumerate(op.operands)} | {"y": "y = node"}
        back = _back(op, variables, datas, m, _like(op, datas), head)
        op.array_readers[key] = back, back
    return op.array_readers[key][1]


def slope_times(op: Op, i: int, datas: Sequence, m) -> Callable:
    """Return the function (t, y, *operands) that multiplies the partial derivative for operand `i` by `t`."""
    if not op.is_row:
        return lambda t, *given: op.partials[i](m, *[_widened(x, m) for x in given]) * _widened(t, m)
    key = ("slope", i, m, tuple([is_plain(x) for x in datas]), _halves(datas))
    if key not in op.array_readers:
        body = _Body(m, _like(op, datas), full=(), datas=dict(zip(op.operands, datas)))
        result = body.expressions([product(read(op)[1][i], Symbol("g"))])[0]
        result = "0.0 * g" if result == "0.0" else result
        made = body.function(f"slope({', '.join(('g', 'y', *op.operands))})", f"return {result}")
        op.array_readers[key] = made, made
    return op.array_readers[key][0]


def chooses(op: Op, i: int) -> bool:
    """Return whether the partial derivative for operand `i` chooses between formulas, as at a kink."""
    if not op.is_row:
        return True
    waiting = [_expand(read(op)[1][i], frozenset())]
    while waiting:
        e = waiting.pop()
        if isinstance(e, Symbol):
            if e.head in ("where", "maximum", "minimum"):
                return True
            waiting += e.operands
    return False


def _like(op: Op, datas) -> str:
    """Return the name of an array operand; plain numbers in the rule take its dtype."""
    return next((name for name, x in zip(op.operands, datas) if not is_plain(x)), "y")


def _back(op: Op, variables, datas, m, like: str, head: dict[str, str]) -> Callable:
    names, partials = op.operands, read(op)[1]
    body = _Body(m, like, full=("y", "g", *names) if len(names) == 1 else ("y", "g"), datas=dict(zip(names, datas)))
    wanted = [i for i, variable in enumerate(variables) if variable]
    products = [product(partials[i], Symbol("g")) for i in wanted]
    results = dict(zip(wanted, body.expressions(products)))
    alone = len([x for x in datas if not is_plain(x)]) == 1
    needed = {like}.union(*map(names_in, products))
    for i, c in results.items():
        x = names[i]
        if c == "0.0":  # a derivative that is zero everywhere
            results[i] = "None" if body.is_backend else f"unbroadcast(g * 0.0, {x})"
            needed.add(x)
        elif is_plain(datas[i]) or body.loose or body.is_wide:
            results[i] = f"unbroadcast({c}, {x})"
            needed.add(x)
        elif not alone:  # a single array operand has the shape of the result
            results[i] = f"{c} if {c}.shape == {x}.shape and {c}.dtype is {x}.dtype else unbroadcast({c}, {x})"
            needed.add(x)
    loads = [line for name, line in head.items() if name in needed]
    if any("operands" in line for line in loads):
        loads.insert(0, "operands = node._operands")
    body.lines[:0] = loads
    body.scope["unbroadcast"] = partial(unbroadcast, m=m)
    listed = ", ".join(results.get(i, "None") for i in range(len(names)))
    return body.function("back(g, node)", f"return ({listed},)")


_INFIX = {"+", "-", "*", "/", "<", "<=", ">", ">=", "&", "**", "%", "//"}
_IN_PLACE = {"+", "-", "*", "/"}
_NOT_FRESH = {"<", "<=", ">", ">=", "&", "equal"}
_EXACT = _NOT_FRESH | {"where", "neg", "abs", "maximum", "minimum", "floor", "ceil", "trunc", "round"}


def _rounds_once(e) -> bool:
    """Return whether an expression rounds at most once. Libraries may compute exp2 and the like in several steps."""
    rounding = {key for key in _parts(e) if key[0] not in _EXACT}
    return len(rounding) <= 1 and all(key[0] in _IN_PLACE for key in rounding)


def _parts(e) -> set:
    """Return the keys of the operations in an expression."""
    if not isinstance(e, Symbol) or not e.operands:
        return set()
    return {_key(e)}.union(*map(_parts, e.operands))


class _Body:
    """The lines of a function that computes expressions, each subexpression once."""

    def __init__(self, m, like: str, full: Sequence[str], datas: dict[str, object]):
        self.m, self.like = m, like
        self.is_backend = isinstance(m, Backend)
        self.is_wide = False  # whether half floats are computed in float32
        self.loose = False  # whether a result may be a plain number, or have the dtype of one
        self.halves = _halves(list(datas.values()))
        self.numbers = {name for name, x in datas.items() if is_plain(x)}
        self.full = set(full)  # names of arrays that have the shape of the result
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {}
        self.names: dict[object, str] = {}
        self.wide: dict[str, str] = {}  # the names of half floats in float32
        self.uses: Counter = Counter()
        self.fresh: set[str] = set()

    def expressions(self, expressions: Sequence) -> list[str]:
        """Emit the lines that compute the expressions, and return the names of the results."""
        if self.is_backend:  # Values know every row, and its own derivatives
            expressions = [_expand(e, self.m.own_rows) for e in expressions]
        if self.halves:
            self.is_wide = self.halves == "bfloat16" or not all(map(_rounds_once, expressions))
        self._count(list(expressions))
        return [self._emit(e) for e in expressions]

    def function(self, head: str, last: str) -> Callable:
        """Return the lines as a function."""
        code = "\n    ".join([f"def {head}:", *self.lines, last])
        exec(code, self.scope)
        return self.scope[head.split("(")[0]]

    def _count(self, waiting: list) -> None:
        """Count how often each subexpression is used, to know when its memory is free."""
        seen = set()
        self.uses.update(_key(e) for e in waiting)
        waiting = list(waiting)
        while waiting:
            e = waiting.pop()
            if isinstance(e, Symbol) and e.operands and _key(e) not in seen:
                seen.add(_key(e))
                self.uses.update(_key(operand) for operand in e.operands)
                waiting += e.operands

    def _emit(self, e) -> str:
        if not isinstance(e, Symbol):
            return repr(float(e))
        if not e.operands:
            return self._load(e.head)
        key = _key(e)
        if key not in self.names:
            operands = [self._emit(operand) for operand in e.operands]
            for operand in e.operands:
                self.uses[_key(operand)] -= 1
            self.names[key] = self._assign(e, operands)
        return self.names[key]

    def _load(self, name: str) -> str:
        """Return the name under which the lines read an operand, the result or the gradient."""
        if not self.is_wide or name in self.numbers:
            return name
        if name not in self.wide:
            self.scope["widened"] = partial(_widened, m=self.m)
            self.wide[name] = f"{name}_32"
            self.lines.append(f"{name}_32 = widened({name})")
            if name in self.full:
                self.full.add(f"{name}_32")
        return self.wide[name]

    def _assign(self, e: Symbol, operands: list[str]) -> str:
        is_full = any(operand in self.full for operand in operands)
        target = self._reusable(e, operands)
        if target:
            other = operands[1] if operands[0] == target else operands[0]
            self.lines.append(f"{target} {e.head}= {other}")
            return target
        name = f"t{len(self.names) + 1}"
        self.lines.append(f"{name} = {self._code(e, operands)}")
        if is_full:
            self.full.add(name)
            if e.head not in _NOT_FRESH and not self._is_decided(e):
                self.fresh.add(name)
        return name

    def _is_decided(self, e: Symbol) -> bool:
        """Return whether an expression is a choice that depends on plain numbers alone."""
        return e.head == "where" and names_in(e.operands[0]) <= self.numbers

    def _is_number(self, e) -> bool:
        """Return whether an expression is a plain number: a constant, or an operand that is a number and no Value."""
        return not isinstance(e, Symbol) or (self.is_backend and not e.operands and e.head in self.numbers)

    def _reusable(self, e: Symbol, operands: list[str]) -> str:
        """Return the name of an operand whose memory can take the result, or an empty string."""
        if e.head not in _IN_PLACE:
            return ""
        candidates = (0, 1) if e.head in "+*" else (0,)
        for i in candidates:
            if operands[i] in self.fresh and not self.uses[_key(e.operands[i])]:
                return operands[i]
        return ""

    def _code(self, e: Symbol, operands: list[str]) -> str:
        if e.head == "neg":
            return f"-{operands[0]}"
        if e.head == "equal" and self.is_backend:
            return f"{operands[0]} == {operands[1]}"
        if e.head in _INFIX:
            return f"{operands[0]} {e.head} {operands[1]}"
        self.loose |= names_in(e) <= self.numbers or self._is_decided(e)
        if self._is_decided(e):
            return f"({operands[1]} if {operands[0]} else {operands[2]})"
        if e.head == "where" and all(map(self._is_number, e.operands[1:])):
            self.scope["select"] = self.m.select
            return f"select({', '.join([*operands, self._load(self.like)])})"
        self.scope[e.head] = getattr(self.m, e.head)
        return f"{e.head}({', '.join(operands)})"


def _key(e):
    return (e.head, *map(_key, e.operands)) if isinstance(e, Symbol) else float(e)


def _expand(e, kept: frozenset[str]):
    """Return an expression with composite rows such as sigmoid written out: not every library has them."""
    if not isinstance(e, Symbol) or not e.operands:
        return e
    operands = [_expand(operand, kept) for operand in e.operands]
    if is_composite(e.head) and e.head not in kept:
        row = TABLE[e.head]
        return _expand(row.forward(cast("Mathematics", SymbolMaths()), *operands), kept)
    if e.head == "where" and _is_positive_part(*operands):
        return Symbol("maximum", operands[2], 0.0)
    return Symbol(e.head, *operands)


def _is_positive_part(condition, x, z) -> bool:
    """Return whether `where(c, x, z)` is `z if z > 0 else 0`, for which `maximum` is faster."""
    return isinstance(condition, Symbol) and _key(condition) == ("<=", _key(z), 0.0) and x == 0.0
