"""Fourier transforms against PyTorch, NumPy and central differences."""

import numpy as np
import pytest
from arrays import Problem, case, jax_in_double, solve_in_torch, to_numpy, torch
from claims import claims
from closeness import require_close

import adjoint
from adjoint import Tensor, Value, fft
from adjoint.errors import ArgumentError, ArrayError, MissingRuleError, NumberError, OperandError, ShapeError
from adjoint.fft import Spectrum

CASES: dict = {}
NORMS = (None, "backward", "ortho", "forward")


def joined(s: Spectrum):
    return adjoint.stack([s.real, s.imag])


def parts(z):
    return torch.stack([z.real, z.imag])


def _signal(draw, complex_too: bool, least: int = 1) -> list[np.ndarray]:
    shape = draw.shape(least=least, min_side=1)
    return [draw.array(shape, special=(-1.0, 0.0, 2.0)) for _ in range(2 if complex_too else 1)]


def _problem(name, inputs, *arguments, **options) -> Problem:
    """Return a transform of one array, or of two: the real and imaginary parts."""

    def ours(*vs):
        y = getattr(fft, name)(vs[0] if len(vs) == 1 else Spectrum(*vs), *arguments, **options)
        return joined(y) if isinstance(y, Spectrum) else y

    def theirs(*ts):
        y = getattr(torch.fft, name)(ts[0] if len(ts) == 1 else torch.complex(*ts), *arguments, **options)
        return parts(y) if y.is_complex() else y

    return Problem(ours, theirs, inputs, f"{name} with {arguments}, {options}")


@case(CASES, "fft", "ifft", "rfft")
def _(name, draw):
    inputs = _signal(draw, name != "rfft" and draw.flag())
    return _problem(name, inputs, draw.one_of(None, 1, 2, 3, 4), draw.axis(inputs[0].ndim), draw.one_of(*NORMS))


@case(CASES, "irfft")
def _(name, draw):
    inputs = _signal(draw, draw.flag())
    return _problem(name, inputs, draw.integer(1, 5), draw.axis(inputs[0].ndim), draw.one_of(*NORMS))


@case(CASES, "fft2", "ifft2", "rfft2", "irfft2")
def _(name, draw):
    inputs = _signal(draw, name != "rfft2" and (name == "irfft2" or draw.flag()), least=2)
    s = (draw.integer(1, 4), draw.integer(1, 4)) if name == "irfft2" or draw.flag() else None
    return _problem(name, inputs, s, draw.one_of((-2, -1), (1, 0)), draw.one_of(*NORMS))


@case(CASES, "fftn", "ifftn", "rfftn", "irfftn")
def _(name, draw):
    inputs = _signal(draw, name != "rfftn" and (name == "irfftn" or draw.flag()), least=2)
    s = (draw.integer(1, 3), draw.integer(1, 4)) if name == "irfftn" or draw.flag() else None
    return _problem(name, inputs, s, norm=draw.one_of(*NORMS))


@case(CASES, "fftshift", "ifftshift")
def _(name, draw):
    (x,) = _signal(draw, False)
    axes = draw.one_of(None, draw.axis(x.ndim), (0,))
    return Problem(lambda v: getattr(fft, name)(v, axes), lambda t: getattr(torch.fft, name)(t, axes), [x])


@case(CASES, "arithmetic")
def _(name, draw):
    shape = draw.shape(min_side=1)
    inputs = [draw.array(shape, low=0.5, special=(0.5, 2.0)) for _ in range(4)]

    def formula(z, w):
        return ((z * w + 2.0) / w - z * 3.0 + (1.0 - w) * z.conj() - 0.5) * 0.5

    def ours(a, b, c, d):
        z = formula(Spectrum(a, b), Spectrum(c, d))
        return adjoint.stack([*z, abs(z), z.power(), z.angle()])

    def theirs(a, b, c, d):
        z = formula(torch.complex(a, b), torch.complex(c, d))
        return torch.stack([z.real, z.imag, z.abs(), z.abs().square(), z.angle()])

    return Problem(ours, theirs, inputs)


globals().update(claims(CASES, without=["ties_and_edges", "arrays_of_jax", "compiled"]))


def test_transforms_and_their_gradients_compile_as_one_program():
    jax = pytest.importorskip("jax")
    normal = np.random.default_rng(0).normal
    made = {
        name: _problem(name, [normal(size=(2, 3)) for _ in range(1 if name.startswith("r") else 2)])
        for name in ("fft", "ifft2", "rfft", "rfftn", "irfft", "irfftn")
    }
    expected = {name: solve_in_torch(problem, order=1) for name, problem in made.items()}

    @jax.jit
    def program(inputs):
        results = {}
        for name, problem in made.items():
            leaves = [Tensor(x) for x in inputs[name]]
            y = problem.ours(*leaves)
            y.backward(problem.weights(expected[name].value, 0))
            results[name] = [y.data, *(leaf.grad for leaf in leaves)]
        return results

    with jax_in_double():
        found = program({name: problem.inputs for name, problem in made.items()})
    for name, solution in expected.items():
        for ours, theirs in zip(found[name], [solution.value, *solution.derivatives[0]], strict=True):
            require_close(to_numpy(ours), theirs, name, scale=1.0)


def test_a_batch_of_power_spectra_has_gradients():
    pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(3, 5))
    gradients = adjoint.vmap(adjoint.grad(lambda v: (fft.rfft(v).power() ** 2).sum()))(x)
    t = torch.tensor(x, requires_grad=True)
    torch.fft.rfft(t).abs().pow(4).sum().backward()
    require_close(gradients, t.grad.numpy())


@pytest.mark.parametrize("name", ["fft", "rfft", "fftn", "rfftn", "ifft", "fft2"])
def test_plain_arrays_give_plain_arrays_as_in_numpy(name):
    for dtype in (np.float32, np.float64, int):
        x = np.arange(12).reshape(3, 4).astype(dtype)
        s = getattr(fft, name)(x)
        expected = getattr(np.fft, name)(x)
        assert isinstance(s.real, np.ndarray)
        assert s.real.dtype == expected.real.dtype
        require_close(s.real + 1j * s.imag, expected)


def test_the_inverse_of_half_a_spectrum_has_an_even_length_unless_given():
    x = np.array([1.0, 2.0, 4.0, 8.0])
    require_close(fft.irfft(fft.rfft(x)), x)
    require_close(fft.irfft(fft.rfft(x[:3]), 3), x[:3])
    require_close(fft.irfftn(fft.rfftn(x.reshape(2, 2))), x.reshape(2, 2))


def test_frequencies_are_those_of_numpy():
    for n in (1, 4, 5):
        np.testing.assert_array_equal(fft.fftfreq(n, 0.5), np.fft.fftfreq(n, 0.5))
        np.testing.assert_array_equal(fft.rfftfreq(n), np.fft.rfftfreq(n))


def test_half_precision_is_transformed_in_single_precision():
    s = fft.rfft(Value(np.ones(4, np.float16)))
    assert s.real.dtype == np.float16
    assert s.real.data.tolist() == [4.0, 0.0, 0.0]


def test_the_magnitude_of_zero_has_derivative_zero():
    x = Value(np.zeros(2))
    abs(fft.fft(x)).sum().backward()
    np.testing.assert_array_equal(x.grad, 0.0)


def test_numbers_values_and_arrays_multiply_a_spectrum_from_either_side():
    s = fft.fft(Value([1.0, 2.0]))
    for factor in (2.0, np.array([2.0, 2.0]), Value([2.0, 2.0]), Value(2.0)):
        for product in (s * factor, factor * s):
            assert isinstance(product, Spectrum)
            np.testing.assert_array_equal(product.real.data, [6.0, -2.0])


X, S = np.ones((2, 3)), Spectrum(np.ones((2, 3)), np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fft.rfft(S), ArgumentError, "rfft transforms real numbers, not a Spectrum; use fft"),
        (lambda: fft.fft(X, 0), ArgumentError, "fft: a length must be an integer of at least 1, not int 0"),
        (lambda: fft.fft(X, axis=2), ShapeError, "fft: axis 2 does not exist; the array has axes 0 to 1"),
        (lambda: fft.fft(np.float64(2.0)), ShapeError, "fft: axis -1 does not exist"),
        (lambda: fft.fft(X, norm="both"), ArgumentError, "unknown norm of fft 'both'"),
        (lambda: fft.fft2(X, 3), ArgumentError, "fft2: s holds the length of each axis, not int 3"),
        (lambda: fft.fft2(X, (3,)), ShapeError, "fft2: got 1 lengths for 2 axes; give one length per axis"),
        (lambda: fft.fftn(X, axes=(0, 0)), ShapeError, "fftn: axes (0, 0) contains the same axis twice"),
        (lambda: fft.rfft(X[:, :0]), ShapeError, "has an axis without elements, which has no transform"),
        (lambda: fft.irfft(X[:, :1]), ShapeError, "irfft: an axis of size 1 is the spectrum of one number"),
        (lambda: fft.rfftn(X, axes=()), ShapeError, "rfftn needs at least one axis"),
        (lambda: fft.fft(Spectrum(X, X[0])), ShapeError, "have the shapes (2, 3) and (3,); they must be equal"),
        (lambda: fft.fftfreq(3, 0), ArgumentError, "d, the distance of samples, must be a number other than 0"),
        (lambda: fft.fft(X * 1j), ArrayError, "see 'Complex numbers' in docs/arrays.md"),
        (lambda: Value(X * 1j), ArrayError, "see 'Complex numbers' in docs/arrays.md"),
        (lambda: Value(1 + 2j), NumberError, "see 'Complex numbers' in docs/arrays.md"),
        (lambda: Value(2.0) * 1j, OperandError, "see 'Complex numbers' in docs/arrays.md"),
        (lambda: Value([2.0]) * 1j, OperandError, "see 'Complex numbers' in docs/arrays.md"),
        (lambda: np.fft.rfft(Value(X)), MissingRuleError, "use adjoint.fft.rfft, where a spectrum is a pair"),
        (lambda: np.fft.hfft(Value(X)), MissingRuleError, "use adjoint.fft, where a spectrum is a pair"),
    ],
)
def test_errors_name_what_was_expected(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)


def test_shifts_of_numpy_work_on_values():
    np.testing.assert_array_equal(np.fft.fftshift(Value([1.0, 2.0, 3.0])).data, [3.0, 1.0, 2.0])


def test_an_index_of_a_spectrum_takes_frequencies():
    s = fft.rfft(Value(np.arange(8.0)))
    reference = np.fft.rfft(np.arange(8.0))
    for index in (slice(4), slice(None, None, 2), np.array([0, 2])):
        require_close(s[index].real.data, reference[index].real)
        require_close(s[index].imag.data, reference[index].imag)
    real, imag = s
    assert real.shape == imag.shape == (5,)
