"""A number answers like an array without axes: it has the methods of arrays, on both engines."""

import inspect

import numpy as np
import pytest
from method_stubs import NAMES, STUB, names, stub

import adjoint
from adjoint import Tensor, Value, nn
from adjoint.engine.array_methods import ELEMENTWISE, OF_AXES
from adjoint.errors import AdjointError, ArrayIndexError

ARGUMENTS = {
    "astype": ("float32",), "broadcast_to": ((2, 3),), "clip": (0.0, 1.0), "cross": ([1.0],), "div": (4.0,),
    "dot": (3.0,), "dsplit": (1,), "expand_dims": (0,), "fmax": (3.0,), "fmin": (3.0,), "gather": (0, [0]),
    "heaviside": (0.5,), "hsplit": (1,), "inner": (3.0,), "kron": (3.0,), "lerp": (3.0, 0.5), "logaddexp2": (3.0,),
    "masked_fill": (True, 1.0), "masked_select": (True,), "matmul": (3.0,), "mod": (2.0,), "moveaxis": (0, 0),
    "nanquantile": (0.5,), "outer": ([1.0, 3.0],), "pad": (1,), "partition": (0,), "argpartition": (0,),
    "permute_dims": ((),), "quantile": (0.5,), "repeat": (3,), "reshape": ((1, 1),), "roll": (1,),
    "scatter": (0, [0], [1.0]), "scatter_add": (0, [0], [1.0]), "scatter_reduce": (0, [0], [1.0], "sum"),
    "split": (1,), "swapaxes": (0, 0), "take": (0,), "take_along_axis": ([0], 0), "tensordot": (3.0, 0),
    "tile": (2,), "topk": (1,), "unflatten": (0, (1, 1)), "unfold": (0, 1, 1), "vdot": (3.0,), "vsplit": (1,),
    "xlogy": (3.0,), "bmm": (3.0,), "chunk": (1,), "clamp_max": (0.3,), "clamp_min": (0.7,), "expand": (2, 3),
    "expand_as": (Value([[1.0]]),), "index_select": (0, [0]), "mm": (3.0,), "mv": (3.0,), "repeat_interleave": (2,),
    "reshape_as": (Value([1.0]),), "take_along_dim": ([0], 0), "to": ("float32",), "view": (1, 1),
    "type_as": (Value([1.0]),), "view_as": (Value([1.0]),),
}  # fmt: skip


def outcome(x: Value, name: str) -> object:
    """Return the result of a method with the gradient of `x`, or the class of the error."""
    if isinstance(inspect.getattr_static(Tensor, name), property):
        return type(getattr(x, name)) if name == "at" else None
    try:
        found = getattr(x, name)(*ARGUMENTS.get(name, ()))
    except AdjointError as error:
        return type(error)
    first = found[0] if isinstance(found, (list, tuple)) else found
    if isinstance(first, Value):
        first.sum().backward()
        return first.shape, first.dtype, first.tolist(), float(x.grad)
    return type(found), np.asarray(found).tolist()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*ELEMENTWISE.split(), *OF_AXES.split()])
def test_a_number_has_the_methods_of_an_array_without_axes(name):
    assert outcome(Value(0.5), name) == outcome(Value(np.array([0.5])).reshape(()).detach(), name)


def test_numbers_and_arrays_have_the_same_public_names():
    """A new method of arrays is written in `arrays/operations.py`, and its name in `engine/array_methods.py`."""
    names = [{name for name in dir(kind) if not name.startswith("_")} for kind in (Value, Tensor)]
    assert names[0] == names[1]


def test_a_number_lists_what_is_about_numbers_and_an_array_all_of_its_methods():
    number, array = ({n for n in dir(x) if not n.startswith("_")} for x in (Value(2.0), Value([2.0])))
    assert array - number == {*OF_AXES.split()}
    assert number >= {"data", "grad", "backward", "tanh", "clip", *ELEMENTWISE.split()}
    assert len(number) <= 130


def test_the_types_of_the_methods_are_those_of_the_functions():
    pytest.importorskip("ruff")
    assert STUB.read_text() == stub(), "run `make stubs`"


def test_all_rows_of_the_table_are_public_names():
    pytest.importorskip("ruff")
    assert NAMES.read_text() == names(), "run `make stubs`"


def test_help_and_signature_of_a_method_are_those_of_the_function():
    assert Value.cumsum is adjoint.cumsum
    assert Value(2.0).cumsum.__func__ is adjoint.cumsum


def test_what_a_number_answers():
    x = Value(2.5)
    assert (x.shape, x.ndim, x.size, x.dtype, x.T) == ((), 0, 1, np.float64, x)
    assert (x.item(), x.tolist(), x.numpy().shape) == (2.5, 2.5, ())
    assert type(x.tolist()) is float


def test_a_number_is_indexed_like_an_array_without_axes_and_is_not_a_sequence():
    x = Value(2.5)
    for index in (0, -1, (0, 0), slice(None)):
        with pytest.raises(IndexError):
            np.array(2.5)[index]
        with pytest.raises(ArrayIndexError, match="too many indices"):
            x[index]
    y = x[None] + x[...]
    assert y.shape == (1,)
    y.backward()
    assert x.grad == 2.0
    for read in (iter, list, len, tuple):
        with pytest.raises(TypeError, match=r"not iterable|has no len"):
            read(x)
    with pytest.raises(TypeError, match="not iterable"):
        assert 2.5 in x
    assert not np.array([x, x]).shape[1:]


def test_numbers_keep_their_gradients_where_arrays_are_read_as_lists():
    x, y = Value(0.5), Value(1.0)
    nn.MLP(1, [1])(x).backward()
    assert x.grad != 0
    nn.mse(y, 3.0).backward()
    assert y.grad == -4.0
    with pytest.raises(adjoint.errors.ArgumentError, match="expected a list of 2 inputs, not Value"):
        nn.MLP(2, [1])(x)


def test_a_compiled_function_of_numbers_cannot_read_a_number_as_an_array():
    pytest.importorskip("jax")

    @adjoint.jit
    def read(x):
        return x * x.tolist()

    with pytest.raises(adjoint.errors.TraceError):
        read(Value(2.0))
