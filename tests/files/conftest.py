"""Fixtures for the tests of checkpoints in several files."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of a checkpoint, not written yet."""
    return tmp_path / "checkpoint"


@pytest.fixture(scope="module")
def scratch(tmp_path_factory) -> Iterator[Path]:
    """A folder for tests that write it many times, without waiting for the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield tmp_path_factory.mktemp("parts") / "scratch"
