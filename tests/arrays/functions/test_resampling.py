"""Adaptive pooling, interpolation, pixel shuffling and columns of windows, against PyTorch and central differences."""

import numpy as np
import pytest
from arrays import F, Problem, case, jax_in_double, require_agreement, solve_in_torch, to_numpy, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Tensor, Value
from adjoint.errors import ArgumentError, ShapeError

CASES: dict = {}
MODES = {1: ["linear"], 2: ["bilinear", "bicubic"], 3: ["trilinear"]}


def _leading(draw, channels: int) -> tuple[int, ...]:
    return (draw.integer(1, 2), channels) if draw.flag() else (channels,)


@case(CASES, *[f"adaptive_{kind}_pool{ndim}d" for kind in ("avg", "max") for ndim in (1, 2, 3)])
def _(name, draw):
    ndim = int(name[-2])
    x = draw.array((*_leading(draw, 2), *(draw.integer(1, 5) for _ in range(ndim))), special=(-1.0, 0.0, 2.0))
    size = tuple(draw.one_of(1, 2, 3, 4, None) for _ in range(ndim))
    if ndim == 1 or draw.flag():
        size = size[0] or 2
    return Problem(
        lambda v: getattr(adjoint, name)(v, size), lambda t: getattr(F, name)(t, size), [x], f"{name} to {size}"
    )


@case(CASES, "interpolate")
def _(name, draw):
    ndim = draw.integer(1, 3)
    mode = draw.one_of("nearest", "nearest-exact", "area", *MODES[ndim])
    shape = [draw.integer(2, 4) for _ in range(ndim)]
    options: dict = {"mode": mode}
    if draw.flag():
        options["size"] = tuple(draw.integer(1, 6) for _ in range(ndim))
    else:
        options["scale_factor"] = draw.one_of(2, 0.5, 1.5)
        options["recompute_scale_factor"] = draw.one_of(None, True)
    if mode in ("linear", "bilinear", "bicubic", "trilinear"):
        options["align_corners"] = draw.flag()
    return Problem(
        lambda v: adjoint.interpolate(v, **options),
        lambda t: F.interpolate(t, **options),
        [draw.array((draw.integer(1, 2), 2, *shape), special=(-1.0, 0.0, 2.0))],
        f"interpolate with {options}",
    )


@case(CASES, "pixel_shuffle", "pixel_unshuffle")
def _(name, draw):
    leading, r = draw.shape(most=2, min_side=1), draw.integer(1, 3)  # PyTorch fails for an empty batch
    h, w = draw.integer(1, 2), draw.integer(1, 3)
    shape = (*leading, 2 * r * r, h, w) if name == "pixel_shuffle" else (*leading, 2, h * r, w * r)
    return Problem(lambda v: getattr(adjoint, name)(v, r), lambda t: getattr(F, name)(t, r), [draw.array(shape)])


@case(CASES, "im2col", "col2im")
def _(name, draw):
    kernel, size = (draw.integer(1, 2), draw.integer(1, 3)), (draw.integer(3, 4), draw.integer(5, 6))
    options = {"dilation": draw.integer(1, 2), "padding": (draw.integer(0, 1), 0), "stride": draw.integer(1, 2)}
    x = draw.array((*_leading(draw, 2), *size))
    if name == "im2col":
        return Problem(lambda v: adjoint.im2col(v, kernel, **options), lambda t: F.unfold(t, kernel, **options), [x])
    columns = draw.array(F.unfold(torch.tensor(x.copy()), kernel, **options).shape)
    return Problem(
        lambda v: adjoint.col2im(v, size, kernel, **options), lambda t: F.fold(t, size, kernel, **options), [columns]
    )


globals().update(claims(CASES, without=["arrays_of_jax", "compiled"]))


def _normal(*shape) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


TYPICAL = {
    "adaptive_avg_pool2d": ((1, 2, 4, 5), {"output_size": (2, 3)}),
    "adaptive_max_pool1d": ((1, 2, 5), {"output_size": 2}),
    "interpolate": ((1, 1, 3, 2), {"size": (4, 5), "mode": "bicubic"}),
    "pixel_shuffle": ((1, 4, 2, 3), {"upscale_factor": 2}),
    "im2col": ((1, 2, 3, 4), {"kernel_size": 2, "padding": 1}),
    "col2im": ((1, 4, 6), {"output_size": (3, 4), "kernel_size": 2}),
}
THEIRS = {"im2col": "unfold", "col2im": "fold"}


def test_two_derivatives_of_all_functions_compile_as_one_program():
    pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    found = [
        Problem(
            lambda v, name=name, options=options: getattr(adjoint, name)(v * v, **options),
            lambda t, name=name, options=options: getattr(F, THEIRS.get(name, name))(t * t, **options),
            [_normal(*shape)],
        )
        for name, (shape, options) in TYPICAL.items()
    ]
    expected = [solve_in_torch(problem, order=2) for problem in found]

    @jax.jit
    def program(inputs):
        results = []
        for problem, solution, x in zip(found, expected, inputs):
            leaf = Tensor(x)
            y = problem.ours(leaf)
            y.backward(problem.weights(solution.value, 0), create_graph=True)
            gradient = leaf.grad
            leaf.zero_grad()
            gradient.backward(problem.weights(solution.derivatives[0][0], 1))
            results.append((y.data, gradient.data, leaf.grad))
        return results

    with jax_in_double():
        results = program([problem.inputs[0] for problem in found])
    for name, solution, ours in zip(TYPICAL, expected, results, strict=True):
        for mine, theirs in zip(ours, [solution.value, *(part[0] for part in solution.derivatives)], strict=True):
            require_close(to_numpy(mine), theirs, name, scale=1.0)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_the_indices_of_adaptive_max_pool_follow_pytorch(ndim):
    pytest.importorskip("torch")
    x = np.random.default_rng(0).integers(0, 3, (2, 3, 7, 6, 5)[: 2 + ndim]).astype(float)
    for size in (1, 2, 3, 8):
        name = f"adaptive_max_pool{ndim}d"
        values, places = getattr(F, name)(torch.from_numpy(x), size, return_indices=True)
        for part in (..., 0):
            y, indices = getattr(adjoint, name)(Value(x[part]), size, return_indices=True)
            np.testing.assert_array_equal(y.data, values[part].numpy())
            np.testing.assert_array_equal(indices, places[part].numpy())


@pytest.mark.parametrize("scale", [0.3, 0.7, 1.3, 2.0, 3.7])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear"])
def test_large_sequences_follow_pytorch_at_any_scale(mode, scale):
    pytest.importorskip("torch")
    x = _normal(1, 1, 97).astype(np.float32)  # with other dtypes PyTorch rounds in several ways
    problem = Problem(
        lambda v: adjoint.interpolate(v, scale_factor=scale, mode=mode),
        lambda t: F.interpolate(t, scale_factor=scale, mode=mode),
        [x],
        condition=10.0,  # PyTorch rounds the places, up to 97, to float32
    )
    require_agreement(problem, order=1)


def test_an_infinite_pixel_stays_in_its_neighborhood():
    x = np.zeros((1, 1, 6))
    x[0, 0, 0] = np.inf
    assert np.isfinite(adjoint.interpolate(x, 12, mode="linear")[0, 0, 4:]).all()
    assert np.isfinite(adjoint.adaptive_avg_pool1d(x, 4)[0, 0, 1:]).all()


def test_plain_arrays_give_plain_arrays_of_their_dtype():
    for name, (shape, options) in TYPICAL.items():
        y = getattr(adjoint, name)(_normal(*shape).astype(np.float32), **options)
        assert type(y) is np.ndarray, name
        assert y.dtype == np.float32, name


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: adjoint.interpolate(x), ArgumentError, "interpolate: give either size or scale_factor"),
        (lambda x: adjoint.interpolate(x, 2, 2.0), ArgumentError, "interpolate: give either size or scale_factor"),
        (lambda x: adjoint.interpolate(x, 2, mode="cubic"), ArgumentError, "unknown mode 'cubic'"),
        (
            lambda x: adjoint.interpolate(x, 2, mode="linear"),
            ShapeError,
            "mode 'linear' needs 1 axis after samples and channels, not the shape (1, 4, 3, 5)",
        ),
        (
            lambda x: adjoint.interpolate(x, 2, align_corners=True),
            ArgumentError,
            "align_corners applies to linear, bilinear, bicubic, trilinear, not to mode 'nearest'",
        ),
        (
            lambda x: adjoint.interpolate(x, 2, recompute_scale_factor=True),
            ArgumentError,
            "recompute_scale_factor applies to a scale_factor",
        ),
        (
            lambda x: adjoint.interpolate(x, scale_factor=(1.0, 2.0, 3.0)),
            ArgumentError,
            "scale_factor is one positive number or 2 of them",
        ),
        (
            lambda x: adjoint.interpolate(x, scale_factor=0.1),
            ShapeError,
            "a scale_factor of 0.1 makes (1, 4, 3, 5) empty",
        ),
        (lambda x: adjoint.interpolate(x[:, :, :0], 2), ShapeError, "has no elements to resample"),
        (
            lambda x: adjoint.adaptive_avg_pool2d(x, (1, 2, 3)),
            ArgumentError,
            "adaptive_avg_pool2d: output_size is one number or 2 numbers, not (1, 2, 3)",
        ),
        (
            lambda x: adjoint.adaptive_max_pool2d(x, 0),
            ArgumentError,
            "adaptive_max_pool2d: output_size must be an integer of at least 1, not int 0",
        ),
        (lambda x: adjoint.adaptive_avg_pool2d(x[..., :0], 2), ShapeError, "has no elements to pool"),
        (lambda x: adjoint.pixel_shuffle(x, 3), ShapeError, "has 4 channels, not a multiple of 9"),
        (lambda x: adjoint.pixel_unshuffle(x, 2), ShapeError, "are not multiples of 2"),
        (lambda x: adjoint.pixel_shuffle(x[0, 0], 2), ShapeError, "has the shape (…, channels, height, width)"),
        (lambda x: adjoint.im2col(x, 6), ShapeError, "im2col: a kernel of (6, 6) does not fit"),
        (
            lambda x: adjoint.col2im(x, (3, 3), 2),
            ShapeError,
            "col2im: an input has the shape (samples, channels × 4, 4) or (channels × 4, 4), not (1, 4, 3, 5)",
        ),
    ],
)
def test_errors_about_arguments_name_what_was_expected(call, error, message):
    with pytest.raises(error) as raised:
        call(np.ones((1, 4, 3, 5)))
    assert message in str(raised.value)
