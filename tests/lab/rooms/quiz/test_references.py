"""The correct answers of every template, compared with PyTorch, exact fractions or a proof."""

import ast
import itertools
import math
import re
from fractions import Fraction

import pytest
import torch
from closeness import is_close, require_close

from adjoint_lab.rooms.quiz.catalog import TEMPLATES

SEEDS = range(6)

FUNCTIONS = {
    name: getattr(torch, name) for name in ("tanh", "sigmoid", "relu", "exp", "log", "sqrt", "maximum", "sin", "cos")
}
FUNCTIONS["leaky_relu"] = torch.nn.functional.leaky_relu
FUNCTIONS["square"] = torch.square


@pytest.fixture(autouse=True)
def _in_double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def tensor(x):
    return torch.tensor(x, requires_grad=True)


def compute(question, **changes):
    """Return the values of a question's formulas by name, as tensors with gradients; `changes` replaces numbers."""
    values = {name: tensor(x) for name, x in {**question.given, **changes}.items()}
    for line in question.formulas:
        name, _, formula = line.partition(" = ")
        values[name] = eval(formula, FUNCTIONS | values)
        values[name].retain_grad()
    return values


def backward(question, **changes):
    values = compute(question, **changes)
    values[last(question)].backward()
    return values


def last(question):
    return question.formulas[-1].partition(" = ")[0]


def gradient(question, name, **changes):
    return backward(question, **changes)[name].grad.item()


def local(question, node, parent):
    """Return the derivative of one formula for one of its names, with all other names constant."""
    values = {name: x.detach().requires_grad_() for name, x in compute(question).items()}
    formula = next(line.partition(" = ")[2] for line in question.formulas if line.startswith(f"{node} = "))
    (found,) = torch.autograd.grad(eval(formula, FUNCTIONS | values), values[parent])
    return found.item()


def asked_for(question):
    asked = question.target
    if asked.what == "value":
        return compute(question)[asked.node].item()
    if asked.what == "gradient":
        return gradient(question, asked.node)
    part = local(question, asked.node, asked.parent)
    return part if asked.what == "local" else part * gradient(question, asked.node)


# --- numbers: a function of the question returns the correct answer ---


def chosen(question):
    return question.options[question.answer - 1]


def needs(question):
    """Return for each computed name the computed names in its formula."""
    formulas = {name: formula for name, _, formula in (line.partition(" = ") for line in question.formulas)}
    return {
        name: {x for x in re.findall(r"[A-Za-z]\w*", formula) if x in formulas} for name, formula in formulas.items()
    }


def run_steps(optimizer, parameter, gradients):
    for g in gradients:
        parameter.grad = torch.tensor(float(g))
        optimizer.step()
    return parameter.item()


def predicted_change(q):
    return gradient(q, "a") * q.given["h"]


def gap(q):
    x, k, h = (Fraction(str(q.given[name])) for name in "xkh")
    return float(k * (x + h) ** 2 - k * x**2 - 2 * k * x * h)


def second(q):
    values = compute(q)
    (first,) = torch.autograd.grad(values["L"], values["x"], create_graph=True)
    return torch.autograd.grad(first, values["x"])[0].item()


def flat(q):
    require_close(gradient(q, "w", w=q.answer), 0.0, scale=1.0)
    assert gradient(q, "w", w=q.answer + 1) != 0
    return q.answer


def softmax(q):
    words = ["first", "second", "third"]
    label, place = re.search(r"the (\w+) class .* with respect to the (\w+) logit", q.prompt).groups()
    logits = tensor([[math.log(p) for p in q.given["p"]]])
    torch.nn.functional.cross_entropy(logits, torch.tensor([words.index(label)])).backward()
    return logits.grad[0, words.index(place)].item()


def learning(q):
    count = 0
    for x in q.given["x"]:
        b = tensor(q.given["b"])
        torch.relu(q.given["w"] * x + b).backward()
        count += bool(b.grad)
    return count


def sgd(q):
    w = torch.nn.Parameter(torch.tensor(q.given["w"]))
    return run_steps(torch.optim.SGD([w], lr=q.given["lr"]), w, [gradient(q, "w")])


def momentum(q):
    w = torch.nn.Parameter(torch.tensor(q.given["w"]))
    optimizer = torch.optim.SGD([w], lr=q.given["lr"], momentum=q.given["momentum"])
    return run_steps(optimizer, w, [q.given["g1"], q.given["g2"]])


def adam(q):
    w = torch.nn.Parameter(torch.tensor(q.given["w"]))
    return round(run_steps(torch.optim.Adam([w], lr=q.given["lr"]), w, [q.given["g"]]), 6)  # as the question rounds


def bound(q):
    """Check that training converges just below the learning rate and diverges just above it; return the rate."""
    sizes = []
    for rate in (0.98 * q.answer, 1.02 * q.answer):
        w, places = q.given["w"] + 0.5, []
        for _ in range(60):
            w -= rate * gradient(q, "w", w=w)
            places.append(w)
        sizes.append(abs(places[-1] - places[-2]) / abs(places[1] - places[0]))
    assert sizes[0] < 1 < sizes[1]
    return q.answer


def clip(q):
    most = float(re.search(r"norm of (\d+(?:\.\d+)?)", q.prompt)[1])
    parameters = [torch.nn.Parameter(torch.tensor(0.0)) for _ in range(2)]
    for parameter, name in zip(parameters, ("g1", "g2")):
        parameter.grad = torch.tensor(q.given[name])
    torch.nn.utils.clip_grad_norm_(parameters, most)
    return parameters[0].grad.item()


def parameters(q):
    inputs, sizes = re.search(r"MLP\((\d+), (\[.*\])\)", q.prompt).groups()
    widths = [int(inputs), *ast.literal_eval(sizes)]
    layers = [torch.nn.Linear(a, b) for a, b in itertools.pairwise(widths)]
    return sum(p.numel() for p in torch.nn.Sequential(*layers).parameters())


def straight(q):
    at = [compute(q, x=x)["y"].item() for x in (0.0, 1.0)]
    return at[0] if q.prompt.endswith("bias?") else at[1] - at[0]


def old_and_new(q):
    values = {name: tensor(x) for name, x in q.given.items()}
    times = {"twice": 2, "three times": 3}
    if said := re.search("|".join(times), q.prompt):
        for _ in range(times[said[0]]):
            (values["w"] * values["x"]).backward()
        return values["w"].grad.item()
    w, x, y, lr = (values[name] for name in ("w", "x", "y", "lr"))
    for count in range(2):
        ((w * x - y) ** 2).backward()
        if count == 0:
            with torch.no_grad():
                w -= lr * w.grad
    return w.grad.item()


def never_zeroed(q):
    w = tensor(q.given["w"])
    for _ in range({"Two": 2, "Three": 3}[q.prompt.split()[0]]):
        (w * q.given["g"]).backward()
        with torch.no_grad():
            w -= q.given["lr"] * w.grad
    return w.item()


def through_d(q):
    return gradient(q, "d") * q.given["b"]


def twin(q):
    return q.given["a2"] - q.given["lr"] * gradient(q, "a2")


def column(q):
    place = ["first", "second"].index(re.search(r"the (first|second) number", q.prompt)[1])
    b, g = tensor([0.0, 0.0]), torch.tensor(q.given["G"])
    (torch.zeros_like(g) + b).backward(g)
    return b.grad[place].item()


def entry(q):
    i, j = map(int, re.search(r"row (\d), column (\d)", q.prompt).groups())
    w = torch.zeros(2, 2, requires_grad=True)
    (torch.tensor(q.given["X"]) @ w).backward(torch.tensor(q.given["G"]))
    return w.grad[i - 1, j - 1].item()


def mean_squares(q):
    p = tensor(q.given["p"])
    torch.nn.functional.mse_loss(p, torch.tensor(q.given["y"])).backward()
    return p.grad[0].item()


NUMBERS = {
    "nudge": predicted_change, "nudge-gap": gap, "second-derivative": second, "flat-spot": flat,
    "fall-of-loss": lambda q: -q.given["lr"] * gradient(q, "w") ** 2, "softmax-cross-entropy": softmax,
    "off-or-on": learning, "sgd-step": sgd, "momentum-second": momentum, "adam-first": adam, "largest-rate": bound,
    "clip-norm": clip, "count-parameters": parameters, "linear-layers": straight, "not-zeroed": old_and_new,
    "assigned": through_d, "equal-weights": twin, "old-gradients": never_zeroed, "bias-gradient": column,
    "weight-entry": entry, "mean-squared-error": mean_squares,
    "loss-of-guessing": lambda q: torch.nn.functional.cross_entropy(
        torch.zeros(1, int(q.given["n"])), torch.tensor([0])
    ).item(),
}  # fmt: skip


# --- options: a function of the question and an option returns whether the option is correct ---


def sign_says(q, option):
    slope = gradient(q, "a")
    return option == ("L grows" if slope > 0 else "L shrinks")


def lowers_most(q, option):
    """Return whether a small change by this option gives the lowest loss of all options."""
    ways = {"larger": {"w": 1}, "smaller": {"w": -1}, "Leave": {}}

    def loss(text):
        moved = next((way for word, way in ways.items() if word in text), None)
        if moved is None:
            moved = {part.split()[0]: 1 if part.endswith("up") else -1 for part in text.split(", ")}
        return compute(q, **{name: q.given[name] + 1e-4 * way for name, way in moved.items()})["L"].item()

    return loss(option) == min(map(loss, q.options))


def course(q, option):
    w, places = q.given["w"], []
    for _ in range(30):
        places.append(w)
        w -= q.given["lr"] * gradient(q, "w", w=w)
    if places[1] > 0:
        return option == "It converges to 0 from one side" and places[-1] < places[0]
    if is_close(abs(places[-1]), abs(places[0])):
        return "forever" in option
    return option == f"It oscillates and {'converges to 0' if abs(places[-1]) < abs(places[0]) else 'diverges'}"


def weights_with_gradient(q, option):
    values = backward(q)
    found = {name for name in ("a1", "a2", "v1", "v2") if values[name].grad}
    said = {"None of them": set(), "All four": {"a1", "a2", "v1", "v2"}}
    return found == said.get(option, set(re.findall(r"[av]\d", option)))


def symptom(q, option):
    best = float(re.search(r"minimal at (\d+)", q.prompt)[1])
    away = [w - best for w in q.given["w"]]
    if away[0] * away[1] < 0:
        return option == "The learning rate is too large"
    if abs(away[-1]) > abs(away[0]):
        return option.startswith("The step adds")
    return option == ("The learning rate is too small" if abs(away[-1]) > 0.98 * abs(away[0]) else "Nothing is wrong")


def shape(q, option):
    x, w = (torch.zeros(*q.given[name], requires_grad=True) for name in ("X.shape", "W.shape"))
    y = x @ w
    y.sum().backward()
    return ast.literal_eval(option) == tuple((w.grad if "gradient of W" in q.prompt else y).shape)


def matrix_product(q, option):
    x, w, g = (torch.randn(*q.given[f"{name}.shape"], requires_grad=name != "G") for name in "XWG")
    (x @ w).backward(g)
    wanted = (w if q.prompt.endswith("of W?") else x).grad
    left, right = (part.strip() for part in option.split("@"))
    named = {"X": x, "W": w, "G": g, "Xᵀ": x.T, "Wᵀ": w.T, "Gᵀ": g.T}
    try:
        return torch.equal(named[left] @ named[right], wanted)
    except RuntimeError:
        return False


def formula_of_derivative(q, option):
    y_name, name, x_name = re.match(r"(\w) = (\w+)\((\w)\)", q.prompt).groups()
    text = option.translate(str.maketrans({"·": "*", "−": "-", "²": "**2"}))
    for at in (0.3, 0.7, 1.9):
        x = tensor(at)
        y = FUNCTIONS[name](x)
        y.backward()
        found = eval(text, FUNCTIONS | {x_name: x.detach(), y_name: y.detach()})
        if not is_close(float(found), x.grad.item()):
            return False
    return True


def flattest(q, option):
    def slope(text):
        x = tensor(float(text.removeprefix("x = ").replace("−", "-")))
        FUNCTIONS[q.formulas[0].split()[-1].split("(")[0]](x).backward()
        return x.grad.item()

    best = min if "smallest" in q.prompt else max
    return slope(option) == best(map(slope, q.options))


def shape_of_expression(text):
    """Return the tree of an expression: nested tuples of operations and names."""

    def read(node):
        if isinstance(node, ast.BinOp):
            sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Pow: "**"}[type(node.op)]
            return sign, read(node.left), read(node.right)
        if isinstance(node, ast.Call):
            return (node.func.id, *map(read, node.args))
        return node.id if isinstance(node, ast.Name) else float(node.value)

    return read(ast.parse(text, mode="eval").body)


def draws(q, option):
    def read(node):
        return node if isinstance(node, float) else (node.op, *map(read, node.operands)) if node.op else node.name

    return read(q.graph.explanation.root) == shape_of_expression(option)


OPTIONS = {
    "root-gradient": lambda q, option: float(option.replace("−", "-")) == gradient(q, "L"),
    "sign-of-gradient": sign_says, "moves-loss-down": lowers_most, "rate-course": course,
    "zero-weights": weights_with_gradient, "symptoms": symptom, "matmul-shape": shape, "which-product": matrix_product,
    "derivative-formula": formula_of_derivative, "flattest-input": flattest, "which-expression": draws,
    # of the sixteen tables of two inputs, exactly these two are not linearly separable
    "one-neuron-tables": lambda q, option: option in ("0, 1, 1, 0", "1, 0, 0, 1"),
    "xor-one-neuron": lambda q, option: "straight line" in option,
}  # fmt: skip


# --- ideas: part of the correct option, and of no wrong one; what can be computed is also computed below ---

IDEAS = {
    "derivative-meaning": "tiny change", "zero-gradient": "flat in w", "central-differences": "shrinks with h²",
    "step-of-a-check": "nearly all digits", "check-passes": "other sign", "chain-rule-purpose": "To combine",
    "paths-add-up": "along each path, then add", "adjoint-meaning": "∂L/∂v", "why-accumulate": "from each use",
    "constants": "Nothing would use it", "remembered-operands": "follows them", "reflected-product": "An int",
    "rule-of-a-product": "the numbers a and b", "order-guarantee": "after all nodes that use it",
    "too-early": "some parts are missing", "seed-gradient": "∂L/∂L = 1", "visited-set": "come twice",
    "slope-from-result": "y is known", "order-of-a-step": "forward, zero_grad, backward, update",
    "why-subtract": "grows fastest", "why-activation": "are one linear layer", "why-hidden-layer": "No single line",
    "dead-relu-stays": "Its slope is 0", "why-vanishing": "at most 1/4", "why-zero": "adds to them",
    "rate-far-too-large": "the loss can grow", "second-backward": "double", "kept-graph": "at the first weights",
    "equal-weights-harm": "stay equal", "softmax-maximum": "could overflow", "p-minus-y": "too much probability",
    "cross-entropy-meaning": "−log(p): 0", "why-reverse-mode": "One backward pass", "forward-mode-shape": "1 input and",
    "why-unbroadcast": "in every row", "why-arrays-are-fast": "A few nodes", "bigram-frequencies": "relative",
    "causal-mask": "after it", "scaled-scores": "would saturate", "attention-weights": "adds to its result",
}  # fmt: skip
OPTIONS |= {name: lambda q, option, part=part: part in option for name, part in IDEAS.items()}


def test_what_the_ideas_claim_can_be_computed():
    f, df, x = math.exp, math.exp(1.0), 1.0
    central = [abs((f(x + h) - f(x - h)) / (2 * h) - df) for h in (1e-2, 1e-3, 1e-5, 1e-13)]
    one_sided = [abs((f(x + h) - f(x)) / h - df) for h in (1e-2, 1e-3)]
    assert central[0] / central[1] == pytest.approx(100, rel=0.01)
    assert one_sided[0] / one_sided[1] == pytest.approx(10, rel=0.01)
    assert central[3] > 1000 * central[2]  # a step that is too small
    assert int.__mul__(2, object()) is NotImplemented
    logits = tensor([[1000.0, 0.0, -3.0]])
    assert not (logits.exp() / logits.exp().sum()).isfinite().all()
    torch.nn.functional.cross_entropy(logits, torch.tensor([1])).backward()
    require_close(logits.grad, torch.softmax(logits, 1) - torch.tensor([[0.0, 1.0, 0.0]]))
    slopes = torch.linspace(-9, 9, 181).requires_grad_()
    torch.sigmoid(slopes).sum().backward()
    assert slopes.grad.max() == 0.25
    w = tensor(3.0)
    loss = w * w
    loss.backward(retain_graph=True)
    loss.backward()
    assert w.grad == 2 * 6.0
    generator = torch.Generator().manual_seed(0)
    scores = [(torch.randn(4000, d, generator=generator) * torch.randn(4000, d, generator=generator)).sum(1).std()
              for d in (4, 64)]  # fmt: skip
    assert scores[1] / scores[0] == pytest.approx(4, rel=0.1)  # √(64 / 4)


# --- nodes and orders ---


def largest(q, name):
    values = backward(q)
    return abs(values[name].grad) == max(abs(values[leaf].grad) for leaf in q.nodes)


def is_ready(q, name):
    visited = set(re.findall(r"\b[a-zL]\b", re.search(r"has visited (.*)\. Which", q.prompt)[1]))
    return all(user in visited for user, used in needs(q).items() if name in used)


NODES = {"matters-most": largest, "visited-next": is_ready, "dead-relu": lambda q, name: gradient(q, name) == 0}
ORDERS = {"forward-order", "backward-order"}


def questions(name):
    template = TEMPLATES[name]
    levels = range(template.easiest, template.hardest + 1)
    return [template.make(seed, level) for level in levels for seed in SEEDS]


def test_every_template_has_a_reference():
    for name in TEMPLATES:
        question = questions(name)[0]
        named = [name in table for table in (NUMBERS, OPTIONS, NODES, ORDERS)]
        assert any(named) or question.target is not None, name


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_correct_answer_agrees_with_the_reference(name):
    for question in questions(name):
        if question.kind == "number":
            expected = NUMBERS[name](question) if name in NUMBERS else asked_for(question)
            # answers are rounded to ten decimals
            require_close(question.answer, expected, question.id, scale=1.0, condition=100)
        elif question.kind == "choice":
            for i, option in enumerate(question.options, 1):
                assert OPTIONS[name](question, option) == (i == question.answer), (question.id, option)
        elif question.kind == "node":
            for node in question.nodes:
                assert NODES[name](question, node) == question.is_right(node), (question.id, node)
        else:
            used = needs(question)
            for order in itertools.permutations(question.nodes):
                places = {node: i for i, node in enumerate(order if name == "forward-order" else order[::-1])}
                possible = all(places[x] < places[node] for node in used for x in used[node])
                assert question.is_right([*order]) == possible, (question.id, order)
