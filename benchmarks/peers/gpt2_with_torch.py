"""GPT-2 in PyTorch, as fast as its documentation knows: torch.compile, autocast and the fused AdamW."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from peers.gpt2 import DECAYS, RATE, SIZE, WEIGHT_DECAY, weights

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Attention(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * width))
        self.out_proj = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        samples, positions, width = x.shape
        split = F.linear(x, self.in_proj_weight, self.in_proj_bias).split(width, 2)
        q, k, v = (part.view(samples, positions, SIZE.num_heads, -1).transpose(1, 2) for part in split)
        found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(found.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.self_attn = Attention(width)
        self.linear1, self.linear2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.self_attn(self.norm1(x))
        return x + self.linear2(F.gelu(self.linear1(self.norm2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(SIZE.vocab_size, SIZE.embed_dim)
        self.position_embedding = nn.Embedding(SIZE.context, SIZE.embed_dim)
        self.blocks = nn.ModuleList(Block(SIZE.embed_dim) for _ in range(SIZE.num_layers))
        self.norm = nn.LayerNorm(SIZE.embed_dim)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        h = self.token_embedding(x) + self.position_embedding(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            h = block(h)
        logits = F.linear(self.norm(h), self.token_embedding.weight)
        return F.cross_entropy(logits.view(-1, SIZE.vocab_size), y.reshape(-1))


class WithTorch:
    """The model, its optimizer, and a step whose model is compiled."""

    def __init__(self, precision: str, checkpoint: bool = False):
        torch.set_float32_matmul_precision("high")  # TF32, as in JAX
        model = GPT().to(DEVICE)
        model.load_state_dict({name: torch.from_numpy(x) for name, x in weights()})
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=RATE, betas=DECAYS, weight_decay=WEIGHT_DECAY, fused=True
        )
        self.model = torch.compile(model)
        self.is_narrow, self.dtype = precision != "float32", getattr(torch, precision)

    def step(self, tokens: np.ndarray) -> Tensor:
        given = torch.from_numpy(tokens).to(DEVICE, torch.int64)
        with torch.autocast(DEVICE, self.dtype, enabled=self.is_narrow):
            loss = self.model(given[:, :-1], given[:, 1:])
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def wait(self, loss: Tensor) -> float:
        return loss.item()

    def peak(self) -> int:
        return torch.cuda.max_memory_allocated()

    def generate(self, prompt: np.ndarray, count: int) -> list[int]:
        raise NotImplementedError("generation is compared with JAX")
