"""MLPClassifier and MLPRegressor: networks of arrays, trained by `fit`, with the interface of scikit-learn."""

# ruff: noqa: E402 -- scikit-learn is optional, and the error for a missing one comes before its imports

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np

from adjoint.engine.modes import no_grad
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.optional import library
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn import Identity, Linear, ReLU, Sequential, Sigmoid, Tanh
from adjoint.nn.training_modes import evaluation_mode
from adjoint.optim import LBFGS, OPTIMIZERS, Optimizer, make
from adjoint.training.loop import fit
from adjoint.training.stopping import EarlyStopping

library("sklearn", "adjoint.sklearn", "sklearn")  # an error that says how to install it

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

ACTIVATIONS: dict[str, Callable[[], Any]] = {"relu": ReLU, "tanh": Tanh, "logistic": Sigmoid, "identity": Identity}


class _Network(BaseEstimator):
    """What both estimators share: parameters, training and outputs."""

    def __init__(
        self,
        hidden_layer_sizes: int | Sequence[int] = (100,),
        activation: str = "relu",
        *,
        solver: str = "adam",
        alpha: float = 1e-4,
        batch_size: int | str = "auto",
        learning_rate_init: float = 1e-3,
        max_iter: int = 200,
        random_state: Any = None,
        tol: float = 1e-4,
        verbose: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
    ):
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate_init = learning_rate_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change

    _loss: str  # the name of the loss

    def _train(self, X: np.ndarray, y: np.ndarray, outputs: int, epochs: int, is_new: bool) -> None:
        """Train a new network, or go on with the last one."""
        random, validation = check_random_state(self.random_state), None
        if is_new:
            self.model_ = self._new_network(X, outputs, random)
            self.optimizer_ = self._new_optimizer()
            self.loss_curve_: list[float] = []
            self.n_iter_ = 0
        if self.early_stopping and epochs > 1:
            labels = y if self._loss == "cross_entropy" else None
            parts: Any = train_test_split(
                X, y, test_size=self.validation_fraction, random_state=random, stratify=labels
            )
            X, y, validation = parts[0], parts[2], (parts[1], parts[3])
        batch_size = 200 if self.batch_size == "auto" else whole(self.batch_size, "batch_size")
        batch_size = len(X) if self.solver == "lbfgs" else min(batch_size, len(X))
        if not is_number(self.alpha) or not self.alpha >= 0:
            raise ArgumentError(f"alpha must be a number of at least 0, not {describe(self.alpha)}")
        self.history_ = fit(
            self.model_,
            X,
            y,
            loss=self._loss,
            optimizer=self.optimizer_,
            epochs=epochs,
            batch_size=batch_size,
            validation=validation,
            l2=self.alpha / 2 / batch_size,  # as in scikit-learn, where the loss is a sum over the batch
            early_stopping=EarlyStopping(whole(self.n_iter_no_change, "n_iter_no_change"), min_delta=self.tol),
            progress="auto" if self.verbose else False,
            seed=random.randint(2**31),
        )
        self.loss_curve_ += self.history_["loss"] if self.history_.rows else []
        self.loss_ = self.loss_curve_[-1] if self.loss_curve_ else float("nan")
        self.n_iter_ += self.history_.epochs

    def _new_network(self, X: np.ndarray, outputs: int, random: Any) -> Sequential:
        if self.activation not in ACTIVATIONS:
            raise unknown_name_error("activation", self.activation, ACTIVATIONS)
        given = self.hidden_layer_sizes
        hidden = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
        sizes = [X.shape[1], *(whole(size, "a size of hidden_layer_sizes") for size in hidden), outputs]
        layers: list[Any] = []
        for inputs, size in pairwise(sizes):
            linear = Linear(inputs, size, seed=0, dtype=X.dtype.name)
            # drawn as in scikit-learn, so that the same random_state starts from the same weights
            bound = math.sqrt((2 if self.activation == "logistic" else 6) / (inputs + size))
            weight, bias = linear.parameters()
            weight.data = random.uniform(-bound, bound, (inputs, size)).T.astype(X.dtype)
            bias.data = random.uniform(-bound, bound, size).astype(X.dtype)
            layers += [linear, ACTIVATIONS[self.activation]()]
        return Sequential(*layers[:-1])

    def _new_optimizer(self) -> Optimizer:
        if self.solver not in (*OPTIMIZERS, "lbfgs"):
            raise unknown_name_error("solver", self.solver, [*OPTIMIZERS, "lbfgs"])
        if self.solver == "lbfgs":
            return LBFGS(self.model_.parameters(), line_search_fn="strong_wolfe")
        return make(self.solver, self.model_.parameters(), lr=self.learning_rate_init)

    def _outputs(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "model_")
        X = validate_data(self, X, reset=False, dtype=(np.float64, np.float32))
        with evaluation_mode(self.model_), no_grad():
            return np.asarray(self.model_(X.astype(self.model_[0].weight.dtype, copy=False)).numpy())

    def _validated(self, X: Any, y: Any, is_new: bool, **options: Any) -> tuple[np.ndarray, np.ndarray]:
        found: Any = validate_data(self, X, y, reset=is_new, dtype=(np.float64, np.float32), **options)
        return found


class MLPClassifier(ClassifierMixin, _Network):
    """A network for classes, as an estimator of scikit-learn.

    `hidden_layer_sizes` are the sizes of the hidden layers, and `activation` is "relu", "tanh", "logistic" or
    "identity". `solver` is the name of an optimizer, or "lbfgs", `learning_rate_init` its learning rate, `alpha` the
    strength of the L2 penalty, and `max_iter` the largest number of epochs. Training ends when the loss has not
    improved by `tol` in `n_iter_no_change` epochs; with `early_stopping`, that is the loss on a part of the data. The
    fitted estimator has `model_`, an adjoint network, and `history_`, the history of its training. Scale the inputs
    first, as below.

    >>> from adjoint.sklearn import MLPClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from adjoint import data
    >>> X, y = data.moons(100, noise=0.1, seed=0)
    >>> network = MLPClassifier((16,), learning_rate_init=0.05, random_state=0)
    >>> make_pipeline(StandardScaler(), network).fit(X, y).score(X, y)
    1.0
    """

    _loss = "cross_entropy"

    def fit(self, X: Any, y: Any) -> Self:
        """Train a new network; return the estimator."""
        X, y = self._validated(X, y, is_new=True)
        check_classification_targets(y)
        self.classes_, indices = np.unique(y, return_inverse=True)
        self._train(X, indices, max(2, len(self.classes_)), whole(self.max_iter, "max_iter"), is_new=True)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Train for one epoch; the first call needs all `classes`."""
        is_new = not hasattr(self, "model_")
        X, y = self._validated(X, y, is_new=is_new)
        check_classification_targets(y)
        if is_new:
            if classes is None:
                raise ArgumentError(
                    "the first call of partial_fit needs all classes: partial_fit(X, y, classes=[0, 1])"
                )
            self.classes_ = np.unique(classes)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ArgumentError(
                f"y contains {unknown.tolist()[0]!r}, which is not one of the classes {self.classes_.tolist()}"
            )
        self._train(X, np.searchsorted(self.classes_, y), max(2, len(self.classes_)), 1, is_new)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class for each sample."""
        scores = self._outputs(X)[:, : len(self.classes_)]
        powers = np.exp(scores - scores.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the logarithm of the probability of each class for each sample."""
        return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each sample."""
        best = self.predict_proba(X).argmax(1)
        return self.classes_[best]


class MLPRegressor(RegressorMixin, _Network):
    """A network for numbers, as an estimator of scikit-learn; the parameters are those of `MLPClassifier`.

    >>> import numpy as np
    >>> from adjoint.sklearn import MLPRegressor
    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> y = X[:, 0] ** 2
    >>> network = MLPRegressor((16,), "tanh", learning_rate_init=0.05, random_state=0)
    >>> network.fit(X, y).score(X, y) > 0.9
    True
    """

    _loss = "mse"

    def fit(self, X: Any, y: Any) -> Self:
        """Train a new network on targets of shape (samples,) or (samples, outputs); return the estimator."""
        return self._fit(X, y, whole(self.max_iter, "max_iter"), is_new=True)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Train for one epoch."""
        return self._fit(X, y, 1, is_new=not hasattr(self, "model_"))

    def _fit(self, X: Any, y: Any, epochs: int, is_new: bool) -> Self:
        X, y = self._validated(X, y, is_new, multi_output=True, y_numeric=True)
        self._is_row = y.ndim == 1
        targets = y.reshape(len(y), -1).astype(X.dtype)
        self._train(X, targets, targets.shape[1], epochs, is_new)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted numbers, in the shape of the targets."""
        found = self._outputs(X)
        return found[:, 0] if self._is_row else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
