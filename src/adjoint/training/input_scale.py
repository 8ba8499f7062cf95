"""Name the scale of inputs and targets where it makes training fail: incomes next to ages, prices in dollars.

A column of a million makes the loss and its gradients huge, however small the learning rate is.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from adjoint.errors import InputScaleWarning
from adjoint.errors.guard_warnings import is_on, warn
from adjoint.nn.module import Module
from adjoint.training.batch_sources import BatchSource

_EXTREME = 1e4  # an input of this size is a problem in itself
_LARGE = 100.0  # and one of this size if the loss is huge
_HUGE_LOSS = 1e6
_HUGE_LOSS_OF_TARGETS = 1e8  # the targets themselves explain a large loss: a squared error of 1e4 is one of 100
_ROWS = 10_000  # at most so many rows are looked at


def warn_of_scale(source: BatchSource, model: object, loss: float) -> None:
    """Warn after the first epoch if inputs are extremely large, or large and the loss is huge."""
    if not is_on("input_scale"):
        return
    found = describe_scale(source, model, _LARGE if loss >= _HUGE_LOSS else _EXTREME, loss >= _HUGE_LOSS_OF_TARGETS)
    if found:
        warn("input_scale", InputScaleWarning, f"the loss of the first epoch is {loss:.3g}, and {found}")


def describe_scale(source: BatchSource, model: object, least: float = _LARGE, with_targets: bool = False) -> str:
    """Return which inputs or targets are large, their range, and what to do; empty if none are."""
    batch = source.sample()
    what = next((text for text in _large_inputs(batch.x, source.columns, model, least)), "")
    if what:
        return (
            f"{what}. Inputs of this size make the gradients huge: scale each column to mean 0 and standard deviation "
            "1 with scale = adjoint.data.Scale.of(X) and scale(X)."
        )
    y = batch.y
    if with_targets and np.abs(y).max() >= _LARGE:
        return (
            f"the targets range from {y.min():.6g} to {y.max():.6g}. Scale them to mean 0 and standard deviation 1 "
            "with scale = adjoint.data.Scale.of(y) and scale(y); scale.back(…) undoes it for predictions."
        )
    return ""


def _large_inputs(x: Any, names: list[str] | None, model: object, least: float) -> Iterator[str]:
    modules = list(model.modules()) if isinstance(model, Module) else []
    layers = [module for module in modules if len(list(module.modules())) == 1]
    if layers and "Norm" in type(layers[0]).__name__:
        return  # the first layer scales its inputs
    inputs = x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, tuple) else [(None, x)]
    for key, array in inputs:
        if array.dtype.kind != "f" and any(hasattr(module, "num_embeddings") for module in modules):
            continue  # indices
        rows = array[:: max(1, len(array) // _ROWS)]
        which = "the inputs" if key is None else f"input {key!r}"
        if rows.ndim != 2:
            low, high, where = rows.min(), rows.max(), which
        else:
            k = int(np.abs(rows).max(0).argmax())
            low, high = rows[:, k].min(), rows[:, k].max()
            name = f" ({names[k]!r})" if names and key is None else ""
            where = f"column {k}{name} of {which}"
        if max(abs(low), abs(high)) >= least:
            yield f"{where} {'range' if rows.ndim != 2 and key is None else 'ranges'} from {low:.6g} to {high:.6g}"
