"""The outputs of a trained model for many samples, as predictions and pictures need them."""

import numpy as np

from adjoint.arrays.tensor import Tensor
from adjoint.engine.modes import no_grad
from adjoint.nn.descriptions import describe_model
from adjoint.nn.scalar import MLP
from adjoint.nn.training_modes import evaluation_mode
from adjoint.training.objectives import Model, plain


def as_batch_model(model: Model) -> Model | None:
    """Return a model that takes all samples at once: the model itself, or a scalar MLP on arrays; None for others."""
    if (
        isinstance(model, MLP) and describe_model(model) is not None
    ):  # its activations are adjoint's, so they accept arrays
        return model.to_arrays()
    return model if any(isinstance(p, Tensor) for p in model.parameters()) else None


def scores_of(model: Model, X: np.ndarray) -> np.ndarray:
    """Return the outputs of an array network or a scalar network, one row per sample."""
    arrays = as_batch_model(model)
    with evaluation_mode(model), no_grad():
        if arrays is None:
            scores = plain([model(row) for row in X.tolist()])
        else:
            dtype = next(p.dtype for p in arrays.parameters() if isinstance(p, Tensor))
            scores = np.asarray(arrays(X.astype(dtype)).numpy(), float)
    return scores.reshape(len(X), -1)
