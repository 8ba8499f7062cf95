"""NumPy, JAX and PyTorch arrays as data: results stay in the library of the operands, and libraries do not mix."""

import os
import platform
import subprocess
import sys
import threading

import numpy as np
import pytest
from arrays import jax_in_double, to_numpy
from closeness import require_close
from fuzzing import examples
from hypothesis import given as drawn
from hypothesis.extra import numpy as hnp

import adjoint
from adjoint import Tensor, Value
from adjoint.arrays.backends import NUMPY, backend_of
from adjoint.arrays.broadcasting import unbroadcast
from adjoint.arrays.value_mathematics import maths
from adjoint.errors import ArrayError, ArrayIndexError, LibraryError

LIBRARIES = {"NumPy": "numpy", "JAX": "jax.numpy", "PyTorch": "torch"}
each_library = pytest.mark.parametrize("library", LIBRARIES)


def make_array(library: str, numbers, dtype: str = "float32"):
    """Return an array of a library."""
    xp = pytest.importorskip(LIBRARIES[library])
    return xp.asarray(np.array(numbers), dtype=getattr(xp, dtype))


def is_of(library: str, x) -> bool:
    return isinstance(x, type(pytest.importorskip(LIBRARIES[library]).asarray(0.0)))


# --- broadcasting ---------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [(), (1,), (2,), (1, 1), (2, 1), (1, 2), (3, 2), (0,), (1, 0)])
@pytest.mark.parametrize("new", [(), (1,), (2,), (1, 1), (2, 2), (3, 2), (2, 3), (0,), (0, 2), (2, 0), (2, 1, 2)])
def test_broadcasting_follows_numpy_and_refuses_what_it_refuses(old, new):
    x = np.arange(np.prod(old, dtype=int), dtype=float).reshape(old)
    for array in (x, np.asarray(x, order="F"), np.repeat(x, 2, -1)[..., ::2] if old else x):
        try:
            expected = np.broadcast_to(x, new)
        except ValueError:
            with pytest.raises(ValueError, match=r"broadcast|dimensions"):
                NUMPY.broadcast_to(array, new)
        else:
            np.testing.assert_array_equal(NUMPY.broadcast_to(array, new), expected)


@pytest.mark.parametrize(
    ("given", "like", "expected"),
    [
        ((2, 3), (3,), [[3.0, 5.0, 7.0]]),
        ((2, 3), (2, 1), [[3.0], [12.0]]),
        ((1, 3), (2, 1), [[3.0], [3.0]]),  # summed along one axis, repeated along the other
        ((3,), (2, 1), [[3.0], [3.0]]),
        ((3,), (1, 1), [[3.0]]),
        ((2, 1, 3), (2, 1), [[15.0], [15.0]]),
        ((), (2, 1), [[0.0], [0.0]]),
    ],
)
def test_unbroadcasting_sums_repeated_axes_and_repeats_missing_ones(given, like, expected):
    gradient = np.arange(np.prod(given, dtype=int), dtype=float).reshape(given)
    for m, g, x in ((NUMPY, gradient, np.ones(like)), (maths, Tensor(gradient), Tensor(np.ones(like)))):
        found = unbroadcast(g, x, m)
        assert found.shape == like
        np.testing.assert_array_equal(to_numpy(found), np.reshape(expected, like))


@pytest.mark.parametrize(("given", "like"), [((2,), (3,)), ((2, 3), (3, 2)), ((2, 3), (2,)), ((2, 3), ())])
def test_unbroadcasting_refuses_a_gradient_that_does_not_fit(given, like):
    if like:
        with pytest.raises(ValueError, match=r"broadcast|dimensions"):
            unbroadcast(np.ones(given), np.ones(like), NUMPY)
    else:
        assert unbroadcast(np.ones(given), np.ones(like), NUMPY) == 6.0


# --- the library of the data ----------------------------------------------------------------------


@each_library
def test_data_and_gradient_stay_in_the_library_that_they_came_from(library):
    x = make_array(library, [[1.0, 2.0], [3.0, 4.0]])
    v = Value(x)
    y = (v @ v).tanh().sum(axis=0)
    y.backward(make_array(library, [1.0, 2.0]))
    assert is_of(library, v.data)
    assert is_of(library, y.data)
    assert is_of(library, v.grad)
    assert v.grad.dtype == v.data.dtype == x.dtype


@each_library
def test_a_gradient_that_was_not_computed_reads_as_zeros_of_the_same_library(library):
    v = Value(make_array(library, [1.0, 2.0]))
    assert is_of(library, v.grad)
    assert to_numpy(v.grad).tolist() == [0.0, 0.0]


@each_library
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_small_floats_keep_their_dtype_through_both_passes(library, dtype):
    v = Value(make_array(library, [0.5, 2.0], dtype))
    y = (2 * v * v + 1).sum()
    y.backward()
    assert dtype in str(y.dtype)
    assert dtype in str(v.grad.dtype)
    assert to_numpy(v.grad).tolist() == [2.0, 8.0]


@pytest.mark.parametrize("library", ["JAX", "PyTorch"])
def test_bfloat16_keeps_its_dtype_through_both_passes(library):
    v = Value(make_array(library, [0.5, 2.0], "bfloat16"))
    (v * v).sum().backward()
    assert "bfloat16" in str(v.grad.dtype)
    assert v.grad.tolist() == [1.0, 4.0]


@pytest.mark.parametrize("library", ["NumPy", "PyTorch"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "bool", "uint8"])
def test_integers_become_float64(library, dtype):
    v = Value(make_array(library, [0, 1], dtype))
    assert is_of(library, v.data)
    assert "float64" in str(v.dtype)


def test_integers_of_jax_become_its_default_float():
    jnp = pytest.importorskip("jax.numpy")
    assert Value(jnp.asarray([0, 1])).dtype == jnp.float32
    with jax_in_double():
        assert Value(jnp.asarray([0, 1])).dtype == jnp.float64


@each_library
def test_plain_numbers_take_the_dtype_of_the_other_operands(library):
    v = Value(make_array(library, [1.0, 2.0]))
    for y in (
        v * 2,
        2.5 - v,
        v**2,
        2**v,
        v / 3,
        adjoint.maximum(v, 1.5),
        adjoint.atan2(1, v),
        v + Value(2.0),
    ):
        assert "float32" in str(y.dtype), y


@each_library
def test_a_scalar_value_receives_its_gradient_as_a_float(library):
    scale, v = Value(3.0), Value(make_array(library, [1.0, 2.0]))
    (scale * v).sum().backward()
    assert type(scale.grad) is float
    assert scale.grad == 3.0


@pytest.mark.parametrize("library", ["NumPy", "PyTorch"])
def test_changing_the_given_array_later_does_not_change_the_value(library):
    x = make_array(library, [1.0, 2.0])
    v = Value(x)
    x[0] = 100.0
    assert to_numpy(v).tolist() == [1.0, 2.0]


@each_library
def test_numpy_tolist_and_item_work_for_every_library(library):
    v = Value(make_array(library, [[1.0, 2.5]]))
    assert type(v.numpy()) is np.ndarray
    assert v.numpy().tolist() == v.tolist() == [[1.0, 2.5]]
    assert v[0, 1].item() == 2.5
    assert "2.5" in repr(v)


@each_library
def test_functions_of_plain_arrays_return_plain_arrays(library):
    x = make_array(library, [1.0, 4.0])
    for y, expected in ((adjoint.sqrt(x), [1.0, 2.0]), (adjoint.cumsum(x), [1.0, 5.0]), (x @ x, 17.0)):
        assert is_of(library, y) or np.isscalar(y)
        require_close(to_numpy(y), expected)


def test_numpy_arrays_are_looked_up_by_their_type_alone():
    assert backend_of(np.zeros(2)) is NUMPY
    assert backend_of(np.float32(1)) is NUMPY
    assert backend_of(1.0) is None


def test_subclasses_of_arrays_are_recognized():
    class Named(np.ndarray):
        pass

    v = Value(np.ones(2).view(Named))
    (v * v).sum().backward()
    assert v.grad.tolist() == [2.0, 2.0]


def test_jax_and_torch_are_imported_only_when_used():
    program = (
        "import sys; import adjoint; v = adjoint.Value([1.0, 2.0]); adjoint.softmax(v)[0].backward(); "
        "v @ v; print([m for m in ('jax', 'torch', 'array_api_compat') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


# --- arrays with Values ---------------------------------------------------------------------------


@each_library
def test_arrays_of_the_library_on_the_left_of_an_operator_give_values(library):
    x, numbers = make_array(library, [2.0, 3.0]), np.array([1.0, 2.0], np.float32)
    v = Value(make_array(library, numbers))
    plain = np.array([2.0, 3.0], np.float32)
    for y, expected in (
        (x + v, plain + numbers),
        (x - v, plain - numbers),
        (x * v, plain * numbers),
        (x / v, plain / numbers),
        (x**v, plain**numbers),
        (x @ v, plain @ numbers),
    ):
        assert isinstance(y, Value)
        require_close(to_numpy(y), expected)


@each_library
@pytest.mark.parametrize("kind", ["list", "NumPy", "own"])
def test_indices_may_be_lists_and_arrays_of_numpy_or_of_the_library(library, kind):
    index = {"list": [0, 0, -1], "NumPy": np.array([0, 0, -1]), "own": make_array(library, [0, 0, -1], "int32")}[kind]
    v = Value(make_array(library, [1.0, 2.0, 3.0]))
    y = v[index]
    y.backward(make_array(library, [1.0, 10.0, 100.0]))
    assert to_numpy(y).tolist() == [1.0, 1.0, 3.0]
    assert to_numpy(v.grad).tolist() == [11.0, 0.0, 100.0]


@each_library
@pytest.mark.parametrize("kind", ["list", "NumPy", "own"])
def test_masks_and_conditions_may_be_lists_and_arrays_of_numpy_or_of_the_library(library, kind):
    mask = {
        "list": [True, False],
        "NumPy": np.array([True, False]),
        "own": make_array(library, [True, False], "bool"),
    }[kind]
    v = Value(make_array(library, [1.0, 2.0]))
    (v[mask].sum() + adjoint.where(mask, 0.0, 5.0 * v).sum()).backward()
    assert to_numpy(v.grad).tolist() == [1.0, 5.0]


@each_library
def test_an_index_out_of_range_raises(library):
    v = Value(make_array(library, [1.0, 2.0]))
    for take in (
        lambda: v[2],
        lambda: v[-3],
        lambda: v[[0, 2]],
        lambda: v[np.array([0, -3])],
        lambda: adjoint.take(v, [5]),
        lambda: v.at[2].set(0.0),
        lambda: v.at[[0, 2]].add(1.0),
    ):
        with pytest.raises(ArrayIndexError, match=r"2|5"):
            take()


@pytest.mark.parametrize("transform", [adjoint.jit, adjoint.vmap])
def test_a_value_made_inside_a_compiled_program_can_be_updated_and_indexed(transform):
    pytest.importorskip("jax")

    def make():
        return Value(np.arange(3.0))

    v = Value([5.0, 7.0]) if transform is adjoint.vmap else Value(5.0)
    for function, expected in (
        (lambda v: make().at[1].set(v), [0.0, 5.0, 2.0]),
        (lambda v: make().at[[1, 1]].add(v), [0.0, 11.0, 2.0]),
        (lambda v: make()[1:] * v, [5.0, 10.0]),
    ):
        found = transform(function)(v).data
        assert (found[0] if transform is adjoint.vmap else found).tolist() == expected


def test_an_update_of_the_whole_array_compiles():
    """XLA 0.10 ends the process when it simplifies a scatter that covers an array and is reversed."""
    pytest.importorskip("jax")
    program = """if True:
        import adjoint, numpy as np
        from adjoint import Value, flip, grad, jit

        x, w = Value(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3)
        for index in (slice(None), ..., None, (slice(0, 2), slice(0, 3)), (..., None), ()):
            update = lambda v: flip(v.at[index].set(w[index]), 1) + flip(v.at[index].add(w[index]), 1)
            assert np.array_equal(jit(update)(x).data, np.flip(x.data + 2 * w, 1))
            slope = jit(grad(lambda v: (flip(v, 1)[index] * w[index]).sum()))(x)
            assert np.array_equal(slope.data, np.flip(w, 1))
    """
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("dtype", [">i4", ">f8", ">f4"])
def test_a_numpy_array_in_another_byte_order_is_a_constant_in_a_compiled_program(dtype):
    pytest.importorskip("jax")
    y = adjoint.jit(lambda v: v + np.array([[2], [1]], dtype))(Value([[1.0, 2.0]]))
    assert y.data.tolist() == [[3.0, 4.0], [2.0, 3.0]]


def test_a_numpy_array_is_a_constant_with_arrays_of_jax():
    jnp = pytest.importorskip("jax.numpy")
    v, x = Value(jnp.asarray([1.0, 2.0])), np.array([3.0, 4.0])
    for y in (v * x, x * v, v @ x, x @ v):
        v.zero_grad()
        y.sum().backward()
        assert isinstance(y.data, jnp.ndarray)
        assert isinstance(v.grad, jnp.ndarray)
        assert v.grad.tolist() == [3.0, 4.0]


def test_a_numpy_value_with_arrays_of_jax_is_an_error():
    jnp = pytest.importorskip("jax.numpy")
    v, x = Value([1.0, 2.0]), jnp.asarray([3.0, 4.0])
    for mix in (lambda: v * x, lambda: x * v, lambda: v * Value(x), lambda: Value(x) @ v):
        with pytest.raises(LibraryError, match=r"NumPy and JAX|JAX and NumPy"):
            mix()


@pytest.mark.parametrize(("one", "other"), [("NumPy", "PyTorch"), ("JAX", "PyTorch")])
@pytest.mark.parametrize("operation", ["*", "@", "concat", "at.set", "maximum"])
def test_two_libraries_in_one_operation_are_an_error_that_names_both(one, other, operation):
    run = {
        "*": lambda a, b: a * b,
        "@": lambda a, b: a @ b,
        "concat": lambda a, b: adjoint.concat([a, b]),
        "at.set": lambda a, b: (a if isinstance(a, Value) else Value(a)).at[:].set(b),
        "maximum": adjoint.maximum,
    }[operation]
    a, b = make_array(one, [1.0, 2.0]), make_array(other, [3.0, 4.0])
    for first, second in ((Value(a), Value(b)), (Value(a), b), (a, Value(b)), (Value(b), a), (b, Value(a))):
        with pytest.raises(LibraryError, match=rf"(?s)({one}.*{other}|{other}.*{one}).*convert"):
            run(first, second)


def test_assigning_a_gradient_or_data_of_another_library_raises_an_error():
    torch = pytest.importorskip("torch")
    v = Value([1.0, 2.0])
    with pytest.raises(LibraryError, match="NumPy and PyTorch"):
        v.backward(torch.ones(2))
    with pytest.raises(LibraryError, match="NumPy and PyTorch"):
        v.data = torch.ones(2)


# --- arrays that a Value cannot hold --------------------------------------------------------------


@each_library
def test_complex_arrays_raise_an_error(library):
    with pytest.raises(ArrayError, match="complex numbers are not supported"):
        Value(make_array(library, [1j, 2.0], "complex64"))
    with pytest.raises(ArrayError, match="complex numbers are not supported"):
        Value(make_array(library, [1.0])) * make_array(library, [1j], "complex64")


def test_a_pytorch_tensor_that_requires_grad_raises_an_error():
    torch = pytest.importorskip("torch")
    with pytest.raises(ArrayError, match=r"\.detach\(\)"):
        Value(torch.ones(2, requires_grad=True))
    with pytest.raises(ArrayError, match=r"\.detach\(\)"):
        Value(torch.ones(2)) * torch.ones(2, requires_grad=True)


@pytest.mark.parametrize("x", [np.array(["a"]), np.array([None]), np.array([object()])])
def test_arrays_of_text_and_objects_raise_an_error(x):
    with pytest.raises(ArrayError, match="real numbers"):
        Value(x)
    with pytest.raises(ArrayError, match="real numbers"):
        Value([1.0]) + x


# --- warnings and threads -------------------------------------------------------------------------


def test_infinities_do_not_warn_or_change_the_settings_of_numpy():
    with np.errstate(all="raise"):
        before = np.geterr()
        v = Value([0.0, 1e308, -1.0])
        y = (v.log() + v * 1e10 + adjoint.sqrt(v)) / 0.0
        y.sum().backward()
        assert np.geterr() == before
        with pytest.raises(FloatingPointError):
            np.log(np.zeros(1))
    assert np.isnan(v.grad).any()


def test_threads_compute_side_by_side():
    found = {}

    def compute(k: int) -> None:
        for _ in range(50):
            v = Value(np.full(50, float(k)))
            (v * v).log().sum().backward()
            found[k] = v.grad

    threads = [threading.Thread(target=compute, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(1, 5):
        require_close(found[k], np.full(50, 2 / k))


@each_library
def test_erf_agrees_with_pytorch(library):
    torch = pytest.importorskip("torch")
    x = np.array([-3.0, -0.5, 0.0, 1e-8, 0.7, 5.0], np.float32)
    found = to_numpy(adjoint.erf(Value(make_array(library, x))))
    require_close(found, torch.erf(torch.tensor(x)).numpy())


@each_library
def test_a_0_d_array_is_an_array(library):
    torch = pytest.importorskip("torch")
    v = Tensor(make_array(library, 0.5))
    y = (v * v + adjoint.erf(v)).exp().reshape(1).sum()
    y.backward()
    t = torch.tensor(0.5, requires_grad=True)
    (t * t + torch.erf(t)).exp().backward()
    assert v.grad.shape == ()
    require_close(to_numpy(v.grad), t.grad.numpy())


# --- malloc's settings ----------------------------------------------------------------------------

TRAINING = """
import resource
import numpy as np
from adjoint import Value
w, X = Value(np.full((256, 256), 0.01)), np.ones((512, 256))
def step():
    h = X
    for _ in range(4):
        h = (h @ w).tanh() * 1.5
    (h * h).mean().backward()
    w.zero_grad()
for _ in range(5):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 10)
"""
on_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc" or not adjoint.accelerated, reason="malloc is set by the native core, on glibc"
)


def page_faults_of_a_step(**settings: str) -> int:
    environment = {name: x for name, x in os.environ.items() if not name.startswith("MALLOC_")} | settings
    done = subprocess.run([sys.executable, "-c", TRAINING], env=environment, capture_output=True, check=True)
    return int(done.stdout)


@on_glibc
def test_the_memory_of_one_step_is_reused_by_the_next():
    assert page_faults_of_a_step() < 100


@on_glibc
@pytest.mark.parametrize("settings", [{"ADJOINT_KEEP_MEMORY": "0"}, {"MALLOC_TRIM_THRESHOLD_": "131072"}])
def test_changing_mallocs_settings_can_be_disabled(settings):
    assert page_faults_of_a_step(**settings) > 1000  # the memory was returned to the system and faulted in again


def test_numbers_do_not_change_mallocs_settings():
    program = """
import sys
from adjoint import Value
from adjoint.nn import MLP
(Value(2.0) * 3.0).backward()
MLP(2, [3, 1])([1.0, 2.0]).backward()
print("adjoint.arrays.backends.numpy" in sys.modules)  # which changes them
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"False"]


@pytest.mark.parametrize("library", ["JAX", "PyTorch"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
def test_indices_of_every_integer_dtype_select_rows(library, dtype):
    for make in (make_array, lambda _, numbers, dtype: np.array(numbers, dtype)):
        v = Value(make_array(library, np.ones((300, 2))))
        y = v[make(library, [1, 17, 1], dtype)]
        y.backward(make_array(library, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
        assert y.shape == (3, 2)
        assert to_numpy(v.grad)[[1, 17]].tolist() == [[6.0, 8.0], [3.0, 4.0]]
        assert float(v.grad.sum()) == 21.0


@examples(40)
@drawn(hnp.basic_indices((3, 4, 5), allow_newaxis=True, allow_ellipsis=True))
def test_gradients_of_integers_and_slices_are_spread_over_zeros_by_jax(index):
    jnp = pytest.importorskip("jax.numpy")
    expected = np.zeros((3, 4, 5), np.float32)
    gradient = np.arange(1.0, 1.0 + expected[index].size, dtype=np.float32).reshape(expected[index].shape)
    expected[index] = gradient
    like = jnp.ones((3, 4, 5), np.float32)
    found = backend_of(like).scatter(like, index, jnp.asarray(gradient))
    np.testing.assert_array_equal(found, expected)
