"""Stories are whole programs: they all belong to the part of the suite that runs without coverage."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.long)
            if "site" in getattr(item, "fixturenames", ()):  # building the documentation takes long
                item.add_marker(pytest.mark.full)
