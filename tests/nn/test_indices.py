"""Labels and indices: accepted forms, and errors that name an index out of range."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import adjoint
from adjoint import Value, errors, nn
from adjoint.nn.indices import as_indices


@pytest.mark.parametrize(
    "given",
    [
        [0, 2, 1],
        (0, 2, 1),
        np.array([0, 2, 1]),
        np.array([0, 2, 1], np.uint8),
        np.array([[9, 9, 9], [0, 2, 1]], np.int16)[1],
        np.array([0, 9, 2, 9, 1, 9])[::2],
        torch.tensor([0, 2, 1]),
        jnp.asarray([0, 2, 1]),
    ],
    ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}",
)
def test_integers_are_accepted_in_many_forms(given):
    assert np.asarray(as_indices(given, 3, "label", "classes")).tolist() == [0, 2, 1]


def test_an_empty_list_is_an_empty_array():
    assert as_indices([], 3, "label", "classes").shape == (0,)
    assert as_indices([], 3, "label", "classes").dtype.kind == "i"


@pytest.mark.parametrize("given", [[[0], [1, 2]], ["a"], None, [0.5], Value([1.0]), True], ids=repr)
def test_anything_but_integers_is_refused(given):
    with pytest.raises(errors.ArgumentError, match="each label must be an integer from 0 to 2, not"):
        as_indices(given, 3, "label", "classes")


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16])
def test_an_index_out_of_range_is_named_with_its_position(dtype):
    with pytest.raises(errors.ArrayIndexError, match=r"label 3 at position \(1, 0\) is out of range: there are 3"):
        as_indices(np.array([[0, 1], [3, 4]], dtype), 3, "label", "classes")


def test_only_the_ignored_index_may_be_out_of_range():
    assert as_indices([0, -7], 3, "label", "classes", ignored=-7).tolist() == [0, -7]
    with pytest.raises(errors.ArrayIndexError, match="label -8 at position 1"):
        as_indices([-7, -8], 3, "label", "classes", ignored=-7)


INTEGERS = ["i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_labels_and_indices_may_have_every_integer_dtype(dtype):
    labels, plain = np.array([2, 0, 1, 2], dtype), [2, 0, 1, 2]
    x, table = np.linspace(-1.0, 1.0, 12).reshape(4, 3), nn.Embedding(300, 2, seed=0)

    def results(labels):
        p, weight = Value(x), Value(np.ones((300, 2)))
        parts = [
            nn.cross_entropy(p, labels, ignore_index=1), nn.nll(p, labels, weight=[1.0, 2.0, 3.0]),
            table(labels).sum(), adjoint.embedding(weight, labels).sum(), p[labels].sum(),
            adjoint.take(p, labels, axis=1).sum(),
        ]  # fmt: skip
        table.zero_grad()
        sum(parts).backward()
        return [*(part.item() for part in parts), p.grad, weight.grad, table.weight.grad, adjoint.one_hot(labels, 3)]

    for found, expected in zip(results(labels), results(plain), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [">i4", "<i4", ">u8"])
def test_a_label_out_of_range_is_named_in_every_byte_order(dtype):
    large = np.array([0, 1 << 24], dtype)  # its bytes in reverse order are those of 1
    with pytest.raises(errors.ArrayIndexError, match="label 16777216 at position 1 is out of range"):
        nn.cross_entropy(Value(np.zeros((2, 3))), large)
    with pytest.raises(errors.ArrayIndexError, match="out of range"):
        nn.Embedding(3, 2)(large)


def test_a_value_holds_floats_in_the_byte_order_of_the_machine():
    v = Value(np.array([1.0, 2.0], ">f4"))
    assert v.dtype == np.dtype("=f4")
    assert v.dtype.isnative
    assert adjoint.jit(lambda x: x * 2.0)(v).data.tolist() == [2.0, 4.0]
