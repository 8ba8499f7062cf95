"""The public names of `adjoint.sklearn`, each written once."""

from .estimators import MLPClassifier as MLPClassifier, MLPRegressor as MLPRegressor
