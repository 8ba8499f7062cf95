import time

import numpy as np

import adjoint
from adjoint import nn

WIDTH, PLACES = 8, 8
SHAPES = {
    "letter": (27, WIDTH),
    "place": (PLACES, WIDTH),
    "query": (WIDTH, WIDTH),
    "key": (WIDTH, WIDTH),
    "value": (WIDTH, WIDTH),
    "out": (WIDTH, WIDTH),
    "widen": (4 * WIDTH, WIDTH),
    "narrow": (WIDTH, 4 * WIDTH),
    "scores": (27, WIDTH),
}
TOKENS = [0, 5, 13, 13, 1, 0]  # .emma.


def check(check, learner):
    from engine import Value  # the learner's

    rng = np.random.default_rng(check.random.randrange(1000))
    for count in (1, 2, 4):
        arrays = [rng.normal(size=shape).round(2) for shape in ((1, 4), (count, 4), (count, 4))]
        query, keys, values = (lists(Value, array) for array in arrays)
        got = learner.attend(query[0], keys, values)
        what = f"attend(query, keys, values) with {count} key{'s' * (count > 1)}"
        found, expected = numbers(check, what, got), attention(*map(adjoint.Value, arrays)).data[0]
        check.close(what, found, expected.tolist())
    arrays = {name: rng.normal(size=shape) * 0.3 for name, shape in SHAPES.items()}
    reference = {name: adjoint.Value(array) for name, array in arrays.items()}
    expected = reference_loss(reference, np.array(TOKENS))
    expected.backward()
    weights = {name: lists(Value, array) for name, array in arrays.items()}
    start = time.perf_counter()
    loss = learner.loss(weights, TOKENS)
    check.close("the loss of the name emma", getattr(loss, "data", loss), float(expected.data))
    loss.backward()
    seconds = time.perf_counter() - start
    for name, matrix in weights.items():
        got = [[number.grad for number in row] for row in matrix]
        wrong = int((np.abs(np.array(got) - reference[name].grad) > 1e-8).sum())
        total = len(matrix) * len(matrix[0])
        because = "The loss is right, so some of it was computed with plain numbers, such as `.data`."
        check.equal(f"the number of wrong gradients of the {total} weights {name!r}", wrong, 0, because=because)
    total = sum(rows * columns for rows, columns in SHAPES.values())
    check.note(
        f"your engine differentiated a GPT with {total:,} weights in {seconds:.2f} s; its loss {loss.data:.4f} and all "
        "gradients agree with adjoint's"
    )


def lists(Value, array):
    return [[Value(float(x)) for x in row] for row in array]


def numbers(check, what, got):
    is_list = isinstance(got, list | tuple) and all(hasattr(x, "data") for x in got)
    check.true(f"`{what}` should be a list of Values", is_list, got=got)
    return [x.data for x in got]


def attention(q, k, v, hidden=False):
    scores = q @ k.T / np.sqrt(k.shape[1])
    return adjoint.softmax(adjoint.where(hidden, -np.inf, scores), axis=1) @ v


def normalize(x):
    return x * ((x * x).mean(axis=1, keepdims=True) + 1e-5) ** -0.5


def reference_loss(w, tokens):
    places = np.arange(len(tokens) - 1)
    x = w["letter"][tokens[:-1]] + w["place"][places]
    h = normalize(x)
    hidden = places[:, None] < places
    x = x + attention(h @ w["query"].T, h @ w["key"].T, h @ w["value"].T, hidden) @ w["out"].T
    x = x + (normalize(x) @ w["widen"].T).relu() @ w["narrow"].T
    return nn.cross_entropy(normalize(x) @ w["scores"].T, tokens[1:])
