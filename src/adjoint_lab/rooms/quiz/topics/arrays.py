"""Questions on arrays: shapes of products and of gradients, and gradients of what was broadcast or averaged.

The arrays are lists of Values, so that the questions work without NumPy.
"""

from random import Random

from adjoint import Value
from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import term
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Question, Wrong, choice
from adjoint_lab.rooms.quiz.templates import Subject

ARRAYS = Subject("arrays", "Arrays")


def _values(numbers: list[float]) -> list[Value]:
    return [Value(x) for x in numbers]


def _backward(y: list[list[Value]], g: list[list[float]]) -> None:
    """Run a backward pass that starts with the gradients `g` of the elements of `y`."""
    _total([element * x for row, gradients in zip(y, g) for element, x in zip(row, gradients)]).backward()


def _total(values: list[Value]) -> Value:
    return sum(values[1:], values[0])


def _rows(rng: Random, rows: int, columns: int) -> list[list[float]]:
    return [[float(rng.randint(-4, 6)) for _ in range(columns)] for _ in range(rows)]


@ARRAYS("matmul-shape", 1, 3)
def matmul_shape(rng: Random, level: int) -> Question:
    n, k, m = rng.sample(range(2, 10), 3)
    y, w = (n, m), (k, m)  # the shapes
    if level < 3:
        return choice(
            rng,
            str(y),
            {
                str((k, k)): "The inner sizes must agree, and they disappear in the product.",
                str((m, n)): "That is the shape of the transpose.",
                str((n, k)): "That is the shape of X itself.",
                str((n, k, m)): "The product sums over the inner size, so it disappears.",
            },
            prompt="What is the shape of X @ W?",
            because="The result has as many rows as X and as many columns as W.",
            steps=[f"({n}, {k}) @ ({k}, {m}) → {y}"],
            given={"X.shape": (n, k), "W.shape": (k, m)},
        )
    return choice(
        rng,
        str(w),
        {
            str(y): "That is the shape of X @ W, and of its gradient.",
            str((m, k)): "That is the transpose. A gradient has the shape of its array.",
            str((n, k)): "That is the shape of X, and of its gradient.",
            "()": "The loss is one number, but W has one gradient per element.",
        },
        prompt="A loss is computed from X @ W. What is the shape of the gradient of W?",
        because="A gradient has the shape of its array: one number per element.",
        steps=[f"Xᵀ @ gradient: ({k}, {n}) @ ({n}, {m}) → {w}"],
        given={"X.shape": (n, k), "W.shape": (k, m)},
    )


_SUMS = {
    "W": "The gradient of each weight is the sum of G times its inputs over the samples.",
    "X": "The gradient of each input is the sum of G times its weights.",
}


@ARRAYS("which-product", 3, 5)
def which_product(rng: Random, level: int) -> Question:
    n, k, m = rng.sample(range(2, 10), 3)
    asks_weights = rng.random() < 0.5
    products = {
        "Xᵀ @ G": f"That has the shape ({k}, {m}), which is that of W.",
        "G @ Wᵀ": f"That has the shape ({n}, {k}), which is that of X.",
        "Gᵀ @ X": f"That has the shape ({m}, {k}): it is the transpose of the gradient of W.",
        "W @ Gᵀ": f"That has the shape ({k}, {n}): it is the transpose of the gradient of X.",
        "X @ G": f"({n}, {k}) @ ({n}, {m}) is not a valid product.",
    }
    right = "Xᵀ @ G" if asks_weights else "G @ Wᵀ"
    shape, name = ((k, m), "W") if asks_weights else ((n, k), "X")
    return choice(
        rng,
        right,
        {text: why for text, why in products.items() if text != right},
        prompt=f"Y = X @ W, and the gradient G of Y is known. Which is the gradient of {name}?",
        because=f"Only {right} has the shape of {name}, {shape}. {_SUMS[name]}",
        given={"X.shape": (n, k), "W.shape": (k, m), "G.shape": (n, m)},
    )


@ARRAYS("bias-gradient", 2, 4)
def bias_gradient(rng: Random, level: int) -> Question:
    count = 2 if level == 2 else 3
    while True:
        g = _rows(rng, count, 2)
        columns = [[row[j] for row in g] for j in range(2)]
        if all(sum(column) and column[0] != sum(column) for column in columns) and sum(columns[0]) != sum(columns[1]):
            break
    b = _values([0.0, 0.0])
    _backward([[0.0 + x for x in b] for _ in range(count)], g)
    j = rng.randrange(2)
    place = ("first", "second")[j]
    total = b[j].grad
    return NumberQuestion(
        prompt=f"Y = X + b: {count} samples are the rows of X, and b is added to each. The gradient of Y is G. What is "
        f"the {place} number of the gradient of b?",
        answer=total,
        because="b is added to every row, so the contributions of all rows add up: the gradient is the sum "
        "of a column.",
        steps=[f"{' + '.join(term(x) for x in columns[j])} = {number(total)}"],
        given={"G": g},
        wrong=[
            Wrong(total / count, "That is the mean. Contributions add up."),
            Wrong(sum(columns[1 - j]), "That is the sum of the other column."),
            Wrong(sum(map(sum, g)), "That is the sum of all numbers; each number of b has its own column."),
            Wrong(columns[j][0], "That is only the contribution of the first sample."),
            Wrong(columns[j][-1], "That is only the contribution of the last sample."),
        ],
    )


@ARRAYS("weight-entry", 4, 5)
def weight_entry(rng: Random, level: int) -> Question:
    rows = 2 if level == 4 else 3
    x, g = _rows(rng, rows, 2), _rows(rng, rows, 2)
    w = [_values([0.0, 0.0]), _values([0.0, 0.0])]
    _backward([[row[0] * w[0][column] + row[1] * w[1][column] for column in range(2)] for row in x], g)
    i, j = rng.randrange(2), rng.randrange(2)
    entry = w[i][j].grad
    terms = [f"{term(x[n][i])}·{term(g[n][j])}" for n in range(rows)]
    by_rows = sum(p * q for p, q in zip(x[i], g[j]))
    return NumberQuestion(
        prompt=f"Y = X @ W, and the gradient of Y is G. What is the gradient of W in row {i + 1}, column {j + 1}?",
        answer=entry,
        because=f"It is Xᵀ @ G: the products of column {i + 1} of X and column {j + 1} of G, summed over the samples.",
        steps=[f"{' + '.join(terms)} = {number(entry)}"],
        given={"X": x, "G": g},
        wrong=[
            Wrong(by_rows, "That multiplies rows. The rows are samples, and the sum runs over them."),
            Wrong(w[j][i].grad, "Row and column are exchanged."),
            Wrong(entry / rows, "That is the mean over the samples. Contributions add up."),
            Wrong(x[0][i] * g[0][j], "That is only the contribution of the first sample."),
        ],
    )


@ARRAYS("mean-squared-error", 3, 4)
def mean_squared_error(rng: Random, level: int) -> Question:
    count = rng.choice([2, 4]) if level == 3 else rng.choice([4, 5])
    targets = [float(rng.randint(-3, 5)) for _ in range(count)]
    errors = [float(rng.choice([-4, -3, -2, -1, 1, 2, 3, 4])) for _ in range(count)]
    p = _values([y + e for y, e in zip(targets, errors)])
    (_total([(prediction - y) ** 2 for prediction, y in zip(p, targets)]) / count).backward()
    g, e = p[0].grad, errors[0]
    return NumberQuestion(
        prompt="The loss is the mean of (p − y)². What is the gradient of the first prediction?",
        answer=g,
        because=f"The first prediction affects one term of the mean over {count}: 2·(p − y) / {count}.",
        steps=[f"2 · {term(e)} / {count} = {number(g)}"],
        given={"p": [x.data for x in p], "y": targets},
        wrong=[
            Wrong(2 * e, f"The mean divides by {count}."),
            Wrong(e / count, "The factor 2 of the square is missing."),
            Wrong(-g, "The sign is wrong: the error is p − y."),
            Wrong(e * e / count, "That is one term of the loss, not its derivative."),
            Wrong(2 * sum(errors) / count, "The errors of the other predictions do not affect this gradient."),
        ],
    )
