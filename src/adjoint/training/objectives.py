"""The loss of training, by name or as a function, and how a model is called for it."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from adjoint.arrays.axes import shape_of
from adjoint.arrays.kinds import array_code, data_of, is_tensor
from adjoint.engine.modes import no_grad, precision as precision_of
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, DataError, ShapeError
from adjoint.errors.given import describe, is_number
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn import losses
from adjoint.nn.loss_arguments import as_lists
from adjoint.nn.module import Module
from adjoint.nn.training_modes import evaluation_mode
from adjoint.transforms.trees import tree_map

if TYPE_CHECKING:
    import numpy as np

    from adjoint.training.batch_sources import BatchSource

LOSSES: dict[str, Callable[..., Any]] = {
    name: getattr(losses, name)
    for name in (
        "mse", "l1", "huber", "hinge", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy",
        "nll", "kl_div",
    )
}  # fmt: skip

OF_CLASSES = ("cross_entropy", "nll")  # predictions have one axis more than the labels
OF_SCORES = ("hinge", "binary_cross_entropy_with_logits")  # a prediction above 0 means the positive class


class Model(Protocol):
    """A model to train: an `nn.Module`, or any object that is called on inputs and has `parameters()`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def parameters(self) -> list[Value]: ...


def names_of(model: object, parameters: list[Value]) -> list[tuple[str, Value]]:
    """Return the parameters with their names, also of a model that is not a Module."""
    if isinstance(model, Module):
        return list(model.named_parameters())
    return [(p.label or f"parameter {i}", p) for i, p in enumerate(parameters)]


class Objective:
    """Computes the loss of a model on a batch as a Value, and the predictions.

    >>> from adjoint import nn
    >>> from adjoint.training import Objective
    >>> model = nn.MLP(2, [1], seed=0)
    >>> objective = Objective(model, "mse", 0.0, model.parameters())
    >>> loss, predictions = objective([[0.0, 1.0]], [1.0])
    >>> loss.op != "", len(predictions)
    (True, 1)
    """

    def __init__(
        self,
        model: Model,
        loss: str | Callable[[Any, Any], Any],
        l2: float,
        parameters: list[Value],
        is_weighted: bool = False,
        precision: str = "float32",
    ):
        if not is_number(l2) or isinstance(l2, bool) or not 0 <= l2 < math.inf:
            raise ArgumentError(f"l2 must be a number of at least 0, not {describe(l2)}")
        self.model, self.l2, self.parameters, self.precision = model, float(l2), parameters, precision
        self.name, self.loss = _named_loss(loss)
        self.is_of_model = getattr(loss, "__self__", None) is model  # model.loss, a function of inputs and targets
        self.is_scalar = not any(is_tensor(p) for p in parameters)
        if is_weighted and self.is_of_model:
            raise ArgumentError(
                "loss=model.loss cannot weight samples; leave out sample_weight and class_weight, or pass a loss of "
                "predictions and targets"
            )
        if is_weighted:
            from adjoint.training.weighting import weighted

            self.loss = weighted(self.loss)
        if not self.is_scalar and self.name and self.name not in OF_CLASSES:
            self.loss = align_targets(self.loss)

    def __call__(self, x: Any, y: Any, share: Any = None) -> tuple[Any, Any]:
        """Return the loss and the predictions; `share` are the weights of the samples, which add up to 1.

        A method of the model, such as `model.loss`, gets the inputs, and there are no predictions.
        """
        if self.precision == "float32":
            return self._compute(x, y, share)
        with precision_of(self.precision):
            return self._compute(x, y, share)

    def _compute(self, x: Any, y: Any, share: Any) -> tuple[Any, Any]:
        prediction = None if self.is_of_model else self._predict(x)
        if self.precision != "float32" and is_tensor(prediction):
            prediction = array_code("functions.shaping").widen(prediction)  # for the loss and the metrics
        shares = () if share is None else (as_lists(share) if self.is_scalar else share,)
        given = prediction if prediction is not None else as_lists(x) if self.is_scalar else x
        loss = self.loss(given, as_lists(y) if self.is_scalar else y, *shares)
        if self.l2:
            squares = (p * p for p in self.parameters) if self.is_scalar else (_squares(p) for p in self.parameters)
            loss = loss + self.l2 * sum(squares)
        if not isinstance(loss, Value) or shape_of(loss) != ():
            raise ShapeError(
                f"the loss must be one Value, the mean over a batch, not {describe(loss)}"
                + (f" of shape {shape_of(loss)}; use its .mean()" if is_tensor(loss) else "")
            )
        return loss, prediction

    def _predict(self, x: Any) -> Any:
        """Call the model on a batch: model(x), model(x1, x2) for a tuple, or model(**x) for a dict."""
        model: Any = self.model
        if not self.is_scalar:
            return model(*x) if isinstance(x, tuple) else model(**x) if isinstance(x, dict) else model(x)
        if isinstance(x, tuple):
            return [model(*rows) for rows in zip(*map(as_lists, x))]
        if isinstance(x, dict):
            return [model(**dict(zip(x, rows))) for rows in zip(*map(as_lists, x.values()))]
        return [model(row) for row in as_lists(x)]

    def require_predictions(self, metrics: list) -> None:
        """Raise if there are metrics, but no predictions for them."""
        if metrics and self.is_of_model:
            raise ArgumentError(
                f"the metric {metrics[0].name!r} needs predictions, which loss=model.loss does not return; leave out "
                "the metrics, or pass a loss of predictions and targets"
            )

    def require_outputs(self, source: "BatchSource") -> None:
        """Raise if the outputs of the model do not fit the targets and the loss; labels must be in range.

        Compiled steps do not check labels, and some wrong shapes would be a valid but meaningless loss.
        """
        if not self.name or not isinstance(self.model, Module):
            return
        x, y, _ = source.sample()
        with evaluation_mode(self.model), no_grad():
            found = self._predict(tree_map(lambda array: array[:1], x))
        if isinstance(found, tuple):
            raise ArgumentError(
                f"{self.name} needs one array of predictions, but the model returns a tuple of {len(found)}, as "
                "nn.LSTM does; take what is needed, such as model(x)[0], in a function or a layer after it"
            )
        shape = plain(found).shape
        if self.name in OF_CLASSES:
            if len(shape) == 1 or (len(shape) == 2 and shape[1] == 1):
                raise ShapeError(_one_output(self.name, y))
            if len(shape) == y.ndim + 1:
                from adjoint.nn.indices import as_indices

                as_indices(y, shape[1], "label", "classes", losses.IGNORED)
        elif len(shape) == 2 and shape[1] > 1 and y.ndim == 1:
            other = "" if y.dtype.kind not in "iub" else ", or use loss='cross_entropy' for classes"
            raise ShapeError(
                f"{self.name} needs one output for each target, but the model has {shape[1]} outputs per sample and "
                f"the targets have shape {y.shape}; give the last layer one output{other}"
            )

    def require_targets(self, source: "BatchSource") -> None:
        """Raise if the loss cannot use the targets, before the first step."""
        import numpy as np

        y = source.sample().y
        if self.name == "hinge" and not np.isin(y, (-1, 1)).all():
            hint = "; use 2 * y - 1" if np.isin(y, (0, 1)).all() else ""
            raise DataError(f"hinge needs the labels -1 and 1, but the targets contain {_first_not(y, (-1, 1))}{hint}")
        if self.name.startswith("binary") and not ((y >= 0) & (y <= 1)).all():
            wrong = y[(y < 0) | (y > 1)].flat[0]
            raise DataError(f"{self.name} needs targets from 0 to 1, but they contain {wrong:g}")


def _one_output(name: str, y: "np.ndarray") -> str:
    """Return the message for a model with one output and a loss of classes."""
    is_labels = y.dtype.kind in "iub"
    count = f"{max(2, int(y.max()) + 1)} outputs" if is_labels else "one output per class"
    is_binary = y.min() >= 0 and y.max() <= 1
    other = ", or use loss='binary_cross_entropy_with_logits', which takes one" if is_binary else ""
    other = other if is_labels else other or ", or use loss='mse' to predict numbers"
    return f"{name} needs one output per class, but the model has one output; give the last layer {count}{other}"


def plain(prediction: object) -> Any:
    """Return predictions as a plain array, also those of scalar Values."""
    if isinstance(prediction, list):
        import numpy as np

        return np.array(tree_map(float, prediction))
    return data_of(prediction)


def _named_loss(loss: object) -> tuple[str, Callable[[Any, Any], Any]]:
    """Return the name of a loss, if it is adjoint's, and the function."""
    if isinstance(loss, str):
        if loss not in LOSSES:
            from adjoint.compat.names import LOSS_WORDS  # only errors need it

            if loss.lower() in LOSS_WORDS:
                raise ArgumentError(f"the loss {loss!r} is called {LOSS_WORDS[loss.lower()]!r} here")
            raise unknown_name_error("loss", loss, LOSSES, "; or pass a function of predictions and targets")
        return loss, LOSSES[loss]
    if isinstance(loss, type) and issubclass(loss, Module):
        raise ArgumentError(f"loss got the class {loss.__name__}; create an object of it: {loss.__name__}()")
    if not callable(loss):
        raise ArgumentError(f"loss must be a name such as 'mse' or a function of predictions and targets, not {loss!r}")
    return next((name for name, function in LOSSES.items() if function is loss), ""), loss


def align_targets(loss: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a loss that accepts predictions of shape (samples, 1), as a layer returns them, for targets (samples,)."""

    def aligned(prediction: Any, target: Any, *share: Any) -> Any:
        shape = shape_of(prediction)
        if len(shape) == len(target.shape) + 1 and shape[-1] == 1 and shape[:-1] == tuple(target.shape):
            target = target.reshape(shape)
        if target.dtype.kind in "iub":  # mixed dtypes are slow, and would promote float32
            target = target.astype(prediction.dtype)
        return loss(prediction, target, *share)

    return aligned


def _squares(p: Value) -> Value:
    square: Any = p * p
    return square.sum() if is_tensor(p) else square


def _first_not(y: "np.ndarray", allowed: tuple) -> str:
    import numpy as np

    return f"{y[~np.isin(y, allowed)].flat[0]:g}"
