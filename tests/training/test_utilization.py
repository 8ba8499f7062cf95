"""The operations of a training and the share of the device's peak, against counts by hand and by XLA."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from closeness import require_shown

from adjoint import fit, jit, nn
from adjoint.training import utilization
from adjoint.training.utilization import operations_per_token, peak_of


def test_the_operations_of_a_gpt_are_those_counted_by_hand():
    """Two blocks of width 4, a vocabulary of 10 and sequences of 3 tokens."""
    model = nn.GPT(vocab_size=10, context=8, embed_dim=4, num_heads=2, num_layers=2, seed=0)
    weights = {
        "qkv": 2 * 12 * 4,
        "projection": 2 * 4 * 4,
        "mlp": 2 * (16 * 4 + 4 * 16),
        "head": 10 * 4,
    }
    assert sum(weights.values()) == sum(p.size for p in model.parameters() if p.ndim == 2) - 8 * 4  # positions
    pairs = 1 + 2 + 3  # a token attends to itself and to those before it
    attention = 2 * 2 * 2 * pairs * 4  # blocks, products, and two operations for each feature of a pair
    forward = 3 * 2 * sum(weights.values()) + attention
    assert 3 * operations_per_token(model, 3) == 3 * forward


def test_the_operations_of_gpt2_are_the_usual_figure():
    """6 for each of 124 million weights, and 8 % more for attention at 1,024 tokens."""
    found = operations_per_token(SimpleNamespace(vocab_size=50257, embed_dim=768, num_layers=12), 1024)
    assert found == 6 * (50257 * 768 + 12 * 12 * 768**2) + 6 * 12 * 768 * 1025
    assert 1.05 < found / (6 * 124e6) < 1.08


def test_the_count_is_that_of_the_products_of_a_compiled_step():
    """On a CPU, attention also computes the pairs that the mask hides: T² and not T·(T + 1)/2."""
    pytest.importorskip("jax")
    vocabulary, length, width, layers, samples = 48, 32, 64, 2, 4
    model = nn.GPT(vocabulary, length, width, num_heads=2, num_layers=layers, seed=0)

    @jit
    def step(x, y):
        loss = model.loss(x, y)
        model.zero_grad()
        loss.backward()
        return loss

    step(*np.zeros((2, samples, length), np.int32))
    listing = step.program.listing(full=True)
    shapes = {name: eval(shape) for name, shape in re.findall(r"(\w+):\w+(\[[\d,]+\])", listing)}
    product = r"(\w+):\w+\[[\d,]*\] = dot_general\[\s*dimension_numbers=\(\(\[(\d+)\][^\n]*\n[^\]]*\] (\w+) "
    products = re.findall(product, listing)
    assert len(products) == 3 * (4 * layers + 1) + 6 * layers
    computed = sum(2 * math.prod(shapes[y]) * shapes[x][int(axis)] for y, axis, x in products)
    hidden = 6 * layers * width * (length - 1)
    assert computed == samples * length * (operations_per_token(model, length) + hidden)


@pytest.mark.parametrize(
    ("device", "bfloat16"),
    [
        ("NVIDIA H200", 989.4),
        ("NVIDIA H100 80GB HBM3", 989.4),
        ("NVIDIA H100 PCIe", 756.0),
        ("NVIDIA A100-SXM4-40GB", 312.0),
        ("NVIDIA A10G", 70.0),
        ("NVIDIA GeForce RTX 4090", 165.2),
    ],
)
def test_the_peak_of_a_device_is_found_by_the_name_that_jax_gives_it(device, bfloat16):
    assert peak_of(device, "bfloat16") == peak_of(device, "float16") == bfloat16
    assert peak_of(device, "float32") == bfloat16 / 2


@pytest.mark.parametrize("device", ["cpu", "NVIDIA A10", "NVIDIA H20", "TPU v4"])
def test_the_peak_of_other_devices_is_not_known(device):
    assert peak_of(device, "bfloat16") is None


BATCH = np.arange(48).reshape(3, 16) % 16


def train(capsys, jit, **options):
    model = nn.GPT(vocab_size=16, context=16, embed_dim=8, num_heads=2, num_layers=1, seed=0)
    fit(model, [(BATCH, BATCH)] * 8, loss=model.loss, epochs=2, jit=jit, progress="plain", **options)
    return capsys.readouterr().err


def test_fit_shows_tokens_per_second_and_on_a_known_device_its_utilization(capsys, monkeypatch):
    pytest.importorskip("jax")
    shown = train(capsys, True)
    assert "tokens/s" in shown
    assert "FLOP" not in shown
    monkeypatch.setitem(utilization.PEAKS, "cpu", 1e-3)
    found = re.search(r"([\d,]+) tokens/s  (\S+) TFLOP/s  MFU (\S+)%", train(capsys, True))
    tokens, speed, share = (float(x.replace(",", "")) for x in found.groups())
    operations = 6 * (16 * 8 + 12 * 8**2) + 6 * 8 * 17
    require_shown(speed, tokens * operations / 1e12, figures=3)
    require_shown(share, 100 * tokens * operations / 1e12 / 5e-4, figures=2)  # float32 has half of the peak
    assert "FLOP" not in train(capsys, False)  # NumPy computes on no device that is known
