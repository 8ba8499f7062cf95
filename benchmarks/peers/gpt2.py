"""GPT-2 for the GPU: its size, its weights and batches, which all libraries share, and what a peer must be able to do.

`gpt2_with_adjoint.py`, `gpt2_with_jax.py` and `gpt2_with_torch.py` implement a peer each. Every peer has a process of
its own, because each library keeps the memory of the GPU that it has used.
"""

import importlib
import math
import os
import resource
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

RATE, DECAYS, WEIGHT_DECAY = 3e-4, (0.9, 0.95), 0.1  # of AdamW
PROMPT = 16  # tokens before a generation
CLASSES = {"adjoint": "WithAdjoint", "jax": "WithJAX", "torch": "WithTorch"}


@dataclass(frozen=True)
class Size:
    """The sizes of a model, under the names of `nn.GPT`."""

    vocab_size: int = 50304
    context: int = 1024
    embed_dim: int = 768
    num_heads: int = 12
    num_layers: int = 12

    def arguments(self) -> dict[str, Any]:
        return asdict(self)


# "tiny" tries the programs of the peers out on a CPU
SIZES = {
    "gpt2": Size(),
    "gpt2-medium": Size(embed_dim=1024, num_heads=16, num_layers=24),
    "gpt2-xl": Size(embed_dim=1600, num_heads=25, num_layers=48),
    "tiny": Size(vocab_size=128, context=32, embed_dim=32, num_heads=2, num_layers=2),
}
SIZE = SIZES[os.environ.get("BENCHMARK_SIZE", "gpt2")]
IS_TINY = SIZE is SIZES["tiny"]
NEW_TOKENS = 8 if IS_TINY else 256  # of a generation
STEPS = 1 if IS_TINY else 10  # of a call that is timed
PROGRAMS = os.environ.get("BENCHMARK_PROGRAMS") or None  # the directory of compiled programs, or None


class Peer(Protocol):
    """A model in training, in one library."""

    def step(self, tokens: np.ndarray) -> Any:
        """Train once on (samples, positions + 1) tokens, and return the loss, which may not be computed yet."""
        ...

    def wait(self, loss: Any) -> float:
        """Return a loss as a number, when all steps before it are done."""
        ...

    def peak(self) -> int:
        """Return the most bytes of the GPU that were in use at once; 0 without a GPU."""
        ...

    def generate(self, prompt: np.ndarray, count: int) -> list[int]:
        """Return `count` new tokens after a prompt, sampled, with the weights in the precision of the products."""
        ...


def weights() -> Iterator[tuple[str, np.ndarray]]:
    """Yield the initial weights, under the names of `nn.GPT`."""
    rng, width = np.random.default_rng(0), SIZE.embed_dim

    def normal(*shape: int) -> np.ndarray:
        return np.float32(0.02) * rng.standard_normal(shape, np.float32)

    def norm(name: str) -> Iterator[tuple[str, np.ndarray]]:
        yield f"{name}.weight", np.ones(width, np.float32)
        yield f"{name}.bias", np.zeros(width, np.float32)

    def linear(name: str, inputs: int, outputs: int, mark: str = ".") -> Iterator[tuple[str, np.ndarray]]:
        yield f"{name}{mark}weight", normal(outputs, inputs)
        yield f"{name}{mark}bias", np.zeros(outputs, np.float32)

    yield "token_embedding.weight", normal(SIZE.vocab_size, width)
    yield "position_embedding.weight", normal(SIZE.context, width)
    for i in range(SIZE.num_layers):
        block = f"blocks.{i}"
        yield from linear(f"{block}.self_attn.in_proj", width, 3 * width, "_")
        yield from linear(f"{block}.self_attn.out_proj", width, width)
        yield from linear(f"{block}.linear1", width, 4 * width)
        yield from linear(f"{block}.linear2", 4 * width, width)
        yield from norm(f"{block}.norm1")
        yield from norm(f"{block}.norm2")
    yield from norm("norm")


def batches(samples: int) -> list[np.ndarray]:
    """Return a few batches of random tokens."""
    rng = np.random.default_rng(1)
    return [rng.integers(0, SIZE.vocab_size, (samples, SIZE.context + 1), dtype=np.int32) for _ in range(4)]


# --- the workloads of a process ---


def peer_of(library: str, precision: str, checkpoint: bool = False) -> Peer:
    return getattr(importlib.import_module(f"peers.gpt2_with_{library}"), CLASSES[library])(precision, checkpoint)


class Training:
    """Steps of a peer on the same batches."""

    def __init__(self, library: str, precision: str, batch: int, checkpoint: bool = False):
        self.peer, self.data = peer_of(library, precision, checkpoint), batches(batch)

    def __call__(self) -> float:
        loss = None
        for i in range(STEPS):
            loss = self.peer.step(self.data[i % len(self.data)])
        return self.peer.wait(loss)

    def step(self) -> float:
        return self.peer.wait(self.peer.step(self.data[0]))

    def losses(self) -> list[float]:
        return [self.peer.wait(self.peer.step(tokens)) for tokens in self.data[:3]]

    def peak(self) -> int:
        return self.peer.peak() or 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def largest(self) -> int:
        """Double the batch, and return the largest that the memory is sufficient for; "tiny" doubles once."""
        largest, samples = 0, len(self.data[0])
        most = 2 * samples if IS_TINY else math.inf
        while samples <= most:
            try:
                self.peer.wait(self.peer.step(batches(samples)[0]))
            except Exception as error:
                if "RESOURCE_EXHAUSTED" not in str(error) and "out of memory" not in str(error).lower():
                    raise
                break
            largest, samples = samples, 2 * samples
        return largest


class Generation:
    """The generation of one text with a cache of keys and values."""

    def __init__(self, library: str, precision: str):
        self.peer, self.prompt = peer_of(library, precision), batches(1)[0][0, :PROMPT]

    def __call__(self) -> list[int]:
        return self.peer.generate(self.prompt, NEW_TOKENS)
