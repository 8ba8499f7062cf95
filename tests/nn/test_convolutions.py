"""Convolution and pooling layers agree with PyTorch's for all options."""

import pytest
import torch
from fuzzing import examples
from hypothesis import given, strategies as st
from torch_reference import normal, require_agreement

from adjoint import nn


@st.composite
def options(draw):
    groups = draw(st.sampled_from([1, 1, 2]))
    padding = draw(st.sampled_from([0, 1, 2, "same", "valid"]))
    return {
        "in_channels": groups * draw(st.integers(1, 2)),
        "out_channels": groups * draw(st.integers(1, 2)),
        "kernel_size": draw(st.integers(1, 3)),
        "stride": 1 if padding == "same" else draw(st.integers(1, 2)),
        "padding": padding,
        "dilation": draw(st.integers(1, 2)),
        "groups": groups,
        "bias": draw(st.booleans()),
    }


@examples(15)
@given(options(), st.booleans())
def test_conv1d_agrees_with_pytorch(options, is_single):
    x = normal(*() if is_single else (2,), options["in_channels"], 7)
    require_agreement(nn.Conv1d(**options), torch.nn.Conv1d(**options), x)


@examples(15)
@given(options(), st.booleans())
def test_conv2d_agrees_with_pytorch(options, is_single):
    x = normal(*() if is_single else (2,), options["in_channels"], 7, 6)
    require_agreement(nn.Conv2d(**options), torch.nn.Conv2d(**options), x)


def test_sizes_can_be_pairs():
    options = {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}
    require_agreement(nn.Conv2d(2, 3, **options), torch.nn.Conv2d(2, 3, **options), normal(2, 2, 8, 7))


@pytest.mark.parametrize("size", [2, (3, 2)])
@pytest.mark.parametrize("stride", [None, 1, (1, 2)])
@pytest.mark.parametrize("padding", [0, 1])
def test_pools_agree_with_pytorch(size, stride, padding):
    x = normal(2, 3, 8, 6)
    require_agreement(nn.MaxPool2d(size, stride, padding), torch.nn.MaxPool2d(size, stride, padding), x)
    for counted in (True, False):
        ours = nn.AvgPool2d(size, stride, padding, count_include_pad=counted)
        require_agreement(ours, torch.nn.AvgPool2d(size, stride, padding, count_include_pad=counted), x)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda m: m.Conv3d(2, 4, (1, 2, 2), (1, 2, 1), (0, 1, 0), groups=2), (2, 2, 2, 4, 3)),
        (lambda m: m.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2), (2, 4, 5)),
        (lambda m: m.ConvTranspose2d(2, 3, (3, 2), dilation=2, bias=False), (2, 2, 3, 4)),
        (lambda m: m.ConvTranspose3d(2, 1, 2, 2), (2, 2, 2, 1, 2)),
        (lambda m: m.MaxPool1d(3, 2, 1, ceil_mode=True), (2, 3, 8)),
        (lambda m: m.MaxPool2d(2, 1, dilation=2), (2, 3, 5, 4)),
        (lambda m: m.MaxPool3d(2, 1), (2, 1, 3, 2, 4)),
        (lambda m: m.AvgPool1d(3, 2, 1, True, False), (2, 3, 8)),
        (lambda m: m.AvgPool2d(2, ceil_mode=True, divisor_override=3), (2, 3, 5, 4)),
        (lambda m: m.AvgPool3d(2, 1, 1), (2, 1, 3, 2, 4)),
        (lambda m: m.LPPool1d(2, 3, 2), (2, 3, 8)),
        (lambda m: m.LPPool2d(2, (2, 3), ceil_mode=True), (2, 3, 5, 4)),
        (lambda m: m.LPPool3d(2, 2), (2, 1, 3, 2, 4)),
        (lambda m: m.AdaptiveAvgPool1d(3), (2, 3, 8)),
        (lambda m: m.AdaptiveAvgPool2d((2, None)), (2, 3, 5, 4)),
        (lambda m: m.AdaptiveAvgPool3d(1), (2, 1, 3, 2, 4)),
        (lambda m: m.AdaptiveMaxPool1d(3), (2, 3, 8)),
        (lambda m: m.AdaptiveMaxPool2d((2, None)), (2, 3, 5, 4)),
        (lambda m: m.AdaptiveMaxPool3d(1), (2, 1, 3, 2, 4)),
        (lambda m: m.Upsample(scale_factor=2.0), (2, 3, 4)),
        (lambda m: m.Upsample(size=(5, 3), mode="bilinear", align_corners=True), (2, 3, 4, 4)),
        (lambda m: m.PixelShuffle(2), (2, 4, 3, 2)),
        (lambda m: m.PixelUnshuffle(2), (2, 1, 4, 6)),
        (lambda m: m.Unfold((2, 3), padding=1), (2, 2, 4, 5)),
        (lambda m: m.Fold((4, 5), (2, 3), stride=(2, 1)), (2, 12, 6)),
    ],
)
def test_layers_of_windows_agree_with_pytorch_with_and_without_samples(make, shape):
    require_agreement(make(nn), make(torch.nn), normal(*shape))
    if not isinstance(make(nn), nn.Upsample):
        require_agreement(make(nn), make(torch.nn), normal(*shape[1:]))
