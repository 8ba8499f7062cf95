"""Losses agree with PyTorch's, on arrays and on lists of scalar Values; labels out of range are named."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from closeness import require_close
from hypothesis import given, strategies as st
from losses import chances, probabilities, require_loss, signs, their_hinge
from torch_reference import normal

import adjoint
from adjoint import Tensor, Value, errors, jit, nn, value_and_grad

REDUCTIONS = ["mean", "sum", "none"]


# name: ours, PyTorch's, predictions, targets, options
POINTWISE = {
    "mse": (nn.mse, F.mse_loss, normal, normal, {}),
    "l1": (nn.l1, F.l1_loss, normal, normal, {}),
    "huber": (nn.huber, F.huber_loss, normal, normal, {}),
    "huber of 0.3": (nn.huber, F.huber_loss, normal, normal, {"delta": 0.3}),
    "hinge": (nn.hinge, their_hinge, normal, signs, {}),
    "hinge of 0.2": (nn.hinge, their_hinge, normal, signs, {"margin": 0.2}),
    "bce": (nn.binary_cross_entropy, F.binary_cross_entropy, chances, chances, {}),
    "logits": (nn.binary_cross_entropy_with_logits, F.binary_cross_entropy_with_logits, normal, chances, {}),
    "kl": (nn.kl_div, F.kl_div, normal, probabilities, {}),
    "kl of logs": (nn.kl_div, F.kl_div, normal, normal, {"log_target": True}),
}


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", POINTWISE)
@pytest.mark.parametrize("shape", [(7, 1), (4, 3), (2, 3, 4)])
def test_an_elementwise_loss_agrees_with_pytorch(name, reduction, shape):
    ours, theirs, predictions, targets, options = POINTWISE[name]
    options = {**options, "reduction": reduction}
    require_loss(
        lambda p, t: ours(p, t, **options), lambda p, t: theirs(p, t, **options), predictions(*shape),
        targets(*shape, seed=1),
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
@pytest.mark.parametrize("name", ["mse", "l1", "huber", "hinge", "kl", "kl of logs", "logits"])
def test_targets_that_are_values_receive_gradients(name):
    ours, theirs, predictions, targets, options = POINTWISE[name]
    require_loss(
        lambda p, t: ours(p, t, **options), lambda p, t: theirs(p, t, **options), predictions(4, 3),
        targets(4, 3, seed=1), target_varies=True,
    )  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", [name for name in POINTWISE if name != "kl of logs"])
def test_lists_of_scalar_values_give_the_same_loss_and_gradients(name, reduction):
    ours, _, predictions, targets, options = POINTWISE[name]
    options = {**options, "reduction": reduction}
    p, t = predictions(5, 2), targets(5, 2, seed=1)
    array, scalars = Value(p), [[Value(x) for x in row] for row in p.tolist()]
    expected, found = ours(array, t, **options), ours(scalars, t.tolist(), **options)
    if reduction == "none":
        require_close([[x.data for x in row] for row in found], expected.data)
        expected, found = expected.sum(), sum(x for row in found for x in row)
    assert type(found) is Value
    require_close(found.data, expected.item())
    found.backward()
    expected.backward()
    require_close([[x.grad for x in row] for row in scalars], array.grad)


@pytest.mark.parametrize("name", ["mse", "l1", "huber", "hinge"])
@pytest.mark.parametrize(
    ("p", "t"),
    [(Value([1.0, 2.0, 4.0]), Value(1.5)), (Value(0.5), Tensor(np.array(1.5))), (Tensor(np.array(0.5)), Value(1.5))],
)
def test_a_scalar_value_and_an_array_both_receive_gradients(name, p, t):
    p.zero_grad()
    t.zero_grad()
    theirs = {"hinge": their_hinge}.get(name) or getattr(F, {"huber": "huber_loss"}.get(name, f"{name}_loss"))
    reference = [torch.tensor(np.asarray(x.data), requires_grad=True) for x in (p, t)]
    getattr(nn, name)(p, t).backward()
    theirs(*torch.broadcast_tensors(*reference)).backward()
    for ours, expected in zip((p, t), reference):
        require_close(ours.grad, expected.grad.numpy())


@pytest.mark.parametrize("dtype", ["uint8", "uint64", "int8", "bool", ">i4"])
@pytest.mark.parametrize("library", [np.asarray, torch.tensor], ids=["numpy", "torch"])
def test_integers_as_targets_do_not_wrap_around(dtype, library):
    p, t = np.array([0.25, 0.5]), np.array([2, 0]).astype(dtype)
    if library is torch.tensor:
        t = t.astype("int64") if dtype in ("uint64", ">i4") else t
    expected = nn.binary_cross_entropy(p, np.asarray(t, float))
    for prediction in (library(p), Value(library(p)), Value(library(p.astype("float32")))):
        found = nn.binary_cross_entropy(prediction, library(t))
        require_close(float(found), expected, dtype="float32")


def test_probabilities_that_vary_receive_gradients_for_plain_scores():
    shares = Value([[0.25, 0.75]])
    nn.cross_entropy(np.array([[1.0, 3.0]]), shares).backward()
    require_close(shares.grad, [[np.log(np.exp(1.0) + np.exp(3.0)) - x for x in (1.0, 3.0)]])


def test_a_list_of_scalar_values_and_an_array_of_targets_both_receive_gradients():
    p, t = [Value(1.0), Value(3.0)], Value([0.5, 5.0])
    nn.mse(p, t).backward()
    assert [x.grad for x in p] == [0.5, -2.0]
    assert t.grad.tolist() == [-0.5, 2.0]
    scores, shares = [Value(1.0), Value(3.0)], Value([0.25, 0.75])
    nn.cross_entropy(scores, shares).backward()
    log_softmax = np.array([1.0, 3.0]) - np.log(np.exp(1.0) + np.exp(3.0))
    require_close(shares.grad, -log_softmax)
    require_close([x.grad for x in scores], np.exp(log_softmax) - [0.25, 0.75])


def test_kl_div_with_batchmean_agrees_with_pytorch_and_the_definition():
    p, q = probabilities(4, 3), probabilities(4, 3, seed=1)
    options = {"reduction": "batchmean"}
    require_loss(lambda x, t: nn.kl_div(x, t, **options), lambda x, t: F.kl_div(x, t, **options), np.log(p), q)
    require_close(nn.kl_div(np.log(p), q, reduction="batchmean"), (q * np.log(q / p)).sum() / 4)
    rows = [[Value(x) for x in row] for row in np.log(p).tolist()]
    found = nn.kl_div(rows, q.tolist(), reduction="batchmean").data
    require_close(found, nn.kl_div(np.log(p), q, reduction="batchmean"))


def test_targets_of_probability_zero_add_nothing_to_kl_div():
    p, q = np.log(probabilities(2, 3)), np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    require_loss(lambda x, t: nn.kl_div(x, t, reduction="sum"), lambda x, t: F.kl_div(x, t, reduction="sum"), p, q)


def test_predictions_of_exactly_0_and_1_agree_with_pytorch():
    p, t = np.array([0.0, 1.0, 1.0, 0.0, 0.5]), np.array([0.0, 1.0, 0.0, 1.0, 1.0])
    found = nn.binary_cross_entropy(Value(p), t, reduction="none").data
    expected = F.binary_cross_entropy(torch.tensor(p), torch.tensor(t), reduction="none")
    require_close(found, expected.numpy())


@pytest.mark.parametrize("make", [np.array, float], ids=["arrays", "numbers"])
@pytest.mark.parametrize("p", [0.0, 1.0, 1e-50, 0.3])
@pytest.mark.parametrize("t", [0.0, 0.5, 1.0])
def test_gradients_of_predictions_near_0_and_1_agree_with_pytorch(make, p, t):
    found, expected = Value(make(p)), torch.tensor(p, dtype=torch.float64, requires_grad=True)
    loss, reference = nn.binary_cross_entropy(found, t), F.binary_cross_entropy(expected, torch.tensor(t).double())
    loss.backward()
    reference.backward()
    require_close(float(loss.data), reference.item())
    require_close(float(found.grad), expected.grad.item(), condition=1e4)  # PyTorch's bound is 1e-12 in float32


def test_a_saturated_sigmoid_has_finite_gradients():
    x = Value(np.array([-800.0, -40.0, -1.0, 40.0, 800.0] * 2))
    t = np.array([0.0] * 5 + [1.0] * 5)
    p = x.sigmoid()
    nn.binary_cross_entropy(p, t, reduction="sum").backward()
    # p - t in exact arithmetic; where p rounds to 0 or 1, the derivative of the sigmoid and the gradient are 0
    require_close(x.grad, np.where((p.data > 0) & (p.data < 1), p.data - t, 0.0))


def test_large_logits_keep_their_precision():
    x, t = np.array([1000.0, -1000.0, 1000.0, -40.0]), np.array([1.0, 0.0, 0.0, 1.0])
    require_loss(
        lambda p, t: nn.binary_cross_entropy_with_logits(p, t, reduction="none"),
        lambda p, t: F.binary_cross_entropy_with_logits(p, t, reduction="none"), x, t,
    )  # fmt: skip


@pytest.mark.parametrize("weight", [2.5, [0.5, 2.0, 3.0]])
def test_positive_targets_can_have_a_weight(weight):
    theirs = torch.tensor(weight, dtype=torch.float64)
    require_loss(
        lambda p, t: nn.binary_cross_entropy_with_logits(p, t, pos_weight=weight),
        lambda p, t: F.binary_cross_entropy_with_logits(p, t, pos_weight=theirs), normal(4, 3),
        probabilities(4, 3, seed=1),
    )  # fmt: skip


# --- classes -----------------------------------------------------------------------------------------------

shapes = st.sampled_from([(5, 3), (1, 4), (6, 2, 3), (2, 3, 2, 2), (4,), (3, 1)])


@given(
    shapes, st.integers(0, 99), st.sampled_from(REDUCTIONS), st.booleans(), st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([-100, 0, 1]),
)  # fmt: skip
def test_cross_entropy_of_labels_agrees_with_pytorch(shape, seed, reduction, weighted, smoothing, ignored):
    axis = 0 if len(shape) == 1 else 1
    count, rng = shape[axis], np.random.default_rng(seed)
    labels = rng.integers(0, count, shape[:axis] + shape[axis + 1 :])
    weight = rng.random(count) + 0.5 if weighted else None
    options = {"reduction": reduction, "label_smoothing": smoothing, "ignore_index": ignored}
    their_weight = None if weight is None else torch.tensor(weight)
    require_loss(
        lambda p, t: nn.cross_entropy(p, t, weight=weight, **options),
        lambda p, t: F.cross_entropy(p, t, weight=their_weight, **options), normal(*shape, seed=seed), labels,
    )  # fmt: skip


@given(shapes, st.sampled_from(REDUCTIONS), st.booleans(), st.sampled_from([0.0, 0.2]), st.booleans())
def test_cross_entropy_of_probabilities_agrees_with_pytorch(shape, reduction, weighted, smoothing, varies):
    axis = 0 if len(shape) == 1 else 1
    weight = np.random.default_rng(1).random(shape[axis]) + 0.5 if weighted else None
    options = {"reduction": reduction, "label_smoothing": smoothing}
    their_weight = None if weight is None else torch.tensor(weight)
    require_loss(
        lambda p, t: nn.cross_entropy(p, t, weight=weight, **options),
        lambda p, t: F.cross_entropy(p, t, weight=their_weight, **options), normal(*shape),
        probabilities(*shape, seed=1, axis=axis), target_varies=varies,
    )  # fmt: skip


@given(shapes, st.integers(0, 99), st.sampled_from(REDUCTIONS), st.booleans())
def test_nll_agrees_with_pytorch(shape, seed, reduction, weighted):
    axis = 0 if len(shape) == 1 else 1
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, shape[axis], shape[:axis] + shape[axis + 1 :])
    weight = rng.random(shape[axis]) + 0.5 if weighted else None
    their_weight = None if weight is None else torch.tensor(weight)
    require_loss(
        lambda p, t: nn.nll(p, t, weight=weight, reduction=reduction),
        lambda p, t: F.nll_loss(p, t, weight=their_weight, reduction=reduction), normal(*shape), labels,
    )  # fmt: skip


@pytest.mark.parametrize("ignored", [255, -1])
def test_the_ignored_label_can_be_any_integer(ignored):
    labels = np.array([0, ignored, 2, ignored])
    require_loss(
        lambda p, t: nn.cross_entropy(p, t, ignore_index=ignored),
        lambda p, t: F.cross_entropy(p, t, ignore_index=ignored), normal(4, 3), labels,
    )  # fmt: skip


def test_classes_with_score_minus_infinity_do_not_affect_the_others():
    scores = np.array([[1.0, -math.inf, 2.0], [0.0, 0.0, -math.inf]])
    found = nn.cross_entropy(Value(scores), [0, 1])
    require_close(found.item(), F.cross_entropy(torch.tensor(scores), torch.tensor([0, 1])).item())


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("options", [{}, {"weight": [0.5, 2.0, 1.0]}, {"label_smoothing": 0.1}])
def test_a_batch_of_ignored_labels_gives_nan_and_no_gradient_as_in_pytorch(options, compiled):
    transform = value_and_grad(lambda scores, labels: nn.cross_entropy(scores, labels, **options))
    loss, gradient = (jit(transform) if compiled else transform)(normal(2, 3), np.array([-100, -100]))
    assert math.isnan(float(loss))
    np.testing.assert_array_equal(gradient, np.zeros((2, 3)))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("options", [{}, {"weight": [0.5, 2.0, 1.0]}, {"label_smoothing": 0.1}])
def test_nan_in_an_ignored_row_stays_in_its_row_as_in_pytorch(options, compiled):
    scores, labels = normal(3, 3), np.array([2, -100, 0])
    scores[1, 1] = math.nan
    theirs = torch.tensor(scores, requires_grad=True)
    settings = options | (
        {"weight": torch.tensor(options["weight"], dtype=theirs.dtype)} if "weight" in options else {}
    )
    expected = F.cross_entropy(theirs, torch.tensor(labels), **settings)
    expected.backward()
    transform = value_and_grad(lambda scores, labels: nn.cross_entropy(scores, labels, **options))
    loss, gradient = (jit(transform) if compiled else transform)(scores, labels)
    require_close(float(loss), expected.item())
    require_close(gradient[np.array([0, 2])], theirs.grad[[0, 2]])


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_smoothing_counts_for_scalar_values_of_a_class_without_weight(reduction):
    scores, labels, weight = normal(3, 3), [0, 1, -100], [0.0, 2.0, 1.0]
    rows = [[Value(x) for x in row] for row in scores.tolist()]
    t = torch.tensor(scores, requires_grad=True)
    options = {"reduction": reduction, "label_smoothing": 0.2}
    expected = F.cross_entropy(t, torch.tensor(labels), torch.tensor(weight, dtype=t.dtype), **options)
    found = nn.cross_entropy(rows, labels, weight, **options)
    if reduction == "none":
        require_close([x.data for x in found], expected.tolist())
        found, expected = sum(found), expected.sum()
    require_close(found.data, expected.item())
    found.backward()
    expected.backward()
    require_close([[x.grad for x in row] for row in rows], t.grad)


@pytest.mark.parametrize("options", [{}, {"weight": [0.5, 2.0, 1.0]}, {"label_smoothing": 0.1}, {"ignore_index": 1}])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_cross_entropy_of_scalar_values_agrees_with_that_of_arrays(options, reduction):
    scores, labels = normal(4, 3), [0, 1, 2, 1]
    rows = [[Value(x) for x in row] for row in scores.tolist()]
    array = Value(scores)
    expected = nn.cross_entropy(array, labels, reduction=reduction, **options)
    found = nn.cross_entropy(rows, labels, reduction=reduction, **options)
    if reduction == "none":
        require_close([x.data for x in found], expected.data)
        found, expected = sum(found), expected.sum()
    require_close(found.data, expected.item())
    found.backward()
    expected.backward()
    require_close([[x.grad for x in row] for row in rows], array.grad)


def test_cross_entropy_of_scalar_values_accepts_one_sample_and_probabilities():
    row, shares = [Value(x) for x in (0.5, -1.0, 2.0)], [0.2, 0.3, 0.5]
    scores = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    expected = F.cross_entropy(scores, torch.tensor(2)).item()
    require_close(nn.cross_entropy(row, 2).data, expected)
    require_close(nn.cross_entropy(row, 2, reduction="none").data, expected)
    expected = F.cross_entropy(scores, torch.tensor(shares, dtype=torch.float64)).item()
    require_close(nn.cross_entropy([row], [shares]).data, expected)
    logs = [x.data for x in row]
    assert nn.nll(row, 1).data == -logs[1]


# --- arguments and errors -----------------------------------------------------------------------


def test_plain_arrays_give_plain_numbers():
    for loss in (nn.mse(normal(3), normal(3)), nn.cross_entropy(normal(2, 3), [0, 1]), nn.nll(normal(2, 3), [0, 1])):
        assert isinstance(loss, np.float64)


def test_float32_stays_float32_with_float64_targets():
    for loss in (nn.mse, nn.hinge, nn.binary_cross_entropy_with_logits, nn.cross_entropy):
        assert loss(Value(normal(4, 3), dtype="float32"), probabilities(4, 3)).dtype == np.float32


def test_a_list_of_arrays_is_stacked():
    rows = [Value(x) for x in normal(4, 3)]
    found = nn.cross_entropy(rows, [0, 1, 2, 0])
    require_close(found.item(), nn.cross_entropy(normal(4, 3), [0, 1, 2, 0]))
    found.backward()
    assert all(np.any(row.grad) for row in rows)


def test_one_target_can_be_used_for_all_predictions():
    assert nn.mse(Value([1.0, 3.0]), 1.0).item() == 2.0
    assert nn.mse([Value(1.0), Value(3.0)], 1.0).data == 2.0
    assert nn.mse(Value(3.0), 1.0).data == 4.0


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 3], "label 3 at position 1 is out of range: there are 3 classes, 0 to 2"),
        ([-1, 0], "label -1 at position 0 is out of range: there are 3 classes"),
        (np.array([0, 10]), "label 10 at position 1"),
    ],
)
@pytest.mark.parametrize("scalars", [False, True])
def test_a_label_out_of_range_is_named(labels, message, scalars):
    rows = [[Value(x) for x in row] for row in normal(2, 3).tolist()] if scalars else Value(normal(2, 3))
    with pytest.raises(errors.ArrayIndexError, match=message):
        nn.cross_entropy(rows, labels)


def test_a_label_out_of_range_is_named_with_its_position_in_an_image():
    with pytest.raises(errors.ArrayIndexError, match=r"label 7 at position \(1, 0\)"):
        nn.cross_entropy(Value(normal(2, 3, 2)), np.array([[0, 1], [7, 2]]))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: nn.mse(Value(normal(5, 1)), normal(5)),
            errors.ShapeError,
            r"\(5, 1\) .*\(5,\); they must be equal; use \.reshape",
        ),
        (lambda: nn.mse(Value(normal(5)), normal(4)), errors.ShapeError, r"\(5,\) but targets have shape \(4,\)"),
        (
            lambda: nn.mse(Value(np.zeros((0, 2))), np.zeros((0, 2))),
            errors.ShapeError,
            r"mse: the predictions are empty",
        ),
        (lambda: nn.mse([Value(1.0)], [1.0, 2.0]), errors.ShapeError, "1 predictions and 2 targets"),
        (lambda: nn.mse(Value(normal(2)), normal(2), reduction="men"), errors.ArgumentError, "did you mean 'mean'"),
        (lambda: nn.cross_entropy(normal(2, 3), [0, 1], reduction="x"), errors.ArgumentError, "unknown reduction 'x'"),
        (lambda: nn.mse("abc", [1.0]), errors.ArgumentError, "a loss needs arrays, .* not str 'abc'"),
        (
            lambda: nn.huber(Value(normal(2)), normal(2), delta=0),
            errors.ArgumentError,
            "delta must be a number above 0",
        ),
        (
            lambda: nn.binary_cross_entropy(Value([0.5, 1.5]), [0.0, 1.0]),
            errors.ArgumentError,
            "a prediction must be a probability from 0 to 1, not 1.5; apply a sigmoid",
        ),
        (lambda: nn.binary_cross_entropy([Value(-0.5)], [0.0]), errors.ArgumentError, "not -0.5"),
        (lambda: nn.cross_entropy(normal(2, 3), [0, 1, 2]), errors.ShapeError, r"\(2, 3\) have 3 classes .*not \(3,\)"),
        (
            lambda: nn.cross_entropy(normal(2, 5, 3), np.zeros((2, 5), int)),
            errors.ShapeError,
            r"if the classes are on the last axis, reshape both to \(-1, 3\) and \(-1,\)",
        ),
        (
            lambda: nn.cross_entropy(normal(2, 3), np.array([0.0, 1.0])),
            errors.ArgumentError,
            "each label must be an integer",
        ),
        (
            lambda: nn.cross_entropy(normal(2, 3), [0, 1], weight=[1.0]),
            errors.ShapeError,
            r"weight must have shape \(3,\), one number per class",
        ),
        (lambda: nn.cross_entropy(normal(2, 3), [0, 1], label_smoothing=2), errors.ArgumentError, "from 0 to 1, not"),
        (lambda: nn.cross_entropy(np.zeros((0, 3)), []), errors.ShapeError, r"not \(0, 3\)"),
        (lambda: nn.nll(normal(2, 3), probabilities(2, 3)), errors.ShapeError, r"need labels of shape \(2,\), not"),
        (lambda: nn.cross_entropy([[Value(1.0)] * 2] * 2, [1]), errors.ShapeError, "2 predictions need 2 targets"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_class_weights_given_as_a_list_work_under_jit_with_labels_as_an_argument():
    p, labels, weight = Value(normal(4, 3)), np.array([0, 1, 2, 1]), [1.0, 2.0, 3.0]
    for loss in (nn.cross_entropy, nn.nll):
        compiled = adjoint.jit(lambda p, labels, loss=loss: loss(p, labels, weight=weight))
        require_close(float(compiled(p, labels)), float(loss(p, labels, weight=weight)))


def test_the_second_derivative_of_huber_is_1_at_an_error_of_0():
    adjoint.check_gradients(lambda v: nn.huber(v, [1.0, 2.0, 3.0], reduction="sum"), np.array([1.0, 2.5, 3.0]), order=2)
    x = Value([1.0, 2.5, 9.0])
    nn.huber(x, [1.0, 2.0, 3.0], reduction="sum").backward(create_graph=True)
    slopes = x.grad
    x.zero_grad()
    slopes.backward([1.0, 1.0, 1.0])
    assert x.grad.tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("prediction", "target", "options", "message"),
    [
        (1.0, 0, {}, "needs a list of predictions, one per class, not Value"),
        ([[1.0, 2.0], 3.0], [0, 1], {}, "needs a list of predictions"),
        ([[1.0, 2.0], [3.0]], [0, 0], {}, "equally many predictions, not 2 and 1"),
        ([1.0, 2.0], [0.3, 0.3, 0.4], {}, "a label or 2 probabilities, not list"),
        ([1.0, 2.0], 0, {"weight": [1.0]}, "weight must have shape .2,., one number per class"),
        ([1.0, 2.0], 0, {"weight": 1.0}, "weight must have shape"),
    ],
)
def test_cross_entropy_of_scalar_values_refuses_wrong_shapes(prediction, target, options, message):
    def values(x):
        return [values(part) for part in x] if isinstance(x, list) else Value(x)

    with pytest.raises(errors.ShapeError, match=message):
        nn.cross_entropy(values(prediction), target, **options)


def test_nll_of_scalar_values_refuses_probabilities():
    with pytest.raises(errors.ShapeError, match="a label, not list"):
        nn.nll([Value(-1.0), Value(-0.5)], [0.5, 0.5])


def test_a_subclass_of_a_loss_module_keeps_its_options():
    class Scaled(nn.MSELoss):
        def __init__(self, scale):
            super().__init__("sum")
            self.scale = scale

        def forward(self, prediction, target):
            return self.scale * super().forward(prediction, target=target)

    assert float(Scaled(2.0)(Value([1.0, 3.0]), [0.0, 0.0])) == 20.0
