"""Questions on neurons and networks: parameters, outputs, gradients of weights, what one neuron cannot do."""

from functools import cache
from itertools import pairwise, product
from random import Random

from adjoint.nn import MLP
from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, join_names, term
from adjoint_lab.rooms.quiz.mixups import gradient_question, value_question
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Question, Wrong, choice
from adjoint_lab.rooms.quiz.templates import Subject, numbers

NETWORKS = Subject("networks", "Networks")


@NETWORKS("count-parameters", 1, 3)
def count_parameters(rng: Random, level: int) -> Question:
    inputs, depth = rng.randint(2, 5), level
    sizes = [rng.randint(2, 6) for _ in range(depth - 1)] + [rng.randint(1, 4)]
    if level == 1:
        sizes = [rng.randint(2, 9)]
    model = MLP(inputs, sizes, seed=0)
    count = len(model.parameters())
    widths = [inputs, *sizes]
    weights = sum(a * b for a, b in pairwise(widths))
    return NumberQuestion(
        prompt=f"How many parameters does MLP({inputs}, {sizes}) have: {inputs} inputs, then "
        f"{'a layer' if len(sizes) == 1 else 'layers'} of {join_names([*map(str, sizes)])} "
        f"neuron{'s' * (sizes[-1] > 1)}?",
        answer=float(count),
        because="Every neuron has one weight per input and one bias.",
        steps=[
            *(f"{b} neuron{'s' * (b > 1)} of {a} inputs: {b} · ({a} + 1) = {b * (a + 1)}" for a, b in pairwise(widths)),
            *([f"together {count}"] if len(sizes) > 1 else []),
        ],
        wrong=[
            Wrong(weights, "The biases are missing: there is one per neuron."),
            Wrong(sum(sizes), "That is the number of neurons. Each has one weight per input and one bias."),
            Wrong(weights + sum(sizes) + inputs, "Inputs are not neurons, so they have no bias."),
            Wrong(weights + len(sizes), "There is one bias per neuron, not one per layer."),
        ],
    )


@NETWORKS("neuron-output", 1, 2)
def neuron_output(rng: Random, level: int) -> Question:
    if level == 1:
        w, x, b = numbers(rng, 3, 2)
        graph = QuestionGraph("p = w*x", "n = p + b", "out = relu(n)", w=w, x=x, b=b)
    else:
        w1, x1, w2, x2, b = numbers(rng, 5, level)
        graph = QuestionGraph(
            "p1 = w1*x1", "p2 = w2*x2", "s = p1 + p2", "n = s + b", "out = relu(n)", w1=w1, x1=x1, w2=w2, x2=x2, b=b
        )
    n = graph.value("n")
    because = "A neuron adds its weighted inputs and its bias. relu replaces a negative sum by 0."
    wrong = [
        Wrong(n, "That is the sum before relu, which replaces negative numbers by 0."),
        Wrong(n - graph.value("b"), "The bias is missing."),
        Wrong(0.0, "The sum is positive, so relu lets it through."),
    ]
    return value_question(graph, "out", because, wrong)


@NETWORKS("neuron-gradient", 2, 4)
def neuron_gradient(rng: Random, level: int) -> Question:
    w, x, b, y = numbers(rng, 4, level if level > 2 else 1, 5)
    if level < 4:
        graph = QuestionGraph("p = w*x", "n = p + b", "d = n - y", "L = d**2", w=w, x=x, b=b, y=y + (w * x + b == y))
        name = rng.choice("wb") if level == 2 else "w"
        because = (
            "The squared error sends 2·d back to n. From there, b receives it unchanged, and w receives it times x."
        )
        return gradient_question(graph, name, because)
    v = float(rng.choice([2, 3, -2]))
    if w * x + b == 0:
        b += 1
    graph = QuestionGraph("p = w*x", "n = p + b", "h = relu(n)", "L = h*v", w=w, x=x, b=b, v=v)
    is_on = graph.value("n") > 0
    goes = (
        "active and passes v on; the product then multiplies it by x" if is_on else "inactive and passes no gradient on"
    )
    because = f"n is {number(graph.value('n'))}: relu is {goes}."
    wrong = [Wrong(v * x, "relu is inactive here, because n is negative: it passes no gradient on.")]
    return gradient_question(graph, "w", because, wrong=wrong)


# --- what one neuron cannot do ---

_CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
_WHY_NOT = {
    "It has too few weights for four samples": "AND has four samples as well, and one neuron learns it.",
    "Its gradient is 0 from the start": "It is not 0 for almost all initial weights. Training runs, but "
    "ends in a compromise.",
    "Its learning rate would have to be too large": "No rate helps: there are no weights that solve it.",
    "tanh cannot have both signs": "tanh has both signs, but the sign changes only along one line.",
    "It needs more samples": "More copies of the same four samples change nothing: no weights solve them.",
    "Its initial weights are random": "The initial weights do not matter: no weights solve it.",
    "The bias is missing": "A bias shifts the line, but it remains a line.",
}


@NETWORKS("xor-one-neuron", 2, 4)
def xor_one_neuron(rng: Random, level: int) -> Question:
    high, low = rng.choice([("1", "0"), ("1", "−1"), ("yes", "no"), ("true", "false"), ("on", "off"), ("red", "blue")])
    is_xor = rng.random() < 0.7
    task = "XOR" if is_xor else "XNOR"
    same, other = (low, high) if is_xor else (high, low)
    return choice(
        rng,
        "Its boundary is one straight line",
        {text: _WHY_NOT[text] for text in rng.sample([*_WHY_NOT], 3)},
        prompt=f"{task}: (0, 0) and (1, 1) are {same}, (0, 1) and (1, 0) are {other}. Why can a single "
        f"neuron not learn it?",
        because=(
            "No line separates the two pairs of opposite corners: the sum of w1·x1 + w2·x2 + b over (0, 0) and (1, 1) "
            "equals its sum over (0, 1) and (1, 0), so it cannot be positive for one pair and negative for the other."
        ),
        formulas=["w1*x1 + w2*x2 + b"],
    )


@cache
def separable(outputs: tuple[int, ...]) -> bool:
    """Return whether weights exist with which one neuron is positive exactly where the output is 1."""
    weights = [x / 2 for x in range(-4, 5)]
    return any(
        all((w1 * x1 + w2 * x2 + b > 0) == bool(y) for (x1, x2), y in zip(_CORNERS, outputs))
        for w1, w2, b in product(weights, repeat=3)
    )


@NETWORKS("one-neuron-tables", 3, 5)
def one_neuron_tables(rng: Random, level: int) -> Question:
    tables = [outputs for outputs in product((0, 1), repeat=4) if 0 < sum(outputs) < 4]
    hard = rng.choice([outputs for outputs in tables if not separable(outputs)])
    easy = rng.sample([outputs for outputs in tables if separable(outputs)], 3 if level < 5 else 4)
    return choice(
        rng,
        _table(hard),
        {_table(outputs): f"One line is enough: {_line_of(outputs)}." for outputs in easy},
        prompt="Each row lists the outputs for (0, 0), (0, 1), (1, 0), (1, 1). Which row can a single "
        "neuron not learn?",
        because="Opposite corners are equal and neighbors differ. This is XOR or XNOR, and no line "
        "separates the classes.",
        formulas=["w1*x1 + w2*x2 + b"],
    )


def _table(outputs: tuple[int, ...]) -> str:
    return ", ".join(map(str, outputs))


def _line_of(outputs: tuple[int, ...]) -> str:
    """Return a neuron that is positive exactly where the output is 1."""
    for w1, w2, twice in product((0, 1, -1), (0, 1, -1), (-1, 1, -3, 3)):
        if all((w1 * x1 + w2 * x2 + twice / 2 > 0) == bool(y) for (x1, x2), y in zip(_CORNERS, outputs)):
            terms = [f"{'−' if w < 0 else '+'} {name}" for w, name in ((w1, "x1"), (w2, "x2")) if w]
            terms.append(f"{'−' if twice < 0 else '+'} {number(abs(twice) / 2)}")
            return f"{' '.join(terms).removeprefix('+ ').replace('− ', '−', terms[0].startswith('−'))} > 0"
    raise AssertionError(outputs)  # every separable table is among these


@NETWORKS("linear-layers", 3, 5)
def linear_layers(rng: Random, level: int) -> Question:
    a, b, c, d = numbers(rng, 4, level, 6)
    x = float(rng.choice([1, 2, 3]))
    graph = QuestionGraph("p = a*x", "h = p + b", "q = c*h", "y = q + d", a=a, b=b, c=c, d=d, x=x)
    asks_slope = level == 3 or rng.random() < 0.5
    slope, bias = a * c, c * b + d
    return NumberQuestion(
        prompt="Two linear layers in a row, with no activation between them, are one layer: y = weight·x + bias. "
        f"What is its {'weight' if asks_slope else 'bias'}?",
        answer=slope if asks_slope else bias,
        because="c·(a·x + b) + d = (c·a)·x + (c·b + d): one linear layer. Without an activation between "
        "them, two layers are no more powerful than one.",
        steps=[
            f"weight: c·a = {term(c)} · {term(a)} = {number(slope)}",
            f"bias: c·b + d = {number(c * b)} + {term(d)} = {number(bias)}",
        ],
        graph=graph,
        hidden=tuple(graph.inner),
        wrong=[
            Wrong(a + c, "The weights of consecutive layers are multiplied, not added.")
            if asks_slope
            else Wrong(b + d, "The first bias also passes through the second layer, which multiplies it by c."),
            Wrong(bias if asks_slope else slope, f"That is the {'bias' if asks_slope else 'weight'}."),
            Wrong(c * (a + b) if asks_slope else c * (b + d), "Only the first layer is multiplied by c."),
            Wrong(graph.value("y"), "That is y for this x."),
        ],
    )
