"""Neural networks: modules of arrays and of single Values, losses, and how weights begin.

The scalar networks of the tutorials are loaded at once; what needs NumPy, when it is first asked for.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from adjoint.nn.module import Module
from adjoint.nn.scalar import MLP, Layer, Neuron

if TYPE_CHECKING:
    from adjoint.nn import init
    from adjoint.nn.activations import (
        ELU,
        GELU,
        Identity,
        LeakyReLU,
        LogSoftmax,
        ReLU,
        Sigmoid,
        SiLU,
        Softmax,
        Softplus,
        Tanh,
        activation,
    )
    from adjoint.nn.attention import MultiHeadAttention, TransformerBlock
    from adjoint.nn.convolutions import AvgPool2d, Conv1d, Conv2d, MaxPool2d
    from adjoint.nn.criteria import (
        BCELoss,
        BCEWithLogitsLoss,
        CrossEntropyLoss,
        HingeLoss,
        HuberLoss,
        KLDivLoss,
        L1Loss,
        MSELoss,
        NLLLoss,
    )
    from adjoint.nn.diagnosis import diagnose
    from adjoint.nn.layers import Dropout, Embedding, Flatten, Linear, Sequential
    from adjoint.nn.losses import (
        binary_cross_entropy,
        binary_cross_entropy_with_logits,
        cross_entropy,
        hinge,
        huber,
        kl_div,
        l1,
        mse,
        nll,
    )
    from adjoint.nn.norms import BatchNorm1d, BatchNorm2d, LayerNorm, RMSNorm
    from adjoint.nn.recurrent import GRU, LSTM, RNN

_ROOMS = {
    "activations": "ELU GELU Identity LeakyReLU LogSoftmax ReLU Sigmoid SiLU Softmax Softplus Tanh activation",
    "attention": "MultiHeadAttention TransformerBlock",
    "convolutions": "AvgPool2d Conv1d Conv2d MaxPool2d",
    "criteria": "BCELoss BCEWithLogitsLoss CrossEntropyLoss HingeLoss HuberLoss KLDivLoss L1Loss MSELoss NLLLoss",
    "diagnosis": "diagnose",
    "layers": "Dropout Embedding Flatten Linear Sequential",
    "losses": "binary_cross_entropy binary_cross_entropy_with_logits cross_entropy hinge huber kl_div l1 mse nll",
    "norms": "BatchNorm1d BatchNorm2d LayerNorm RMSNorm",
    "recurrent": "GRU LSTM RNN",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str):
    if name == "init":
        return _import_module("adjoint.nn.init")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'adjoint.nn' has no attribute {name!r}")
    found = globals()[name] = getattr(_import_module(f"adjoint.nn.{_ROOM_OF[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "MLP",
    "RNN",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "HingeLoss",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "Layer",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Module",
    "MultiHeadAttention",
    "NLLLoss",
    "Neuron",
    "RMSNorm",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "TransformerBlock",
    "activation",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "diagnose",
    "hinge",
    "huber",
    "init",
    "kl_div",
    "l1",
    "mse",
    "nll",
]
