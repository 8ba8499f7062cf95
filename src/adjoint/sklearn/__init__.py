"""Estimators for scikit-learn: networks with `fit`, `predict` and `score`, for pipelines and grid searches.

    from adjoint.sklearn import MLPClassifier
    make_pipeline(StandardScaler(), MLPClassifier((32,))).fit(X, y)

Their parameters are those of the classes of the same names in `sklearn.neural_network`. This layer uses everything up
to `training`. scikit-learn is imported when a class is first used.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
