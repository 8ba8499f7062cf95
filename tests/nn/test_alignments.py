"""CTC against PyTorch, and against the sum over all alignments written out."""

import itertools

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from closeness import require_close
from fuzzing import examples
from hypothesis import given, strategies as st
from torch_reference import normal

import adjoint
from adjoint import Value, errors, nn


def their_loss(x, targets, inputs, counts, **options):
    """Return PyTorch's loss, of logits: its gradient for log-probabilities includes that of a softmax."""
    return F.ctc_loss(
        F.log_softmax(x, -1), *(torch.tensor(np.asarray(a)) for a in (targets, inputs, counts)), **options
    )


def our_loss(x, targets, inputs, counts, **options):
    return nn.ctc(adjoint.log_softmax(x, -1), targets, inputs, counts, **options)


@examples(20)
@given(
    st.integers(0, 2**16), st.integers(1, 6), st.integers(1, 3), st.integers(2, 4), st.integers(1, 3),
    st.sampled_from(["mean", "sum", "none"]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_losses_and_gradients_agree_with_pytorch(seed, times, samples, classes, longest, reduction, zero, is_flat):
    rng = np.random.default_rng(seed)
    blank = int(rng.integers(classes))
    labels = (blank + rng.integers(1, classes, (samples, longest))) % classes
    inputs, counts = rng.integers(1, times + 1, samples), rng.integers(0, longest + 1, samples)
    options = {"blank": blank, "reduction": reduction, "zero_infinity": zero}
    targets = np.concatenate([row[:n] for row, n in zip(labels, counts)]) if is_flat and counts.all() else labels
    x = rng.normal(size=(times, samples, classes))
    ours, theirs = Value(x), torch.tensor(x, requires_grad=True)
    found, expected = (
        our_loss(ours, targets, inputs, counts, **options), their_loss(theirs, targets, inputs, counts, **options)
    )  # fmt: skip
    require_close(found, expected, "the loss")
    cotangent = rng.normal(size=tuple(expected.shape))
    found.backward(cotangent)
    expected.backward(torch.tensor(cotangent))
    # a target that does not fit has no gradient; PyTorch's is NaN unless zero_infinity is given
    require_close(ours.grad, torch.nan_to_num(theirs.grad, nan=0.0), "the gradient")


def by_enumeration(x, targets, inputs, counts):
    """Return the sum of the losses as the definition says: over all alignments, in PyTorch."""
    logs, total = torch.log_softmax(x, -1), 0.0
    for n, (target, time, count) in enumerate(zip(targets, inputs, counts)):
        ways = []
        for path in itertools.product(range(x.shape[2]), repeat=time):
            merged = [label for label, _ in itertools.groupby(path) if label]
            if merged == list(target[:count]):
                ways.append(sum(logs[t, n, label] for t, label in enumerate(path)))
        total = total - torch.logsumexp(torch.stack(ways), 0)
    return total


def test_two_derivatives_agree_with_the_sum_over_all_alignments():
    x, direction = normal(4, 2, 3), normal(4, 2, 3, seed=1)
    lengths = np.array([[1, 2], [2, 2]]), np.array([3, 4]), np.array([2, 2])
    v, t = Value(x), torch.tensor(x, requires_grad=True)
    found, expected = our_loss(v, *lengths, reduction="sum"), by_enumeration(t, *lengths)
    require_close(found, expected, "the loss")
    found.backward(create_graph=True)
    (slopes,) = torch.autograd.grad(expected, t, create_graph=True)
    ours = v.grad
    require_close(ours, slopes, "the gradient")
    v.zero_grad()
    ours.backward(direction)
    require_close(v.grad, torch.autograd.grad(slopes, t, torch.tensor(direction))[0], "the second derivative")


def test_central_differences_and_forward_mode_agree():
    adjoint.check_gradients(lambda v: our_loss(v, [[1, 1], [2, 1]], [4, 3], [2, 1]), normal(4, 2, 3), order=2)


def test_a_compiled_program_takes_targets_and_lengths_as_arguments():
    x, arguments = Value(normal(4, 2, 3)), (np.array([[1, 2], [2, 0]]), np.array([4, 3]), np.array([2, 1]))
    expected = adjoint.value_and_grad(our_loss)(x, *arguments)
    found = adjoint.jit(adjoint.value_and_grad(our_loss))(x, *arguments)
    require_close(float(found[0]), float(expected[0]))
    require_close(found[1].numpy(), expected[1].numpy())


def test_one_sequence_needs_no_axis_of_samples():
    x = normal(5, 3)
    for reduction in ("mean", "none"):
        ours, theirs = Value(x), torch.tensor(x, requires_grad=True)
        found = our_loss(ours, [1, 2], 5, 2, reduction=reduction)
        expected = their_loss(theirs, [1, 2], 5, 2, reduction=reduction)
        require_close(found, expected, "the loss")
        found.backward()
        expected.backward()
        require_close(ours.grad, theirs.grad, "the gradient")


def test_probabilities_of_zero_make_alignments_impossible():
    never = -np.inf
    logs = np.array([[[0.0, never]], [[-np.log(2), -np.log(2)]], [[0.0, never]]])  # the label is possible at time 1
    v = Value(logs)
    loss = nn.ctc(v, [[1]], [3], [1])
    loss.backward()
    require_close(float(loss), np.log(2))
    assert np.isfinite(v.grad).all()
    assert v.grad[1, 0].tolist() == [0.0, -1.0]
    assert float(nn.ctc(v, [[1, 1]], [3], [2])) == np.inf


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_long_sequences_do_not_overflow_and_gradients_keep_the_dtype(dtype):
    x = Value(normal(200, 1, 5).astype(dtype))
    loss = our_loss(x, [[1, 2, 3, 4]], [200], [4])
    loss.backward()
    assert (str(loss.dtype), str(x.grad.dtype)) == ("float32", dtype)
    expected = their_loss(torch.tensor(x.data.astype("float64")), [[1, 2, 3, 4]], [200], [4]).item()
    require_close(loss, expected, dtype=dtype)


def test_the_module_has_the_options_of_pytorch():
    x, lengths = normal(4, 2, 3), (np.array([[0, 1], [1, 0]]), np.array([4, 1]), np.array([2, 2]))
    ours = nn.CTCLoss(blank=2, reduction="sum", zero_infinity=True)(adjoint.log_softmax(x, -1), *lengths)
    expected = their_loss(torch.tensor(x), *lengths, blank=2, reduction="sum", zero_infinity=True)
    require_close(float(ours), expected.item())


LOGS = np.log(np.full((3, 2, 4), 0.25))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.ctc(LOGS[0, 0], [1], [3], [1]), r"shape \(times, samples, classes\) or \(times, classes\)"),
        (lambda: nn.ctc(LOGS, [[1], [2]], [3, 3], [1]), r"target_lengths needs one length per sample, shape \(2,\)"),
        (lambda: nn.ctc(LOGS, [[1], [2]], [3, 4], [1, 1]), "length in input_lengths 4 at position 1 is out of range"),
        (
            lambda: nn.ctc(LOGS, [[1], [2]], [3, 3], [1, 2]),
            r"a target of length 2 does not fit",
        ),
        (lambda: nn.ctc(LOGS, [[1], [4]], [3, 3], [1, 1]), r"label 4 at position \(1, 0\) is out of range"),
        (lambda: nn.ctc(LOGS, [1, 2, 3], [3, 3], [1, 1]), "3 targets, but target_lengths add up to 2"),
        (lambda: nn.ctc(LOGS, [[1], [2]], [3, 3], [1, 1], blank=4), "blank must be an integer from 0 to 3, not int 4"),
        (lambda: nn.ctc(LOGS, [[1], [2]], [3, 3], [1, 1], reduction="avg"), "unknown reduction 'avg'"),
    ],
)
def test_wrong_arguments_raise_errors_that_say_what_is_expected(call, message):
    with pytest.raises(errors.AdjointError, match=message):
        call()
