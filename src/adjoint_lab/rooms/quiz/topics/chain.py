"""Questions on the chain rule: gradients through products, sums, powers, quotients, and values used twice."""

import math
from random import Random

from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph
from adjoint_lab.rooms.quiz.mixups import gradient_question
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Question, Wrong
from adjoint_lab.rooms.quiz.templates import Subject, numbers

CHAIN = Subject("chain", "The chain rule")
_RAISED = ("", "", "²", "³", "⁴")


@CHAIN("chain-product", 1, 2)
def product(rng: Random, level: int) -> Question:
    if level == 1:
        a, b = numbers(rng, 2, level)
        graph = QuestionGraph("L = a*b", a=a, b=b)
        name = rng.choice("ab")
        because = "If one factor of a product grows by 1, the product grows by the other factor."
        wrong = [Wrong(1.0, "That is how a sum passes the gradient on. A product multiplies it by the other factor.")]
        return gradient_question(graph, name, because, wrong=wrong)
    a, b, c = numbers(rng, 3, level, 6)
    graph = QuestionGraph("d = a*b", "L = d*c", a=a, b=b, c=c)
    because = "Each product multiplies the gradient by the other factor: first by c, then by the other factor of d."
    return gradient_question(graph, rng.choice("ab"), because)


@CHAIN("chain-sum-product", 1, 3)
def sum_and_product(rng: Random, level: int) -> Question:
    a, b, c, f = numbers(rng, 4, level, 6)
    lines = ["d = a*b", "e = d + c", "L = e*f"] if rng.random() < 0.5 else ["d = a + b", "e = d*c", "L = e*f"]
    graph = QuestionGraph(*lines, a=a, b=b, c=c, f=f)
    name = rng.choice("abc" if level > 1 else "ce" if lines[0] == "d = a*b" else "ad")
    because = (
        "A sum passes the gradient on unchanged; a product multiplies it by the other factor. "
        "Multiply these factors along the path from L to the node."
    )
    return gradient_question(graph, name, because)


@CHAIN("chain-square", 2, 4)
def square(rng: Random, level: int) -> Question:
    a, b, c = numbers(rng, 3, level, 5)
    if a * b + c == 0:
        c += 1
    lines = ["d = a*b", "e = d + c", "L = e**2"] if level < 4 else ["d = a*b", "e = d - c", "L = e**2"]
    graph = QuestionGraph(*lines, a=a, b=b, c=c)
    if graph.value("e") == 0:
        graph = QuestionGraph(*lines, a=a, b=b, c=c + 1)
    because = (
        f"The square has the local derivative 2·e = {number(2 * graph.value('e'))}. The gradient of e is "
        f"this number, and it is passed on from there."
    )
    return gradient_question(graph, rng.choice("ab" if level > 2 else "abc"), because)


@CHAIN("chain-power", 1, 3)
def power(rng: Random, level: int) -> Question:
    exponent = rng.choice([2, 3] if level == 1 else [2, 3, 4])
    x = float(rng.choice([2, 3, 4, 5, 10] if level == 1 else [-3, -2, -1, 2, 3, 10]))
    because = f"The power rule: the derivative of x{_RAISED[exponent]} is {_power(exponent, exponent - 1)}."
    forgotten = "The exponent goes down by one: xⁿ has the derivative n·xⁿ⁻¹."
    if level == 1:
        k = float(rng.randint(2, 9))
        graph = QuestionGraph(f"p = x**{exponent}", "L = p + k", x=x, k=k)
        return gradient_question(graph, "x", because, wrong=[Wrong(exponent * x**exponent, forgotten)])
    (k,) = numbers(rng, 1, level)
    graph = QuestionGraph(f"p = x**{exponent}", "L = p*k", x=x, k=k)
    return gradient_question(graph, "x", because, wrong=[Wrong(k * exponent * x**exponent, forgotten)])


@CHAIN("chain-division", 2, 4)
def division(rng: Random, level: int) -> Question:
    b = float(rng.choice([2, 4, 5, 10]) * (rng.choice([1, -1]) if level > 2 else 1))
    a = b * rng.choice([2, 3, 4, 6])
    name = "b" if level > 2 else rng.choice("ab")
    (k,) = numbers(rng, 1, level)
    graph = QuestionGraph("q = a/b", "L = q*k" if level > 2 else "L = q + k", a=a, b=b, k=k)
    because = "The local derivative for the numerator is 1/b, and for the denominator −q/b, which equals −a/b²."
    return gradient_question(graph, name, because)


@CHAIN("chain-log", 3, 4)
def logarithm(rng: Random, level: int) -> Question:
    a = float(rng.choice([2, 4, 5, 8, 10]))
    b, k = numbers(rng, 2, 1, 9)
    graph = QuestionGraph("p = a*b", "y = log(p)", "L = y*k", a=a, b=b, k=k)
    because = (
        "The derivative of log(p) is 1/p. Here b cancels: log(a·b) has the same derivative with "
        "respect to a as log(a), which is 1/a."
    )
    wrong = [
        Wrong(
            k / (a * b), "That is the gradient of p; it still has to pass through p = a * b, which multiplies it by b."
        ),
        Wrong(k * math.log(a * b) * b, "The local derivative of log(p) is 1/p, not log(p) itself."),
    ]
    return gradient_question(graph, "a", because, wrong=wrong)


@CHAIN("chain-exp", 3, 4)
def exponential(rng: Random, level: int) -> Question:
    growth = rng.choice([2, 3, 4, 5, 10])
    b, k = numbers(rng, 2, level, 6)
    a = round(math.log(growth) / b, 5)
    graph = QuestionGraph("u = a*b", "y = exp(u)", "L = y*k", a=a, b=b, k=k)
    because = (
        f"exp is its own derivative: y multiplies the incoming gradient by y itself, {growth}. The "
        f"product then multiplies it by b."
    )
    wrong = [
        Wrong(
            k * growth, "That is the gradient of u; it still has to pass through u = a * b, which multiplies it by b."
        ),
        Wrong(k * b, "The derivative of exp(u) is missing. It is exp(u) itself, which is y."),
    ]
    prompt = f"exp(u) is {growth} here, rounded. What is the gradient of a, ∂L/∂a?"
    return gradient_question(graph, "a", because, prompt=prompt, wrong=wrong, decimals=1)


@CHAIN("chain-root", 3, 4)
def root(rng: Random, level: int) -> Question:
    r = rng.choice([2, 4, 5, 8, 10])
    a = float(rng.choice([x for x in (1, 2, 4, 5, 10) if r * r % x == 0]))
    k = float(rng.choice([2, 4, 6, 10, 20]) * (rng.choice([1, -1]) if level > 3 else 1))
    graph = QuestionGraph("p = a*b", "y = sqrt(p)", "L = y*k", a=a, b=r * r / a, k=k)
    because = (
        f"The derivative of a square root is 1/(2·root): 1/(2·{r}) here. The larger the root, the smaller the slope."
    )
    wrong = [Wrong(graph.gradient("a") * 2, "The factor 1/2 is missing: the derivative of √p is 1/(2·√p).")]
    return gradient_question(graph, "a", because, wrong=wrong)


@CHAIN("chain-deep", 3, 5)
def deep(rng: Random, level: int) -> Question:
    """A chain of four to six links, each a product, a sum, a difference or a square."""
    given, lines, last = {"x": float(rng.choice([1, 2, 3]))}, [], "x"
    links = ["*", "+", "*", "-"] + (["*"] if level > 3 else []) + (["**"] if level > 4 else [])
    rng.shuffle(links)
    for i, link in enumerate(links):
        name = "L" if i == len(links) - 1 else f"v{i + 1}"
        if link == "**":
            lines.append(f"{name} = {last}**2")
        else:
            other = "abcdef"[i]
            given[other] = float(rng.choice([2, 3, -2] if link == "*" else [1, 2, 3]))
            lines.append(f"{name} = {last} {link} {other}")
        last = name
    graph = QuestionGraph(*lines, **given)
    because = (
        "Along a chain, multiply the local derivatives. Sums and differences contribute 1 here, products a factor."
    )
    wrong = [
        Wrong(
            sum(step.local or 0.0 for step in graph.edges if step.parent.name in graph.depends("x")),
            "Local derivatives along a chain are multiplied, not added.",
        )
    ]
    return gradient_question(graph, "x", because, wrong=wrong)


@CHAIN("used-twice", 1, 3)
def used_twice(rng: Random, level: int) -> Question:
    a, b, c = numbers(rng, 3, level)
    if level == 1:
        lines = rng.choice([["d = a + b", "L = d + a"], ["d = a*b", "L = d + a"]])
    elif level == 2:
        lines = rng.choice([["d = a*b", "L = d + a"], ["d = a*b", "e = a*c", "L = d + e"], ["d = a + b", "L = d*a"]])
    else:
        lines = rng.choice([["d = a*b", "e = a*c", "L = d*e"], ["d = a*b", "e = a + c", "L = d*e"]])
    graph = QuestionGraph(*lines, a=a, b=b, c=c)
    because = "a is used in two places, and both affect the result. Their contributions add up."
    return gradient_question(graph, "a", because)


@CHAIN("self-product", 1, 2)
def self_product(rng: Random, level: int) -> Question:
    a, b = numbers(rng, 2, level, 9)
    if level == 1:
        graph = QuestionGraph("d = a + a", "L = d*b", a=a, b=b)
    else:
        graph = QuestionGraph("d = a*a", "L = d + b" if rng.random() < 0.5 else "L = d*b", a=a, b=b)
    because = "a is an operand of d twice, so d sends it two contributions. They add up."
    return gradient_question(graph, "a", because)


@CHAIN("diamond", 3, 5)
def diamond(rng: Random, level: int) -> Question:
    a, b = numbers(rng, 2, level, 5)
    lines = rng.choice([["u = a*b", "v = a + b"], ["u = a + b", "v = a - b"], ["u = a*a", "v = a*b"]])
    lines = [*lines, *(["L = u*v"] if level < 5 else ["w = u*v", "L = w + a"])]
    graph = QuestionGraph(*lines, a=a, b=b)
    because = "Several paths lead from L to a. Each path is a chain, and their contributions add up."
    return gradient_question(graph, "a", because)


@CHAIN("second-derivative", 4, 5)
def second_derivative(rng: Random, level: int) -> Question:
    exponent = rng.choice([2, 3]) if level == 4 else rng.choice([3, 4])
    x, k = float(rng.choice([1, 2, 3, -1, -2])), float(rng.choice([2, 3, 4, 5, 6, -2, -3]))
    graph = QuestionGraph(f"p = x**{exponent}", "L = k*p", x=x, k=k)
    point = graph.values["x"]
    graph.root.backward(create_graph=True)
    slope = point.grad
    point.zero_grad()
    slope.backward()
    second = float(point.grad)
    once, twice = _power(exponent * k, exponent - 1), _power(exponent * (exponent - 1) * k, exponent - 2)
    return NumberQuestion(
        prompt="What is the second derivative of L with respect to x, ∂²L/∂x²?",
        answer=second,
        because="The gradient is itself a function of x. Differentiate it once more.",
        steps=[
            f"L = {_power(k, exponent)}",
            f"∂L/∂x = {once} = {number(slope.data)} at x = {number(x)}",
            f"∂²L/∂x² = {twice}{'' if exponent == 2 else f' = {number(second)}'} at x = {number(x)}",
        ],
        graph=graph,
        wrong=[
            Wrong(slope.data, "That is the first derivative; differentiate it once more."),
            Wrong(slope.data**2, "The second derivative is the derivative of the first, not its square."),
            Wrong(-second, "The absolute value is correct, but the sign is not."),
            Wrong(second / k, "The factor k stays in front of every derivative."),
        ],
    )


def _power(factor: float, exponent: int) -> str:
    """Return a factor times a power of x in mathematical notation."""
    return number(factor) + (f"·x{_RAISED[exponent]}" if exponent else "")
