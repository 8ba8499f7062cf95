"""The colors and fonts of the lab for the pages of the documentation."""

import re
from pathlib import Path

_THEME = Path(__file__).parents[1] / "web/src/shared/theme.css"


def palette() -> str:
    """Return a style sheet with the custom properties of the lab's theme, for both color schemes."""
    theme = _THEME.read_text(encoding="utf-8")
    properties = re.search(r"^\.adjoint \{(.*?)^\}", theme, re.DOTALL | re.MULTILINE)
    assert properties, "theme.css has no rule for .adjoint"
    lines = "".join(re.findall(r"^  --[^;]*;\n", properties[1], re.MULTILINE))
    return f"/* Generated from web/src/shared/theme.css. */\n[data-md-color-scheme] {{\n{lines}}}\n"
