"""The optimizers by name, as `fit(optimizer="adam")` and the command line select them."""

from collections.abc import Mapping
from typing import Any

from adjoint.errors.public_names import PublicTable
from adjoint.errors.suggest import unknown_name_error
from adjoint.optim.optimizer import Optimizer
from adjoint.optim.parameter_groups import Parameters

OPTIMIZERS: Mapping[str, type[Optimizer]] = PublicTable(
    "adjoint.optim",
    {
        "sgd": "SGD", "adam": "Adam", "adamw": "AdamW", "rmsprop": "RMSprop", "adagrad": "Adagrad", "lion": "Lion",
        "nadam": "NAdam", "radam": "RAdam", "adamax": "Adamax", "adadelta": "Adadelta", "rprop": "Rprop",
    },
)  # fmt: skip
# For matrices only, and for full batches only.
SPECIAL: Mapping[str, type[Optimizer]] = PublicTable("adjoint.optim", {"muon": "Muon", "lbfgs": "LBFGS"})


def make(name: str, parameters: Parameters, **options: Any) -> Optimizer:
    """Return the optimizer of that name.

    >>> from adjoint import Value, optim
    >>> optim.make("adam", [Value(1.0)], lr=0.1)
    Adam(lr=0.1, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0, 1 parameter)
    """
    key = name.lower() if isinstance(name, str) else ""
    kinds = SPECIAL if key in SPECIAL else OPTIMIZERS
    if key not in kinds:
        raise unknown_name_error("optimizer", name, [*OPTIMIZERS, *SPECIAL])
    return kinds[key](parameters, **options)
