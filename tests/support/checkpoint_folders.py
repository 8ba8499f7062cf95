"""Helpers for tests of checkpoints in folders."""

from pathlib import Path

import numpy as np

from adjoint import nn

INDEX = "model.safetensors.index.json"


def network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(2, 8, seed=0), nn.BatchNorm1d(8), nn.Dropout(0.5, seed=1), nn.Linear(8, 3, seed=2))


def require_same(found, expected) -> None:
    assert sorted(found) == sorted(expected)
    for name, x in expected.items():
        assert found[name].dtype == np.asarray(x).dtype, name
        assert found[name].shape == np.asarray(x).shape, name
        assert found[name].tobytes() == np.asarray(x).tobytes(), name


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
