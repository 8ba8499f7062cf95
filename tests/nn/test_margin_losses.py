"""Losses with margins and likelihoods against PyTorch, to the third derivative, and the same losses as modules."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from arrays import Problem, case
from claims import claims
from closeness import require_close
from losses import chances, require_loss, signs
from torch_reference import normal

import adjoint
from adjoint import Value, errors, nn

CASES: dict = {}
REDUCTIONS = ("mean", "sum", "none")


def focal_in_torch(x, t, alpha=0.25, gamma=2.0, reduction="mean"):
    """Return `sigmoid_focal_loss` as torchvision's documentation defines it."""
    p, ce = torch.sigmoid(x), F.binary_cross_entropy_with_logits(x, t, reduction="none")
    q = p * t + (1 - p) * (1 - t)
    losses = ce * (1 - q) ** gamma
    losses = losses if alpha < 0 else losses * (alpha * t + (1 - alpha) * (1 - t))
    return {"mean": losses.mean(), "sum": losses.sum(), "none": losses}[reduction]


def of(t, *inputs):
    """Return targets in the library of the inputs: arrays of PyTorch and NumPy cannot be mixed."""
    is_torch = any(isinstance(getattr(x, "data", x), torch.Tensor) for x in inputs)
    return torch.tensor(t) if is_torch else t


# --- of predictions and targets --------------------------------------------------------------------------------

POINTWISE = {  # PyTorch's function, the targets, options to choose from
    "smooth_l1": (F.smooth_l1_loss, normal, ({}, {"beta": 0.3}, {"beta": 0.0})),
    "huber": (F.huber_loss, normal, ({}, {"delta": 0.3})),
    "soft_margin": (F.soft_margin_loss, signs, ({},)),
    "hinge_embedding": (F.hinge_embedding_loss, signs, ({}, {"margin": 0.3})),
    "poisson_nll": (F.poisson_nll_loss, lambda *s, seed: chances(*s, seed=seed) * 4, ({}, {"full": True})),
    "focal": (focal_in_torch, chances, ({}, {"alpha": -1.0, "gamma": 1.5})),
    "multilabel_soft_margin": (F.multilabel_soft_margin_loss, chances, ({},)),
}


@case(CASES, *POINTWISE)
def _(name, draw):
    theirs, targets, options = POINTWISE[name]
    x = draw.array(draw.shape(1, 3, min_side=1), special=(-1.0, 0.0, 0.3, 1.0))
    t = targets(*x.shape, seed=draw.integer(0, 9)).astype(x.dtype)
    if draw.kind != "generic" and name in ("smooth_l1", "huber"):
        t = np.zeros_like(x)  # errors of 0 and of the bound itself
    chosen = {**draw.one_of(*options), "reduction": draw.one_of(*REDUCTIONS)}
    return Problem(
        lambda v: getattr(nn, name)(v, of(t, v), **chosen), lambda v: theirs(v, torch.tensor(t), **chosen), [x]
    )


@case(CASES, "poisson_nll of rates")
def _(name, draw):
    x = draw.array(draw.shape(1, 2, min_side=1), 0.2, 3.0, special=(0.3, 1.0, 2.0))
    t, chosen = chances(*x.shape).astype(x.dtype) * 4, {"log_input": False, "reduction": draw.one_of(*REDUCTIONS)}
    return Problem(
        lambda v: nn.poisson_nll(v, of(t, v), **chosen), lambda v: F.poisson_nll_loss(v, torch.tensor(t), **chosen), [x]
    )


# --- of several inputs ----------------------------------------------------------------------------------------


@case(CASES, "margin_ranking")
def _(name, draw):
    shape = draw.shape(1, 2, min_side=1)
    x, z = (draw.array(shape) for _ in range(2))
    t, chosen = signs(*shape).astype(x.dtype), {"margin": draw.one_of(0.0, 0.5), "reduction": draw.one_of(*REDUCTIONS)}
    return Problem(
        lambda a, b: nn.margin_ranking(a, b, of(t, a, b), **chosen),
        lambda a, b: F.margin_ranking_loss(a, b, torch.tensor(t), **chosen), [x, z],
    )  # fmt: skip


@case(CASES, "cosine_embedding")
def _(name, draw):
    shape = draw.one_of((3, 4), (1, 2), (3,))
    x, z = (draw.array(shape, special=(-1.0, 0.5, 1.0, 2.0)) for _ in range(2))
    t = np.asarray(signs(*shape[:-1]) if len(shape) > 1 else draw.one_of(1.0, -1.0), x.dtype)
    chosen = {"margin": draw.one_of(0.0, 0.5), "reduction": draw.one_of(*REDUCTIONS)}
    return Problem(
        lambda a, b: nn.cosine_embedding(a, b, of(t, a, b), **chosen),
        lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor(t), **chosen), [x, z],
    )  # fmt: skip


@case(CASES, "triplet_margin")
def _(name, draw):
    shape = draw.one_of((3, 4), (1, 2), (3,))
    inputs = [draw.array(shape, special=(-1.0, 0.5, 1.0, 2.0)) for _ in range(3)]
    chosen = {
        "p": draw.one_of(2.0, 1.0, 3.0), "margin": draw.one_of(1.0, 0.2), "swap": draw.flag(),
        "reduction": draw.one_of(*REDUCTIONS),
    }  # fmt: skip
    return Problem(
        lambda *vs: nn.triplet_margin(*vs, **chosen), lambda *vs: F.triplet_margin_loss(*vs, **chosen), inputs
    )


@case(CASES, "gaussian_nll")
def _(name, draw):
    shape = draw.one_of((3, 4), (1, 2), (3,))
    x, t = (draw.array(shape, special=(-1.0, 0.5, 1.0, 2.0)) for _ in range(2))
    var = draw.array(draw.one_of(shape, (*shape[:-1], 1)), 0.2, 2.0, special=(1e-7, 0.5, 1.0))
    chosen = {"full": draw.flag(), "eps": draw.one_of(1e-6, 1e-2), "reduction": draw.one_of(*REDUCTIONS)}
    return Problem(
        lambda *vs: nn.gaussian_nll(*vs, **chosen), lambda *vs: F.gaussian_nll_loss(*vs, **chosen), [x, t, var]
    )


# --- of classes: PyTorch's functions have no second derivative, so these are written out -------------------------


def multi_margin_in_torch(x, t, p=1, margin=1.0, weight=None, reduction="mean"):
    own = x.gather(-1, t[..., None])
    misses = torch.relu(margin - own + x) ** p * (1 - F.one_hot(t, x.shape[-1]))
    losses = (misses if weight is None else misses * weight[t][..., None]).sum(-1) / x.shape[-1]
    return {"mean": losses.mean(), "sum": losses.sum(), "none": losses}[reduction]


@case(CASES, "multi_margin")
def _(name, draw):
    x = draw.array(draw.one_of((4, 3), (1, 2), (5,)), special=(-1.0, 0.0, 0.3, 2.0))
    t = np.random.default_rng(draw.seed).integers(0, x.shape[-1], x.shape[:-1])
    weight = np.linspace(0.5, 2.0, x.shape[-1]).astype(x.dtype) if draw.flag() else None
    chosen = {"p": draw.one_of(1, 2), "margin": draw.one_of(1.0, 0.4), "reduction": draw.one_of(*REDUCTIONS)}
    theirs = None if weight is None else torch.tensor(weight)
    return Problem(
        lambda v: nn.multi_margin(v, of(t, v), weight=None if weight is None else of(weight, v), **chosen),
        lambda v: multi_margin_in_torch(v, torch.tensor(t), weight=theirs, **chosen), [x],
    )  # fmt: skip


globals().update(claims(CASES, singular=["triplet_margin", "cosine_embedding"], without=["arrays_of_jax", "compiled"]))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_single_target_may_be_a_value(sign):
    x, z = np.array([1.0, 2.0, 0.5]), np.array([0.5, 1.0, 3.0])
    found = nn.cosine_embedding(Value(x), z, Value(sign), margin=0.1)
    expected = F.cosine_embedding_loss(torch.tensor(x), torch.tensor(z), torch.tensor(sign), margin=0.1)
    require_close(found, expected)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("options", [{}, {"p": 2}, {"margin": 0.3}, {"weight": [0.5, 1.0, 2.0]}], ids=str)
def test_multi_margin_agrees_with_pytorch(options, reduction):
    theirs = {**options, "weight": torch.tensor(options["weight"]).double()} if "weight" in options else options
    for shape, labels in (((4, 3), np.array([0, 2, 1, 1])), ((3,), np.array(2))):
        require_loss(
            lambda p, t: nn.multi_margin(p, t, **options, reduction=reduction),
            lambda p, t: F.multi_margin_loss(p, t, **theirs, reduction=reduction), normal(*shape), labels,
        )  # fmt: skip


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_multilabel_margin_agrees_with_pytorch(reduction):
    rows = np.array([[3, 0, -1, 1], [-1, 0, 1, 2], [1, 1, -1, 0], [0, 1, 2, 3]])
    for scores, labels in ((normal(4, 4), rows), (normal(4), rows[0])):
        require_loss(
            lambda p, t: nn.multilabel_margin(p, t, reduction=reduction),
            lambda p, t: F.multilabel_margin_loss(p, t, reduction=reduction), scores, labels,
        )  # fmt: skip


def test_multilabel_losses_have_second_derivatives():
    labels, t = np.array([[3, 0, -1, 1], [2, -1, 1, 1], [1, 2, -1, 0]]), chances(3, 4)
    for loss in (lambda v: nn.multilabel_margin(v, labels) ** 2, lambda v: nn.multilabel_soft_margin(v, t)):
        adjoint.check_gradients(loss, normal(3, 4), order=2)


def test_one_compiled_program_of_all_losses_agrees():
    x, z, t, labels = normal(4, 3), normal(4, 3, seed=1), chances(4, 3), np.array([0, 2, 1, 1])
    rows = np.array([[2, 0, -1], [1, -1, 0], [0, 1, 2], [-1, 0, 0]])

    def total(v, w, t, labels, rows):
        return sum([
            nn.smooth_l1(v, t), nn.soft_margin(v, 2 * t - 1), nn.hinge_embedding(v, adjoint.sign(t - 0.5)),
            nn.poisson_nll(v, t, full=True), nn.gaussian_nll(v, w, t), nn.focal(v, t), nn.margin_ranking(v, w, t),
            nn.cosine_embedding(v, w, np.array([1, -1, 1, -1])), nn.triplet_margin(v, w, t, swap=True),
            nn.multi_margin(v, labels, weight=[1.0, 2.0, 3.0]), nn.multilabel_margin(v, rows),
            nn.multilabel_soft_margin(v, t),
        ])  # fmt: skip

    expected = adjoint.value_and_grad(total, argnums=(0, 1))(Value(x), Value(z), t, labels, rows)
    found = adjoint.jit(adjoint.value_and_grad(total, argnums=(0, 1)))(Value(x), Value(z), t, labels, rows)
    require_close(float(found[0]), float(expected[0]))
    for ours, reference in zip(found[1], expected[1]):
        require_close(ours.numpy(), reference.numpy())


def test_lists_of_scalar_values_give_the_same_losses():
    p, z, t = normal(4), normal(4, seed=1), signs(4)
    scalars = [Value(x) for x in p]
    for name in ("smooth_l1", "soft_margin", "hinge_embedding", "poisson_nll", "focal"):
        loss = getattr(nn, name)
        require_close(float(loss(scalars, t.tolist())), float(loss(p, t)), name)
        assert type(loss(scalars, t.tolist())) is Value
    require_close(float(nn.margin_ranking(scalars, z, t)), float(nn.margin_ranking(p, z, t)))
    nn.margin_ranking(scalars, z, t, margin=9.0).backward()
    require_close([x.grad for x in scalars], (-t / 4).tolist())


@pytest.mark.parametrize("target", [1.0, -1.0])
def test_a_loss_of_a_single_pair_is_a_value_with_gradients_as_in_pytorch(target):
    x, z = Value(2.0), Value(1.0)
    t, u = (torch.tensor(v.data, requires_grad=True) for v in (x, z))
    loss, expected = nn.MarginRankingLoss()(x, z, target), F.margin_ranking_loss(t, u, torch.tensor(target))
    assert isinstance(loss, Value)
    loss.backward()
    expected.backward()
    assert (loss.data, x.grad, z.grad) == (expected.item(), t.grad.item(), u.grad.item())


@pytest.mark.parametrize(
    ("ours", "theirs", "inputs"),
    [
        (nn.SmoothL1Loss("sum", 0.3), torch.nn.SmoothL1Loss(reduction="sum", beta=0.3), 2),
        (nn.SoftMarginLoss(), torch.nn.SoftMarginLoss(), 2),
        (nn.HingeEmbeddingLoss(0.3), torch.nn.HingeEmbeddingLoss(0.3), 2),
        (nn.PoissonNLLLoss(full=True), torch.nn.PoissonNLLLoss(full=True), 2),
        (nn.FocalLoss("sum", 0.4), lambda p, t: focal_in_torch(p, t, 0.4, reduction="sum"), 2),
        (nn.MarginRankingLoss(0.2), torch.nn.MarginRankingLoss(0.2), 3),
        (nn.TripletMarginLoss(0.5, 1.0, swap=True), torch.nn.TripletMarginLoss(0.5, 1.0, swap=True), 3),
        (nn.GaussianNLLLoss(full=True, eps=0.1), torch.nn.GaussianNLLLoss(full=True, eps=0.1), 3),
        (nn.MultiLabelSoftMarginLoss(), torch.nn.MultiLabelSoftMarginLoss(), 2),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, nn.Module) else "",
)
def test_a_loss_as_a_module_agrees_with_pytorch(ours, theirs, inputs):
    others = [chances(4, 3, seed=k) for k in range(1, inputs)]
    require_loss(
        lambda p, t: ours(p, t, *others[1:]), lambda p, t: theirs(p, t, *map(torch.tensor, others[1:])),
        normal(4, 3), others[0],
    )  # fmt: skip


def test_losses_of_vectors_and_labels_as_modules_agree_with_pytorch():
    target, labels = signs(4), np.array([[1, 0, -1], [2, -1, 0], [0, -1, -1], [-1, 0, 0]])
    require_loss(
        lambda p, t: nn.CosineEmbeddingLoss(0.2)(p, t, target),
        lambda p, t: torch.nn.CosineEmbeddingLoss(0.2)(p, t, torch.tensor(target)), normal(4, 3), normal(4, 3, seed=1),
    )  # fmt: skip
    require_loss(nn.MultiMarginLoss(2, 0.5), torch.nn.MultiMarginLoss(2, 0.5), normal(4, 3), np.array([0, 2, 1, 1]))
    require_loss(nn.MultiLabelMarginLoss("sum"), torch.nn.MultiLabelMarginLoss(reduction="sum"), normal(4, 3), labels)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.smooth_l1([1.0], [1.0], beta=-1), "beta must be a number of at least 0, not int -1"),
        (lambda: nn.multi_margin(np.ones((2, 3)), [0, 1], p=3), "p must be 1 or 2, not int 3"),
        (lambda: nn.multi_margin(np.ones((2, 3)), [0, 3]), "label 3 at position 1 is out of range"),
        (lambda: nn.multi_margin(np.ones((2, 3)), [0]), r"scores of shape \(2, 3\) need labels of shape \(2,\)"),
        (lambda: nn.multilabel_margin(np.ones((2, 3)), [[0, 1]]), r"need labels of that shape, not \(1, 2\)"),
        (lambda: nn.cosine_embedding(np.ones((2, 3)), np.ones((2, 4)), [1, 1]), r"input2 has \(2, 4\)"),
        (lambda: nn.cosine_embedding(np.ones((2, 3)), np.ones((2, 3)), [1]), r"not \(2, 3\) and \(1,\)"),
        (lambda: nn.gaussian_nll([1.0], [1.0], [-2.0]), "a variance must be at least 0, not -2"),
        (lambda: nn.gaussian_nll(np.ones((2, 3)), np.ones((2, 3)), np.ones(3)), r"variances of shape \(3,\) do not"),
        (lambda: nn.triplet_margin([1.0], [1.0], [1.0], reduction="avg"), "unknown reduction 'avg'"),
    ],
)  # fmt: skip
def test_wrong_arguments_raise_errors_that_say_what_is_expected(call, message):
    with pytest.raises(errors.AdjointError, match=message):
        call()
