"""A complete GPT in which every number is a Value: it trains on first names and generates new ones.

    python examples/scalar_gpt.py --steps 2000 --seed 1

The model is small (one layer, 4 heads, 4192 parameters) but complete: embeddings, causal attention, an MLP, RMS norm,
cross-entropy, Adam. It works with any numbers that can be added and multiplied. Training uses Values; sampling uses
plain floats, which are faster and need no gradients.

In 2000 steps with seed 1, the loss falls from 3.459 to 2.194 nats per letter (a uniform guess gives log 27 = 3.296).
The model generates dolena, nalia, morena, daron, aria, rolisa, corie. A run takes 11 s on the native core.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

import adjoint
from adjoint import Value

LETTERS = "abcdefghijklmnopqrstuvwxyz"
BOUNDARY = len(LETTERS)  # the token that starts and ends a name
VOCABULARY = len(LETTERS) + 1
WIDTH, HEADS, CONTEXT = 16, 4, 16
HEAD_WIDTH = WIDTH // HEADS

SHAPES = {  # rows, columns
    "token": (VOCABULARY, WIDTH),
    "position": (CONTEXT, WIDTH),
    "query": (WIDTH, WIDTH),
    "key": (WIDTH, WIDTH),
    "value": (WIDTH, WIDTH),
    "attended": (WIDTH, WIDTH),
    "widen": (4 * WIDTH, WIDTH),
    "narrow": (WIDTH, 4 * WIDTH),
    "head": (VOCABULARY, WIDTH),
}
INITIAL_SPREAD = 0.08
LEARNING_RATE = 0.01
TEMPERATURE = 0.6  # below 1, sampling favors the likely tokens

Number = Any  # a float, or the Value of any engine
Vector = Sequence[Number]
Matrix = Sequence[Vector]
Weights = dict[str, Matrix]


class Functions(NamedTuple):
    """The functions that the model needs beyond arithmetic."""

    exp: Callable[[Number], Number]
    log: Callable[[Number], Number]
    relu: Callable[[Number], Number]
    largest: Callable[[Vector], Number]  # of several numbers, as a constant


def functions_of(kind: type) -> Functions:
    """Return the functions for a class of Values."""
    return Functions(kind.exp, kind.log, kind.relu, lambda numbers: reduce(kind.maximum, numbers).data)


ON_VALUES = functions_of(Value)
ON_FLOATS = Functions(math.exp, math.log, lambda x: max(x, 0.0), max)


# --- the model ---


def dot(weights: Vector, inputs: Vector) -> Number:
    return sum(map(mul, weights, inputs))


def linear(matrix: Matrix, inputs: Vector) -> Vector:
    return [dot(weights, inputs) for weights in matrix]


def add(left: Vector, right: Vector) -> Vector:
    return [x + z for x, z in zip(left, right)]


def pick(items: Vector, i: Number) -> Number:
    """Return `items[i]`. In a compiled step `i` is not known yet, so the result is a choice between all items."""
    if isinstance(i, int):
        return items[i]
    return reduce(lambda chosen, k: adjoint.where(i == k, items[k], chosen), range(1, len(items)), items[0])


def row(matrix: Matrix, i: Number) -> Vector:
    return matrix[i] if isinstance(i, int) else [pick(column, i) for column in zip(*matrix)]


def rms_norm(inputs: Vector) -> Vector:
    scale = (dot(inputs, inputs) / len(inputs) + 1e-5) ** -0.5
    return [x * scale for x in inputs]


class GPT:
    """The network: predicts the next token from the tokens so far."""

    def __init__(self, weights: Weights, functions: Functions):
        self.weights, self.functions = weights, functions

    def parameters(self) -> list[Number]:
        return [number for matrix in self.weights.values() for row in matrix for number in row]

    def loss(self, tokens: Sequence[int]) -> Number:
        """Return the mean cross-entropy, in nats, of the tokens after the first."""
        past, surprises = Past(), []
        for token, following in pairwise(tokens[: CONTEXT + 1]):
            surprises.append(self._surprise(self.logits(token, past), following))
        return sum(surprises) / len(surprises)

    def logits(self, token: int, past: "Past") -> Vector:
        """Return a score for every possible next token, and add `token` to the `past`."""
        weights = self.weights
        x = add(row(weights["token"], token), weights["position"][len(past.keys)])
        x = add(x, self._attention(rms_norm(x), past))
        widened = linear(weights["widen"], rms_norm(x))
        x = add(x, linear(weights["narrow"], [self.functions.relu(number) for number in widened]))
        return linear(weights["head"], rms_norm(x))

    def _attention(self, x: Vector, past: "Past") -> Vector:
        query = linear(self.weights["query"], x)
        past.keys.append(linear(self.weights["key"], x))
        past.values.append(linear(self.weights["value"], x))
        attended = []
        for first in range(0, WIDTH, HEAD_WIDTH):
            head = slice(first, first + HEAD_WIDTH)
            scores = [dot(query[head], key[head]) / math.sqrt(HEAD_WIDTH) for key in past.keys]
            columns = zip(*[value[head] for value in past.values])
            attended += linear(list(columns), self.softmax(scores))
        return linear(self.weights["attended"], attended)

    def softmax(self, scores: Vector) -> Vector:
        powers = self._powers(scores, self.functions.largest(scores))
        total = sum(powers)
        return [power / total for power in powers]

    def _surprise(self, logits: Vector, following: int) -> Number:
        """Return -log softmax(logits)[following], without a quotient that could underflow to zero."""
        largest = self.functions.largest(logits)
        return self.functions.log(sum(self._powers(logits, largest))) - (pick(logits, following) - largest)

    def _powers(self, scores: Vector, largest: Number) -> list[Number]:
        # exponents are at most zero, so exp cannot overflow; the shift is a constant and changes no gradient
        exp = self.functions.exp
        return [exp(score - largest) for score in scores]


class Past:
    """The keys and values of the tokens so far, which attention reads."""

    def __init__(self):
        self.keys: list[Vector] = []
        self.values: list[Vector] = []


def initial_weights(rng: random.Random) -> Weights:
    return {
        name: [[rng.gauss(0, INITIAL_SPREAD) for _ in range(columns)] for _ in range(rows)]
        for name, (rows, columns) in SHAPES.items()
    }


def converted(weights: Weights, number: Callable[[Number], Number]) -> Weights:
    """Return the weights as numbers of another kind: `Value` or `float`."""
    return {name: [[number(x) for x in row] for row in matrix] for name, matrix in weights.items()}


# --- names ---


def encoded(name: str) -> list[int]:
    """Return a name as tokens.

    >>> encoded("abc")
    [26, 0, 1, 2, 26]
    """
    return [BOUNDARY, *map(LETTERS.index, name), BOUNDARY]


def sample(model: GPT, rng: random.Random) -> str:
    """Sample a name letter by letter from a model on floats."""
    name, token, past = "", BOUNDARY, Past()
    while len(past.keys) < CONTEXT:
        logits = [logit / TEMPERATURE for logit in model.logits(token, past)]
        (token,) = rng.choices(range(VOCABULARY), model.softmax(logits))
        if token == BOUNDARY:
            break
        name += LETTERS[token]
    return name


def new_names(model: GPT, known: Iterable[str], count: int, rng: random.Random) -> list[str]:
    """Return up to `count` different names that the model generates and that are not `known`."""
    seen, found = {"", *known}, []
    for _ in range(20 * count):  # an overfitted model generates few new names
        name = sample(model, rng)
        if name not in seen:
            seen.add(name)
            found.append(name)
        if len(found) == count:
            break
    return found


# --- training ---


class Adam:
    """Adam: step along the running mean of the gradient, scaled for each parameter by its usual size."""

    def __init__(self, parameters: list[Value], decay: float = 0.9, square_decay: float = 0.99):
        self.parameters, self.decay, self.square_decay = parameters, decay, square_decay
        self.means, self.squares, self.steps = [0.0] * len(parameters), [0.0] * len(parameters), 0

    def step(self, rate: float) -> None:
        self.steps += 1
        means, squares, decay, square_decay = self.means, self.squares, self.decay, self.square_decay
        # both averages start at zero; dividing by 1 - decay^steps removes that bias
        rate /= 1 - decay**self.steps
        unbiased = 1 / (1 - square_decay**self.steps)
        for i, parameter in enumerate(self.parameters):
            gradient = parameter.grad
            means[i] = mean = decay * means[i] + (1 - decay) * gradient
            squares[i] = square = square_decay * squares[i] + (1 - square_decay) * gradient * gradient
            parameter.data -= rate * mean / ((square * unbiased) ** 0.5 + 1e-8)
            parameter.grad = 0.0


def training_step(model: GPT) -> Callable[[list[int], float], float]:
    """Return a function that trains on the tokens of a name, at a learning rate, and returns the loss."""
    adam = Adam(model.parameters())

    def step(tokens: list[int], rate: float) -> float:
        loss = model.loss(tokens)
        loss.backward()
        adam.step(rate)
        return loss.data

    return step


def train(model: GPT, names: Sequence[str], steps: int, rng: random.Random) -> Iterator[float]:
    """Take `steps` steps, each on one name, and yield the loss of each."""
    step, order = training_step(model), []
    for done in range(steps):
        if not order:
            order = rng.sample(names, len(names))
        yield step(encoded(order.pop()), LEARNING_RATE * (1 - done / steps))


def report(losses: Iterable[float], steps: int) -> None:
    """Print the loss of the first step, and then the mean loss over each tenth of the steps."""
    start, recent = time.perf_counter(), []
    for step, loss in enumerate(losses, 1):
        recent.append(loss)
        if step == 1 or step * 10 // steps > (step - 1) * 10 // steps:
            pace = 1000 * (time.perf_counter() - start) / step
            print(
                f"step {step:5} of {steps}   loss {sum(recent) / len(recent):.3f}   {pace:.1f} ms a step",
                flush=True,
            )
            recent = []


# --- the command ---


def at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, not {text!r}")
    return int(text)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Train a GPT of single Values on first names, one a step, and let it make up new ones."
    )
    parser.add_argument("--steps", type=at_least_one, default=2000, help="names to train on (default: 2000)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same run (default: 1)")
    parser.add_argument("--samples", type=at_least_one, default=20, help="names to make up (default: 20)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    rng, names = random.Random(options.seed), adjoint.data.names()
    model = GPT(converted(initial_weights(rng), Value), ON_VALUES)
    engine = "the native core" if adjoint.accelerated else "plain Python, which takes tenths of a second a step"
    print(f"{len(names)} names, {len(model.parameters())} parameters, on {engine}", flush=True)
    try:
        report(train(model, names, options.steps, rng), options.steps)
    except KeyboardInterrupt:
        print("\nstopped early; this is what it has learned so far")
    trained = GPT(converted(model.weights, float), ON_FLOATS)
    print("\nnew names:", ", ".join(new_names(trained, names, options.samples, rng)))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # while sampling: nothing is left to print
        sys.exit(130)
