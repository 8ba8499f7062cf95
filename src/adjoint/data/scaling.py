"""Scaling of the columns of a table to mean 0 and standard deviation 1, and back."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


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
        from adjoint.data.tables import as_rows

        rows = as_rows(X, "Scale.of")
        rows = rows if rows.ndim > 1 else rows[:, None]
        return cls(rows.mean(0), [spread or 1.0 for spread in rows.std(0).tolist()])

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[float]]) -> "Scale":
        """Return the scale of a table given as lists; this does not need NumPy.

        >>> Scale.of_rows([[1.0, 5.0], [3.0, 5.0]])
        Scale(mean=[2.0, 5.0], spread=[1.0, 1.0])
        """
        means = [math.fsum(column) / len(rows) for column in zip(*rows)]
        squares = [math.fsum((x - mean) ** 2 for x in column) for mean, column in zip(means, zip(*rows))]
        return cls(means, [math.sqrt(square / len(rows)) or 1.0 for square in squares])

    def row(self, x: Sequence[float]) -> list[float]:
        """Scale one row, given as a list; this does not need NumPy."""
        return [(number - mean) / spread for number, mean, spread in zip(x, self.mean, self.spread)]

    def __call__(self, X: Any) -> "np.ndarray":
        return self._apply(X, lambda rows: (rows - self.mean) / self.spread)

    def back(self, X: Any) -> "np.ndarray":
        """Undo the scaling."""
        return self._apply(X, lambda rows: rows * self.spread + self.mean)

    def _apply(self, X: Any, function: Any) -> "np.ndarray":
        from adjoint.data.tables import as_rows

        rows = as_rows(X, "a Scale")
        return function(rows) if rows.ndim > 1 else function(rows[:, None])[:, 0]  # a column may be one-dimensional

    def __repr__(self) -> str:
        return f"Scale(mean={self.mean}, spread={self.spread})"
