"""GPT-2 models in the files of Hugging Face, compared with transformers in both directions."""

import json

import numpy as np
import pytest
from closeness import require_close
from safetensors.numpy import load_file, save_file

from adjoint import nn, no_grad
from adjoint.errors import AdjointError, ArgumentError, CheckpointError, FileError

SIZES = {"vocab_size": 37, "n_positions": 16, "n_embd": 24, "n_head": 3, "n_layer": 2}


def transformers_model(seed: int = 0, **settings):
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(seed)
    model = GPT2LMHeadModel(GPT2Config(**{**SIZES, "bos_token_id": None, "eos_token_id": None, **settings})).eval()
    with torch.no_grad():
        for p in model.parameters():  # biases are 0 and norms 1 at first
            p += 0.3 * torch.randn_like(p)
    return model


def require_agreement(ours: nn.GPT, theirs) -> None:
    import torch

    tokens = np.random.default_rng(0).integers(37, size=(3, 16))
    with torch.no_grad(), no_grad():
        expected = theirs(torch.tensor(tokens)).logits.numpy()
        require_close(ours(tokens).data, expected)
        text = theirs.generate(
            torch.tensor(tokens[:1, :3]), attention_mask=torch.ones(1, 3), max_new_tokens=13, do_sample=False,
            pad_token_id=0,
        )  # fmt: skip
    assert ours.generate(tokens[0, :3], 13, temperature=0).tolist() == text[0].tolist()


@pytest.mark.full
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("size", ["5GB", "20KB"])
def test_a_model_of_transformers_computes_the_same_in_adjoint(tmp_path, size):
    theirs = transformers_model()
    theirs.save_pretrained(tmp_path, max_shard_size=size)
    assert (tmp_path / "model.safetensors.index.json").exists() == (size == "20KB")
    require_agreement(nn.GPT.from_pretrained("gpt2", tmp_path), theirs)


@pytest.mark.full
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("bias", [True, False])
def test_a_model_of_adjoint_computes_the_same_in_transformers(tmp_path, bias):
    from transformers import GPT2LMHeadModel

    ours = small(bias=bias)
    ours.save_pretrained(tmp_path)
    theirs, info = GPT2LMHeadModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(info.values())
    require_agreement(ours, theirs.eval())


def small(**changes) -> nn.GPT:
    model = nn.GPT(37, 16, 24, 3, 2, seed=0, **changes)
    rng = np.random.default_rng(1)
    for p in model.parameters():
        p.data = p.data + 0.3 * rng.normal(size=p.shape)
    return model


def test_a_model_is_read_as_it_was_written(tmp_path):
    model = small()
    model.save_pretrained(tmp_path / "new" / "folder")
    for path in (tmp_path / "new/folder", tmp_path / "new/folder/model.safetensors"):
        again = nn.GPT.from_pretrained("gpt2", path, dropout=0.1)
        assert again.arguments() == {**model.arguments(), "dropout": 0.1}
        for name, x in model.state_dict().items():
            np.testing.assert_array_equal(again.state_dict()[name], x, err_msg=name)
    assert nn.GPT.from_pretrained("gpt2", tmp_path / "new/folder", dtype="float64").norm.weight.dtype == np.float64


def change_tensors(folder, change) -> None:
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def change_config(folder, **changes) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


def test_older_files_have_no_prefix_and_the_masks_of_attention(tmp_path):
    model = small()
    model.save_pretrained(tmp_path)

    def rename(tensors) -> None:
        for name in list(tensors):
            tensors[name.removeprefix("transformer.")] = tensors.pop(name)
        tensors |= {f"h.{i}.attn.bias": np.tril(np.ones((1, 1, 16, 16), np.float32)) for i in range(2)}
        tensors["h.0.attn.masked_bias"] = np.array(-1e4, np.float32)
        tensors["lm_head.weight"] = tensors["wte.weight"].copy()

    change_tensors(tmp_path, rename)
    again = nn.GPT.from_pretrained("gpt2", tmp_path)
    np.testing.assert_array_equal(again([[1, 2, 3]]).data, model([[1, 2, 3]]).data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.pop("transformer.h.1.ln_1.bias"), r"'transformer.h.1.ln_1.bias' is missing"),
        (lambda x: x.update(extra=np.ones(2, np.float32)), "'extra' is unexpected"),
        (
            lambda x: x.update({"transformer.h.0.mlp.c_fc.weight": np.ones((96, 24), np.float32)}),
            r"'transformer.h.0.mlp.c_fc.weight' has shape \(96, 24\), but config.json means \(24, 96\)",
        ),
        (lambda x: x.update({"lm_head.weight": np.ones((37, 24), np.float32)}), "has a head of its own"),
        (lambda x: x.clear(), "'transformer.wte.weight' is missing; .*; and 23 more"),
    ],
)
def test_tensors_that_do_not_fit_are_named(tmp_path, change, message):
    small().save_pretrained(tmp_path)
    change_tensors(tmp_path, change)
    with pytest.raises(CheckpointError, match=message):
        nn.GPT.from_pretrained("gpt2", tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "llama"}, "has model_type='llama'; nn.GPT computes 'gpt2'"),
        ({"activation_function": "relu"}, "has activation_function='relu'"),
        ({"layer_norm_epsilon": 1e-6}, "has layer_norm_epsilon=1e-06"),
        ({"scale_attn_by_inverse_layer_idx": True}, "has scale_attn_by_inverse_layer_idx=True"),
        ({"n_inner": 7}, "has n_inner=7; nn.GPT has 4·n_embd=96"),
        ({"n_layer": "two"}, "has n_layer=str 'two', not a whole number"),
        ({"n_layer": 3}, "'transformer.h.2.ln_1.weight' is missing"),
    ],
)
def test_a_configuration_of_another_architecture_is_refused(tmp_path, changes, message):
    small().save_pretrained(tmp_path)
    change_config(tmp_path, **changes)
    with pytest.raises(CheckpointError, match=message):
        nn.GPT.from_pretrained("gpt2", tmp_path)


def test_wrong_arguments_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"there is no '.*config.json', so it is not a GPT-2 .*; adjoint.load reads"):
        nn.GPT.from_pretrained("gpt2", tmp_path)
    with pytest.raises(FileError, match=r"nowhere': it does not exist; give a folder with config.json and model.safe"):
        nn.GPT.from_pretrained("gpt2", tmp_path / "nowhere")
    small().save_pretrained(tmp_path)
    with pytest.raises(AdjointError, match=r"unknown GPT-2 'gpt-medium' \(did you mean 'gpt2-medium'\?\)"):
        nn.GPT.from_pretrained("gpt-medium", tmp_path)
    with pytest.raises(CheckpointError, match="has embed_dim=24, not 1024"):
        nn.GPT.from_pretrained("gpt2-medium", tmp_path)
    with pytest.raises(ArgumentError, match="'context' is decided by the files"):
        nn.GPT.from_pretrained("gpt2", tmp_path, context=8)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(CheckpointError, match="is not a configuration"):
        nn.GPT.from_pretrained("gpt2", tmp_path)
