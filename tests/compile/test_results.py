"""Arguments and results of a compiled function: numbers, arrays, Values, pytrees and objects."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import is_close, require_close
from compiling import both, counted

from adjoint import Value, grad, jit

jax = pytest.importorskip("jax")
jnp = jax.numpy


def test_arguments_and_results_can_be_pytrees():
    @jit
    def apply(tree, *, scale):
        return {"x": tree["x"] * scale, "rest": [tree["y"][0] + 1, (None, "text", tree["y"][1])], "three": 3}

    for scale in (2.0, 3.0):
        found = apply({"x": np.array([1.0, 2.0]), "y": (Value([3.0]), 4)}, scale=scale)
        require_close(found["x"], scale * np.array([1.0, 2.0]))
        assert type(found["x"]) is np.ndarray
        assert isinstance(found["rest"][0], Value)
        require_close(found["rest"][0].data, [4.0])
        assert found["rest"][1] == (None, "text", 4)
        assert type(found["rest"][1][2]) is int
        assert found["three"] == 3


def test_numbers_are_inputs_and_are_returned_as_numbers():
    fn, runs = counted(lambda x, n: (x * x + n, n + 1, n > 3))
    compiled = jit(fn)
    for x, n in ((1.5, 2), (2.5, 5), (-1.0, 7)):
        square, more, above = compiled(x, n)
        assert (square, more, bool(above)) == (x * x + n, n + 1, n > 3)
        assert type(square) is float
        assert type(more) is int
    assert len(runs) == 1


@pytest.mark.parametrize("to", [np.asarray, jnp.asarray])
def test_tuples_and_dictionaries_of_arrays_can_be_new_objects_in_each_call(to):
    fn, runs = counted(lambda batch, more: batch["x"] * more[0] + batch["y"][0])
    compiled = jit(fn)
    for i in range(4):
        x = np.array([1.0, i], np.float32)
        found = compiled({"x": to(x), "y": [to(x + 1)]}, (2.0, "name", None))
        require_close(found, 3 * x + 1)
    assert len(runs) == 1
    require_close(compiled({"x": to(x), "y": [to(x)]}, (3.0, "other", None)), 4 * x)
    require_close(compiled({"y": [to(x)], "x": to(x)}, (3.0, "other", None)), 4 * x)
    with pytest.raises(KeyError):
        compiled({"x": to(x)}, (3.0,))


def test_a_batch_can_be_passed_twice_and_returned():
    @jit
    def both_sums(a, b):
        return a[0].sum() + b[1].sum(), a

    for k in (1.0, 2.0):
        pair = [np.array([k]), np.array([2 * k])]
        total, same = both_sums(pair, pair)
        assert total == 3 * k
        require_close(same, pair)


def test_keyword_arguments_can_be_in_any_order():
    fn, runs = counted(lambda *, a, b: a - b)
    compiled = jit(fn)
    x, y = np.array([3.0]), np.array([1.0])
    assert compiled(a=x, b=y) == 2.0
    assert compiled(b=y, a=x) == 2.0
    assert compiled(b=x, a=y) == -2.0
    assert len(runs) == 1


def test_values_of_the_arguments_are_returned_as_the_same_objects():
    w, holder = Value([1.0]), SimpleNamespace(w=Value([2.0]))

    @jit
    def step(w, holder):
        w.data = w.data + 1
        return w, [holder.w], holder

    for k in (2.0, 3.0):
        found = step(w, holder)
        assert found[0] is w
        assert found[1][0] is holder.w
        assert found[2] is holder
        require_close(w.data, [k])


def test_values_made_inside_are_new_objects_in_each_call():
    @jit
    def make(x):
        v = Value(x * 2, label="twice")
        return v, Value(3.0), [v]

    first, number, again = make(np.array([1.0]))
    second, _, _ = make(np.array([2.0]))
    assert first is not second
    assert again[0] is first
    assert first.label == "twice"
    require_close(first.data, [2.0])
    require_close(second.data, [4.0])
    assert number.data == 3.0


def test_objects_made_inside_are_returned():
    @dataclass
    class Output:
        loss: object
        name: str

    output = jit(lambda x: Output(Value(x).sum(), "n"))(np.ones(3))
    assert isinstance(output, Output)
    assert float(output.loss) == 3.0
    assert output.name == "n"


def test_values_created_inside_take_part_in_backward():
    @jit
    def slope(x):
        v = Value(x)
        total = Value(0.0)
        for _ in range(2):
            total = total + (v * v).sum()
        total.backward()
        return v.grad

    require_close(slope(np.array([1.0, 3.0])), [4.0, 12.0])


def test_static_arguments_are_python_values_with_one_program_each():
    def power(x, n, how="times"):
        result = x
        for _ in range(n - 1):
            result = result * x
        return result if how == "times" else -result

    fn, runs = counted(power)
    compiled = jit(fn, static_argnames=("n",))
    x = np.array([2.0])
    assert [compiled(x, n)[0] for n in (2, 3, 2, 3)] == [4.0, 8.0, 4.0, 8.0]
    assert compiled(x, n=3)[0] == 8.0
    assert compiled(x, 2, "minus")[0] == -4.0
    assert len(runs) == 4
    assert jit(power, static_argnames="n")(x, 2)[0] == 4.0


def test_the_function_can_change_a_list_it_is_given():
    def make(compile):
        def step(parameters, x):
            gradients = grad(lambda ps: ((ps[0] * x).sum() + ps[1].sum()) ** 2)(parameters)
            for i, g in enumerate(gradients):
                parameters[i] = parameters[i] - 0.1 * g

        return compile(step)

    def run(step):
        parameters = [np.array([1.0, 2.0]), np.array([0.5])]
        for i in range(3):
            step(parameters, np.array([1.0, i]))
        assert all(type(p) is np.ndarray for p in parameters)
        return parameters

    for found, expected in zip(*both(make, run)):
        require_close(found, expected)


def test_jax_arrays_can_be_arguments_and_results():
    result = jit(lambda x: (x * 2, x.sum()))(jnp.ones(3))
    assert all(isinstance(x, jax.Array) for x in result)
    assert result[0].dtype == jnp.float32


def test_random_keys_are_state():
    state = SimpleNamespace(key=jax.random.key(0))

    @jit
    def draw(n):
        state.key, key = jax.random.split(state.key)
        return jax.random.uniform(key, (3,)) * n

    first, second = draw(1.0), draw(1.0)
    _, a = jax.random.split(jax.random.key(0))
    require_close(first, jax.random.uniform(a, (3,)))
    assert first.dtype == jnp.float32  # the setting of JAX decides for JAX arrays
    assert not is_close(first, second)
