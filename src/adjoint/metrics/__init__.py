"""Metrics: numbers that say how good predictions are, such as `f1`, `auc` and `r2`.

    metrics.f1(model(X), y)
    fit(model, (X, y), loss="cross_entropy", metrics=["accuracy", "f1"])

Each is a function of predictions and targets, in this order, as for losses; the results are those of scikit-learn.
Predictions are the outputs of a model, as a Value or an array, or labels. This layer uses `arrays`. Start with
`labels.py`, which says what predictions may be.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
