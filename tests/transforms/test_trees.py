"""Pytrees: flattening and unflattening keep the structure, the order and the types."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from fuzzing import examples
from hypothesis import given, strategies as st

import adjoint
from adjoint.transforms.trees import same_structure, tree_leaves, tree_map, tree_unflatten

Pair = namedtuple("Pair", "first second")

numbers = st.floats(-10, 10)
structures = st.recursive(
    numbers | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
        | st.builds(Pair, inner, inner)
    ),
    max_leaves=8,
)


@examples(60)
@given(structures)
def test_unflattening_the_leaves_of_a_tree_gives_the_tree(structure):
    again = tree_unflatten(structure, tree_leaves(structure))
    assert again == structure
    assert type(again) is type(structure)
    assert repr(again) == repr(structure)  # compares the types at every depth, and the order of dicts


@examples(60)
@given(structures)
def test_new_leaves_replace_the_old_ones_in_order(structure):
    count = len(tree_leaves(structure))
    assert tree_leaves(tree_unflatten(structure, range(count))) == list(range(count))
    assert same_structure(structure, tree_unflatten(structure, range(count)))


@examples(60)
@given(structures)
def test_a_function_is_applied_to_each_leaf_once(structure):
    seen = []

    def double(x):
        seen.append(x)
        return 2 * x

    assert tree_leaves(tree_map(double, structure)) == [2 * x for x in tree_leaves(structure)]
    assert seen == tree_leaves(structure)


def test_leaves_are_in_reading_order():
    assert tree_leaves({"w": [1, (2, 3)], "b": Pair(4, {"c": 5})}) == [1, 2, 3, 4, 5]


def test_arrays_and_strings_are_leaves_and_none_is_not():
    array = np.ones((2, 2))
    found = tree_leaves([array, "ab", None, 1.0])
    assert found[0] is array
    assert found[1:] == ["ab", 1.0]


def test_a_named_tuple_stays_one_and_a_list_stays_a_list():
    again = tree_unflatten([Pair(1, [2]), (3,)], "abc")
    assert again == [Pair("a", ["b"]), ("c",)]
    assert type(again[0]) is Pair


def test_none_keeps_its_place():
    assert tree_unflatten((None, 1, [None]), ["a"]) == (None, "a", [None])


def test_an_ordered_dict_keeps_its_order():
    given_ = OrderedDict([("z", 1), ("a", 2)])
    assert list(tree_unflatten(given_, "xy").items()) == [("z", "x"), ("a", "y")]


def test_the_tree_itself_is_not_changed():
    structure = {"w": [1, 2], "b": (3,)}
    tree_unflatten(structure, "abc")
    tree_map(str, structure)
    assert structure == {"w": [1, 2], "b": (3,)}


@pytest.mark.parametrize("empty", [[], (), {}, None, [[], {}]])
def test_an_empty_tree_has_no_leaves(empty):
    assert tree_leaves(empty) == []
    assert tree_unflatten(empty, []) == empty


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.0, 2.0),
        ([1.0], [np.ones(3)]),
        ((1.0, 2.0), [1.0, 2.0]),
        ({"a": 1, "b": [2]}, {"a": 3, "b": [4]}),
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}),
        (Pair(1, 2), (3, 4)),
        ((None, 1), (None, 2)),
    ],
)
def test_trees_with_the_same_nesting_have_the_same_structure(a, b):
    assert same_structure(a, b)
    assert same_structure(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.0, [1.0]),
        ([1.0], [1.0, 2.0]),
        ([1.0], {"a": 1.0}),
        ({"a": 1.0}, {"b": 1.0}),
        ({"a": 1.0}, {"a": 1.0, "b": 2.0}),
        ([[1.0], 2.0], [1.0, [2.0]]),
        ((None, 1.0), (1.0, 1.0)),
    ],
)
def test_trees_with_different_nesting_have_different_structures(a, b):
    assert not same_structure(a, b)
    assert not same_structure(b, a)


# --- one vector -----------------------------------------------------------------------------------


TREE = {"w": np.arange(4.0).reshape(2, 2), "b": [5.0, (np.array(6.0),)], "none": ()}


def test_a_pytree_becomes_a_vector_and_a_pytree_again():
    vector, unravel = adjoint.ravel_pytree(TREE)
    assert vector.tolist() == [0.0, 1.0, 2.0, 3.0, 5.0, 6.0]
    again = unravel(vector + 1.0)
    assert again["w"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert again["b"] == [6.0, (7.0,)]
    assert again["none"] == ()


def test_raveling_has_gradients_in_both_directions():
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])

    def along_the_tree(tree):
        return (adjoint.ravel_pytree(tree)[0] * weights).sum()

    slope = adjoint.grad(along_the_tree)(TREE)
    assert slope["w"].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert slope["b"] == [5.0, (6.0,)]
    vector, unravel = adjoint.ravel_pytree(TREE)

    def along_the_vector(vector):
        tree = unravel(vector)
        return (tree["w"] ** 2).sum() * tree["b"][0]

    slope = adjoint.grad(along_the_vector)(vector)
    assert slope.tolist() == [0.0, 10.0, 20.0, 30.0, 14.0, 0.0]


def test_an_empty_pytree_is_an_empty_vector():
    vector, unravel = adjoint.ravel_pytree([{}, ()])
    assert vector.shape == (0,)
    assert unravel(vector) == [{}, ()]


def test_a_vector_of_another_size_is_refused():
    _, unravel = adjoint.ravel_pytree(TREE)
    with pytest.raises(adjoint.errors.ShapeError, match=r"a vector of 6 elements, not an array of shape \(5,\)"):
        unravel(np.ones(5))


def test_tree_functions_follow_jax():
    jax = pytest.importorskip("jax")
    tree = {"a": [1.0, (2.0, None)], "b": 3.0}
    assert tree_map(lambda x: 2 * x, tree) == jax.tree_util.tree_map(lambda x: 2 * x, tree)
    assert tree_map(lambda x, y: x + y, tree, tree) == jax.tree_util.tree_map(lambda x, y: x + y, tree, tree)
    leaves, structure = adjoint.tree_flatten(tree)
    assert leaves == jax.tree_util.tree_leaves(tree) == adjoint.tree_leaves(tree)
    assert adjoint.tree_unflatten(structure, leaves) == tree
