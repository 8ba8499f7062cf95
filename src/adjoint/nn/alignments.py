"""Connectionist temporal classification: the likelihood of a sequence of labels, summed over all its alignments.

A network emits one label or a blank at each time. An alignment becomes a sequence by merging repeated labels and then
removing blanks: with `-` for the blank, both `aa-b` and `-abb` give `ab`. The sum over all alignments is a dynamic
program in log space over the labels with blanks between them, `-a-b-`. It consists of ordinary operations on arrays, so
it has derivatives of every order and can be compiled.
"""

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.arrays.backends import Backend, common_backend
from adjoint.arrays.convert import data_of
from adjoint.arrays.functions import reductions, shaping
from adjoint.arrays.functions.indexing import getitem, where
from adjoint.arrays.tensor import Tensor
from adjoint.engine import ops
from adjoint.engine.mathematics.protocol import Array
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, ShapeError
from adjoint.errors.given import describe
from adjoint.nn.indices import as_indices
from adjoint.nn.inputs import ArrayLike
from adjoint.nn.loss_arguments import REDUCTIONS, as_array, as_values, reduce, require_reduction, unwrap

# The logarithm of an impossible event. A finite number has derivatives where minus infinity would give NaN.
_NEVER = -1e30


def ctc(
    log_probs: "ArrayLike",
    targets: "ArrayLike",
    input_lengths: "ArrayLike",
    target_lengths: "ArrayLike",
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str = "mean",
) -> Value:
    """Return the negative log-likelihood of sequences of labels, given log-probabilities at each time.

    `log_probs` has shape (times, samples, classes), or (times, classes) for one sequence: the output of a log_softmax.
    `targets` has shape (samples, longest target), or holds all targets one after the other; `input_lengths` and
    `target_lengths` say how much of each counts. As in PyTorch, "mean" divides each loss by the length of its target
    and averages over the samples. A target that does not fit into its input has an infinite loss, or zero with
    `zero_infinity`; its gradient is zero.

    >>> import numpy as np
    >>> from adjoint import Value, nn
    >>> log_probs = Value(np.log(np.full((3, 1, 2), 0.5)))       # three times, one sample, blank and one label
    >>> round(float(nn.ctc(log_probs, [[1]], [3], [1])), 6)      # 6 of 8 alignments: only --- and 1-1 are others
    0.287682
    """
    require_reduction(reduction, REDUCTIONS)
    (logs,), is_plain = as_values(log_probs)
    is_batch = len(shape_of(logs)) == 3
    if len(shape_of(logs)) == 2:
        logs = shaping.expand_dims(logs, 1)
    if len(shape_of(logs)) != 3 or 0 in shape_of(logs):
        raise ShapeError(
            f"ctc needs log-probabilities of shape (times, samples, classes) or (times, classes), not {shape_of(logs)}"
        )
    times, samples, classes = shape_of(logs)
    if isinstance(blank, bool) or not hasattr(blank, "__index__") or not 0 <= blank < classes:
        raise ArgumentError(f"ctc: blank must be an integer from 0 to {classes - 1}, not {describe(blank)}")
    m = common_backend([data_of(logs)], "ctc")
    inputs = _lengths("input_lengths", input_lengths, samples, times)
    counts = _lengths("target_lengths", target_lengths, samples)
    labels = _padded(targets, counts, samples, classes, blank)
    losses = -_log_likelihood(m, logs, labels, inputs, counts, blank)
    losses = where(data_of(losses) > -_NEVER / 2, 0.0 if zero_infinity else np.inf, losses)
    if not is_batch:
        losses = losses[0]
    if reduction == "mean":
        least = m.xp.maximum(m.xp.asarray(counts), 1)
        losses = losses / m.astype(least if is_batch else least[0], data_of(losses).dtype)
    return unwrap(reduce(losses, reduction), is_plain)


def _log_likelihood(m: Backend, logs: Value, labels: Array, inputs: Array, counts: Array, blank: int) -> Value:
    """Return for each sample the logarithm of the sum over all alignments; about `_NEVER` where there are none."""
    xp = m.xp
    times, samples, _ = shape_of(logs)
    size = 2 * shape_of(labels)[1] + 1
    labels, inputs, counts = (xp.asarray(x) for x in (labels, inputs, counts))
    rows, places = xp.asarray(np.arange(samples)), np.arange(size)
    blanks = xp.full((samples, size), blank, dtype=labels.dtype)  # with the labels between them, at places 1, 3, …
    spread = m.scatter_set(blanks, (slice(None), slice(1, None, 2)), labels)
    skips = (spread != blank) & (spread != xp.roll(spread, 2, axis=1)) & xp.asarray(places >= 2)
    logs = where(data_of(logs) < _NEVER, _NEVER, logs)
    emitted = getitem(logs, (slice(None), rows[:, None], spread))  # (times, samples, size)
    paths = where(xp.asarray(np.broadcast_to(places < 2, (samples, size))), emitted[0], _NEVER)
    for t in range(1, times):
        before = _shifted(paths, 1)
        skipped = where(skips, _shifted(paths, 2), _NEVER) if size > 2 else None
        ways = [paths, before] if skipped is None else [paths, before, skipped]
        moved = reductions.logsumexp(shaping.stack(ways), 0) + emitted[t]
        paths = where((inputs > t)[:, None], ops.maximum(moved, _NEVER), paths)
    last = getitem(paths, (rows, 2 * counts))
    if size == 1:
        return last
    other = getitem(paths, (rows, xp.maximum(2 * counts - 1, 0)))
    other = where(counts > 0, other, _NEVER)
    return where(inputs > 0, reductions.logsumexp(shaping.stack([last, other]), 0), _NEVER)


def _shifted(paths: Tensor, by: int) -> Value:
    """Return the paths that reach each place from `by` places before."""
    return shaping.pad_constant(paths[:, :-by], ((0, 0), (by, 0)), value=_NEVER)


def _lengths(name: str, given: "ArrayLike", samples: int, most: int | None = None) -> Array:
    """Return one length per sample, checked unless it is unknown while `jit` traces."""
    lengths = as_array(given, whole=True)
    if shape_of(lengths) == ():
        lengths = lengths.reshape((1,)) if hasattr(lengths, "reshape") else np.asarray([lengths])
    if shape_of(lengths) != (samples,):
        raise ShapeError(f"ctc: {name} needs one length per sample, shape ({samples},), not {shape_of(lengths)}")
    count = (1 << 31) if most is None else most + 1
    return as_indices(lengths, count, f"length in {name}", "possible lengths")


def _padded(targets: "ArrayLike", counts: Array, samples: int, classes: int, blank: int) -> Array:
    """Return targets as an array of shape (samples, longest target), with blanks after the end of each."""
    labels = as_array(targets, whole=True)
    m = common_backend([data_of(labels), counts], "ctc")
    if len(shape_of(labels)) == 1:
        if m.is_traced(labels) or m.is_traced(counts):
            raise ArgumentError("ctc: under jit give the targets as an array of shape (samples, longest target)")
        ends = np.cumsum(m.to_numpy(counts))
        if ends[-1] != shape_of(labels)[0] and samples > 1:
            raise ShapeError(f"ctc: {shape_of(labels)[0]} targets, but target_lengths add up to {int(ends[-1])}")
        parts = np.split(m.to_numpy(labels), ends[:-1])
        labels = np.full((samples, max(map(len, parts))), blank, dtype=np.int64)
        for row, part in zip(labels, parts):
            row[: len(part)] = part
    if len(shape_of(labels)) != 2 or shape_of(labels)[0] != samples:
        raise ShapeError(
            f"ctc: targets have shape ({samples}, longest target), or all targets one after the other, not "
            f"{shape_of(labels)}"
        )
    xp = m.xp
    longest = shape_of(labels)[1]
    if not m.is_traced(counts) and (most := int(xp.max(counts))) > longest:
        raise ShapeError(f"ctc: a target of length {most} does not fit targets of shape {shape_of(labels)}")
    is_padding = xp.asarray(np.arange(longest))[None, :] >= xp.asarray(counts)[:, None]
    return as_indices(xp.where(is_padding, blank, xp.asarray(labels)), classes, "label", "classes")
