"""Arguments that other libraries call differently: `fit` names its own."""

import inspect
from collections.abc import Callable
from typing import Any

from adjoint.errors import ArgumentError
from adjoint.errors.suggest import unknown_name_error

# The words of Keras, PyTorch Lightning and scikit-learn, and what to write in `fit`.
_ARGUMENTS = {
    "learning_rate": "lr",
    "learning_rate_init": "lr",
    "x": "fit(model, X, y, …), without a name",
    "X": "fit(model, X, y, …), without a name",
    "verbose": "progress=False to hide the progress, or progress='plain' to print lines",
    "validation_split": "validation=0.2 to split off a fraction",
    "validation_data": "validation=(X, y)",
    "validation_batch_size": "validation=DataLoader(X, y, batch_size=…)",
    "val_dataloaders": "validation=loader",
    "max_epochs": "epochs",
    "max_iter": "epochs",
    "num_epochs": "epochs",
    "n_epochs": "epochs",
    "max_steps": "steps",
    "num_steps": "steps",
    "shuffle": "data=DataLoader(X, y, batch_size=…, shuffle=False); with a batch_size, fit shuffles",
    "criterion": "loss",
    "loss_fn": "loss",
    "scheduler": "schedule",
    "lr_scheduler": "schedule",
    "alpha": "l2",
    "weight_decay": "l2, or optimizer=adjoint.optim.AdamW(model, weight_decay=…)",
    "grad_clip": "clip_norm",
    "gradient_clip_val": "clip_norm",
    "clipnorm": "clip_norm",
    "accumulate_grad_batches": "accumulate",
    "gradient_accumulation_steps": "accumulate",
    "callback": "callbacks",
    "metric": "metrics",
    "random_state": "seed",
    "device": "jit=True to run the steps on the device of JAX",
    "jit_compile": "jit",
    "bf16": 'precision="bfloat16"',
    "fp16": 'precision="float16"',
    "mixed_precision": "precision",
    "initial_epoch": "resume=True to continue from a checkpoint",
    "patience": "early_stopping",
    "weights": "sample_weight",
}

LOSS_WORDS = {
    "categorical_crossentropy": "cross_entropy",
    "sparse_categorical_crossentropy": "cross_entropy",
    "crossentropy": "cross_entropy",
    "cross_entropy_loss": "cross_entropy",
    "crossentropyloss": "cross_entropy",
    "log_loss": "cross_entropy",
    "binary_crossentropy": "binary_cross_entropy",
    "bce": "binary_cross_entropy",
    "bceloss": "binary_cross_entropy",
    "bcewithlogitsloss": "binary_cross_entropy_with_logits",
    "bce_with_logits": "binary_cross_entropy_with_logits",
    "mean_squared_error": "mse",
    "mse_loss": "mse",
    "mseloss": "mse",
    "squared_error": "mse",
    "mae": "l1",
    "mean_absolute_error": "l1",
    "l1loss": "l1",
    "l1_loss": "l1",
    "kl_divergence": "kl_div",
    "nllloss": "nll",
    "nll_loss": "nll",
}


def refuse_unknown(words: dict[str, Any], function: Callable[..., Any]) -> None:
    """Raise for an argument that a function does not have: say what it is called here, or the nearest name."""
    for word in words:
        if word in _ARGUMENTS:
            raise ArgumentError(f"{function.__name__} has no argument {word}; write {_ARGUMENTS[word]}")
        known = [name for name, p in inspect.signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD]
        raise unknown_name_error(f"argument of {function.__name__}", word, known)
