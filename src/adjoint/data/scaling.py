"""Scaling of the columns of a table to mean 0 and standard deviation 1, and back."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from adjoint.data.tables import as_rows


class Scale:
    """Scales columns to mean 0 and standard deviation 1, by the statistics of the training data; and back.

    Use the scale of the training data for all data:

    >>> import numpy as np
    >>> from adjoint import data
    >>> X_train, X_test = np.array([[1.0, 1000.0], [3.0, 5000.0]]), np.array([[2.0, 3000.0]])
    >>> scale = data.Scale.of(X_train)
    >>> scale(X_train).tolist(), scale(X_test).tolist()
    ([[-1.0, -1.0], [1.0, 1.0]], [[0.0, 0.0]])
    >>> scale.back([[1.0, 1.0]]).tolist()
    [[3.0, 5000.0]]
    """

    def __init__(self, mean: Iterable[float], spread: Iterable[float]):
        self.mean, self.spread = [float(x) for x in mean], [float(x) for x in spread]

    @classmethod
    def of(cls, X: Any) -> "Scale":
        """Return the scale of the columns of a table; a constant column is only shifted."""
        rows = as_rows(X, "Scale.of")
        rows = rows if rows.ndim > 1 else rows[:, None]
        spread = rows.std(0)
        return cls(rows.mean(0), np.where(spread > 0, spread, 1.0))

    def __call__(self, X: Any) -> np.ndarray:
        return self._apply(X, lambda rows: (rows - self.mean) / self.spread)

    def back(self, X: Any) -> np.ndarray:
        """Undo the scaling."""
        return self._apply(X, lambda rows: rows * self.spread + self.mean)

    def _apply(self, X: Any, function: Any) -> np.ndarray:
        rows = as_rows(X, "a Scale")
        return function(rows) if rows.ndim > 1 else function(rows[:, None])[:, 0]  # a column may be one-dimensional

    def __repr__(self) -> str:
        return f"Scale(mean={self.mean}, spread={self.spread})"
