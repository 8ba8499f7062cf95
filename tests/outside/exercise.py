"""A program that uses every part of the native core, which LeakSanitizer checks when it ends."""

import copy
import gc
import pickle
from operator import getitem, matmul

import numpy as np

import adjoint
from adjoint import Value, nn, no_grad, op, ops
from adjoint.engine import native
from adjoint.errors import AdjointError

assert adjoint.accelerated, "this program needs the native core"


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


def arrays() -> None:
    """Use the backward pass over arrays, the choice between arrays, and their errors."""
    w, s = Value(np.linspace(-1.0, 1.0, 12).reshape(3, 4)), Value(2.0)
    h = (w * s).relu() + w.erf() + np.float32(1.0)
    loss = (h * h).sum() + w.astype("float32").relu().sum()
    loss.backward()
    loss.backward(np.float64(2.0), retain_graph=False)
    for mask in (w.data > 0, (w.data > 0).T, np.zeros((3, 1), bool)):
        native.core.select(mask, w.data, 0.0, np.empty((3, 4)))
        native.core.select(mask, w.data, w.data.T, np.empty((3, 4)))
        native.core.select(mask, 1.0, 2.0, np.empty((3, 4), "i4"))
    left = w * 2.0
    for failing in (loss.backward, (left * left).backward, lambda: Value([w]), lambda: Value([[1.0], [1.0, 2.0]])):
        try:
            failing()
        except AdjointError:
            continue
        raise AssertionError("an error was expected")
    failing_op = (left * left).sum()
    left.data -= 1.0
    try:
        failing_op.backward()
    except AdjointError:
        pass


def loops() -> None:
    """Use the rows on arrays in both passes; sums, means and layers; and the cases that the loops leave to NumPy."""
    for rule in ops.TABLE.values():
        for dtype in ("float32", "float64"):
            x, z = Value(np.full((2, 3), 0.5, dtype)), Value(np.full((2, 3), 0.25, dtype))
            for other in (z, x, 2, 0.5, z.data, z.mean(), z.sum(axis=0)):
                y = rule(*[x, other][: len(rule.operands)])
                (y.sum() + y.mean()).backward()
                y.backward(np.ones((2, 3), dtype), retain_graph=False)
    x, w, b = Value(np.ones((4, 2))), Value(np.ones((3, 2))), Value(np.ones(3))
    for dtype in ("float32", "float64"):
        layer = adjoint.linear(x.astype(dtype), w.astype(dtype), b.astype(dtype))
        (layer * layer).sum().backward()
    adjoint.linear(x, w, b).backward(np.ones((3, 4)).T)
    adjoint.linear(x.data, w.data, b).sum().backward()
    try:
        x + w
    except AdjointError:
        pass


def operations() -> None:
    """Use products, views, reductions along an axis, softmax, assignments, and the calls that they leave to Python."""
    for dtype in ("float32", "float64"):
        h, w, b = (Value(np.full(shape, 0.5, dtype)) for shape in ((4, 3), (3, 3), (3,)))
        y = adjoint.concat([h @ w + b, h.data @ w, h.reshape(-1, 3), w.T])
        y = y.softmax(axis=-1) * y.log_softmax() - y.max(axis=0) + y.min(1, keepdims=True) + y[:, 0].sum() + y.T.sum()
        (y.mean(axis=1).sum() + y.sum(axis=0)[1]).backward()
        y.backward(np.ones(y.shape, dtype), retain_graph=False)
        w.data = w.data - 0.1 * w.grad
        wrong = [
            (getitem, h, 9),
            (adjoint.reshape, h, 5),
            (adjoint.concat, [h, b]),
            (matmul, h, h),
            (adjoint.sum, h, 7),
        ]
        for function, *given in wrong:
            try:
                function(*given)
            except AdjointError:
                pass


for _ in range(100):
    rows()
    loops()
    operations()
    graphs()
    errors()
    arrays()
    model = nn.MLP(2, [3, 1], seed=0)
    model([0.5, 0.25]).backward()
gc.collect()
