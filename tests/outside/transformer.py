"""The language model that the scripts for split state train: small, but its weights are large enough to be split."""

import numpy as np

from adjoint import jit, nn, optim

VOCABULARY, WIDTH, LENGTH, STEPS = 96, 64, 16, 20

TENSOR_PARALLEL = {
    "*.in_proj_weight": ("model", None),
    "*.in_proj_bias": ("model",),
    "*.out_proj.weight": (None, "model"),
    "*.linear1.weight": ("model", None),
    "*.linear1.bias": ("model",),
    "*.linear2.weight": (None, "model"),
}


class LanguageModel(nn.Module):
    """Two transformer blocks between an embedding and the same embedding."""

    def __init__(self):
        self.tokens = nn.Embedding(VOCABULARY, WIDTH, seed=0, dtype="float32")
        self.places = nn.Embedding(LENGTH, WIDTH, seed=1, dtype="float32")
        blocks = [nn.TransformerBlock(WIDTH, 4, causal=True, seed=2 + i, dtype="float32") for i in range(2)]
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.LayerNorm(WIDTH, dtype="float32")

    def loss(self, x, y):
        h = self.norm(self.blocks(self.tokens(x) + self.places.weight))
        logits = h @ self.tokens.weight.T
        return nn.cross_entropy(logits.reshape(-1, VOCABULARY), y.reshape(-1))


def training(devices=None, shard=None):
    """Return the model, its optimizer, and the step that trains it."""
    model = LanguageModel()
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
    return [float(loss) for loss in kept]
