"""GPT-2 by hand in JAX: the attention of cuDNN, and a loss that keeps the logits and their gradient in bfloat16."""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from peers.gpt2 import DECAYS, PROGRAMS, RATE, SIZE, WEIGHT_DECAY, weights

Weights = dict[str, Array]
HEAD = SIZE.embed_dim // SIZE.num_heads


class WithJAX:
    """The weights, the state of AdamW, and one compiled step."""

    def __init__(self, precision: str, checkpoint: bool = False):
        jax.config.update("jax_compilation_cache_dir", PROGRAMS)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        self.dtype = jnp.dtype(precision)
        self.weights = {name: jnp.asarray(x) for name, x in weights()}
        self.means, self.squares = (jax.tree.map(jnp.zeros_like, self.weights) for _ in range(2))
        self.count = 0
        self._step = jax.jit(functools.partial(train, self.dtype), donate_argnums=(0, 1, 2))

    def step(self, tokens: np.ndarray) -> Array:
        self.count += 1
        self.weights, self.means, self.squares, loss = self._step(
            self.weights, self.means, self.squares, float(self.count), tokens[:, :-1], tokens[:, 1:]
        )
        return loss

    def wait(self, loss: Array) -> float:
        return float(loss)

    def peak(self) -> int:
        return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)

    def generate(self, prompt: np.ndarray, count: int) -> list[int]:
        if self.weights["norm.weight"].dtype != self.dtype:
            self.weights = {name: x.astype(self.dtype) for name, x in self.weights.items()}
        return np.asarray(generate(self.weights, prompt, jax.random.key(0), count)).tolist()


# --- the model ---


def layer_norm(p: Weights, name: str, x: Array) -> Array:
    wide = x.astype(jnp.float32)
    centered = wide - wide.mean(-1, keepdims=True)
    scale = jax.lax.rsqrt((centered * centered).mean(-1, keepdims=True) + 1e-5)
    return (centered * scale * p[f"{name}.weight"] + p[f"{name}.bias"]).astype(x.dtype)


def linear(p: Weights, name: str, x: Array, mark: str = ".") -> Array:
    return x @ p[f"{name}{mark}weight"].astype(x.dtype).T + p[f"{name}{mark}bias"].astype(x.dtype)


def attend(q: Array, k: Array, v: Array) -> Array:
    is_fused = q.dtype != jnp.float32 and jax.default_backend() == "gpu"
    implementation = "cudnn" if is_fused else None
    return jax.nn.dot_product_attention(q, k, v, is_causal=True, implementation=implementation)


def heads(p: Weights, name: str, x: Array) -> tuple[Array, Array, Array]:
    qkv = linear(p, f"{name}.self_attn.in_proj", x, "_")
    qkv = qkv.reshape(*x.shape[:2], 3, SIZE.num_heads, HEAD)
    return qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]


def feed_forward(p: Weights, name: str, x: Array) -> Array:
    inner = linear(p, f"{name}.linear1", layer_norm(p, f"{name}.norm2", x))
    return x + linear(p, f"{name}.linear2", jax.nn.gelu(inner, approximate=True))


def block(p: Weights, name: str, x: Array) -> Array:
    found = attend(*heads(p, name, layer_norm(p, f"{name}.norm1", x)))
    return feed_forward(p, name, x + linear(p, f"{name}.self_attn.out_proj", found.reshape(x.shape)))


def embed(p: Weights, tokens: Array, positions: Array, dtype: Any) -> Array:
    tables = p["token_embedding.weight"], p["position_embedding.weight"]
    return tables[0][tokens].astype(dtype) + tables[1][positions].astype(dtype)


def loss_of(p: Weights, x: Array, y: Array, dtype: Any) -> Array:
    h = embed(p, x, jnp.arange(x.shape[1]), dtype)
    for i in range(SIZE.num_layers):
        h = block(p, f"blocks.{i}", h)
    h = layer_norm(p, "norm", h)
    return cross_entropy(h @ p["token_embedding.weight"].astype(dtype).T, y)


@jax.custom_vjp
def cross_entropy(logits: Array, y: Array) -> Array:
    return _forward(logits, y)[0]


def _forward(logits: Array, y: Array) -> tuple[Array, tuple]:
    totals = jax.nn.logsumexp(logits.astype(jnp.float32), -1)
    right = jnp.take_along_axis(logits, y[..., None], -1)[..., 0].astype(jnp.float32)
    return (totals - right).mean(), (logits, totals, y)


def _backward(kept: tuple, g: Array) -> tuple[Array, None]:
    logits, totals, y = kept
    is_right = jax.lax.broadcasted_iota(jnp.int32, logits.shape, logits.ndim - 1) == y[..., None]
    slope = jnp.exp(logits.astype(jnp.float32) - totals[..., None]) - is_right
    return (slope * (g / totals.size)).astype(logits.dtype), None


cross_entropy.defvjp(_forward, _backward)


# --- training ---


def train(dtype: Any, p: Weights, means: Weights, squares: Weights, count: Array, x: Array, y: Array) -> tuple:
    loss, gradients = jax.value_and_grad(loss_of)(p, x, y, dtype)
    first, second = DECAYS

    def update(parameter: Array, mean: Array, square: Array, g: Array) -> tuple[Array, Array, Array]:
        mean, square = first * mean + (1 - first) * g, second * square + (1 - second) * g * g
        root = jnp.sqrt(square / (1 - second**count)) + 1e-8
        return parameter - RATE * (mean / (1 - first**count) / root + WEIGHT_DECAY * parameter), mean, square

    updated = {name: update(p[name], means[name], squares[name], gradients[name]) for name in p}
    return *({name: each[i] for name, each in updated.items()} for i in range(3)), loss


# --- generation: one program for the prompt and all new tokens ---


@functools.partial(jax.jit, static_argnums=3)
def generate(p: Weights, prompt: Array, key: Array, count: int) -> Array:
    dtype, length = p["norm.weight"].dtype, prompt.shape[0]
    shape = (SIZE.num_layers, 1, SIZE.context, SIZE.num_heads, HEAD)
    caches = jnp.zeros(shape, dtype), jnp.zeros(shape, dtype)

    def run(tokens: Array, start: Array | int, caches: tuple[Array, Array]) -> tuple[Array, tuple[Array, Array]]:
        positions = start + jnp.arange(tokens.shape[0])
        x = embed(p, tokens[None], positions, dtype)
        may_attend = jnp.arange(SIZE.context)[None, :] <= positions[:, None]
        keys, values = caches
        for i in range(SIZE.num_layers):
            name = f"blocks.{i}"
            q, k, v = heads(p, name, layer_norm(p, f"{name}.norm1", x))
            keys = jax.lax.dynamic_update_slice(keys, k[None], (i, 0, start, 0, 0))
            values = jax.lax.dynamic_update_slice(values, v[None], (i, 0, start, 0, 0))
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys[i]).astype(jnp.float32) / math.sqrt(HEAD)
            share = jax.nn.softmax(jnp.where(may_attend, scores, -jnp.inf), -1).astype(dtype)
            found = jnp.einsum("bhqk,bkhd->bqhd", share, values[i]).reshape(x.shape)
            x = feed_forward(p, name, x + linear(p, f"{name}.self_attn.out_proj", found))
        last = layer_norm(p, "norm", x[0, -1])
        return (p["token_embedding.weight"] @ last).astype(jnp.float32), (keys, values)

    def one(state: tuple, key: Array) -> tuple[tuple, Array]:
        logits, caches, position = state
        token = jax.random.categorical(key, logits)
        logits, caches = run(token[None], position, caches)
        return (logits, caches, position + 1), token

    logits, caches = run(prompt, 0, caches)
    return jax.lax.scan(one, (logits, caches, length), jax.random.split(key, count))[1]
