"""Padding in each mode, for `adjoint check`."""

from functools import partial

import adjoint
from adjoint.cli.checks import Groups

_WIDTHS = ((1, 2), (2, -1))
_MODES = (
    "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "mean", "median", "minimum",
)  # fmt: skip

GROUPS: Groups = {
    "padding": {
        "pad, constant": lambda x: adjoint.pad(x, _WIDTHS, 2.0),
        "pad, odd reflect": lambda x: adjoint.pad(x, _WIDTHS, mode="reflect", reflect_type="odd"),
        **{f"pad, {mode}": partial(adjoint.pad, pad_width=_WIDTHS, mode=mode) for mode in _MODES},
    },
}
