"""Numbers with error bounds: how far another implementation of the rules may be from the engine's results.

A rule evaluated with `Bounded` operands gives the engine's result and a bound. Functions of a mathematics library may
be off by `ULPS` units in the last place; arithmetic on the same operands may not. Differences of operands propagate.
"""

import math
from collections.abc import Callable

from adjoint.engine.mathematics import floats
from adjoint.engine.rule import Op
from adjoint.errors.given import Operand

ULPS = 4
_EXACT = {"abs", "sqrt", "floor", "ceil", "trunc", "round", "maximum", "minimum", "copysign", "fmod", "remainder",
          "floor_divide"}  # fmt: skip


class Undecided(Exception):
    """A comparison of numbers that are closer than their bounds."""


class Bounded(Operand):
    """A number `x` of the engine, which the other implementation computes within `bound`."""

    __slots__ = ("bound", "x")

    def __init__(self, x: float, bound: float = 0.0):
        self.x, self.bound = x, bound

    def _apply(self, op: Op, operands):
        return op.forward(MATHEMATICS, *op.complete(operands))

    def __neg__(self):
        return Bounded(-self.x, self.bound)

    def __bool__(self):
        raise TypeError("a rule compares numbers")

    def allows(self, other: float) -> bool:
        """Return whether the other implementation may compute this number.

        NaN, infinities and the sign of a zero must be the same, unless the bound leaves them open.
        """
        if self.x == other == 0 and self.bound <= ULPS * math.ulp(0.0):
            return math.copysign(1.0, self.x) == math.copysign(1.0, other)
        return self.bound == math.inf or _distance(self.x, other) <= self.bound


def _distance(x: float, z: float) -> float:
    if x == z or (x != x and z != z):
        return 0.0
    return abs(x - z) if math.isfinite(x) and math.isfinite(z) else math.inf


def _bounded(x) -> Bounded:
    return x if isinstance(x, Bounded) else Bounded(float(x))


def apply(function: Callable[..., float], ulps: int, *operands) -> Bounded:
    """Apply a function that the other implementation computes within `ulps` at the same operands."""
    xs = [_bounded(x) for x in operands]
    y = function(*[x.x for x in xs])
    room = ulps * math.ulp(y) if math.isfinite(y) else 0.0
    if not any(x.bound for x in xs):
        return Bounded(y, room)
    if any(x.bound == math.inf for x in xs):
        return Bounded(y, math.inf)
    corners = [()]
    for x in xs:
        corners = [(*c, end) for c in corners for end in ({x.x - x.bound, x.x + x.bound} if x.bound else {x.x})]
    farthest = max(_distance(y, function(*corner)) for corner in corners)
    return Bounded(y, farthest + room + (math.ulp(y) if math.isfinite(y) else 0.0))


def _operator(function: Callable[..., float], reflected: bool = False):
    return (lambda x, z: apply(function, 0, z, x)) if reflected else (lambda x, z: apply(function, 0, x, z))


def _comparison(function: Callable[[float, float], bool]):
    def compare(x, z):
        x, z = _bounded(x), _bounded(z)
        bound = x.bound + z.bound
        if bound and not _distance(x.x, z.x) > bound:
            raise Undecided
        return function(x.x, z.x)

    return compare


for _name, _function in {
    "add": lambda x, z: x + z, "sub": lambda x, z: x - z, "mul": lambda x, z: x * z, "truediv": floats.divide,
}.items():  # fmt: skip
    setattr(Bounded, f"__{_name}__", _operator(_function))
    setattr(Bounded, f"__r{_name}__", _operator(_function, reflected=True))
for _name, _function in {"lt": float.__lt__, "le": float.__le__, "gt": float.__gt__, "ge": float.__ge__}.items():
    setattr(Bounded, f"__{_name}__", _comparison(_function))


class _Mathematics:
    """The `m` of a rule that is evaluated with bounds."""

    where, equal = staticmethod(floats.where), staticmethod(_comparison(float.__eq__))

    def __getattr__(self, name: str) -> Callable:
        function, ulps = getattr(floats, name), 0 if name in _EXACT else ULPS
        found = lambda *xs: apply(function, ulps, *xs)  # noqa: E731
        setattr(self, name, found)
        return found


MATHEMATICS = _Mathematics()


def forward(op: Op, *operands: Bounded) -> Bounded:
    """Return the result of a rule; its bound is infinite if the rule makes a choice that the bounds leave open."""
    return _read(op.forward, *operands)


def partial(op: Op, i: int, y: Bounded, *operands: Bounded) -> Bounded:
    """Return the partial derivative of a rule for operand `i`."""
    return _read(op.partials[i], y, *operands)


def _read(rule: Callable, *operands: Bounded) -> Bounded:
    try:
        return _bounded(rule(MATHEMATICS, *operands))
    except Undecided:
        return Bounded(math.nan, math.inf)
