"""`jit(shard=...)`: which arrays of the state are split over the devices, and how it is said."""

import pickle

import numpy as np
import pytest
from closeness import require_close
from outside_scripts import output_of, run_outside

from adjoint import Value, jit, nn, optim
from adjoint.compile.xla.device_arrays import device_array_of, set_device_array
from adjoint.errors import ArgumentError, ShapeError

jax = pytest.importorskip("jax")

X, Y = np.ones((2, 64), "float32"), np.zeros(2, int)


def mesh(*names: str):
    """Return a mesh of one device: the rules are those of many."""
    return jax.sharding.Mesh(np.array(jax.devices()[:1]).reshape((1,) * len(names)), names)


def training(devices, shard):
    """Return a network and a step that trains it."""
    model = nn.Sequential(nn.Linear(64, 128, seed=0, dtype="float32"), nn.Linear(128, 8, seed=1, dtype="float32"))
    optimizer = optim.AdamW(model.parameters(), lr=0.01)

    @jit(devices=devices, shard=shard)
    def step(x, y):
        loss = nn.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, step


def splits(step) -> dict[tuple[str, str], str]:
    return {(stored.name, stored.what): stored.split for stored in step.placement()}


def test_parameters_are_split_along_their_largest_axis_and_the_optimizer_follows():
    _, _, step = training(mesh("batch"), "parameters")
    step(X, Y)
    found = splits(step)
    for what in ("data", "grad", "exp_avg", "exp_avg_sq"):
        assert found["0.weight", what] == "axis 0 over batch"
        assert found["0.bias", what] == found["1.weight", what] == ""  # they are small
    assert len(found) == 16
    assert "12 small arrays" in str(step.placement())
    assert step.placement().bytes_per_device == 4 * 4 * (64 * 128 + 128 + 128 * 8 + 8)


def test_patterns_split_parameters_by_name_and_the_optimizer_follows():
    rules = {"1.weight": (None, "model"), "0.b*": ("model",), "*": "parameters"}
    _, _, step = training(mesh("batch", "model"), rules)
    step(X, Y)
    found = splits(step)
    for what in ("data", "grad", "exp_avg", "exp_avg_sq"):
        assert found["1.weight", what] == "axis 1 over model"
        assert found["0.bias", what] == "axis 0 over model"
        assert found["0.weight", what] == "axis 0 over batch"
        assert found["1.bias", what] == ""


def test_the_first_pattern_that_matches_decides_and_others_are_on_each_device():
    _, _, step = training(mesh("batch", "model"), {"0.weight": None, "*.weight": [["batch", "model"]]})
    step(X, Y)
    found = splits(step)
    assert found["0.weight", "data"] == found["0.bias", "data"] == ""
    assert found["1.weight", "exp_avg"] == "axis 0 over batch and model"


def test_a_parameter_has_the_name_of_the_outermost_model():
    inner = nn.Linear(64, 128, seed=0)
    outer = nn.Sequential(nn.Sequential(inner))

    @jit(devices=mesh("model"), shard={"0.0.weight": (None, "model")})
    def forward(x):
        return inner.weight.sum() + outer(x).sum()

    forward(np.ones((1, 64)))
    assert splits(forward)["0.0.weight", "data"] == "axis 1 over model"


def test_a_value_outside_of_models_has_the_name_of_its_place():
    w = Value(np.ones((64, 64)))
    step = jit(lambda x: (w @ x).sum(), devices=mesh("batch"), shard={"w": (None, "batch")})
    step(np.ones((64, 64)))
    assert splits(step) == {("w", "data"): "axis 1 over batch"}


@pytest.mark.full
def test_a_split_function_computes_what_it_computes_without():
    losses = []
    for arguments in [(None, None), (1, None), (1, "parameters"), (mesh("a", "b"), {"*.weight": ("b", "a")})]:
        _, _, step = training(*arguments)
        losses.append([float(step(X, Y)) for _ in range(3)])
    for other in losses[1:]:
        require_close(other, losses[0])


def test_mistakes_in_the_rules_are_explained():
    with pytest.raises(ArgumentError, match=r"jit\(shard='parameters'\) needs devices to split the state over"):
        jit(lambda x: x, shard="parameters")
    with pytest.raises(ArgumentError, match='shard must be "parameters", a dictionary'):
        jit(lambda x: x, devices=1, shard="weights")
    with pytest.raises(ArgumentError, match="shard is an empty dictionary"):
        jit(lambda x: x, devices=1, shard={})
    with pytest.raises(ArgumentError, match=r"a key of shard must be a pattern of names.*not int 3"):
        jit(lambda x: x, devices=1, shard={3: None})
    with pytest.raises(ArgumentError, match=r"shard\['w'\] must be \"parameters\", None, or a tuple.*not str 'model'"):
        jit(lambda x: x, devices=1, shard={"w": "model"})
    with pytest.raises(ArgumentError, match=r"an axis of the mesh can split an array only once"):
        jit(lambda x: x, devices=1, shard={"w": ("model", "model")})
    with pytest.raises(ArgumentError, match=r"a tuple of axes or None for each axis .*, not \(3,\)"):
        jit(lambda x: x, devices=1, shard={"w": (3,)})
    with pytest.raises(ArgumentError, match=r"None for each axis of the array, not \(\(None, 'model'\), None\)"):
        jit(lambda x: x, devices=1, shard={"w": ((None, "model"), None)})


def test_rules_that_do_not_fit_the_model_or_the_mesh_are_explained():
    with pytest.raises(ArgumentError, match=r"'\*.wieght' of shard matches no parameter .* '0.weight', '0.bias'"):
        training(mesh("batch"), {"*.wieght": ("batch",)})[2](X, Y)
    with pytest.raises(ArgumentError, match=r"splits along 'model', but the axes of the mesh are 'batch'"):
        training(1, {"*.weight": ("model", None)})[2](X, Y)
    with pytest.raises(ShapeError, match=r"splits 0.bias by \(None, 'batch'\), along 2 axes, but its shape is"):
        training(1, {"*": (None, "batch")})[2](X, Y)


def test_placement_needs_a_program_of_arrays():
    step = jit(lambda x: x * 2.0)
    with pytest.raises(ArgumentError, match="call the function first"):
        step.placement()
    step(Value(3.0))
    with pytest.raises(ArgumentError, match="computes with single numbers"):
        step.placement()


def test_a_copy_of_a_compiled_function_keeps_its_rules():
    copy = pickle.loads(pickle.dumps(jit(np.sum, devices=1, shard="parameters")))
    assert copy._shard == "parameters"


def test_the_array_on_the_devices_can_be_taken_and_replaced_without_gathering():
    model, _, step = training(1, "parameters")
    weight, bias = model[0].weight, model[0].bias
    assert device_array_of(weight) is None
    step(X, Y)
    saved = [device_array_of(value).copy() for value in (weight, bias)]
    assert isinstance(saved[0], jax.Array)
    assert device_array_of(weight, "grad").shape == (128, 64)
    before = weight.data.copy()
    assert device_array_of(weight) is None  # reading has fetched it
    for _ in range(3):
        step(X, Y)
    set_device_array(weight, saved[0])
    set_device_array(bias, saved[1])
    set_device_array(weight, saved[0] * 2, "grad")
    assert device_array_of(weight) is saved[0]
    np.testing.assert_array_equal(weight.grad, 2 * before)
    step(X, Y)
    assert not saved[0].is_deleted()
    assert not saved[1].is_deleted()
    assert np.abs(weight.data - before).max() < 0.011  # one step of AdamW from the array that was set


def test_an_array_of_another_shape_or_dtype_is_refused():
    w = Value(np.ones((2, 3)), label="w")
    with pytest.raises(ShapeError, match=r"of .w. is float64 of shape \(2, 3\), and cannot be .* shape \(3,\)"):
        set_device_array(w, jax.numpy.ones(3))
    with pytest.raises(ShapeError, match="a single number"):
        set_device_array(Value(1.0), jax.numpy.ones(3))


@pytest.mark.full
def test_eight_devices_train_a_transformer_with_split_state_as_one_does():
    output = output_of(run_outside("sharded.py", XLA_FLAGS="--xla_force_host_platform_device_count=8"))
    assert "the same, split over 8 devices" in output
