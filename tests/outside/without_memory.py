"""Operations and backward passes without free memory: each is a MemoryError that leaves everything as it was.

    MALLOC_MMAP_THRESHOLD_=65536 python without_memory.py

The variable lets malloc return the memory of arrays to the system at once. Prints the number of operations.
"""

import resource
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import adjoint
from adjoint import Value, nn, op, optim

SIZE = 1 << 19  # elements of an array; one more array does not fit


@contextmanager
def no_memory(spare: int = 1 << 20):
    """Limit the memory of this process to what it has now, and `spare` bytes."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + spare, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def require_memory_error(name: str, action: Callable[[], object], spare: int = 1 << 20) -> None:
    try:
        with no_memory(spare):
            action()
    except MemoryError:
        return
    raise AssertionError(f"{name}: worked without memory")


def arrays() -> int:
    x, square = Value(np.ones(SIZE)), Value(np.ones((SIZE >> 10, 1 << 10)))
    cube = op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    layer = nn.Linear(1 << 10, 1 << 10, dtype="float64")
    actions = {
        "+": lambda: x + x,
        "* number": lambda: x * 2.0,
        "** array": lambda: x**x.data,
        "exp": x.exp,
        "erf": x.erf,
        "op": lambda: cube(x),
        "cumsum": x.cumsum,
        "softmax": x.softmax,
        "var": x.var,
        "norm": lambda: (x - 1.0).norm(),
        "prod": lambda: x.reshape(2, -1).prod(axis=0),
        "sort": x.sort,
        "concat": lambda: adjoint.concat([x, x]),
        "stack": lambda: adjoint.stack([x, x]),
        "where": lambda: adjoint.where(x.data > 0, x, 0.0),
        "index": lambda: x[np.arange(0, SIZE, 1)],
        "at": lambda: x.at[:2].set(0.0),
        "pad": lambda: x.pad(((1, 1),)),
        "matmul": lambda: square @ np.ones((1 << 10, 1 << 10)),
        "linear": lambda: layer(square),
        "einsum": lambda: adjoint.einsum("ij,kj->ik", square, layer.weight),
        "outer": lambda: adjoint.outer(x[:2000], x[:2000]),
        "Value": lambda: Value(x.data),
        "list": lambda: Value([0.0] * SIZE),
        "data =": lambda: setattr(x, "data", np.broadcast_to(2.0, SIZE)),
        "astype": lambda: x.astype("float32"),
        "numpy": lambda: np.exp(x),
    }
    for name, action in actions.items():
        require_memory_error(name, action)
        assert x.data[0] == x.data[-1] == 1.0
    for name, action in actions.items():
        if name != "data =":
            action()
    return len(actions)


def passes() -> int:
    """Backward passes leave every gradient as it was."""
    x, w = Value(np.ones(SIZE)), Value(np.ones(SIZE))
    losses = {
        "mul": (x * w).sum(),
        "exp": (x.exp() * w).mean(),
        "softmax": x.softmax().square().sum(),
        "matmul": (x.reshape(1 << 10, -1) @ w.reshape(-1, 1 << 10)).sum(),
    }
    for name, loss in losses.items():
        for before in (None, np.full(SIZE, 5.0)):
            x.grad = w.grad = before
            require_memory_error(f"backward of {name}", loss.backward)
            if before is not None:
                assert (x.grad == 5.0).all()
                assert (w.grad == 5.0).all()
    for loss in losses.values():
        x.zero_grad()
        loss.backward()
        assert np.isfinite(x.grad).all()
    optimizer = optim.Adam([x], lr=0.1)
    require_memory_error("step", optimizer.step)
    return len(losses)


def numbers(count: int) -> None:
    """The backward pass over a wide graph of numbers: all of it, or nothing."""
    leaves = [Value(float(i % 7)) for i in range(count)]
    total = Value(0.0)
    for leaf in leaves:
        total = leaf * 3.0 + total
    kept = total * 1.0
    for retain_graph in (True, False):
        for spare in (0, 1 << 16):
            require_memory_error("backward", lambda retain=retain_graph: kept.backward(retain_graph=retain), spare)
            assert leaves[0].grad == leaves[-1].grad == total.grad == 0.0
    kept.backward()
    kept.backward(retain_graph=False)
    assert all(leaf.grad == 6.0 for leaf in leaves)


def main() -> None:
    adjoint.softmax(Value([1.0])).sum().backward()  # loads what is loaded with the first array
    found = arrays() + passes()
    numbers(30_000)
    print(f"{found} operations: each a MemoryError, and right afterwards")


if __name__ == "__main__":
    main()
