"""What a diagnosis measures of each layer, as data and as a table."""

import math
from typing import NamedTuple

from adjoint.errors.text_table import html_table, table

VANISHING, EXPLODING = 1e-3, 1e3  # relative to the gradients of the layer nearest to the loss, root mean squares
LARGE = 100.0  # a gradient norm that counts as exploding whatever the other layers have: clipping uses about 1
DEAD = 0.5  # share of the units of a layer
_ADVICE = "adjoint.why(parameter, loss) follows the gradient of a parameter to what made it so."
_HEADINGS, _SIDES = ("name", "layer", "dead", "gradient", "weight", "ratio", ""), "  rrrr"  # of the table


class Row(NamedTuple):
    """The measurements of one layer."""

    name: str  # its path in the model, such as "layers.0"
    layer: str  # its constructor call
    dead: float | None  # the share of units whose ReLU is 0 for the whole batch
    gradient: float | None  # the gradient norm of its own parameters
    weight: float | None  # the norm of its own parameters
    ratio: float | None  # gradient / weight
    flags: tuple[str, ...]  # "dead", "vanishing", "exploding", "no gradient"


class Diagnosis:
    """The result of `diagnose`: `rows` as data, and a table as text. A notebook displays the table."""

    def __init__(self, loss: float, rows: list[Row]):
        self.loss, self.rows = loss, rows
        self._is_printed = False  # by `diagnose`: a notebook does not display the same table below

    @property
    def flags(self) -> dict[str, tuple[str, ...]]:
        """The flags of each layer that has any."""
        return {row.name: row.flags for row in self.rows if row.flags}

    def __repr__(self) -> str:
        found = ", ".join(f"{name}: {' '.join(flags)}" for name, flags in self.flags.items())
        return f"Diagnosis({len(self.rows)} layers; {found or 'no problems found'})"

    def __str__(self) -> str:
        advice = f"\n{_ADVICE}" if self.flags else ""
        return f"{table(_HEADINGS, self._cells(), _SIDES)}\nloss {self.loss:.6g}{advice}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        if self._is_printed:
            return {"text/plain": repr(self)}
        html = f"{html_table(_HEADINGS, self._cells(), _SIDES)}\n<p>loss {self.loss:.6g}</p>"
        html += f"\n<p>{_ADVICE}</p>" if self.flags else ""
        return {"text/plain": str(self), "text/html": html}

    def _cells(self) -> list[list[str]]:
        return [
            [
                row.name,
                row.layer,
                "" if row.dead is None else f"{row.dead:.0%}",
                *("" if x is None else f"{x:.2e}" for x in (row.gradient, row.weight, row.ratio)),
                ", ".join(row.flags),
            ]
            for row in self.rows
        ]


def gradient_flags(norm: float, size: float, nearest: float) -> list[str]:
    """Return the flags of a layer, given its gradient norm and the root mean squares of it and of the last layer."""
    if not math.isfinite(norm) or norm > LARGE or size > EXPLODING * nearest > 0:
        return ["exploding"]
    if norm == 0:
        return ["no gradient"]
    return ["vanishing"] if size < VANISHING * nearest else []
