"""Operations with several results, such as `svd`: one node that holds a tuple, and a node for each of its parts."""

from adjoint.arrays.array_rule import array_op


class Bundle(tuple):
    """The gradients of several results; None for one that received nothing. They add up part by part."""

    __slots__ = ()

    def __add__(self, other):
        return Bundle(
            b if a is None else a if b is None else a + b for a, b in zip(tuple(self), tuple(other), strict=True)
        )


def pick(bundle, k: int):
    """Return part `k` of an operation with several results, with its gradient."""
    return _pick(bundle, k=k) if hasattr(bundle, "_apply") else bundle[k]


_pick = array_op(
    "part",
    lambda m, x, k: x[k],
    lambda m, g, y, x, k: Bundle(g if i == k else None for i in range(len(x._data if hasattr(x, "_data") else x))),
    jvp=lambda m, ts, y, x, k: ts[0][k],
)
