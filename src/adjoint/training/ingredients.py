"""The arguments of `fit`: model, data, optimizer and schedule are checked and converted before the first step."""

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

from adjoint.data.loading import DataLoader, train_test_split
from adjoint.data.tables import as_rows, is_several, trees_of
from adjoint.engine.value import Value
from adjoint.errors import ArgumentError, MissingParameterWarning
from adjoint.errors.given import describe, is_number, whole
from adjoint.errors.guard_warnings import is_on, warn
from adjoint.errors.suggest import unknown_name_error
from adjoint.nn.members import describe_hidden
from adjoint.nn.module import Module
from adjoint.optim import Optimizer, Schedule, make
from adjoint.optim.parameter_groups import parameters_of
from adjoint.training.batch_sources import BatchSource, Stream, is_list_of_batches
from adjoint.training.history import History
from adjoint.training.measurements import LARGEST_IS_BEST, METRICS
from adjoint.training.objectives import names_of
from adjoint.training.stopping import EarlyStopping
from adjoint.training.weighting import require_weights
from adjoint.transforms.trees import tree_leaves

_MANY = 1024  # the default batch size of evaluation: large enough to be fast, small enough for memory


def parameters_to_train(model: object) -> list[Value]:
    """Return the parameters of a model; raise if it is not a model or has none."""
    if isinstance(model, type):
        raise ArgumentError(f"fit got the class {model.__name__}; create an object of it: {model.__name__}(…)")
    if not callable(model) or not hasattr(model, "parameters"):
        raise ArgumentError(f"a model must be callable and have parameters(), but {describe(model)} does not")
    parameters = parameters_of(model, "fit")
    if not parameters:
        hidden = describe_hidden(model) if isinstance(model, Module) else ""
        raise ArgumentError(hidden or f"the model has no parameters to train: {describe(model)}")
    return parameters


class Given(NamedTuple):
    """The data of `fit`, as they were given: (X, y), a data set, a loader, or anything that yields batches."""

    data: Any
    batch_size: int | None
    steps_per_epoch: int | None
    sample_weight: Any
    class_weight: Any
    columns: list[str] | None  # the names of the columns of the inputs


def pair_of(data: Any, y: Any, who: str) -> Any:
    """Return data with their targets as one object; raise if the targets are missing, or given twice."""
    if y is None:
        if hasattr(data, "shape") or hasattr(data, "columns"):
            raise ArgumentError(
                f"data must be inputs and targets, (X, y), a DataLoader or batches, not {describe(data)}; write "
                f"{who}(model, X, y)"
            )
        return data
    if isinstance(y, str):
        raise ArgumentError(
            f"y must be the targets, not the name of a column; write {who}(model, df.drop(columns={y!r}), df[{y!r}])"
        )
    if isinstance(data, list) and len(data) != len(y) and all(len(getattr(x, "shape", ())) > 1 for x in data):
        raise ArgumentError(f"several inputs are a tuple or a dict, not a list: {who}(model, (x1, x2), y)")
    if callable(data) or isinstance(data, DataLoader) or not (hasattr(data, "__getitem__") or is_several(data)):
        raise ArgumentError(f"got targets y, but {describe(data)} has targets of its own; pass only one of them")
    return data, y


def split_validation(given: Given, validation: Any, seed: int) -> tuple[Given, Any]:
    """Return the data without those for validation, and the data for validation, if that is a fraction."""
    if not is_number(validation):
        return given, validation
    if isinstance(validation, bool) or not 0 < validation < 1:
        raise ArgumentError(
            f"validation must be a fraction between 0 and 1, or data such as (X, y), not {describe(validation)}"
        )
    if not is_pair(given.data):
        raise ArgumentError(
            f"validation={validation} splits data given as (X, y); split {describe(given.data)} yourself, for example "
            "with adjoint.data.random_split, and pass validation=…"
        )
    x, y = given.data
    weighted = given.sample_weight is not None
    parts: list[Any] = train_test_split(
        x, y, *([given.sample_weight] if weighted else []), test_size=float(validation), seed=seed
    )
    weight = parts[4] if weighted else None
    return given._replace(data=(parts[0], parts[2]), sample_weight=weight), (parts[1], parts[3])


def training_source(given: Given, seed: int, epochs: int) -> BatchSource:
    """Return the source of training: all samples at once, or shuffled batches, or the batches that were given."""
    data, size, steps = given.data, given.batch_size, given.steps_per_epoch
    if steps is not None:
        steps = whole(steps, "steps_per_epoch")
    raw = _batches(data, size)
    if raw is not None:
        has_weights = given.sample_weight is True
        if given.sample_weight is not None and not has_weights:
            raise ArgumentError(
                "sample_weight is an array only for data given as (X, y); for batches (x, y, weights) pass "
                "sample_weight=True"
            )
    else:
        has_weights = given.sample_weight is not None
        if has_weights and is_pair(data):
            require_weights(as_rows(given.sample_weight, "sample_weight"), as_rows(data[1], "fit"))
        parts = (*data, given.sample_weight) if has_weights else tuple(data) if is_pair(data) else (data,)
        raw = _array_loader(parts, size, shuffle=size is not None, seed=seed)
    if steps is not None:
        raw = Stream(raw.given if isinstance(raw, Stream) else raw, steps)
    elif isinstance(raw, Stream) and raw.is_one_shot and epochs > 1:
        raise ArgumentError(
            f"{describe(data)} can be read only once, but there are {epochs} epochs; pass the function that makes it, "
            "or steps_per_epoch, or epochs=1"
        )
    return BatchSource(raw, given.class_weight, has_weights, given.columns)


def evaluation_source(data: Any, batch_size: int | None, times: float = 1) -> BatchSource:
    """Return the source of evaluation: the samples in their order."""
    raw = data if isinstance(data, DataLoader) else _batches(data, None)
    if isinstance(raw, Stream) and raw.is_one_shot and times > 1:
        raise ArgumentError(
            f"the validation data {describe(data)} can be read only once, but it is evaluated after each epoch; "
            "pass the function that makes it, or a list of its batches"
        )
    if raw is None:
        parts = tuple(data) if is_pair(data) else (data,)
        raw = _array_loader(parts, max(_MANY, batch_size or 0), shuffle=False, seed=0)
    return BatchSource(raw)


def is_pair(data: object) -> bool:
    """Return whether data are inputs and targets, (X, y)."""
    return isinstance(data, (tuple, list)) and len(data) == 2 and not is_list_of_batches(data)


def _batches(data: Any, batch_size: int | None) -> DataLoader | Stream | None:
    """Return data that come in batches; None for (X, y) and data sets."""
    if isinstance(data, DataLoader):
        if batch_size is not None:
            raise ArgumentError(
                f"got batch_size={batch_size} and a DataLoader with batch_size={data.batch_size}; give only one of them"
            )
        return data
    is_dataset = (
        hasattr(data, "__getitem__") and hasattr(data, "__len__") and not isinstance(data, (list, tuple, dict, str))
    )
    if is_pair(data) or is_dataset:
        return None
    is_iterable = hasattr(data, "__iter__") and not isinstance(data, (str, dict))
    if not (callable(data) or is_iterable) or (isinstance(data, (tuple, list)) and not is_list_of_batches(data)):
        raise ArgumentError(
            f"data must be inputs and targets, (X, y), a DataLoader, a data set, or batches, not {describe(data)}"
        )
    if batch_size is not None:
        raise ArgumentError(f"got batch_size={batch_size} and data that come in batches; give only one of them")
    return Stream(data)


def _array_loader(parts: tuple[Any, ...], batch_size: int | None, shuffle: bool, seed: int) -> DataLoader:
    if len(parts) > 1:
        parts = trees_of(parts, "fit")
    size = len(tree_leaves(parts)[0]) if batch_size is None else batch_size
    return DataLoader(*parts, batch_size=size, shuffle=shuffle, seed=seed)


def optimizer_of(given: Any, model: object, parameters: list[Value], lr: float | None) -> Optimizer:
    """Return an optimizer, given by name or as an object; warn if it lacks parameters of the model."""
    kind: Any = given
    if isinstance(given, type) and issubclass(given, Optimizer):
        return kind(parameters, **({} if lr is None else {"lr": lr}))
    if type(given).__module__.startswith("torch."):
        raise ArgumentError(
            f"the optimizer is {type(given).__name__} of PyTorch; use adjoint.optim.{type(given).__name__}(model)"
        )
    if not isinstance(given, Optimizer):
        return make(kind, parameters, **({} if lr is None else {"lr": lr}))
    if lr is not None:
        raise ArgumentError(f"got lr={lr} and an optimizer with lr={given.lr:g}; give only one of them")
    known = {id(p) for group in given.param_groups for p in group.parameters}
    missing = [name for name, p in names_of(model, parameters) if id(p) not in known and not p._frozen]
    if len(missing) == len(parameters):
        raise ArgumentError("the optimizer has none of the parameters of the model; create it with model.parameters()")
    if missing and is_on("missing_parameters"):
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        warn(
            "missing_parameters",
            MissingParameterWarning,
            f"the optimizer lacks {', '.join(missing[:3])}{more} of the model, so they are not trained. Create it with "
            "model.parameters(), unless that is intended.",
        )
    return given


class FractionLR(Schedule):
    """Multiplies the rate by a function of the fraction of steps done, from 0 to 1."""

    def __init__(self, optimizer: Optimizer, function: Callable[[float], float], total: int):
        self.function, self.total = function, total
        super().__init__(optimizer)

    def rate(self, t: int, base: float) -> float:
        factor = self.function(t / self.total)
        if not is_number(factor) or not isfinite(factor) or factor < 0:
            raise ArgumentError(
                f"schedule must return the factor of the rate, a number of at least 0; at {t / self.total:g} it "
                f"returned {describe(factor)}"
            )
        return base * factor


def schedule_of(given: Any, optimizer: Optimizer, total: int | None) -> Schedule | None:
    """Return a schedule, given as an object or as a function."""
    function: Any = given
    if given is None:
        return None
    if isinstance(given, Schedule):
        if given.optimizer is not optimizer:
            raise ArgumentError(f"{given!r} belongs to another optimizer; pass that optimizer to fit")
        return given
    if not callable(given) or isinstance(given, type):
        raise ArgumentError(
            "schedule must be a schedule of the optimizer passed to fit, or a function of the fraction done, from 0 "
            f"to 1, not {describe(given)}"
        )
    if total is None:
        raise ArgumentError(
            "a schedule that is a function of the fraction done needs the number of steps, which these data do not "
            "have; pass steps_per_epoch"
        )
    return FractionLR(optimizer, function, total)


def history_of(stopping: EarlyStopping | None, columns: list[str]) -> History:
    """Return an empty history that monitors a column to find the best epoch."""
    monitor = stopping.monitor if stopping else None
    if monitor is None:
        monitor = "validation_loss" if "validation_loss" in columns else "loss"
    if monitor not in columns:
        raise unknown_name_error("column to monitor", monitor, columns)
    mode = stopping.mode if stopping else None
    if mode is None:
        name = monitor.removeprefix("validation_")
        if name not in ("loss", *METRICS):
            raise ArgumentError(f"EarlyStopping needs mode='max' or mode='min' for {name}")
        mode = "max" if name in LARGEST_IS_BEST else "min"
    return History(monitor, largest_is_best=mode == "max")
