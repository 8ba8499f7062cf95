"""Complete programs on arrays: they learn, and agree with PyTorch and with the scalar engine."""

import itertools

import numpy as np
import pytest
import torch
from closeness import require_close

import adjoint
from adjoint import Value, grad, hessian, no_grad, value_and_grad
from adjoint.nn import MLP


def moons(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points on two interleaving half circles, and the class of each: -1 or 1."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0, np.pi, count)
    upper = np.arange(count) % 2 == 0
    x = np.where(upper, np.cos(angle), 1 - np.cos(angle))
    y = np.where(upper, np.sin(angle), 0.5 - np.sin(angle))
    points = np.stack([x, y], axis=1) + random.normal(scale=0.1, size=(count, 2))
    return points, np.where(upper, 1.0, -1.0)


def accuracy(scores: np.ndarray, targets: np.ndarray) -> float:
    return float(((scores > 0) == (targets > 0)).mean())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_network_in_a_plain_loop_learns_the_moons(dtype):
    points, targets = (x.astype(dtype) for x in moons(100, seed=0))
    random = np.random.default_rng(1)
    sizes = [2, 16, 16, 1]
    weights = [
        Value(random.uniform(-1, 1, (a, b)).astype(dtype) * np.sqrt(2 / a).astype(dtype))
        for a, b in itertools.pairwise(sizes)
    ]
    biases = [Value(np.zeros(b, dtype)) for b in sizes[1:]]

    def scores(x):
        for w, b in zip(weights[:-1], biases[:-1]):
            x = (x @ w + b).relu()
        return (x @ weights[-1] + biases[-1])[:, 0]

    losses = []
    for _ in range(200):
        margins = (1 - targets * scores(points)).relu()
        loss = margins.mean()
        for p in (*weights, *biases):
            p.grad = 0.0
        loss.backward()
        for p in (*weights, *biases):
            p.data -= 0.5 * p.grad
        losses.append(loss.item())
    test_points, test_targets = moons(200, seed=2)
    assert losses[-1] < 0.1 * losses[0]
    assert accuracy(scores(points).data, targets) > 0.95
    assert accuracy(scores(test_points.astype(dtype)).data, test_targets) > 0.95
    assert all(p.data.dtype == dtype and p.grad.dtype == dtype for p in (*weights, *biases))


def test_a_scalar_network_and_the_same_network_on_arrays_have_the_same_gradients():
    model = MLP(2, [8, 8, 1], activation="tanh", output_activation="linear", seed=3)
    points, targets = moons(10, seed=4)
    loss = sum((model(list(x)) - y) ** 2 for x, y in zip(points.tolist(), targets.tolist()))
    loss.backward()

    weights = [Value([[w.data for w in neuron.w] for neuron in layer.neurons]) for layer in model.layers]
    biases = [Value([neuron.b.data for neuron in layer.neurons]) for layer in model.layers]
    x = points
    for i, (w, b) in enumerate(zip(weights, biases)):
        x = x @ w.T + b
        x = x.tanh() if i < len(weights) - 1 else x
    on_arrays = ((x[:, 0] - targets) ** 2).sum()
    on_arrays.backward()

    require_close(on_arrays.item(), loss.data)
    for layer, w, b in zip(model.layers, weights, biases):
        require_close(w.grad, [[w.grad for w in n.w] for n in layer.neurons])
        require_close(b.grad, [n.b.grad for n in layer.neurons])


def test_scalar_weights_and_array_data_can_be_mixed_in_one_graph():
    points, targets = moons(20, seed=4)
    neurons = [[Value(0.3), Value(-0.2)], [Value(0.1), Value(0.5)]]  # the weights are scalars, the data are arrays
    scale = Value(1.5)
    hidden = [(w[0] * points[:, 0] + w[1] * points[:, 1]).tanh() for w in neurons]
    loss = ((sum(hidden) * scale - targets) ** 2).mean()
    loss.backward()

    tensors = [torch.tensor([w.data for w in neuron], dtype=torch.float64, requires_grad=True) for neuron in neurons]
    factor = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    theirs = sum((torch.from_numpy(points) @ w).tanh() for w in tensors) * factor
    ((theirs - torch.from_numpy(targets)) ** 2).mean().backward()
    for neuron, tensor in zip(neurons, tensors):
        require_close([w.grad for w in neuron], tensor.grad.tolist())
    require_close(scale.grad, factor.grad.item())


def test_logistic_regression_with_a_dict_of_parameters():
    random = np.random.default_rng(5)
    points = random.normal(size=(200, 3))
    true = np.array([1.0, -2.0, 0.5])
    labels = (points @ true + 0.3 > 0).astype(float)

    def loss(params, penalty):
        logits = points @ params["w"] + params["b"]
        likelihood = (logits.softplus() - labels * logits).mean()
        return likelihood + penalty * (params["w"] ** 2).sum()

    params = {"w": np.zeros(3), "b": 0.0}
    step = value_and_grad(loss)
    losses = []
    for _ in range(300):
        value, gradient = step(params, penalty=1e-3)
        losses.append(float(value))
        params = {name: params[name] - 2.0 * gradient[name] for name in params}
    require_close(losses[0], np.log(2))
    assert all(later <= earlier + 1e-12 for earlier, later in itertools.pairwise(losses))
    assert accuracy(points @ params["w"] + params["b"], labels - 0.5) > 0.97
    # at the optimum, the gradient is zero and the weights have the direction of the true weights
    assert float(np.abs(grad(loss)(params, penalty=1e-3)["w"]).max()) < 5e-3
    cosine = params["w"] @ true / np.linalg.norm(params["w"]) / np.linalg.norm(true)
    assert cosine > 0.98


def test_newtons_method_finds_the_minimum_in_a_few_steps():
    def rosenbrock(x):
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    x = np.array([-1.2, 1.0])
    for _ in range(10):
        x = x - adjoint.linalg.solve(hessian(rosenbrock)(x), grad(rosenbrock)(x))
    require_close(x, [1.0, 1.0])


def test_the_marginal_likelihood_of_a_gaussian_process_has_the_gradients_of_pytorch():
    random = np.random.default_rng(6)
    x = np.sort(random.uniform(0, 6, 15))
    y = np.sin(2 * x) + 0.1 * random.normal(size=15)
    squares = (x[:, None] - x[None, :]) ** 2

    def energy(log_params):
        length, noise = log_params[0].exp(), log_params[1].exp()
        covariance = (-squares / (2 * length**2)).exp() + (noise**2 + 1e-8) * np.eye(15)
        factor = adjoint.linalg.cholesky(covariance)
        alpha = adjoint.linalg.solve(factor, y)
        return 0.5 * (alpha @ alpha) + adjoint.log(adjoint.diagonal(factor)).sum()

    def energy_in_torch(log_params):
        length, noise = log_params.exp()
        kernel = (-torch.from_numpy(squares) / (2 * length**2)).exp()
        normal = torch.distributions.MultivariateNormal(
            torch.zeros(15, dtype=torch.float64), kernel + (noise**2 + 1e-8) * torch.eye(15, dtype=torch.float64)
        )
        return -normal.log_prob(torch.from_numpy(y)) - 7.5 * np.log(2 * np.pi)

    start = np.array([0.5, -0.5])
    tensor = torch.tensor(start, requires_grad=True)
    energy_in_torch(tensor).backward()
    value, gradient = value_and_grad(energy)(start)
    require_close(float(value), energy_in_torch(tensor).item())
    require_close(gradient, tensor.grad.numpy())

    params = start
    for _ in range(100):
        params = params - 0.02 * grad(energy)(params)
    assert float(energy(Value(params)).data) < float(value) - 3
    assert np.exp(params[1]) < 0.3  # the fitted noise is small


def test_a_character_bigram_model_learns_the_frequencies_of_pairs():
    words = ["anna", "hannah", "ana", "nan", "banana", "bab"]
    letters = [".", *sorted(set("".join(words)))]
    number = {letter: i for i, letter in enumerate(letters)}
    pairs = [(number[a], number[b]) for word in words for a, b in zip("." + word, word + ".")]
    before, after = np.array(pairs).T
    table = Value(np.random.default_rng(7).normal(size=(len(letters), len(letters))), label="table")

    for _ in range(800):
        logits = adjoint.embedding(table, before)
        log_probabilities = adjoint.log_softmax(logits, axis=1)
        loss = -log_probabilities[np.arange(len(after)), after].mean()
        table.zero_grad()
        loss.backward()
        table.data -= 8.0 * table.grad

    # the optimal bigram model is known: it predicts the frequencies of the pairs
    counts = np.zeros((len(letters), len(letters)))
    np.add.at(counts, (before, after), 1.0)
    frequencies = counts / counts.sum(axis=1, keepdims=True)
    best = -np.log(frequencies[before, after]).mean()
    assert best < loss.item() < best + 0.01
    with no_grad():
        learned = adjoint.softmax(table, axis=1).data
    np.testing.assert_allclose(learned, frequencies, atol=0.03)


def test_a_block_of_attention_agrees_with_pytorch():
    batch, tokens, dims, heads = 2, 5, 8, 2
    random = np.random.default_rng(8)
    arrays = {
        "x": random.normal(size=(batch, tokens, dims)),
        "qkv": random.normal(size=(dims, 3 * dims)) / np.sqrt(dims),
        "out": random.normal(size=(dims, dims)) / np.sqrt(dims),
        "up": random.normal(size=(dims, 4 * dims)) / np.sqrt(dims),
        "down": random.normal(size=(4 * dims, dims)) / np.sqrt(4 * dims),
        "gain": random.uniform(0.5, 1.5, dims),
    }
    target = random.normal(size=(batch, tokens, dims))
    mask = np.tril(np.ones((tokens, tokens), bool))

    def normalize(x, gain):
        centered = x - x.mean(axis=-1, keepdims=True)
        return centered / ((centered**2).mean(axis=-1, keepdims=True) + 1e-5).sqrt() * gain

    def block(p):
        h = normalize(p["x"], p["gain"]) @ p["qkv"]
        q, k, v = (
            part.reshape(batch, tokens, heads, dims // heads).permute_dims((0, 2, 1, 3))
            for part in adjoint.split(h, 3, axis=-1)
        )
        scores = q @ k.mT / np.sqrt(dims // heads)
        weights = adjoint.softmax(adjoint.where(mask, scores, -np.inf), axis=-1)
        mixed = (weights @ v).permute_dims((0, 2, 1, 3)).reshape(batch, tokens, dims)
        x = p["x"] + mixed @ p["out"]
        return x + (normalize(x, p["gain"]) @ p["up"]).gelu() @ p["down"]

    def block_in_torch(p):
        h = torch.nn.functional.layer_norm(p["x"], (dims,), p["gain"]) @ p["qkv"]
        q, k, v = (part.reshape(batch, tokens, heads, -1).transpose(1, 2) for part in h.chunk(3, dim=-1))
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = p["x"] + mixed.transpose(1, 2).reshape(batch, tokens, dims) @ p["out"]
        h = torch.nn.functional.layer_norm(x, (dims,), p["gain"]) @ p["up"]
        return x + torch.nn.functional.gelu(h) @ p["down"]

    value, gradients = value_and_grad(lambda p: ((block(p) - target) ** 2).mean())(arrays)
    tensors = {name: torch.tensor(x, requires_grad=True) for name, x in arrays.items()}
    theirs = ((block_in_torch(tensors) - torch.from_numpy(target)) ** 2).mean()
    theirs.backward()
    require_close(float(value), theirs.item())
    for name, tensor in tensors.items():
        require_close(gradients[name], tensor.grad.numpy(), name)


def test_a_checkpointed_layer_trains_like_a_plain_layer():
    points, targets = moons(50, seed=9)

    def train(wrap):
        random = np.random.default_rng(10)
        first, second = Value(random.normal(size=(2, 8))), Value(random.normal(size=(8, 1)))
        layer = wrap(lambda x: (x @ first).tanh())
        for _ in range(20):
            loss = (((layer(points) @ second)[:, 0] - targets) ** 2).mean()
            for p in (first, second):
                p.grad = None
            loss.backward()
            for p in (first, second):
                p.data -= 0.1 * p.grad
        return loss.item(), first.data, second.data

    kept, recomputed = train(lambda f: f), train(adjoint.checkpoint)
    require_close(recomputed[0], kept[0])
    for a, b in zip(kept[1:], recomputed[1:]):
        require_close(b, a)
    assert not np.array_equal(kept[1], np.random.default_rng(10).normal(size=(2, 8)))  # training has lowered the loss
