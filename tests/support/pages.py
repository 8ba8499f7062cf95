"""The pages of docs/ as programs: each is run once, and what it leaves behind can be looked at."""

import re
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


@cache
def names_of(page: str) -> dict[str, Any]:
    """Return the names that the programs of a page leave behind, one program after the other."""
    names: dict[str, Any] = {}
    for program in re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(program, page, "exec"), names)
    return names
