"""Products of matrices, vectors and tensors."""

import math
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjoint.arrays.apply import apply_array_op, array_back
from adjoint.arrays.array_rule import array_op
from adjoint.arrays.axes import all_axes, either, shape_of
from adjoint.arrays.convert import as_operand
from adjoint.arrays.functions import reductions
from adjoint.arrays.functions.casting import cast_operands
from adjoint.arrays.functions.indexing import diagonal
from adjoint.arrays.functions.shaping import flatten, matrix_transpose, moveaxis, permute_dims, reshape
from adjoint.engine import ops
from adjoint.engine.modes import modes
from adjoint.engine.native import twin
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe

if TYPE_CHECKING:
    from adjoint.arrays.tensor import Tensor


def _rows(m, x):
    """Return an array as a matrix: all axes but the last become one."""
    return x if len(x.shape) == 2 else m.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))


def _multiply(m, x, z):
    """Return x @ z. A stack of matrices times one matrix is computed as one tall matrix, which is faster."""
    if len(z.shape) == 2 < len(x.shape):
        rows = m.matmul(_rows(m, x), z)
        return m.reshape(rows, (*x.shape[:-1], z.shape[-1]))
    return m.matmul(x, z)


def _transposed_times(m, x, g, z):
    """Return the gradient of `z` in x @ z: xᵀ @ g, summed over the axes that `z` was broadcast along."""
    if len(x.shape) > 2 and len(z.shape) == 2:
        x, g = _rows(m, x), _rows(m, g)
    return m.matmul(m.transposed_rows(x), g)


_matmul = array_op(
    "@",
    _multiply,
    lambda m, g, y, x, z: _multiply(m, g, m.matrix_transpose(z)),
    lambda m, g, y, x, z: _transposed_times(m, x, g, z),
    linear="each",
    reads="x",
)


def _affine(m, x, w, b):
    y = _multiply(m, x, m.matrix_transpose(w))
    y += b
    return y


_linear = array_op(
    "linear",
    _affine,
    lambda m, g, y, x, w, b: _multiply(m, g, w),
    lambda m, g, y, x, w, b: _transposed_times(m, g, x, w),
    lambda m, g, y, x, w, b: m.sum(_rows(m, g), axis=(0,), keepdims=False),
    jvp=lambda m, ts, y, x, w, b: m.total(
        None if ts[0] is None else _multiply(m, ts[0], m.matrix_transpose(w)),
        None if ts[1] is None else _multiply(m, x, m.matrix_transpose(ts[1])),
        None if ts[2] is None else m.broadcast_to(ts[2], y.shape),
    ),
    reads="x",
)
_einsum = array_op(
    "einsum",
    lambda m, *xs, inputs, output: m.einsum(f"{','.join(inputs)}->{output}", *xs),
    each_vjp=lambda m, i, g, y, *xs, inputs, output: _einsum_back(m, i, g, xs, inputs, output),
    linear="each",
    reads="x",
)


def _einsum_back(m, i, g, xs, inputs, output):
    """Return the gradient of operand `i`: the same product with the gradient instead of that operand."""
    wanted = inputs[i]
    others = [(s, x) for k, (s, x) in enumerate(zip(inputs, xs)) if k != i]
    known = set(output).union(*(s for s, _ in others))
    found = "".join(letter for letter in wanted if letter in known)
    subscripts = ",".join([output, *(s for s, _ in others)]) + "->" + found
    part = m.einsum(subscripts, g, *(x for _, x in others))
    if found == wanted:
        return part
    # letters that occur nowhere else were summed: each element receives the same, and the engine repeats it
    sizes = iter(part.shape)
    return m.reshape(part, tuple(next(sizes) if letter in known else 1 for letter in wanted))


# --- the functions ----------------------------------------------------------------------------------------


def _fit(x, z) -> bool:
    """Return whether arrays of at least two axes can be multiplied."""
    a, b = getattr(x, "shape", ()), getattr(z, "shape", ())
    return len(a) >= 2 and len(b) >= 2 and a[-1] == b[-2]


def matmul(x, z) -> "Tensor":
    """Return the matrix product: of vectors, matrices, or stacks of matrices, which broadcast.

    >>> import numpy as np
    >>> from adjoint import Value, matmul
    >>> matmul(np.eye(2), Value([3.0, 4.0])).data
    array([3., 4.])
    """
    if not modes.active and _fit(getattr(x, "_data", x), getattr(z, "_data", z)):
        return apply_array_op(_matmul, (x, z), {})  # the common case: matrices, or stacks of them
    x, z = as_operand(x), as_operand(z)
    if modes.precision:
        x, z = cast_operands("matmul", x, z)
    a, b = shape_of(x), shape_of(z)
    if len(a) >= 2 and len(b) >= 2 and a[-1] == b[-2]:
        return _matmul(x, z)
    if not a or not b:
        raise ShapeError(f"matmul needs arrays of at least one axis: {a} @ {b}; use * to multiply by a number")
    if a[-1] != b[-2 if len(b) > 1 else 0]:
        raise ShapeError(
            f"cannot multiply the shapes {a} @ {b}; the last axis of the first, {a[-1]}, must equal "
            f"{'the second to last' if len(b) > 1 else 'the only'} axis of the second, {b[-2 if len(b) > 1 else 0]}"
        )
    y = _matmul(reshape(x, (1, *a)) if len(a) == 1 else x, reshape(z, (*b, 1)) if len(b) == 1 else z)
    shape = list(shape_of(y))
    if len(b) == 1:
        del shape[-1]
    if len(a) == 1:
        del shape[-1 if len(b) == 1 else -2]
    return reshape(y, tuple(shape))


def linear(x, weight, bias=None) -> "Tensor":
    """Return `x @ weight.mT + bias`, a linear layer, in one step; `weight` has the shape (outputs, inputs).

    >>> from adjoint import Value, linear
    >>> linear(Value([1.0, 2.0]), [[3.0, 4.0], [5.0, 6.0]], [0.5, 0.0]).data
    array([11.5, 17. ])
    """
    x, weight, bias = as_operand(x), as_operand(weight), as_operand(bias)
    if modes.precision:
        x, weight, bias = cast_operands("linear", x, weight, bias)
    a, b = shape_of(x), shape_of(weight)
    if len(b) != 2 or not a or a[-1] != b[1]:
        raise ShapeError(f"linear: inputs of shape {a} do not fit a weight of shape {b}, which is (outputs, inputs)")
    if bias is not None and shape_of(bias) != (b[0],):
        raise ShapeError(f"linear: a weight of shape {b} needs a bias of shape ({b[0]},), not {shape_of(bias)}")
    if bias is not None and len(a) > 1:
        return _linear(x, weight, bias)
    if bias is None:
        return matmul(x, matrix_transpose(weight))
    return reshape(_linear(reshape(x, (1, *a)), weight, bias), (b[0],))


def rmatmul(z, x) -> "Tensor":
    """Return `x @ z`: the method behind an array times a Value."""
    return matmul(x, z)


linear = twin("linear", linear, linear, _linear, {}, array_back)
matmul = twin("product", matmul, False, matmul, _matmul, {}, array_back)
rmatmul = twin("product", rmatmul, True, rmatmul, _matmul, {}, array_back)


def dot(x, z) -> "Tensor":
    """Return the product of numbers, vectors or matrices as `numpy.dot` does.

    >>> from adjoint import Value, dot
    >>> dot(Value([1.0, 2.0]), [3.0, 4.0]).item()
    11.0
    """
    x, z = as_operand(x), as_operand(z)
    a, b = shape_of(x), shape_of(z)
    if not a or not b:
        return ops.mul(x, z)
    if len(a) <= 2 and len(b) <= 2:
        return matmul(x, z)
    return tensordot(x, z, ([-1], [-2 if len(b) > 1 else -1]))


def _sum_beside_ones(x, axes: Sequence[int]) -> "Tensor":
    return reductions.sum(x, tuple(axes), keepdims=True) if axes else x


def tensordot(x, z, axes: Any = 2, *, dims: Any = None) -> "Tensor":
    """Return the sum of products over pairs of axes: the last `axes` of `x` and the first of `z`, or those given.

    `dims` is PyTorch's name of `axes`. As in PyTorch, an axis of size 1 then stands for all elements of the other.

    >>> from adjoint import Value, tensordot
    >>> x, z = Value([[1.0, 2.0], [3.0, 4.0]]), [[1.0, 0.0], [0.0, 10.0]]
    >>> tensordot(x, z).item(), tensordot(x, z, axes=1).tolist()
    (41.0, [[1.0, 20.0], [3.0, 40.0]])
    """
    x, z, axes = as_operand(x), as_operand(z), either("tensordot", "axes", axes, "dims", dims, 2)
    a, b = shape_of(x), shape_of(z)
    if hasattr(axes, "__index__"):
        if axes < 0 or axes > min(len(a), len(b)):
            raise ShapeError(f"tensordot over {axes} axes of arrays with shapes {a} and {b}")
        first, second = tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    else:
        if not isinstance(axes, Sequence) or isinstance(axes, str) or len(axes) != 2:
            raise ArgumentError(
                f"tensordot: axes is a number, or a pair of axes or of lists of axes, not {describe(axes)}"
            )
        first, second = (
            all_axes(tuple(axis) if isinstance(axis, Sequence) else axis, len(shape), "tensordot")
            for axis, shape in zip(axes, (a, b))
        )
    if dims is not None:
        x = _sum_beside_ones(x, [i for i, j in zip(first, second) if b[j] == 1])
        z = _sum_beside_ones(z, [j for i, j in zip(first, second) if a[i] == 1])
        a, b = shape_of(x), shape_of(z)
    if [a[i] for i in first] != [b[i] for i in second]:
        raise ShapeError(f"tensordot: the axes {first} of {a} and {second} of {b} differ in size")
    outer = [i for i in range(len(a)) if i not in first], [i for i in range(len(b)) if i not in second]
    inner = math.prod(a[i] for i in first)
    left = reshape(permute_dims(x, (*outer[0], *first)), (math.prod(a[i] for i in outer[0]), inner))
    right = reshape(permute_dims(z, (*second, *outer[1])), (inner, math.prod(b[i] for i in outer[1])))
    return reshape(matmul(left, right), (*[a[i] for i in outer[0]], *[b[i] for i in outer[1]]))


def outer(x, z) -> "Tensor":
    """Return the outer product of two vectors.

    >>> from adjoint import Value, outer
    >>> outer(Value([1.0, 2.0]), [3.0, 4.0]).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    x, z = flatten(x), flatten(z)
    return ops.mul(reshape(x, (-1, 1)) if shape_of(x)[0] else reshape(x, (0, 1)), reshape(z, (1, shape_of(z)[0])))


def einsum(subscripts, *operands) -> "Tensor":
    """Return a sum of products in Einstein notation: `einsum("ij,jk->ik", a, b)` is `a @ b`.

    As in NumPy, `einsum(a, [0, 1], b, [1, 2], [0, 2])` names the axes by integers.

    >>> from adjoint import Value, einsum
    >>> einsum("ii->i", Value([[1.0, 2.0], [3.0, 4.0]])).data
    array([1., 4.])
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _from_lists((subscripts, *operands))
    xs = [as_operand(x) for x in operands]
    if modes.precision:
        xs = list(cast_operands("einsum", *xs))
    inputs, output = _parse_subscripts(subscripts, [shape_of(x) for x in xs])
    for k, letters in enumerate(inputs):
        inputs[k], xs[k] = _without_repeats(letters, xs[k])
    return _einsum(*xs, inputs=tuple(inputs), output=output)


_LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order in which NumPy numbers axes


def _from_lists(arguments: tuple) -> tuple[str, tuple]:
    """Return subscripts and operands, given operands that are each followed by a list of its axes."""
    even = len(arguments) // 2 * 2
    try:
        inputs = [_letters(axes) for axes in arguments[1:even:2]]
        output = "".join("->" + _letters(axes) for axes in arguments[even:])
        if inputs:
            return ",".join(inputs) + output, arguments[:even:2]
    except (TypeError, IndexError, ValueError):
        pass
    raise ArgumentError(
        "einsum takes subscripts such as 'ij,jk->ik' and the operands, or operands each followed by lists of axes, as "
        f"in einsum(x, [0, 1], z, [1, 2], [0, 2]); the first argument is {describe(arguments[0])}"
    )


def _letters(axes) -> str:
    """Return a list of axes, as numbers from 0 to 51 and `...`, as subscripts."""
    return "".join("..." if axis is ... else _LETTERS[range(52)[axis if axis >= 0 else 52]] for axis in axes)


def _parse_subscripts(subscripts: str, shapes: list[tuple[int, ...]]) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result, with letters for the axes of an ellipsis."""
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(shapes):
        raise ShapeError(f"einsum {subscripts!r} needs {len(inputs)} operands, not {len(shapes)}")
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in subscripts]
    widest = 0
    for k, (letters, shape) in enumerate(zip(inputs, shapes)):
        if "..." in letters:
            count = len(shape) - len(letters) + 3
            widest = max(widest, count)
            inputs[k] = letters.replace("...", "".join(spare[:count][::-1]))
        if len(inputs[k]) != len(shape) or (not inputs[k].isalpha() and inputs[k]):
            raise ShapeError(f"einsum {subscripts!r}: {letters!r} does not fit an operand of shape {shape}")
    hidden = "".join(spare[:widest][::-1])
    if not arrow:
        everything = "".join(inputs)
        output = hidden + "".join(sorted({c for c in everything if everything.count(c) == 1 and c not in hidden}))
    output = output.replace("...", hidden)
    sizes: dict[str, int] = {}
    for letters, shape in zip(inputs, shapes):
        own: dict[str, int] = {}
        for letter, size in zip(letters, shape):
            known = own.setdefault(letter, size)
            is_equal = known == size
            if is_equal:  # an axis of size 1 broadcasts against another operand, but not within one
                known = sizes.get(letter, 1)
                is_equal = known == size or 1 in (known, size)
            if not is_equal:
                differ = f"index {letter!r} has the sizes {known} and {size}"
                raise ShapeError(f"einsum {subscripts!r}: {differ} in operands of shapes {shapes}")
        sizes |= {letter: size for letter, size in own.items() if size != 1 or letter not in sizes}
    if not set(output) <= set(sizes) or len(set(output)) < len(output):
        raise ShapeError(f"einsum {subscripts!r}: each index of the result must occur there once and in some operand")
    return inputs, output


def _without_repeats(letters: str, x) -> "tuple[str, Tensor]":
    """Return an operand and its letters without repeated ones: `ii` becomes the diagonal."""
    while len(set(letters)) < len(letters):
        letter = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(letter)
        j = letters.index(letter, i + 1)
        x = moveaxis(diagonal(moveaxis(x, (i, j), (-2, -1))), -1, i)
        letters = letters[:j] + letters[j + 1 :]
    return letters, x
