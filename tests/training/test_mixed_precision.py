"""fit in bfloat16 and float16: weights stay float32, losses stay close, and float16 scales its loss."""

import pytest
from closeness import require_close

from adjoint import data, errors, evaluate, fit, nn

pytest.importorskip("jax")
X, Y = data.blobs(80, classes=3)
X = X.astype("float32")


def network():
    layers = nn.Linear(2, 16, seed=0, dtype="float32"), nn.Tanh(), nn.Linear(16, 3, seed=1, dtype="float32")
    return nn.Sequential(*layers)


def train(model, precision, **options):
    options = {"epochs": 4, "batch_size": 20, "lr": 0.01, "progress": False, "jit": True, "seed": 0} | options
    return fit(model, X, Y, loss="cross_entropy", precision=precision, **options)


@pytest.mark.parametrize("precision", ["bfloat16", pytest.param("float16", marks=pytest.mark.full)])
def test_losses_are_close_to_those_of_float32_and_weights_stay_float32(precision):
    model = network()
    found = train(model, precision, metrics="accuracy", clip_norm=1.0)
    expected = train(network(), "float32", metrics="accuracy", clip_norm=1.0)
    require_close(found["loss"], expected["loss"], dtype=precision)
    assert found["loss"] != expected["loss"]
    assert {str(p.dtype) for p in model.parameters()} == {"float32"}


@pytest.mark.full
def test_a_model_is_evaluated_in_a_precision():
    model, options = network(), {"loss": "cross_entropy", "metrics": "accuracy", "jit": True}
    found, expected = (evaluate(model, X, Y, precision=name, **options) for name in ("bfloat16", "float32"))
    assert found["loss"] != expected["loss"]
    require_close(found["loss"], expected["loss"], dtype="bfloat16")
    with pytest.raises(errors.ArgumentError, match="needs jit=True"):
        evaluate(model, X, Y, loss="cross_entropy", precision="bfloat16")


@pytest.mark.full
def test_gradients_accumulate_in_float16():
    """The first steps are skipped, until the scale is small enough; then the losses follow those of float32."""
    found, expected = (train(network(), precision, accumulate=2, epochs=30) for precision in ("float16", "float32"))
    assert found["loss"][0] > 1.01 * expected["loss"][0]
    assert found["loss"][-1] == pytest.approx(expected["loss"][-1], rel=0.15)
    assert found["loss"][-1] < 0.1 * found["loss"][0]


@pytest.mark.full
def test_a_training_in_float16_resumes_with_its_scale(tmp_path):
    path = tmp_path / "model.safetensors"
    whole = train(network(), "float16")
    train(network(), "float16", epochs=2, checkpoint=path)
    resumed = train(network(), "float16", checkpoint=path, resume=True)
    assert resumed["loss"] == whole["loss"]
    with pytest.raises(errors.StateError, match="was trained with precision=float16"):
        train(network(), "bfloat16", checkpoint=path, resume=True)


def test_what_cannot_compute_in_a_precision_is_refused():
    with pytest.raises(errors.ArgumentError, match=r"precision='bfloat16' needs jit=True"):
        train(network(), "bfloat16", jit=False)
    with pytest.raises(errors.ArgumentError, match="for models of arrays"):
        fit(nn.MLP(2, [1], seed=0), data.xor(), loss="mse", jit=True, precision="bfloat16")
    with pytest.raises(errors.ArgumentError, match="a precision is"):
        train(network(), "float64")
