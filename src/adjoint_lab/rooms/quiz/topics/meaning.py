"""Questions on what a gradient says: signs, nudges, what matters most, formulas of derivatives."""

import re
from random import Random

from adjoint import ops
from adjoint.see import as_mathematics, local_derivative, number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, join_names, term
from adjoint_lab.rooms.quiz.mixups import gradient_question
from adjoint_lab.rooms.quiz.questions import NodeQuestion, NumberQuestion, Question, Wrong, choice
from adjoint_lab.rooms.quiz.templates import Subject, numbers

MEANING = Subject("meaning", "The meaning of a gradient")

_UP, _DOWN, _FLAT = "L grows", "L shrinks", "L stays the same"


@MEANING("sign-of-gradient", 1, 3)
def sign_of_gradient(rng: Random, level: int) -> Question:
    if level == 1:
        a, b = numbers(rng, 2, 2, 9)
        graph = QuestionGraph("L = a*b", a=a, b=b)
    else:
        a, b, c = numbers(rng, 3, level, 9)
        graph = QuestionGraph("d = a*b", "L = d*c" if level == 2 else "L = c - d", a=a, b=b, c=c)
    slope = graph.gradient("a")
    right, sign = (_UP, "positive") if slope > 0 else (_DOWN, "negative")
    by_value = _UP if a > 0 else _DOWN
    wrong = {
        _UP if slope < 0 else _DOWN: (
            "The sign of a itself does not decide; the sign of its gradient does."
            if by_value != right
            else "The product of the local derivatives from L to a determines the sign."
        ),
        _FLAT: "L would stay the same only if the gradient of a were 0.",
    }
    return choice(
        rng,
        right,
        wrong,
        prompt="a grows by a tiny amount. What happens to L?",
        because=f"∂L/∂a = {number(slope)} is {sign}: L changes in the {'same' if slope > 0 else 'opposite'} direction.",
        steps=graph.steps_to("a"),
        graph=graph,
    )


@MEANING("nudge", 1, 3)
def nudge(rng: Random, level: int) -> Question:
    a, b, c = numbers(rng, 3, level)
    h = rng.choice([0.1, 0.01, 0.2] if level < 3 else [0.1, -0.1, 0.01, -0.01])
    graph = QuestionGraph("d = a*b", "L = d + c" if level < 3 else "L = d*c", a=a, b=b, c=c)
    slope = graph.gradient("a")
    return NumberQuestion(
        prompt=f"a changes by h = {number(h)}. Which change of L does the gradient predict?",
        answer=slope * h,
        because="A gradient is the change of L per unit of change in a. Multiply it by the change.",
        steps=[*graph.steps_to("a"), f"∂L/∂a · h = {number(slope)} · {number(h)} = {number(slope * h)}"],
        graph=graph,
        given={"h": h},
        wrong=[
            Wrong(slope, "That is the gradient itself, the change of L for a change of 1. Multiply it by h."),
            Wrong(h, "That is the change of a. Multiply it by the gradient."),
            Wrong(-slope * h, "The absolute value is correct, but the sign is not."),
            Wrong(
                graph.value("L") + slope * h,
                "That is approximately the new value of L. The question asks for the change.",
            ),
            Wrong(a * h, "Multiply h by the gradient, not by the value of a."),
        ],
    )


@MEANING("nudge-gap", 4, 5)
def nudge_gap(rng: Random, level: int) -> Question:
    x, k = float(rng.randint(1, 6)), float(rng.choice([1, 2, 3, 4, 5, -1, -2]))
    h = rng.choice([0.1, 0.2, 0.5, -0.1, -0.5])
    graph = QuestionGraph("p = x**2", "L = p*k", x=x, k=k)
    predicted = graph.gradient("x") * h
    real = QuestionGraph("p = x**2", "L = p*k", x=x + h, k=k).value("L") - graph.value("L")
    gap = round(real - predicted, 12)
    return NumberQuestion(
        prompt=f"x changes by h = {number(h)}. How much larger is the actual change of L than the predicted one?",
        answer=gap,
        because=(
            "k·(x + h)² is k·x² + 2·k·x·h + k·h². The gradient predicts the term with h; the remainder is k·h², "
            "which shrinks faster than h."
        ),
        steps=[
            f"predicted: ∂L/∂x · h = {number(graph.gradient('x'))} · {number(h)} = {number(predicted)}",
            f"actual: {number(graph.value('L') + real)} − {term(graph.value('L'))} = {number(real)}",
            f"actual − predicted = {number(gap)} = k·h²",
        ],
        graph=graph,
        given={"h": h},
        wrong=[
            Wrong(0.0, "That is true for straight lines. L is curved, so the prediction has a small error."),
            Wrong(-gap, "That is predicted − actual; the question asks for actual − predicted."),
            Wrong(predicted, "That is the predicted change itself."),
            Wrong(real, "That is the actual change itself."),
            Wrong(h * h, "The factor k is missing: L is k times the square."),
        ],
    )


@MEANING("matters-most", 2, 4)
def matters_most(rng: Random, level: int) -> Question:
    while True:
        a, b, c, f = numbers(rng, 4, level, 8)
        lines = ["d = a*b", "L = d + c"] if level == 2 else ["d = a*b", "e = c*f", "L = d + e"]
        if level == 4:
            lines = ["d = a*b", "e = d + c", "L = e*f"]
        graph = QuestionGraph(*lines, a=a, b=b, c=c, f=f)
        sizes = {name: abs(graph.gradient(name)) for name in graph.leaves}
        most = max(sizes, key=lambda name: sizes[name])
        largest = max(graph.leaves, key=lambda name: abs(graph.value(name)))
        if sorted(sizes.values())[-2] < sizes[most] and largest != most:
            break
    gradients = join_names([f"∂L/∂{name} = {number(graph.gradient(name))}" for name in graph.leaves])
    wrong = [
        Wrong(
            name,
            f"{name} has the largest value, but the gradient decides: its gradient is "
            f"{number(graph.gradient(name))}, and that of {most} is {number(graph.gradient(most))}."
            if name == largest
            else f"The gradient of {name} is {number(graph.gradient(name))}; the gradient of {most} has a "
            f"larger absolute value.",
        )
        for name in graph.leaves
        if name != most
    ]
    return NodeQuestion(
        prompt="Each input may change by the same tiny amount. Which one changes L most, in either direction?",
        nodes=graph.leaves,
        answers=[most],
        because=f"The absolute value of the gradient decides, not the value of the input: {gradients}.",
        steps=graph.steps_to(most),
        graph=graph,
        wrong=wrong,
    )


# Usual wrong derivatives of a function y of x, and what each mixes up.
_TAKEN_FOR = {
    "tanh": {
        "1 − y": "It is 1 − y²: the square makes the slope the same for y and −y.",
        "y·(1 − y)": "That is the derivative of sigmoid.",
        "1 − x²": "The formula uses the result y, not x.",
        "y": "That is the function itself; exp has that derivative.",
    },
    "sigmoid": {
        "1 − y²": "That is the derivative of tanh.",
        "y": "That is the function itself; exp has that derivative.",
        "x·(1 − x)": "The formula uses the result y, not x.",
        "1 − y": "The factor y is missing.",
    },
    "exp": {
        "x·y": "There is no factor x: exp is its own derivative.",
        "1/x": "That is the derivative of log.",
        "1": "That is the derivative of x itself.",
        "x": "exp is its own derivative: the result y.",
    },
    "log": {
        "y": "That is the derivative of exp.",
        "1/y": "The denominator is the operand x, not the result y.",
        "−1/x²": "That is the derivative of 1/x.",
        "x": "It is 1/x: the slope of log decreases as x grows.",
    },
    "sqrt": {
        "0.5/x": "The denominator is the root, not x.",
        "2·y": "That is the derivative of a square, taken at y.",
        "1/y": "The factor 0.5 is missing.",
        "0.5·y": "The root is in the denominator: the slope decreases as x grows.",
    },
    "square": {
        "x": "The factor 2 of the power rule is missing.",
        "x²": "That is the function itself.",
        "2·y": "The exponent decreases by one, to x.",
        "2": "That is the second derivative.",
    },
    "sin": {
        "−cos(x)": "The minus sign belongs to the derivative of cos.",
        "−sin(x)": "That is the derivative of cos.",
        "y": "That is the function itself; exp has that derivative.",
        "1 − y²": "That is the derivative of tanh; here it is the square of the correct one.",
    },
    "cos": {
        "sin(x)": "The minus sign is missing: cos decreases where sin is positive.",
        "cos(x)": "That is the function itself.",
        "−y": "That is the second derivative.",
        "1 − y²": "That is the derivative of tanh.",
    },
}


@MEANING("derivative-formula", 1, 3)
def derivative_formula(rng: Random, level: int) -> Question:
    fit = {1: ["square", "exp", "log", "sqrt"], 2: [*_TAKEN_FOR], 3: ["tanh", "sigmoid", "cos", "sin"]}
    name = rng.choice(fit[level])
    x, y = rng.choice([("x", "y"), ("u", "t"), ("n", "h"), ("z", "s"), ("p", "q"), ("a", "b"), ("v", "r")])
    right = as_mathematics(local_derivative(ops.TABLE[name], 0, y, [x]))
    taken_for = _TAKEN_FOR[name]
    wrong = {_rename(text, x, y): _rename(taken_for[text], x, y) for text in rng.sample([*taken_for], 3)}
    return choice(
        rng,
        right,
        wrong,
        prompt=f"{y} = {name}({x}). Which is the local derivative, ∂{y}/∂{x}?",
        because=f"That is the rule of {name}: ∂{y}/∂{x} = {right}.",
        formulas=[f"{y} = {name}({x})"],
    )


def _rename(text: str, x: str, y: str) -> str:
    """Return a text with other names for x and y."""
    return re.sub(r"\b[xy](?=\b|²)", lambda found: x if found[0] == "x" else y, text)


@MEANING("flat-spot", 2, 4)
def flat_spot(rng: Random, level: int) -> Question:
    x = float(rng.choice([2, 4, 5, -2] if level > 2 else [1, 2, 3, 4, 5]))
    best = float(rng.choice([-3, -2, 2, 3, 4, 5])) if level < 4 else rng.choice([0.5, 1.5, -0.5, 2.5])
    y, w = x * best, float(rng.choice([-1, 1, 6]))
    graph = QuestionGraph("p = w*x", "d = p - y", "L = d**2", w=w, x=x, y=y)
    there = QuestionGraph("p = w*x", "d = p - y", "L = d**2", w=best, x=x, y=y)
    return NumberQuestion(
        prompt="For which w would the gradient of w be zero?",
        answer=best,
        because="The gradient is 2·d·x. It is 0 where d is 0, that is, where the prediction w·x equals the target y.",
        steps=[f"w = y / x = {number(y)} / {term(x)} = {number(best)}", *there.steps_to("w")],
        graph=graph,
        wrong=[
            Wrong(0.0, "At w = 0 the prediction is 0, not the target."),
            Wrong(y, "That is the target. w·x must equal it, not w."),
            Wrong(-best, "The absolute value is correct, but the sign is not."),
            Wrong(w, "That is where w is now; its gradient there is " + number(graph.gradient("w")) + "."),
        ],
    )


@MEANING("fall-of-loss", 4, 5)
def fall_of_loss(rng: Random, level: int) -> Question:
    w, x, lr = float(rng.randint(1, 5)), float(rng.choice([1, 2, -1, -2])), rng.choice([0.001, 0.01])
    y = w * x + rng.choice([-4, -3, -2, -1, 1, 2, 3, 4])
    graph = QuestionGraph("p = w*x", "d = p - y", "L = d**2", w=w, x=x, y=y)
    g = graph.gradient("w")
    return NumberQuestion(
        prompt=f"A step of gradient descent on w with lr = {number(lr)}. Which change of L does the gradient predict?",
        answer=-lr * g * g,
        because="The step changes w by −lr·gradient, and L changes by the gradient times that: −lr·gradient².",
        steps=[
            *graph.steps_to("w"),
            f"w changes by −lr · w.grad = −{number(lr)} · {term(g)} = {number(-lr * g)}",
            f"L changes by w.grad · {term(-lr * g)} = {number(-lr * g * g)}",
        ],
        graph=graph,
        given={"lr": lr},
        wrong=[
            Wrong(-lr * g, "That is the change of w. Multiply it by the gradient."),
            Wrong(lr * g * g, "A step of gradient descent decreases the loss."),
            Wrong(lr * g, "That has the size of the change of w. Multiply it by the gradient."),
            Wrong(-g * g, "The learning rate is missing."),
        ],
    )


@MEANING("no-influence", 2, 3)
def no_influence(rng: Random, level: int) -> Question:
    a, b, c = numbers(rng, 3, level, 9)
    kind = rng.choice(["zero", "power", "cancels"])
    if kind == "zero":
        name, graph = "a", QuestionGraph("d = a*z", "L = d + c" if level == 2 else "L = d*c", a=a, z=0.0, c=c)
        why = "the other factor of the product is 0"
    elif kind == "power":
        name, graph = "z", QuestionGraph("d = z**2", "e = d + a", "L = e*c", z=0.0, a=a, c=c)
        why = "a square is flat at 0"
    else:
        name, graph = "a", QuestionGraph("d = a + b", "e = d - a", "L = e*c", a=a, b=b, c=c)
        why = "the contributions of the two paths cancel"
    because = f"The gradient is 0, because {why}. A tiny change of {name} does not change L."
    return gradient_question(graph, name, because)
