"""Fixtures for the tests of the lab."""

import shutil
from pathlib import Path

import pytest
from npm import run_npm

WEB = Path(__file__).parents[2] / "web"


@pytest.fixture(scope="session")
def web(tmp_path_factory):
    """A copy of web/ with its packages installed, so that a test leaves nothing behind."""
    if shutil.which("npm") is None:
        pytest.skip("the front-end needs Node.js")
    folder = tmp_path_factory.mktemp("checkout") / "web"
    shutil.copytree(WEB, folder, ignore=shutil.ignore_patterns("node_modules"))
    run_npm(folder, "install", "--no-save", "--no-audit", "--no-fund")
    return folder
