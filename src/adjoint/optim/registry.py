"""The optimizers by name, as `fit(optimizer="adam")` and the command line select them."""

from typing import Any

from adjoint.errors.suggest import unknown_name_error
from adjoint.optim.adadelta import Adadelta
from adjoint.optim.adagrad import Adagrad
from adjoint.optim.adam import Adam, AdamW
from adjoint.optim.adam_variants import Adamax, NAdam, RAdam
from adjoint.optim.groups import Parameters
from adjoint.optim.lbfgs import LBFGS
from adjoint.optim.lion import Lion
from adjoint.optim.muon import Muon
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.rmsprop import RMSprop
from adjoint.optim.rprop import Rprop
from adjoint.optim.sgd import SGD

OPTIMIZERS: dict[str, type[Optimizer]] = {
    "sgd": SGD, "adam": Adam, "adamw": AdamW, "rmsprop": RMSprop, "adagrad": Adagrad, "lion": Lion,
    "nadam": NAdam, "radam": RAdam, "adamax": Adamax, "adadelta": Adadelta, "rprop": Rprop,
}  # fmt: skip
SPECIAL: dict[str, type[Optimizer]] = {"muon": Muon, "lbfgs": LBFGS}  # for matrices only, and for full batches only


def make(name: str, parameters: Parameters, **options: Any) -> Optimizer:
    """Return the optimizer of that name.

    >>> from adjoint import Value, optim
    >>> optim.make("adam", [Value(1.0)], lr=0.1)
    Adam(lr=0.1, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, 1 parameter)
    """
    known = OPTIMIZERS | SPECIAL
    kind = known.get(name.lower()) if isinstance(name, str) else None
    if kind is None:
        raise unknown_name_error("optimizer", name, known)
    return kind(parameters, **options)
