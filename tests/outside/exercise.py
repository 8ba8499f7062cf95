"""A program that goes through every part of the native core, for LeakSanitizer to look at when it ends."""

import copy
import gc
import pickle

import adjoint
from adjoint import Value, nn, no_grad, op, ops
from adjoint.errors import AdjointError

assert adjoint.accelerated, "this program is about the native core"


def cubed(m, x):
    return x * x * x


def slope(m, y, x):
    return 3 * x * x


cube = op("cube", cubed, slope)


class Kind(Value):
    pass


def rows() -> None:
    for row, rule in ops.TABLE.items():
        values = [Value(0.5), Value(1.5)][: len(rule.operands)]
        rule(*values).backward()
        rule(values[0], *[2.0] * (len(values) - 1)).backward(retain_graph=False)
        with no_grad():
            rule(*values)
        if hasattr(Value, row):
            getattr(values[0], row)(*values[1:])


def graphs() -> None:
    a = Value(2.0, label="a")
    by_hand = Value(4.0, (a,), "f", label="by hand")
    by_hand._backward = lambda: (by_hand, a)
    total = cube(a) * by_hand + Kind(1.0) / a - 3 ** a.relu()
    total.backward()
    total.note = [total, a]
    squared = a * a + cube(a)
    squared.backward(create_graph=True)
    a.grad.backward()
    a.zero_grad()
    pickle.loads(pickle.dumps(squared))
    copy.deepcopy(squared)
    squared.backward(retain_graph=False)
    sorted([a, Value(1.0)])
    str(a), vars(a), a.parents, total.op, total._operands, total._derivatives, total._prev


def errors() -> None:
    a = Value(1.0)
    freed = a * a
    freed.backward(retain_graph=False)
    for failing in (
        lambda: Value("x"),
        lambda: Value(1.0, (2.0,)),
        lambda: a + object(),
        lambda: a ** "2",
        lambda: setattr(a, "data", None),
        lambda: setattr(a, "grad", "x"),
        lambda: freed.backward(),
        lambda: Value(1.0, (a,), "f").backward(),
        lambda: a.maximum("x"),
    ):
        try:
            failing()
        except AdjointError:
            continue
        raise AssertionError("an error was expected")


for _ in range(100):
    rows()
    graphs()
    errors()
    model = nn.MLP(2, [3, 1], seed=0)
    model([0.5, 0.25]).backward()
gc.collect()
