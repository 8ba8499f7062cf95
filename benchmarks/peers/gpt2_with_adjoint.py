"""GPT-2 in adjoint: `nn.GPT` and `jit`."""

import jax  # for the statistics of the device
import numpy as np

from adjoint import Value, compilation_cache, jit, nn, optim, precision
from peers.gpt2 import DECAYS, PROGRAMS, RATE, SIZE, WEIGHT_DECAY, weights


class WithAdjoint:
    """The model, its optimizer, and one compiled step."""

    def __init__(self, precision: str, checkpoint: bool = False):
        compilation_cache(PROGRAMS)
        self.model = nn.GPT(**SIZE.arguments(), checkpoint=checkpoint, seed=0)
        self.model.load_state_dict(dict(weights()))
        self.precision = precision
        self.optimizer = optim.AdamW(self.model, lr=RATE, betas=DECAYS, weight_decay=WEIGHT_DECAY)
        self._step = jit(self._train, precision=precision)

    def _train(self, x: np.ndarray, y: np.ndarray) -> Value:
        loss = self.model.loss(x, y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def step(self, tokens: np.ndarray) -> Value:
        return self._step(tokens[:, :-1], tokens[:, 1:])

    def wait(self, loss: Value) -> float:
        return float(loss)

    def peak(self) -> int:
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)

    def generate(self, prompt: np.ndarray, count: int) -> list[int]:
        with precision(self.precision):
            return self.model.generate(prompt, count, seed=0)[len(prompt) :].tolist()
