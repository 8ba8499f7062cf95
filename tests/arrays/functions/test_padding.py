"""Padding in every mode against NumPy and PyTorch: values, and derivatives by central differences and PyTorch."""

import numpy as np
import pytest
from arrays import F, Problem, case, jax_in_double, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Value
from adjoint.errors import ArgumentError, ShapeError

CASES: dict = {}
NUMPY_MODES = ("edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean", "median", "minimum")


def lines(t, axis: int, width: tuple[int, int], mode: str, odd: bool):
    """Pad a tensor along one axis, element by element, as NumPy describes its modes."""
    n = t.shape[axis]
    rows = list(t.movedim(axis, 0).unbind(0))
    if mode in ("edge", "wrap") or (mode in ("reflect", "symmetric") and not odd):
        index = np.pad(np.arange(n), width, mode)
        return torch.stack([rows[i] for i in index]).movedim(0, axis)
    whole = torch.stack(rows)
    if mode in ("reflect", "symmetric"):
        weights = np.pad(np.eye(n), (width, (0, 0)), mode, reflect_type="odd")
        return torch.tensordot(torch.tensor(weights, dtype=t.dtype), whole, 1).movedim(0, axis)
    if mode == "linear_ramp":
        before = [rows[0] * (k / width[0]) for k in range(width[0])]
        after = [rows[-1] * ((width[1] - 1 - k) / width[1]) for k in range(width[1])]
    else:
        statistic = {"maximum": whole.amax, "minimum": whole.amin, "mean": whole.mean}.get(mode)
        found = whole.quantile(0.5, 0) if statistic is None else statistic(0)
        before, after = [found] * width[0], [found] * width[1]
    return torch.stack([*before, *rows, *after]).movedim(0, axis)


FAMILIES = {
    "copies": ("edge", "reflect", "symmetric", "wrap"),
    "ramps": ("linear_ramp",),
    "statistics": ("maximum", "mean", "median", "minimum"),
}


@case(CASES, *FAMILIES)
def _(name, draw):
    name = draw.one_of(*FAMILIES[name])
    special = (-1.0, 0.0, 1.0, 2.0, 0.5, 40.0)
    x = draw.array(draw.shape(1, 2, min_side=1), special=special)
    widths = [(draw.integer(0, 3), draw.integer(0, 3)) for _ in x.shape]
    odd = draw.flag() if name in ("reflect", "symmetric") else False
    options = {"reflect_type": "odd"} if odd else {}

    def theirs(t):
        for axis, width in enumerate(widths):
            t = lines(t, axis, width, name, odd) if width != (0, 0) else t * 1.0
        return t

    return Problem(draw.call("pad", widths, mode=name, **options), theirs, [x])


@case(CASES, "negative")
def _(name, draw):
    mode = draw.one_of("constant", "circular", "replicate", "reflect")
    x = draw.array((1, 1, draw.integer(3, 4), draw.integer(3, 4)))
    a, b, c, d = (draw.integer(-1, 2) for _ in range(4))
    value = 2.5 if mode == "constant" else 0.0
    return Problem(
        draw.call("pad", [(0, 0), (0, 0), (a, b), (c, d)], value, mode),
        lambda t: F.pad(t, (c, d, a, b), mode=mode, **({"value": value} if mode == "constant" else {})),
        [x],
    )


globals().update(claims(CASES, without=["results", "own_gradients", "arrays_of_jax", "compiled"]))

X = np.array([[0.3, -0.4, 1.5], [2.0, 0.1, -0.7]])
OPTIONS = [("constant", {"constant_values": 3.0}), ("constant", {"constant_values": ((1, 2), (3, 4))})]
OPTIONS += [("linear_ramp", {"end_values": ((1, 2), (3, 4))})]
OPTIONS += [(mode, {"stat_length": ((1, 2), (3, 1))}) for mode in ("maximum", "mean", "median", "minimum")]
OPTIONS += [(mode, {"reflect_type": "odd"}) for mode in ("reflect", "symmetric")]
OPTIONS += [(mode, {}) for mode in NUMPY_MODES]


@pytest.mark.parametrize(("mode", "options"), OPTIONS)
@pytest.mark.parametrize("width", [2, (1, 2), ((0, 3), (4, 1)), ((5, 0), (0, 9)), {0: 2}, {-1: (1, 0)}])
def test_numpys_pad_gives_the_same_numbers(width, mode, options):
    require_close(np.pad(Value(X), width, mode, **options).data, np.pad(X, width, mode, **options))


def test_all_modes_compiled_give_the_same_derivatives():
    def loss(v):
        parts = [adjoint.pad(v, ((1, 2), (2, -1)), mode=mode) for mode in NUMPY_MODES]
        parts += [adjoint.pad(v, 1, mode="reflect", reflect_type="odd")]
        return sum(((k + 1.0) * part**3).sum() for k, part in enumerate(parts))

    with jax_in_double():
        require_close(adjoint.jit(adjoint.grad(loss))(X), adjoint.grad(loss)(X))


def test_an_uninitialized_margin_is_zero_and_a_number_has_none():
    np.testing.assert_array_equal(adjoint.pad(X, 1, mode="empty"), np.pad(X, 1))
    assert adjoint.pad(Value(2.0), ()).item() == 2.0
    assert adjoint.pad(Value(X.astype(np.float32)), 1, mode="mean").dtype == np.float32


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda v: adjoint.pad(v, 1.5), ShapeError, "widths must be integers"),
        (lambda v: adjoint.pad(v, [1, 2, 3]), ShapeError, "a pair for each of the 2 axes"),
        (lambda v: adjoint.pad(v, 1, mode="x"), ArgumentError, "mode must be one of constant, empty"),
        (lambda v: adjoint.pad(v, 1, mode="reflect", reflect_type="x"), ArgumentError, "'even' or 'odd'"),
        (lambda v: adjoint.pad(v[:0], 1, mode="edge"), ShapeError, "axis 0 .* has no elements"),
        (lambda v: adjoint.pad(v, -2), ShapeError, "remove more than"),
        (lambda v: adjoint.pad(v, 1, mode="mean", stat_length=0), ArgumentError, "stat_length"),
        (lambda v: np.pad(v, -1), ShapeError, "must not be negative"),
        (lambda v: np.pad(v, 1, lambda *_: None), ArgumentError, "mode must be one of"),
    ],
)
def test_errors_say_what_does_not_fit(call, error, message):
    with pytest.raises(error, match=message):
        call(Value(X))
