"""Pictures of training, by matplotlib, which the extra `plot` brings."""

from typing import TYPE_CHECKING, Any

from adjoint.errors import MissingExtraError

if TYPE_CHECKING:
    from adjoint.history import History


def plot_history(history: "History", ax: Any = None) -> Any:
    """Draw the losses over the epochs, and the metrics on an axis of their own to the right; return the axes."""
    ax = ax if ax is not None else _pyplot().subplots(figsize=(6.4, 4.0), layout="constrained")[1]
    epochs = history["epoch"]
    columns = [name for name in history.columns if name not in ("epoch", "lr", "seconds")]
    losses = [name for name in columns if name.endswith("loss")]
    others = [name for name in columns if name not in losses]
    right: Any = ax.twinx() if others else None
    subjects = list(dict.fromkeys(name.removeprefix("validation_") for name in columns))  # each has its colour
    for axes, names in ((ax, losses), (right, others)):
        for name in names:
            style = "--" if name.startswith("validation_") else "-"
            color = f"C{subjects.index(name.removeprefix('validation_'))}"
            axes.plot(epochs, history[name], style, color=color, label=name.replace("_", " "))
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss")
    if right is not None:
        right.set_ylabel(
            ", ".join(dict.fromkeys(name.removeprefix("validation_").replace("_", " ") for name in others))
        )
    lines = [line for axes in (ax, right) if axes is not None for line in axes.get_lines()]
    ax.legend(lines, [line.get_label() for line in lines], loc="center right", frameon=False)
    return ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError(
            "plots are drawn by matplotlib, which is not installed: pip install adjoint[plot]"
        ) from None
    return pyplot
