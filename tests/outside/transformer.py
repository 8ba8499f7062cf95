"""The GPT that the scripts for split state train: small, but its weights are large enough to be split."""

import numpy as np

from adjoint import jit, nn, optim
from adjoint.compile.xla.device_arrays import device_array_of

VOCABULARY, WIDTH, LENGTH, STEPS = 96, 64, 16, 20

TENSOR_PARALLEL = {
    "*.in_proj_weight": ("model", None),
    "*.in_proj_bias": ("model",),
    "*.out_proj.weight": (None, "model"),
    "*.linear1.weight": ("model", None),
    "*.linear1.bias": ("model",),
    "*.linear2.weight": (None, "model"),
}


def training(devices=None, shard=None):
    """Return the model, its optimizer, and the step that trains it."""
    model = nn.GPT(VOCABULARY, LENGTH, WIDTH, num_heads=4, num_layers=2, seed=0)
    optimizer = optim.AdamW(model.parameters(), lr=1e-3)

    @jit(devices=devices, shard=shard)
    def step(x, y):
        loss = model.loss(x, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, step


def batch(seed: int, n: int = 16):
    """Return tokens that follow a rule, so that there is something to learn, and the next ones."""
    first = np.random.default_rng(seed).integers(0, VOCABULARY, (n, 1))
    tokens = (first + 5 * np.arange(LENGTH + 1)) % VOCABULARY
    return tokens[:, :-1], tokens[:, 1:]


def losses_of(step, part: slice = slice(None)) -> list[float]:
    """Train on a part of each batch, and return the losses, which are read when all steps have begun."""
    kept = [step(*(x[part] for x in batch(seed))) for seed in range(STEPS)]
    assert all(device_array_of(loss) is not None for loss in kept)  # keeping a loss does not wait for it
    return [float(loss) for loss in kept]
