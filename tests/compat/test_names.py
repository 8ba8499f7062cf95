"""Names of PyTorch, JAX and NumPy that adjoint does not have: the error says what to write."""

import re
import subprocess
import sys

import pytest
import torch

import adjoint
from adjoint import Value, data, nn, optim
from adjoint.compat.methods import METHODS
from adjoint.compat.names import OTHERS, TORCH
from adjoint.nn import functional


@pytest.mark.parametrize(
    ("package", "name", "message"),
    [
        (adjoint, "movedim", "adjoint has no 'movedim'; write `adjoint.moveaxis`"),
        (adjoint, "inference_mode", r"write `adjoint.no_grad\(\)`"),
        (adjoint, "jnp", "and NumPy's, work on Values"),
        (adjoint, "Linear", "write `adjoint.nn.Linear`"),
        (adjoint, "Adam", "write `adjoint.optim.Adam`"),
        (adjoint, "DataLoader", "write `adjoint.data.DataLoader`"),
        (adjoint, "mse_loss", "write `adjoint.nn.functional.mse_loss`"),
        (adjoint, "sofmax", "did you mean 'softmax'"),
        (adjoint, "clip_grad_norm_", "write `adjoint.optim.clip_grad_norm`"),
        (nn, "softmax", "adjoint.nn has no 'softmax'; write `adjoint.softmax`"),
        (functional, "mse", "adjoint.nn.functional has no 'mse'; write `adjoint.nn.mse`"),
        (functional, "sofmax", "did you mean 'softmax'"),
        (nn, "Liner", "did you mean 'Linear'"),
        (optim, "AdamX", "adjoint.optim has no 'AdamX'; did you mean 'Adam"),
        (data, "Dataloder", "did you mean 'DataLoader'"),
        (adjoint, "qqqqqqqq", "^adjoint has no 'qqqqqqqq'$"),
        (adjoint, "float", "write `adjoint.float32`"),
        (adjoint, "Generator", "write `numpy.random.default_rng"),
        (adjoint, "distributions", "write `adjoint.stats`"),
        (adjoint, "inf", "write `math.inf`"),
        (adjoint, "logical_and", r"write `\(v > 0\) & \(w > 0\)`"),
        (nn.functional, "gumbel_softmax", "adjoint.nn.functional has no 'gumbel_softmax'; write `adjoint.softmax"),
        (nn.functional, "Linear", "write `adjoint.nn.Linear`"),
        (optim.lr_scheduler, "StepLr", "did you mean 'StepLR'"),
    ],
)
def test_an_unknown_name_of_a_package_says_what_to_write(package, name, message):
    assert not hasattr(package, name)
    with pytest.raises(AttributeError, match=message) as caught:
        getattr(package, name)
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("from adjoint import movedim", "adjoint has no 'movedim'; write `adjoint.moveaxis`"),
        ("from adjoint import Linear", "write `adjoint.nn.Linear`"),
        ("from adjoint.nn.functional import gumbel_softmax", "write `adjoint.softmax"),
        ("from adjoint.optim.lr_scheduler import StepLr", "did you mean 'StepLR'"),
    ],
)
def test_an_import_of_an_unknown_name_says_what_to_write(statement, message):
    with pytest.raises(ImportError, match=message) as caught:
        exec(statement)
    assert caught.value.name == statement.split()[1]


@pytest.mark.parametrize("x", [Value(2.0), Value([2.0])], ids=["number", "array"])
def test_a_method_of_pytorch_that_values_lack_says_what_to_write(x):
    for name, ours in METHODS.items():
        assert not hasattr(x, name)
        assert name not in dir(x)
        with pytest.raises(AttributeError, match=re.escape(f"has no attribute {name!r}; write {ours}")):
            getattr(x, name)
    with pytest.raises(AttributeError, match="'unsqueez'"):
        _ = x.unsqueez


def test_the_tables_name_what_pytorch_has_and_adjoint_has_not():
    assert [name for name in METHODS if not hasattr(torch.Tensor, name) and name != "copy"] == []
    assert [name for name in TORCH if not hasattr(torch, name)] == []
    assert [name for name in (*TORCH, *OTHERS) if name in dir(adjoint) and name != "select"] == []


def test_what_the_tables_name_exists():
    for text in (*TORCH.values(), *OTHERS.values(), *METHODS.values()):
        for room, name in re.findall(r"(?<![.\w])(adjoint|nn|optim|linalg|special|data)\.(\w+)", text):
            package = adjoint if room == "adjoint" else getattr(adjoint, room)
            assert hasattr(package, name), text
        for name in re.findall(r"`v\.(\w+)", text):
            assert hasattr(Value([1.0]), name), text


def test_importing_a_module_of_a_package_looks_for_no_other_name():
    """`from package import module` asks the package for an attribute first."""
    program = """
import sys
from adjoint import fit, nn
from adjoint.nn import losses
assert losses.__name__ == "adjoint.nn.losses"
assert "adjoint.special" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
