"""The table of `Module.summary()`: layers, output shapes, parameter counts, and the size of all parameters."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from adjoint.engine.modes import no_grad
from adjoint.engine.value import Value
from adjoint.errors.text_table import html_table, table
from adjoint.nn.observation import forward_hooks
from adjoint.nn.training_modes import evaluation_mode

if TYPE_CHECKING:
    from adjoint.nn.module import Module


class Summary(str):
    """The summary of a model: text, which a notebook displays as a table."""

    headings: list[str]
    rows: list[list[str]]
    total: str

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"{html_table(self.headings, self.rows, _sides(self.headings))}\n<p>{escape(self.total)}</p>"


_COUNTS = ("parameters", "trainable")


def summary_of(model: "Module", sample: object = None) -> Summary:
    """Return a table with a row for each layer; output shapes are shown if a sample batch is given."""
    outputs: dict[int, str] = {}
    if sample is not None:

        def note(module: "Module", inputs: tuple, output: object) -> None:
            outputs[id(module)] = _shapes(output)

        with forward_hooks(model, note), evaluation_mode(model), no_grad():
            model(sample)
    parameters = [p for _, p in model.named_parameters()]
    count, trainable = _count(parameters), _count(filter(_is_trainable, parameters))
    columns = ["name", "layer", "output", "parameters", "trainable"]
    if sample is None:
        columns.remove("output")
    if trainable == count:
        columns.remove("trainable")
    named = list(model.named_modules())
    rows = []
    for name, module in [*named[1:], named[0]]:
        own = [p for _, p in module.named_parameters()]
        row = {
            "name": name,
            "layer": module._headline(),
            "output": outputs.get(id(module), "–"),
            "parameters": f"{_count(own):,}",
            "trainable": f"{_count(filter(_is_trainable, own)):,}",
        }
        rows.append([row[column] for column in columns])
    part = "all trainable" if trainable == count else f"{trainable:,} trainable"
    size = sum(_size(p) * getattr(getattr(p, "dtype", None), "itemsize", 8) for p in parameters)
    total = f"{count:,} parameter{'s' * (count != 1)}, {part}, {_in_bytes(size)}" if count else "no parameters"
    made = Summary(f"{table(columns, rows, _sides(columns))}\n{total}")
    made.headings, made.rows, made.total = columns, rows, total
    return made


def _sides(columns: Iterable[str]) -> str:
    return "".join("r" if column in _COUNTS else " " for column in columns)


def _shapes(output: object) -> str:
    if isinstance(output, (list, tuple)):
        return ", ".join(_shapes(x) for x in output)
    return str(tuple(getattr(output, "shape", ())))


def _size(p: Value) -> int:
    return getattr(p, "size", 1)


def _count(parameters: Iterable[Value]) -> int:
    return sum(map(_size, parameters))


def _is_trainable(p: Value) -> bool:
    return p.requires_grad


def _in_bytes(size: float) -> str:
    """Return a size in bytes for people.

    >>> _in_bytes(72), _in_bytes(1_234_567)
    ('72 bytes', '1.2 MB')
    """
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
