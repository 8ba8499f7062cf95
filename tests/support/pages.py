"""Run the programs on a page of docs/, once for all tests."""

import re
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


@cache
def names_of(page: str) -> dict[str, Any]:
    """Run the programs of a page in order, and return the variables that they define."""
    names: dict[str, Any] = {}
    for program in re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE):
        exec(compile(program, page, "exec"), names)
    return names
