"""Convert models between adjoint and PyTorch, with the same layers, names, weights and outputs.

Layers have the same names and arguments as their counterparts in `torch.nn`. `_COUNTERPARTS` lists the settings that a
PyTorch layer must have for its counterpart here to compute the same. A layer with other settings, or without a
counterpart, is named in an error.
"""

import inspect
from collections import OrderedDict
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from adjoint import nn
from adjoint.errors import ArgumentError, ConversionError
from adjoint.errors.given import describe
from adjoint.errors.optional import library
from adjoint.nn.activation_layers import activation
from adjoint.nn.descriptions import dtype_of, is_plain, name_of
from adjoint.nn.module import Module
from adjoint.nn.sequential import Function

_RECURRENT = {"proj_size": 0}
_ZEROS = {"padding_mode": "zeros"}
_COUNTERPARTS: dict[str, dict[str, Any]] = {
    "Linear": {},
    "Embedding": {"padding_idx": None, "max_norm": None, "scale_grad_by_freq": False, "sparse": False},
    "Conv1d": {},
    "Conv2d": {},
    "Conv3d": {},
    "ConvTranspose1d": _ZEROS,
    "ConvTranspose2d": _ZEROS,
    "ConvTranspose3d": _ZEROS,
    "MaxPool1d": {},
    "MaxPool2d": {},
    "MaxPool3d": {},
    "AvgPool1d": {},
    "AvgPool2d": {},
    "AvgPool3d": {},
    "LPPool1d": {},
    "LPPool2d": {},
    "LPPool3d": {},
    "AdaptiveAvgPool1d": {},
    "AdaptiveAvgPool2d": {},
    "AdaptiveAvgPool3d": {},
    "AdaptiveMaxPool1d": {},
    "AdaptiveMaxPool2d": {},
    "AdaptiveMaxPool3d": {},
    "Upsample": {},
    "PixelShuffle": {},
    "PixelUnshuffle": {},
    "Unfold": {},
    "Fold": {},
    "Flatten": {},
    "Dropout": {},
    "LayerNorm": {},
    "RMSNorm": {},
    "BatchNorm1d": {},
    "BatchNorm2d": {},
    "BatchNorm3d": {},
    "InstanceNorm1d": {},
    "InstanceNorm2d": {},
    "InstanceNorm3d": {},
    "GroupNorm": {},
    "LocalResponseNorm": {},
    "PReLU": {},
    "RNN": _RECURRENT,
    "LSTM": {},
    "GRU": _RECURRENT,
    "Attention": {
        "batch_first": True,
        "bias_k": None,
        "bias_v": None,
        "add_zero_attn": False,
        "_qkv_same_embed_dim": True,
    },
    "TransformerBlock": {"norm_first": True, "batch_first": True},
    "Tanh": {},
    "Sigmoid": {},
    "ReLU": {},
    "SiLU": {},
    "Softplus": {},
    "Softsign": {},
    "LogSigmoid": {},
    "Tanhshrink": {},
    "Mish": {},
    "ReLU6": {},
    "Hardsigmoid": {},
    "Hardswish": {},
    "SELU": {},
    "Hardtanh": {},
    "Hardshrink": {},
    "Softshrink": {},
    "CELU": {},
    "Threshold": {},
    "Softmin": {},
    "GLU": {},
    "LeakyReLU": {},
    "ELU": {},
    "GELU": {},
    "Softmax": {},
    "LogSoftmax": {},
    "Identity": {},
    "BCELoss": {},
    "BCEWithLogitsLoss": {},
    "CrossEntropyLoss": {},
    "HuberLoss": {},
    "KLDivLoss": {},
    "L1Loss": {},
    "MSELoss": {},
    "NLLLoss": {},
    "SmoothL1Loss": {},
    "PoissonNLLLoss": {},
    "GaussianNLLLoss": {},
    "CTCLoss": {},
    "HingeEmbeddingLoss": {},
    "SoftMarginLoss": {},
    "MarginRankingLoss": {},
    "CosineEmbeddingLoss": {},
    "TripletMarginLoss": {},
    "MultiMarginLoss": {},
    "MultiLabelMarginLoss": {},
    "MultiLabelSoftMarginLoss": {},
}
_OTHER_NAMES = {"Attention": "MultiheadAttention", "TransformerBlock": "TransformerEncoderLayer"}
_BLOCK = {"embed_dim": "d_model", "num_heads": "nhead", "eps": "layer_norm_eps"}
_HOW_TO = "write it as a torch.nn.Module and load the tensors of a file that adjoint.save wrote with load_state_dict"


def to_torch(model: Module) -> Any:
    """Return the same model in PyTorch with copies of the weights: a layer of `torch.nn`, or a `torch.nn.Sequential`.

    >>> from adjoint import nn, to_torch
    >>> to_torch(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """
    torch = library("torch", "to_torch", "torch")
    if not isinstance(model, Module):
        raise ConversionError(f"to_torch needs a model of adjoint.nn, not {describe(model)}")
    if isinstance(model, nn.MLP):
        model = model.to_arrays()
    theirs = _to_torch(model, "", torch, {})
    _require_same_count(model, theirs, "PyTorch's")
    state = {name: torch.from_numpy(np.asarray(x)) for name, x in model.state_dict().items()}
    theirs.load_state_dict(state)
    return theirs


def from_torch(module: Any) -> Module:
    """Return the same model in adjoint with copies of the weights, given a layer of `torch.nn` or a `Sequential`.

    >>> import torch
    >>> from adjoint import from_torch
    >>> from_torch(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()))
    Sequential(
      (0): Linear(2, 3), 9 parameters
      (1): ReLU()
    ), 9 parameters
    """
    torch = library("torch", "from_torch", "torch")
    if not isinstance(module, torch.nn.Module):
        raise ConversionError(f"from_torch needs a module of torch.nn, not {describe(module)}")
    ours = _from_torch(module, "", torch, {})
    _require_same_count(ours, module, "adjoint's")
    ours.load_state_dict(module.state_dict())
    return ours


def _require_same_count(ours: Module, theirs: Any, whose: str) -> None:
    if len(list(ours.named_parameters())) != len(list(theirs.named_parameters())):
        raise ConversionError(
            f"a weight shared by two layers would become two in {whose} model; share it again after converting"
        )


# --- to PyTorch ----------------------------------------------------------------------------------------------


def _to_torch(model: Module, path: str, torch: ModuleType, made: dict[int, Any]) -> Any:
    """Return the counterpart of a model; the same one for a layer that occurs twice."""
    if id(model) not in made:
        if type(model) is nn.Sequential:
            layers = {name: _to_torch(x, _below(path, name), torch, made) for name, x in model.named_children()}
            for (name, layer), twin in zip(model.named_children(), layers.values()):
                if isinstance(twin, torch.nn.MultiheadAttention):
                    raise _no_counterpart(_below(path, name), layer, "in a Sequential: PyTorch's takes three inputs")
            made[id(model)] = torch.nn.Sequential(OrderedDict(layers))
        else:
            made[id(model)] = _layer_to_torch(model, path, torch)
        made[id(model)].train(model.training)
    return made[id(model)]


def _layer_to_torch(layer: Module, path: str, torch: ModuleType) -> Any:
    if isinstance(layer, Function):
        layer = _activation_of(layer, path)
    name, options = type(layer).__name__, layer.arguments()
    if getattr(nn, name, None) is not type(layer) or name not in _COUNTERPARTS:
        raise _no_counterpart(path, layer)
    weights = {name: x for name, x in layer.state_dict().items() if name in options and not layer.parameters()}
    options |= dict.fromkeys(weights)
    if not all(map(is_plain, options.values())) or isinstance(options.get("dim"), tuple):
        raise _no_counterpart(path, layer, "with these arguments")
    if options.pop("num_kv_heads", None) not in (None, options.get("num_heads")):
        raise _no_counterpart(path, layer, "with fewer heads of keys than of queries")
    if "affine" in options and options.get("bias"):
        del options["bias"]  # which older versions of PyTorch do not have
    options |= {name: torch.from_numpy(np.array(x)) for name, x in weights.items()}  # of the classes of a loss
    dtype = None if weights else dtype_of(layer)
    if dtype is not None:
        options["dtype"] = getattr(torch, dtype)
    if isinstance(layer, nn.Attention):
        options["batch_first"] = True
    if isinstance(layer, nn.Softplus) and layer.threshold is None:
        del options["threshold"]  # PyTorch always has one; its default changes results by up to 2e-9
    if isinstance(layer, nn.TransformerBlock):
        return _block_to_torch(layer, path, torch, options)
    return getattr(torch.nn, _OTHER_NAMES.get(name, name))(**options)


def _activation_of(layer: Function, path: str) -> Module:
    """Return the activation module of a function of adjoint."""
    try:
        return activation(name_of(layer) or "")
    except ArgumentError:
        raise _no_counterpart(path, layer) from None


def _block_to_torch(block: Any, path: str, torch: ModuleType, options: dict[str, Any]) -> Any:
    options["activation"] = _functions(torch).get(block.activation)
    if options["activation"] is None:
        raise _no_counterpart(path, block, f"with the activation {block.activation}")
    is_causal = options.pop("causal")
    for ours, theirs in _BLOCK.items():
        options[theirs] = options.pop(ours)
    kind = _causal_layer(torch) if is_causal else torch.nn.TransformerEncoderLayer
    return kind(**options, norm_first=True, batch_first=True)


@cache
def _causal_layer(torch: ModuleType) -> type:
    """Return a layer of PyTorch that is always causal; PyTorch's own takes the mask in each call."""

    class CausalEncoderLayer(torch.nn.TransformerEncoderLayer):
        def forward(self, src):
            size, like = src.shape[-2], {"device": src.device, "dtype": src.dtype}
            mask = torch.nn.Transformer.generate_square_subsequent_mask(size, **like)
            return super().forward(src, mask, is_causal=True)

    return CausalEncoderLayer


def _functions(torch: ModuleType) -> dict[str, Any]:
    """Return PyTorch's activations as functions, by adjoint's names."""
    names = ("relu", "gelu", "silu", "softplus", "elu", "leaky_relu", "mish", "selu", "hardswish", "tanh", "sigmoid")
    return {name: getattr(torch.nn.functional, name) for name in names[:-2]} | {
        name: getattr(torch, name) for name in names[-2:]
    }


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _no_counterpart(path: str, layer: Module, how: str = "") -> ConversionError:
    where = f"layer {path}, " if path else ""
    shown = f"{where}{layer._headline()}"
    return ConversionError(f"{shown}, has no counterpart in torch.nn{how and ' '}{how}; {_HOW_TO}")


# --- from PyTorch --------------------------------------------------------------------------------------------


def _from_torch(module: Any, path: str, torch: ModuleType, made: dict[int, Module]) -> Module:
    if id(module) not in made:
        if type(module) is torch.nn.Sequential:
            layers = {name: _from_torch(x, _below(path, name), torch, made) for name, x in module._modules.items()}
            made[id(module)] = nn.Sequential(layers)
        else:
            made[id(module)] = _layer_from_torch(module, path, torch)
        made[id(module)].train(module.training)
    return made[id(module)]


def _layer_from_torch(module: Any, path: str, torch: ModuleType) -> Module:
    theirs, is_causal = type(module), type(module) is _causal_layer(torch)
    if is_causal:
        theirs = torch.nn.TransformerEncoderLayer
    name = {_OTHER_NAMES.get(name, name): name for name in _COUNTERPARTS}.get(theirs.__name__, "")
    shown = (f"layer {path}, " if path else "") + " ".join(str(module).split())
    if not name or getattr(torch.nn, theirs.__name__, None) is not theirs:
        raise ConversionError(
            f"{shown}, has no counterpart in adjoint.nn; write it as a Module and load its weights with load_state_dict"
        )
    settings = _block_settings(module, torch) if name == "TransformerBlock" else _settings(module)
    for setting, expected in _COUNTERPARTS[name].items():
        if settings[setting] is not expected and settings[setting] != expected:
            raise ConversionError(
                f"{shown}, has {setting}={settings[setting]!r}; adjoint.nn supports only {expected!r}"
            )
    if settings.get("dim", 0) is None:
        raise ConversionError(f"{shown}, has dim=None; its counterpart in adjoint.nn needs an axis")
    kind = getattr(nn, name)
    options = {option: settings[option] for option in inspect.signature(kind).parameters if option in settings}
    options = {name: x.detach().cpu().numpy() if isinstance(x, torch.Tensor) else x for name, x in options.items()}
    if is_causal:
        options["causal"] = True
    dtypes = {str(p.dtype).split(".")[-1] for p in module.parameters()}
    if not dtypes <= {"float16", "float32", "float64"}:
        raise ConversionError(f"{shown}, has weights of {dtypes.pop()}; convert them with module.float()")
    if dtypes:
        options["dtype"] = np.result_type(*dtypes).name
    return kind(**options)


def _settings(module: Any) -> dict[str, Any]:
    """Return the settings of a layer of PyTorch: its attributes, and whether it has a bias."""
    settings = {name: tuple(x) if isinstance(x, list) else x for name, x in vars(module).items()}
    settings |= {**module._parameters, **module._buffers}
    biases = [p for name, p in module._parameters.items() if name in ("bias", "in_proj_bias")]
    return settings | {"bias": biases[0] is not None} if biases else settings


def _block_settings(block: Any, torch: ModuleType) -> dict[str, Any]:
    names = {function: name for name, function in _functions(torch).items()}
    return {
        "norm_first": block.norm_first,
        "batch_first": block.self_attn.batch_first,
        "embed_dim": block.self_attn.embed_dim,
        "num_heads": block.self_attn.num_heads,
        "dim_feedforward": block.linear1.out_features,
        "dropout": block.dropout.p,
        "activation": names.get(block.activation, block.activation),
        "eps": block.norm1.eps,
        "bias": block.linear1.bias is not None,
    }
