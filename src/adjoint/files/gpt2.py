"""GPT-2 models in the files of Hugging Face: `config.json`, and tensors under the names that transformers uses.

Its linear layers have their weights as (inputs, outputs), so these are transposed. The head is the table of token
embeddings in both libraries.
"""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from adjoint.arrays.axes import shape_of
from adjoint.errors import CheckpointError, FileError
from adjoint.errors.given import describe
from adjoint.files import atomic
from adjoint.files.tensor_files import write_tensors
from adjoint.files.tensor_sources import source_of
from adjoint.files.tensors import open_tensors
from adjoint.nn.gpt import GPT
from adjoint.nn.weight_draws import skip_draws

CONFIG, _TENSORS = "config.json", "model.safetensors"
_PREFIX = "transformer."  # the body of a model with a head
_HEAD = "lm_head.weight"
_END_OF_TEXT = 50256  # of GPT-2's vocabulary
# What nn.GPT can be, with the defaults of transformers: the settings in a configuration, and the values that fit.
_FITTING: dict[str, tuple[Any, ...]] = {
    "model_type": ("gpt2",),
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
    "tie_word_embeddings": (True,),
}
_SIZES = {  # the defaults are those of transformers
    "vocab_size": ("vocab_size", 50257), "n_positions": ("context", 1024), "n_embd": ("embed_dim", 768),
    "n_head": ("num_heads", 12), "n_layer": ("num_layers", 12),
}  # fmt: skip


class _ParameterName(NamedTuple):
    """The name of a parameter in adjoint and in a file, and whether it is transposed there."""

    ours: str
    theirs: str
    is_transposed: bool = False


def _names(num_layers: int) -> Iterator[_ParameterName]:
    yield _ParameterName("token_embedding.weight", "wte.weight")
    yield _ParameterName("position_embedding.weight", "wpe.weight")
    for i in range(num_layers):
        ours, theirs = f"blocks.{i}", f"h.{i}"
        for kind in ("weight", "bias"):
            is_weight = kind == "weight"
            yield _ParameterName(f"{ours}.norm1.{kind}", f"{theirs}.ln_1.{kind}")
            yield _ParameterName(f"{ours}.self_attn.in_proj_{kind}", f"{theirs}.attn.c_attn.{kind}", is_weight)
            yield _ParameterName(f"{ours}.self_attn.out_proj.{kind}", f"{theirs}.attn.c_proj.{kind}", is_weight)
            yield _ParameterName(f"{ours}.norm2.{kind}", f"{theirs}.ln_2.{kind}")
            yield _ParameterName(f"{ours}.linear1.{kind}", f"{theirs}.mlp.c_fc.{kind}", is_weight)
            yield _ParameterName(f"{ours}.linear2.{kind}", f"{theirs}.mlp.c_proj.{kind}", is_weight)
    yield _ParameterName("norm.weight", "ln_f.weight")
    yield _ParameterName("norm.bias", "ln_f.bias")


# --- reading -------------------------------------------------------------------------------------------------


def read_gpt2(path: str | os.PathLike, expected: Mapping[str, int], changes: Mapping[str, Any], kind: type) -> Any:
    """Return the model in a folder, or in a safetensors file with `config.json` next to it.

    `expected` has sizes that its configuration must have, and `changes` are arguments of the model, such as `dropout`.
    """
    given = atomic.as_path(path)
    folder = given if given.is_dir() else given.parent
    if not given.exists():
        raise FileError(f"cannot read {str(given)!r}: it does not exist; give a folder with {CONFIG} and {_TENSORS}")
    if not (folder / CONFIG).exists():
        raise FileError(
            f"cannot read {str(given)!r}: there is no {str(folder / CONFIG)!r}, so it is not a GPT-2 of Hugging Face; "
            "adjoint.load reads what adjoint.save has written"
        )
    arguments = _arguments(folder / CONFIG)
    for name, size in expected.items():
        if arguments[name] != size:
            raise CheckpointError(
                f"{str(folder / CONFIG)!r} has {name}={arguments[name]}, not {size}; for the size that the files have, "
                'write from_pretrained("gpt2", path)'
            )
    tensors = open_tensors(path)
    with skip_draws():
        model: GPT = kind(**arguments, **changes)
    model.load_state_dict(_state(model, tensors, str(given)))
    return model


def _arguments(path: "os.PathLike[str]") -> dict[str, int]:
    """Return the sizes in a configuration as arguments of `GPT`; raise if it describes another architecture."""
    try:
        config = json.loads(atomic.read(path))
        if not isinstance(config, dict):
            raise ValueError
    except ValueError:
        raise CheckpointError(f"{os.fspath(path)!r} is not a configuration: it is not a JSON object") from None
    for name, fitting in _FITTING.items():
        if config.get(name, fitting[0]) not in fitting:
            raise CheckpointError(
                f"{os.fspath(path)!r} has {name}={config[name]!r}; nn.GPT computes {' or '.join(map(repr, fitting))}"
            )
    sizes = {}
    for name, (argument, default) in _SIZES.items():
        sizes[argument] = size = config.get(name, default)
        if type(size) is not int or size < 1:
            raise CheckpointError(f"{os.fspath(path)!r} has {name}={describe(size)}, not a whole number of at least 1")
    if config.get("n_inner") not in (None, 4 * sizes["embed_dim"]):
        raise CheckpointError(
            f"{os.fspath(path)!r} has n_inner={config['n_inner']!r}; nn.GPT has 4·n_embd={4 * sizes['embed_dim']}"
        )
    return sizes


def _state(model: GPT, tensors: Mapping[str, Any], path: str) -> dict[str, np.ndarray]:
    """Return the state of the model, from tensors under the names of transformers."""
    names = list(_names(model.num_layers))
    prefix = "" if names[0].theirs in tensors else _PREFIX
    wanted = {prefix + name.theirs: name for name in names}
    wrong = [f"{name!r} is missing" for name in wanted if name not in tensors]
    wrong += [f"{name!r} is unexpected" for name in tensors if name not in wanted and not _is_ignored(name)]
    shapes = {name: shape_of(p) for name, p in model.named_parameters()}
    for theirs, (ours, _, is_transposed) in wanted.items():
        shape = shapes[ours][::-1] if is_transposed else shapes[ours]
        if theirs in tensors and tensors[theirs].shape != shape:
            wrong.append(f"{theirs!r} has shape {tensors[theirs].shape}, but {CONFIG} means {shape}")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise CheckpointError(f"the tensors of {path!r} are not those of a GPT-2: {'; '.join(wrong[:_SHOWN])}{more}")
    table = prefix + names[0].theirs
    if _HEAD in tensors and not np.array_equal(tensors[_HEAD], tensors[table]):
        raise CheckpointError(
            f"{path!r} has a head of its own: {_HEAD!r} differs from {table!r}; nn.GPT has the same table for both"
        )
    # in the order of new weights: products round by the layout in memory
    return {
        name.ours: np.ascontiguousarray(tensors[x].T) if name.is_transposed else tensors[x]
        for x, name in wanted.items()
    }


_SHOWN = 5  # differences that an error lists


def _is_ignored(name: str) -> bool:
    """Return whether a tensor adds nothing: masks of causal attention, and the table of tokens as the head."""
    return name == _HEAD or name.endswith((".attn.bias", ".attn.masked_bias"))


# --- writing -------------------------------------------------------------------------------------------------


def write_gpt2(path: str | os.PathLike, model: GPT) -> None:
    """Write a model into a folder, as transformers loads it: `model.safetensors` and `config.json`."""
    folder = atomic.as_path(path)
    folder.mkdir(parents=True, exist_ok=True)
    state = model.state_dict()
    sources = []
    for ours, theirs, is_transposed in _names(model.num_layers):
        if ours in state:
            array = np.asarray(state[ours])
        else:  # transformers has biases: those of zeros change nothing
            weight = np.asarray(state[ours.removesuffix("bias") + "weight"])
            array = np.zeros(weight.shape[0], weight.dtype)
        sources.append(source_of(_PREFIX + theirs, array.T if is_transposed else array))
    write_tensors(folder / _TENSORS, sources, {})
    end = _END_OF_TEXT if model.vocab_size > _END_OF_TEXT else None
    config = {
        "architectures": ["GPT2LMHeadModel"],
        **{name: fitting[0] for name, fitting in _FITTING.items()},
        **{name: getattr(model, argument) for name, (argument, _) in _SIZES.items()},
        **dict.fromkeys(("embd_pdrop", "attn_pdrop", "resid_pdrop"), model.dropout),
        **dict.fromkeys(("bos_token_id", "eos_token_id"), end),
        "dtype": str(np.asarray(state["norm.weight"]).dtype),
    }
    atomic.write(folder / CONFIG, json.dumps(config, indent=2, sort_keys=True).encode() + b"\n")
