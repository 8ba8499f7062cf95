"""Probe the operations of an engine one by one: is each derivative the slope of what the operation computes?

The slopes are central differences of the operation itself. An operation whose result is not that of adjoint's is named
as well, because a program may mean another function by the same name.
"""

import inspect
import operator
from collections.abc import Callable, Iterator
from math import isclose
from typing import Any

from adjoint.cli.own_engines import Engine
from adjoint.engine.value import Value

_POINTS = ((0.7, 1.3), (2.0, 0.6), (-0.4, 1.9))
_STEP = 1e-5
_BINARY: dict[str, tuple[str, Callable]] = {
    "__add__": ("+", operator.add), "__sub__": ("-", operator.sub), "__mul__": ("*", operator.mul),
    "__truediv__": ("/", operator.truediv),
}  # fmt: skip
_REFLECTED: dict[str, tuple[str, Callable]] = {
    "__radd__": ("+", lambda a: 3.0 + a), "__rsub__": ("-", lambda a: 3.0 - a), "__rmul__": ("*", lambda a: 3.0 * a),
    "__rtruediv__": ("/", lambda a: 3.0 / a),
}  # fmt: skip


def probe(kind: Any, engine: Engine) -> list[str]:
    """Return a sentence for each operation of a class that is wrong."""
    found, derived = [], []  # operations that make nodes by themselves, and those that are made of others
    for method, name, function in _operations(kind):
        try:
            wrong = _wrong(kind, function, method)
        except Exception:  # it does not take such numbers, and so the program does not use it for them either
            continue
        if wrong:
            kept = found if engine.makes_nodes(method) else derived
            kept.append(f"{name} ({_where(engine, method)}) {wrong}")
    if not found and not derived and (wrong := _wrong_order(kind)):
        found.append(f"backward ({_where(engine, 'backward')}) {wrong}")
    return found or derived


def _where(engine: Engine, method: str) -> str:
    return f"line {engine.line_of(method)} of {engine.path}"


def _operations(kind: Any) -> Iterator[tuple[str, str, Callable]]:
    """Yield the operations that a class shares with adjoint's: the method, its name, and a function of its operands."""
    for method, (name, function) in _BINARY.items():
        if method in vars(kind):
            yield method, name, function
    for method, (name, function) in _REFLECTED.items():
        if method in vars(kind):
            yield method, f"3 {name} a", function
    if "__pow__" in vars(kind):
        for power in (3, -1, 0.5):
            yield "__pow__", f"a ** {power}", lambda a, power=power: a**power
    if "__neg__" in vars(kind):
        yield "__neg__", "-a", operator.neg
    for method, function in list(vars(kind).items()):
        if method.startswith("_") or method in ("backward", "zero_grad") or not inspect.isfunction(function):
            continue
        required = [x for x in inspect.signature(function).parameters.values() if x.default is x.empty]
        if len(required) == 1 and hasattr(Value, method):
            yield method, method, operator.methodcaller(method)


def _wrong(kind: Any, function: Callable, method: str) -> str:
    """Return what is wrong about an operation; "" if nothing is."""
    count = 2 if method in _BINARY else 1
    for point in _POINTS:
        numbers = point[:count]
        if method == "__pow__" or method in ("log", "sqrt"):
            numbers = tuple(map(abs, numbers))
        result, ours = function(*map(kind, numbers)), function(*map(Value, numbers))
        at = " and ".join(f"{x:g}" for x in numbers)
        if not _is_close(result.data, ours.data):
            return f"gives {result.data:g} at {at}, where adjoint gives {ours.data:g}"
        operands = [kind(x) for x in numbers]
        function(*operands).backward()
        for i, operand in enumerate(operands):
            slope = _slope(kind, function, numbers, i)
            if not _is_close(operand.grad, slope, 1e-5):
                of = f" with respect to operand {i + 1}" if count == 2 else ""
                return f"has the derivative {operand.grad:g}{of} at {at}, where the slope is {slope:g}"
        wrong = _wrong_when_used_twice(kind, function, numbers)
        if wrong:
            return wrong
    return ""


def _slope(kind: Any, function: Callable, numbers: tuple[float, ...], i: int) -> float:
    def shifted(h: float) -> float:
        return function(*[kind(x + h * (j == i)) for j, x in enumerate(numbers)]).data

    return (shifted(_STEP) - shifted(-_STEP)) / (2 * _STEP)


def _wrong_when_used_twice(kind: Any, function: Callable, numbers: tuple[float, ...]) -> str:
    """Return what is wrong where an operand is used by two operations, or is both operands of one."""
    once = [kind(x) for x in numbers]
    function(*once).backward()
    twice = [kind(x) for x in numbers]
    total = function(*twice) + function(*twice)
    total.backward()
    if all(_is_close(b.grad, 2 * a.grad) for a, b in zip(once, twice)):
        if len(numbers) == 1:
            return ""
        both = kind(numbers[0])
        function(both, both).backward()
        slope = (function(kind(numbers[0] + _STEP), kind(numbers[0] + _STEP)).data
                 - function(kind(numbers[0] - _STEP), kind(numbers[0] - _STEP)).data) / (2 * _STEP)  # fmt: skip
        if _is_close(both.grad, slope, 1e-5):
            return ""
    return "loses a gradient where an operand is used twice: gradients add up, write += in place of ="


def _wrong_order(kind: Any) -> str:
    """Return what is wrong about the order in which `backward` visits the nodes of a graph with shared parts."""

    def compute(number: type, x: float) -> Any:
        a = number(x)
        b = a * a
        c = b * a + b
        d = c * b + c
        return a, d * c + b

    a, root = compute(kind, 0.9)
    root.backward()
    slope = (compute(kind, 0.9 + _STEP)[1].data - compute(kind, 0.9 - _STEP)[1].data) / (2 * _STEP)
    if _is_close(a.grad, slope, 1e-5):
        return ""
    return "visits nodes in a wrong order: a node passes its gradient on before all of its uses have added to it"


def _is_close(a: Any, b: float, tolerance: float = 1e-9) -> bool:
    return isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
