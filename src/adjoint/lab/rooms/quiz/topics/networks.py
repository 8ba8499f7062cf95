"""Questions on neurons and networks: parameters, outputs, gradients of weights, what one neuron cannot do."""

from functools import cache
from itertools import pairwise, product
from random import Random

from adjoint.lab.rooms.quiz.graphs import QuestionGraph, join_names, term
from adjoint.lab.rooms.quiz.mixups import gradient_question, value_question
from adjoint.lab.rooms.quiz.questions import NumberQuestion, Question, Wrong, choice
from adjoint.lab.rooms.quiz.templates import Subject, numbers
from adjoint.nn.scalar import MLP
from adjoint.see.explanation.narration import number

NETWORKS = Subject("Networks")


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
        because="Every neuron has a weight for each of its inputs, and one bias.",
        steps=[
            *(f"{b} neuron{'s' * (b > 1)} of {a} inputs: {b} · ({a} + 1) = {b * (a + 1)}" for a, b in pairwise(widths)),
            *([f"together {count}"] if len(sizes) > 1 else []),
        ],
        wrong=[
            Wrong(weights, "The biases are missing: one for every neuron."),
            Wrong(sum(sizes), "That is the number of neurons; each has a weight for every input, and a bias."),
            Wrong(weights + sum(sizes) + inputs, "Inputs are no neurons: they have no bias."),
            Wrong(weights + len(sizes), "Every neuron has a bias of its own, not every layer."),
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
    because = "A neuron adds up its weighted inputs and its bias. relu makes a negative sum 0."
    wrong = [
        Wrong(n, "That is the sum before relu, which makes negative numbers 0."),
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
        because = "The squared error sends 2·d back to n. From there b gets it as it is, and w gets it times x."
        return gradient_question(graph, name, because)
    v = float(rng.choice([2, 3, -2]))
    if w * x + b == 0:
        b += 1
    graph = QuestionGraph("p = w*x", "n = p + b", "h = relu(n)", "L = h*v", w=w, x=x, b=b, v=v)
    is_on = graph.value("n") > 0
    goes = "on and passes v on; then times x" if is_on else "off, and nothing gets through"
    because = f"n is {number(graph.value('n'))}: relu is {goes}."
    wrong = [Wrong(v * x, "relu is off here, because n is negative: nothing gets through.")]
    return gradient_question(graph, "w", because, wrong=wrong)


# --- what one neuron cannot do ---

_CORNERS = [(0, 0), (0, 1), (1, 0), (1, 1)]
_WHY_NOT = {
    "It has too few weights for four samples": "AND has four samples as well, and one neuron learns it.",
    "Its gradient is 0 from the start": "From nearly every start it is not 0: training runs, and ends in a compromise.",
    "Its learning rate would have to be too large": "No rate helps: there are no weights that solve it.",
    "tanh cannot give both signs": "tanh gives both signs, but it changes sign along one line only.",
    "It needs more samples": "More of the same four samples change nothing: no weights solve them.",
    "Its weights begin at random": "From no start it can be solved: there are no weights that do.",
    "The bias is missing": "A bias moves the line, but it stays a line.",
}


@NETWORKS("xor-one-neuron", 2, 4)
def xor_one_neuron(rng: Random, level: int) -> Question:
    high, low = rng.choice([("1", "0"), ("1", "−1"), ("yes", "no"), ("true", "false"), ("on", "off"), ("red", "blue")])
    is_xor = rng.random() < 0.7
    task = "XOR" if is_xor else "XNOR"
    same, other = (low, high) if is_xor else (high, low)
    return choice(
        rng,
        "Its boundary is one straight line, and no line parts the two pairs of opposite corners",
        {text: _WHY_NOT[text] for text in rng.sample([*_WHY_NOT], 3)},
        prompt=f"{task}: (0, 0) and (1, 1) are {same}, (0, 1) and (1, 0) are {other}. Why can one neuron not learn it?",
        because=(
            "w1·x1 + w2·x2 + b adds up to the same over (0, 0) and (1, 1) as over (0, 1) and (1, 0). So it cannot be "
            "positive at one pair and negative at the other. A hidden layer lets the boundary bend."
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
        {_table(outputs): f"One line does it: {_line_of(outputs)}." for outputs in easy},
        prompt="Each row has the outputs for (0, 0), (0, 1), (1, 0), (1, 1). Which row can one neuron not learn?",
        because="Opposite corners are equal, neighbours differ: that is XOR or its opposite, and no line parts them.",
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
    raise AssertionError(outputs)  # every table that one line parts is among these


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
        because="c·(a·x + b) + d = (c·a)·x + (c·b + d): one linear layer. Without an activation, depth adds nothing.",
        steps=[
            f"weight: c·a = {term(c)} · {term(a)} = {number(slope)}",
            f"bias: c·b + d = {number(c * b)} + {term(d)} = {number(bias)}",
        ],
        graph=graph,
        hidden=tuple(graph.inner),
        wrong=[
            Wrong(a + c, "Weights of layers in a row are multiplied, not added up.")
            if asks_slope
            else Wrong(b + d, "The first bias goes through the second layer too: it is multiplied with c."),
            Wrong(bias if asks_slope else slope, f"That is the {'bias' if asks_slope else 'weight'}."),
            Wrong(c * (a + b) if asks_slope else c * (b + d), "Only the first layer goes through c."),
            Wrong(graph.value("y"), "That is y for this x."),
        ],
    )
