"""The last linear layer of a classifier and its cross-entropy in one operation, for large vocabularies.

The scores of all rows are the largest array of a language model: 32 texts of 1,024 tokens have 1.6 billion of them.
Here they are computed in tiles of rows. While a graph is recorded, each tile computes the gradients at once and its
scores are not kept: the backward pass only multiplies by a number. This takes no more products than the usual way.
"""

import math
from typing import Any

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import Backend, common_backend, is_half
from adjoint.arrays.convert import as_operand, data_of
from adjoint.arrays.functions.casting import cast_operands
from adjoint.arrays.functions.products import linear, tensordot
from adjoint.arrays.functions.shaping import reshape
from adjoint.arrays.fused import FusedOp
from adjoint.engine import ops
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe, is_number
from adjoint.nn.array_likelihoods import as_labels
from adjoint.nn.fused_likelihoods import gradient_of_rows, losses_of_rows, wide
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.loss_arguments import IGNORED, REDUCTIONS, as_array, require_reduction, unwrap
from adjoint.nn.losses import cross_entropy


def linear_cross_entropy(
    input: "ArrayLike",
    linear_weight: "ArrayLike",
    target: "ArrayLike",
    linear_bias: "ArrayLike | None" = None,
    *,
    weight: "ArrayLike | None" = None,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
    options: object = None,
) -> Value:
    """Return `cross_entropy(linear(input, linear_weight, linear_bias), target)` without storing all scores at once.

    `input` has the shape (…, features), `linear_weight` (classes, features), and the labels that of `input` without the
    last axis. The other arguments are those of `cross_entropy`. With many rows and classes, the scores are computed in
    tiles of rows, and the gradients together with them; as in PyTorch, not for class probabilities, a `weight` of the
    classes, and a `linear_weight` of more than two axes. PyTorch's `options` choose its tiles, and have no effect here.

    >>> from adjoint import Value
    >>> from adjoint.nn import functional as F
    >>> weight = Value([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> loss = F.linear_cross_entropy(Value([[2.0, 0.0], [0.0, 0.0]]), weight, [0, 2])
    >>> loss.backward()
    >>> round(loss.item(), 6), weight.grad.round(3).tolist()
    (0.928618, [[-0.532, 0.0], [0.063, 0.0], [0.468, 0.0]])
    """
    who = "linear_cross_entropy"
    require_reduction(reduction, REDUCTIONS)
    if not is_number(label_smoothing) or not 0 <= label_smoothing <= 1:
        raise ArgumentError(f"{who}: label_smoothing must be a number from 0 to 1, not {describe(label_smoothing)}")
    operands = [as_operand(x) for x in (input, linear_weight, linear_bias) if x is not None]
    shape, classes = shape_of(operands[0]), shape_of(operands[1])
    if len(shape) < 1 or len(classes) < 2 or shape[-1] != classes[-1] or (len(classes) > 2 and len(shape) != 2):
        raise ShapeError(
            f"{who}: inputs of shape {shape} do not fit a weight of shape {classes}, which is (classes, features)"
        )
    if linear_bias is not None and shape_of(operands[2]) != classes[:-1]:
        raise ShapeError(
            f"{who}: a weight of shape {classes} needs a bias of shape {classes[:-1]}, not {shape_of(operands[2])}"
        )
    target, is_plain = as_array(target, whole=True), not any(isinstance(x, Value) for x in operands)
    has_chances = shape_of(target) == (*shape[:-1], *classes[:-1])
    if has_chances and ignore_index is not None:
        raise ArgumentError(f"{who}: ignore_index is a label, and the targets of shape {shape_of(target)} have none")
    ignore_index = IGNORED if ignore_index is None else ignore_index
    if weight is not None or len(classes) > 2 or has_chances:
        if len(shape) > 2:
            raise ShapeError(f"{who}: with class probabilities or weights, inputs have one or two axes, not {shape}")
        scores = tensordot(operands[0], operands[1], ([-1], [-1]))
        return cross_entropy(
            scores if linear_bias is None else ops.add(scores, operands[2]), target, weight, ignore_index=ignore_index,
            label_smoothing=label_smoothing, reduction=reduction,
        )  # fmt: skip
    labels = as_labels(who, (*shape[:-1], classes[0]), len(shape) - 1, target, ignore_index)
    m = common_backend([*map(data_of, operands), labels], who)
    rows = math.prod(shape[:-1])
    labels = m.reshape(m.xp.asarray(labels), (rows,))

    def composition(x, w, *b):
        return cross_entropy(
            linear(reshape(x, (rows, shape[-1])), w, *b), labels, ignore_index=ignore_index,
            label_smoothing=label_smoothing, reduction="sum" if reduction == "mean" else reduction,
        )  # fmt: skip

    most, fewest = m.tile_limits(data_of(operands[0]))
    if rows * classes[0] <= most * (fewest - 1):
        found = composition(*operands)
    else:
        tiles = _Tiles(m, rows, classes[0], most, labels, ignore_index, float(label_smoothing))
        in_one = tiles.losses if reduction == "none" else tiles.sum
        found = FusedOp(who, in_one, getattr(tiles, f"{in_one.__name__}_with_pullback"), composition)(*operands)
    if reduction == "mean":
        count = m.sum(m.astype(labels != ignore_index, data_of(found).dtype))
        none = m.astype(m.where(count == 0, math.nan, 0.0), count.dtype)
        found = found / m.maximum(count, 1) + none  # without rows, the mean is NaN and the gradients are 0
    return unwrap(reshape(found, shape[:-1]) if reduction == "none" else found, is_plain)


class _Tiles:
    """The losses of rows in tiles, and their gradients, for arrays of NumPy or JAX.

    A tile takes every k-th row. If the rows are spread over several devices, each has its part of every tile, and sums
    the gradient of the weight for itself until the end.
    """

    def __init__(self, m: Backend, rows: int, classes: int, most: float, labels, ignore_index: int, smoothing: float):
        self.m, self.rows, self.smoothing = m, rows, smoothing
        self.devices = m.devices if rows % m.devices == 0 else 1
        least = min(math.ceil(rows * classes / most), rows)
        here = rows // self.devices
        self.count = next((k for k in range(least, 2 * least) if here % k == 0), least)
        self.height = math.ceil(here / self.count)
        self.counted = labels != ignore_index
        self.labels = m.where(self.counted, labels, 0)

    # --- the two operations: the sum of all losses, and the loss of each row ---

    def sum(self, *arrays):
        return self.m.sum(self.losses(*arrays))

    def sum_with_pullback(self, *arrays):
        losses, gradients = self._run(arrays, self._as_factor(self.counted, arrays[0]))
        return self.m.sum(losses), lambda g: [wide(self.m, x) * g for x in gradients]

    def losses(self, *arrays):
        return self._run(arrays, None)[0]

    def losses_with_pullback(self, *arrays):
        def pullback(g):
            return self._run(arrays, self._as_factor(self.counted, arrays[0]) * g)[1]

        return self.losses(*arrays), pullback

    def _as_factor(self, x, like):
        return self.m.astype(x, self.m.xp.float32 if is_half(like) else like.dtype)

    # --- the tiles ---

    def _run(self, arrays, factor) -> tuple[Any, list]:
        """Return the losses of the rows, and what the arrays receive if each loss has the cotangent `factor`."""
        m, smoothing = self.m, self.smoothing
        shape = arrays[0].shape
        x, weight, *bias = cast_operands("linear_cross_entropy", *arrays)

        def step(sums, tile):
            x, labels, *factor = tile
            scores = m.matmul(x, m.matrix_transpose(weight))
            if bias:
                scores = scores + bias[0]
            losses, log_sum = losses_of_rows(m, scores, labels, 2, smoothing)
            if not factor:
                return sums, [losses]
            g = gradient_of_rows(m, scores, log_sum, labels, 2, smoothing, factor[0])
            new = [self._wide_product(m.matrix_transpose(g), x), *[m.sum(wide(m, g), axis=1) for _ in bias]]
            return [a + b for a, b in zip(sums, new)], [losses, m.matmul(g, weight)]

        given = [self._split(z) for z in (m.reshape(x, (self.rows, shape[-1])), self.labels)]
        if factor is None:
            _, (losses,) = m.scan(step, [], given)
            return self._counted_only(losses), []
        sums = [m.zeros((self.devices, *z.shape), wide(m, z[:0])) for z in (weight, *bias)]
        sums, (losses, gradient) = m.scan(step, sums, [*given, self._split(factor)])
        return self._counted_only(losses), [m.reshape(self._join(gradient), shape), *[m.sum(z, axis=0) for z in sums]]

    def _counted_only(self, losses):
        """Return the losses of the tiles in a row, with 0 for rows that are ignored, whose scores may be NaN."""
        return self.m.where(self.counted, self._join(losses), 0.0)

    def _wide_product(self, x, z):
        """Return the product of two matrices; that of float16 or bfloat16 in float32, in which the tiles are summed."""
        return self.m.wide_matmul(x, z) if is_half(x) else self.m.matmul(x, z)

    def _split(self, x):
        """Return rows as (tiles, devices, rows of a tile on a device, …), filled with zeros."""
        m, rest = self.m, x.shape[1:]
        missing = self.devices * self.height * self.count - self.rows
        if missing:
            x = m.concat([x, m.zeros((missing, *rest), x)])
        return m.xp.moveaxis(m.reshape(x, (self.devices, self.height, self.count, *rest)), 2, 0)

    def _join(self, x):
        """Return the rows of all tiles in their order."""
        rows = self.m.xp.moveaxis(x, 0, 2)
        return self.m.reshape(rows, (-1, *rows.shape[3:]))[: self.rows]
