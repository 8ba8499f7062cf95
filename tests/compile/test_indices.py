"""Indices out of range under jit: an error for arguments, NaN for indices that the function computes."""

import numpy as np
import pytest
from closeness import require_close

import adjoint
from adjoint import Value, jit, nn, one_hot, take, take_along_axis, vmap
from adjoint.errors import ArrayIndexError

pytest.importorskip("jax")

W = Value(np.arange(20.0).reshape(5, 4))
ROWS = np.arange(20.0).reshape(5, 4)
EMBEDDING = nn.Embedding(5, 4, seed=0)

READS = {
    "rows": lambda i: W[i].sum(),
    "one axis of two": lambda i: W[:, i].sum(),
    "two axes": lambda i: W[i, 2].sum(),
    "take": lambda i: take(W, i, axis=1).sum(),
    "take_along_axis": lambda i: take_along_axis(W, i[:, None] if i.ndim == 1 else i, axis=0).sum(),
    "one_hot": lambda i: Value(one_hot(i, 4)).sum(),
    "embedding": lambda i: EMBEDDING(i).sum(),
    "cross_entropy": lambda i: nn.cross_entropy(W[:2], i),
    "nll": lambda i: nn.nll(W[:2], i),
    "update": lambda i: W.at[i].add(1.0).sum(),
    "plain arrays": lambda i: (ROWS[i] * 2.0).sum(),
    "assignment": lambda i: W.at[0, i].set(1.0).sum(),
}


@pytest.mark.parametrize("name", [name for name in READS if name != "take_along_axis"])  # which computes its indices
def test_an_argument_that_is_out_of_range_is_refused_as_without_jit(name):
    function = READS[name]
    compiled = jit(function)
    for indices in ([0, 1], [3, 2]):
        require_close(float(compiled(np.array(indices))), float(function(np.array(indices))))
    for wrong in ([0, 7], [-9, 0]):
        with pytest.raises(IndexError) as expected:
            function(np.array(wrong))
        with pytest.raises(ArrayIndexError) as found:
            compiled(np.array(wrong))
        text = str(found.value).removesuffix("; the array has shape (5, 4)")
        assert text in str(expected.value)  # a layer adds its name in front
        with pytest.raises(ArrayIndexError):
            jit(function)(np.array(wrong))  # the first call
    require_close(float(compiled(np.array([0, 1]))), float(function(np.array([0, 1]))))


@pytest.mark.parametrize("name", READS)
def test_a_computed_index_that_is_out_of_range_gives_nan(name):
    function = READS[name]

    @jit
    def shifted(i, k):
        return function(i + k)

    require_close(float(shifted(np.array([0, 1]), 1)), float(function(np.array([1, 2]))))
    assert np.isnan(float(shifted(np.array([0, 1]), 6)))
    assert np.isnan(float(shifted(np.array([0, 1]), -9)))


def test_numbers_and_parts_of_objects_are_checked_too():
    rows = jit(lambda i: W[i].sum())
    assert float(rows(4)) == float(W[4].sum())
    with pytest.raises(ArrayIndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        rows(5)

    class Batch:
        def __init__(self, indices):
            self.indices = indices

    batch = Batch(np.array([1, 2]))
    of_batch = jit(lambda: W[batch.indices].sum())
    assert float(of_batch()) == float(W[[1, 2]].sum())
    batch.indices = np.array([1, 5])
    with pytest.raises(ArrayIndexError, match="index 5"):
        of_batch()


def test_an_error_of_an_index_leaves_the_state_as_it_was():
    w = Value(np.arange(5.0))

    @jit
    def step(i):
        loss = (w[i] ** 2).sum()
        w.zero_grad()
        loss.backward()
        w.data -= 0.1 * w.grad
        return loss

    step(np.array([1, 2]))
    before = np.array(w.data)
    with pytest.raises(ArrayIndexError):
        step(np.array([1, 5]))
    np.testing.assert_array_equal(w.data, before)
    step(np.array([3, 4]))
    require_close(w.data, [0.0, 0.8, 1.6, 2.4, 3.2])


def test_ignored_labels_and_small_integers_are_no_errors():
    loss = jit(lambda labels: nn.cross_entropy(W[:2], labels, ignore_index=-100))
    expected = nn.cross_entropy(W[:2], np.array([-100, 3]), ignore_index=-100)
    require_close(float(loss(np.array([-100, 3]))), float(expected))
    with pytest.raises(ArrayIndexError, match="label 4 at position 0 is out of range"):
        loss(np.array([4, -100]))
    table = Value(np.arange(300.0))
    rows = jit(lambda i: table[i])
    np.testing.assert_array_equal(rows(np.array([255, 0], np.uint8)).numpy(), [255.0, 0.0])
    np.testing.assert_array_equal(jit(lambda i: table[i + 0])(np.array([255, 0], np.uint8)).numpy(), [255.0, 0.0])


def test_vectorized_functions_check_their_arguments():
    rows = vmap(lambda i: W[i].sum())
    require_close(rows(np.array([0, 4])).numpy(), adjoint.sum(W, axis=1).numpy()[[0, 4]])
    with pytest.raises(ArrayIndexError, match="index 5"):
        rows(np.array([0, 5]))
    assert np.isnan(jit(lambda i: rows(i + 1))(np.array([0, 4])).numpy()).tolist() == [False, True]
