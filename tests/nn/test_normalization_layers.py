"""Norms agree with PyTorch's, in training and evaluation mode, and so do their running statistics."""

import numpy as np
import pytest
import torch
from closeness import require_close
from hypothesis import given, strategies as st
from torch_reference import normal, require_agreement

from adjoint import errors, nn

batches = st.lists(st.integers(1, 4), max_size=2)
shapes = st.lists(st.integers(1, 5), min_size=1, max_size=2)


@given(batches, shapes, st.booleans(), st.booleans(), st.sampled_from([1e-5, 0.1]))
def test_layer_norm_agrees_with_pytorch(batch, shape, affine, bias, eps):
    options = {"eps": eps, "elementwise_affine": affine, "bias": bias}
    require_agreement(nn.LayerNorm(shape, **options), torch.nn.LayerNorm(shape, **options), normal(*batch, *shape))


@given(batches, shapes, st.booleans(), st.sampled_from([None, 1e-5, 0.1]))
def test_rms_norm_agrees_with_pytorch(batch, shape, affine, eps):
    options = {"eps": eps, "elementwise_affine": affine}
    require_agreement(nn.RMSNorm(shape, **options), torch.nn.RMSNorm(shape, **options), normal(*batch, *shape))


def test_a_weight_of_another_shape_than_the_normalized_axes_is_refused():
    for norm in (nn.functional.rms_norm, nn.functional.layer_norm):
        with pytest.raises(errors.ShapeError, match=r"the weight must have the shape \(1, 2, 3\), not \(1, 2\)"):
            norm(np.ones((1, 2, 3)), (1, 2, 3), np.ones((1, 2)))


def test_rms_norm_uses_the_machine_epsilon_of_the_dtype():
    x = np.full((1, 4), 1e-4, np.float32)
    theirs = torch.nn.RMSNorm(4)(torch.tensor(x))
    require_close(nn.RMSNorm(4, dtype="float32")(x), theirs, "the output")
    half = np.full((1, 4), 1e-2, np.float16)  # which is computed in float32
    theirs = torch.nn.RMSNorm(4, dtype=torch.float16)(torch.tensor(half))
    require_close(nn.RMSNorm(4, dtype="float16")(half), theirs, "the output")


KINDS = [
    (nn.BatchNorm1d, torch.nn.BatchNorm1d, (6, 3)),
    (nn.BatchNorm1d, torch.nn.BatchNorm1d, (4, 3, 5)),
    (nn.BatchNorm2d, torch.nn.BatchNorm2d, (4, 3, 2, 5)),
    (nn.BatchNorm3d, torch.nn.BatchNorm3d, (2, 3, 2, 1, 4)),
]


@pytest.mark.parametrize(("ours", "theirs", "shape"), KINDS)
@pytest.mark.parametrize(
    "options",
    [{}, {"momentum": 0.4, "eps": 0.1}, {"momentum": None}, {"affine": False}, {"track_running_stats": False}],
)
@pytest.mark.parametrize("training", [True, False])
def test_batch_norms_agree_with_pytorch_step_by_step(ours, theirs, shape, options, training):
    our_norm, their_norm = ours(3, **options), theirs(3, **options).double()
    if options.get("affine", True):
        with torch.no_grad():
            their_norm.weight.uniform_(0.5, 2)
            their_norm.bias.uniform_(-1, 1)
    for seed in range(3):
        their_norm.train()
        require_agreement(our_norm, their_norm, normal(*shape, seed=seed) * 3 + 1)
    require_agreement(our_norm, their_norm, normal(*shape, seed=9), training=training)


def test_evaluation_mode_does_not_change_the_statistics():
    norm = nn.BatchNorm1d(3)
    norm(normal(5, 3))
    before = norm.state_dict()
    norm.eval()(normal(5, 3, seed=1))
    after = norm.state_dict()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert before["num_batches_tracked"] == 1
    assert before["num_batches_tracked"].dtype == np.int64


def test_running_statistics_are_not_parameters():
    norm = nn.BatchNorm1d(3)
    assert [name for name, _ in norm.named_parameters()] == ["weight", "bias"]
    assert [name for name, _ in norm.named_buffers()] == ["running_mean", "running_var", "num_batches_tracked"]


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("options", [{}, {"affine": True, "eps": 0.1}, {"track_running_stats": True}])
def test_instance_norms_agree_with_pytorch_step_by_step(ndim, options):
    name, shape = f"InstanceNorm{ndim}d", (4, 3, 2, 5, 2)[: 2 + ndim]
    ours, theirs = getattr(nn, name)(3, **options), getattr(torch.nn, name)(3, **options).double()
    for seed in range(2):
        theirs.train()
        require_agreement(ours, theirs, normal(*shape, seed=seed) * 3 + 1)
    require_agreement(ours, theirs, normal(*shape, seed=9), training=False)
    require_agreement(ours, theirs, normal(*shape[1:], seed=9))


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 3), (1, 4, 2, 3)])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_group_norm_agrees_with_pytorch(shape, groups):
    for affine in (True, False):
        theirs = torch.nn.GroupNorm(groups, 4, eps=0.1, affine=affine).double()
        if affine:
            with torch.no_grad():
                theirs.weight.uniform_(0.5, 2)
                theirs.bias.uniform_(-1, 1)
        require_agreement(nn.GroupNorm(groups, 4, eps=0.1, affine=affine), theirs, normal(*shape))


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_local_response_norm_agrees_with_pytorch(size):
    options = {"alpha": 0.3, "beta": 0.5, "k": 2.0}
    theirs = torch.nn.LocalResponseNorm(size, **options)
    require_agreement(nn.LocalResponseNorm(size, **options), theirs, normal(2, 4, 3, 2))


@pytest.mark.parametrize(
    ("layer", "shape", "message"),
    [
        (nn.GroupNorm(2, 4), (3, 5), r"expected an input of shape \(samples, 4, …\), not \(3, 5\)"),
        (nn.InstanceNorm1d(3), (2, 4, 5), r"\(samples, 3, length\) or \(3, length\), not \(2, 4, 5\)"),
        (nn.InstanceNorm1d(3), (2, 3, 1), "one value per channel, which has no variance"),
        (nn.LocalResponseNorm(3), (2, 4), "at least 3 axes"),
    ],
)
def test_an_input_of_another_shape_is_refused(layer, shape, message):
    with pytest.raises(errors.ShapeError, match=message):
        layer(np.zeros(shape))


@pytest.mark.parametrize("kind", [nn.LayerNorm, nn.RMSNorm])
def test_norms_without_weights_take_lists_and_integers(kind):
    layer = kind(4, elementwise_affine=False)
    expected = layer(np.array([1.0, 2.0, 3.0, 5.0]))
    np.testing.assert_array_equal(layer([1.0, 2.0, 3.0, 5.0]), expected)
    np.testing.assert_array_equal(layer(np.array([1, 2, 3, 5])), expected)
    with pytest.raises(errors.ArrayError, match="a layer needs an array, a list of numbers or a Value"):
        layer("abcd")


def test_batch_norm_without_weights_and_statistics_takes_lists():
    layer = nn.BatchNorm1d(2, eps=1e-30, affine=False, track_running_stats=False)
    require_close(layer([[1.0, 2.0], [3.0, 6.0]]), [[-1.0, -1.0], [1.0, 1.0]])
