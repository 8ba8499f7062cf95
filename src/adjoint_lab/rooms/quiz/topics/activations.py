"""Questions on activations and losses: kinks, slopes, saturation, dead units, margins, softmax."""

import math
from random import Random

from adjoint import Value
from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph
from adjoint_lab.rooms.quiz.mixups import gradient_question
from adjoint_lab.rooms.quiz.questions import NodeQuestion, NumberQuestion, Question, Wrong, choice
from adjoint_lab.rooms.quiz.templates import Subject, numbers

ACTIVATIONS = Subject("activations", "Activations and losses")


@ACTIVATIONS("relu-sides", 1, 3)
def relu_sides(rng: Random, level: int) -> Question:
    a, b, k = numbers(rng, 3, 1)
    if level == 1:
        x = float(rng.choice([a, -a]))
        graph, name = QuestionGraph("h = relu(x)", "L = h*k", x=x, k=k), "x"
        inside = x
    else:
        c = -a * b + rng.choice([-3, -2, -1, 1, 2, 3]) if level == 3 else rng.choice([-1, 1]) * 5 * a * b
        graph, name = QuestionGraph("p = a*b", "n = p + c", "h = relu(n)", "L = h*k", a=a, b=b, c=float(c), k=k), "a"
        inside = graph.value("n")
    because = (
        f"The input of relu is {number(inside)}, which is positive, so it passes the gradient on unchanged."
        if inside > 0
        else f"The input of relu is {number(inside)}, which is not positive, so it passes no gradient on."
    )
    wrong = [
        Wrong(k * (b if level > 1 else 1), "relu is inactive here: its input is negative, so it passes no gradient on.")
    ]
    return gradient_question(graph, name, because, wrong=wrong)


@ACTIVATIONS("leaky-relu", 2, 3)
def leaky(rng: Random, level: int) -> Question:
    x, k = numbers(rng, 2, 1, 9)
    slope, x = rng.choice([0.1, 0.2, 0.01]), x if rng.random() < 0.3 else -x
    k = -k if level > 2 and rng.random() < 0.5 else k
    graph = QuestionGraph(f"h = leaky_relu(x, {slope})", "L = h*k", x=x, k=k)
    because = f"A leaky relu has slope 1 for positive inputs and {number(slope)} for negative inputs."
    wrong = [
        Wrong(0.0 if x < 0 else k * slope, "relu would pass no gradient on; a leaky relu passes a little on.")
        if x < 0
        else Wrong(k * slope, f"{number(slope)} is the slope on the negative side; here the input is positive."),
        Wrong(k, "That is the gradient for a positive input; here the input is negative."),
        Wrong(k * slope * x, "The slope is constant there and does not depend on the input."),
    ]
    return gradient_question(graph, "x", because, wrong=wrong)


@ACTIVATIONS("maximum-sides", 2, 4)
def maximum_sides(rng: Random, level: int) -> Question:
    a, b, k = numbers(rng, 3, level, 9)
    if level == 4 and rng.random() < 0.5:
        b = a
    graph = QuestionGraph("m = maximum(a, b)", "L = m*k", a=a, b=b, k=k)
    if a == b:
        because = "At a tie, maximum splits its gradient: each operand receives half. PyTorch does the same."
        wrong = [
            Wrong(k, "Both operands are the maximum here, so they share the gradient."),
            Wrong(0.0, "At a tie, each operand receives half."),
        ]
    else:
        because = (
            f"Only the larger one, {'a' if a > b else 'b'}, determines m. A tiny change of the other has no effect."
        )
        wrong = [
            Wrong(k, "a is smaller, so m does not change with it."),
            Wrong(k / 2, "The gradient is split only at a tie. Here all of it goes to the larger operand."),
            Wrong(0.0, "a is larger, so m changes exactly as a does."),
        ]
    return gradient_question(graph, "a", because, wrong=wrong)


@ACTIVATIONS("tanh-slope", 2, 4)
def tanh_slope(rng: Random, level: int) -> Question:
    t, k = rng.choice([0.5, 0.6, 0.8, 0.9, -0.5, -0.8]), float(rng.choice([1, 2, 3, 4, 5, -2]))
    n = round(math.atanh(t), 4)
    because = f"The slope of tanh is 1 − out², computed from its result: 1 − {number(abs(t))}² = {number(1 - t * t)}."
    slips = [
        Wrong(k * (1 - abs(t)), "The result is squared: the slope is 1 − out²."),
        Wrong(k * t * (1 - t), "That is the slope of sigmoid. The slope of tanh is 1 − out²."),
        Wrong(k * t, "That is the output times k. The slope is 1 − out²."),
    ]
    if level < 4:
        graph = QuestionGraph("out = tanh(n)", "L = out*k", n=n, k=k)
        prompt = f"tanh(n) is {number(t)} here, rounded. What is the gradient of n, ∂L/∂n?"
        return gradient_question(graph, "n", because, prompt=prompt, wrong=slips, decimals=2)
    w = float(rng.choice([2, 4, 5]))
    x = round(n / w, 5)
    graph = QuestionGraph("n = w*x", "out = tanh(n)", "L = out*k", w=w, x=x, k=k)
    slips = [Wrong(wrong.answer * w, wrong.confusion) for wrong in slips]
    prompt = f"tanh(n) is {number(t)} here, rounded. What is the gradient of x, ∂L/∂x?"
    return gradient_question(
        graph, "x", f"{because} The product then multiplies it by w.", prompt=prompt, wrong=slips, decimals=2
    )


@ACTIVATIONS("sigmoid-slope", 2, 4)
def sigmoid_slope(rng: Random, level: int) -> Question:
    s, k = rng.choice([0.5, 0.8, 0.2, 0.9, 0.6]), float(rng.choice([1, 2, 4, 5, 10, -2, -10]))
    n = round(math.log(s / (1 - s)), 4)
    graph = QuestionGraph("s = sigmoid(n)", "L = s*k", n=n, k=k)
    if level == 4:
        graph = QuestionGraph(
            "s = sigmoid(n)", "d = s - y", "e = d**2", "L = e*k", n=n, y=float(rng.choice([0, 1])), k=k
        )
    because = f"The slope of sigmoid is s·(1 − s): {number(s)} · {number(1 - s)} = {number(s * (1 - s))}."
    incoming = graph.gradient("s")
    wrong = [
        Wrong(incoming * (1 - s * s), "That is the slope of tanh. The slope of sigmoid is s·(1 − s)."),
        Wrong(incoming * s, "The factor 1 − s is missing."),
        Wrong(incoming * (1 - s), "The factor s is missing."),
    ]
    prompt = f"sigmoid(n) is {number(s)} here, rounded. What is the gradient of n, ∂L/∂n?"
    return gradient_question(graph, "n", because, prompt=prompt, wrong=wrong, decimals=2)


@ACTIVATIONS("vanishing-chain", 3, 5)
def vanishing_chain(rng: Random, level: int) -> Question:
    """Sigmoids in a row, each at its steepest: the gradient still shrinks to a quarter at every one."""
    count, k = level - 1, float(rng.randint(1, 64) * (4 if level == 5 else 1))
    lines, last = [], "x"
    for i in range(1, count + 1):
        lines.append(f"s{i} = sigmoid({last})")
        if i < count:
            lines.append(f"z{i} = s{i} - 0.5")
            last = f"z{i}"
    graph = QuestionGraph(*lines, f"L = s{count}*k", x=0.0, k=k)
    because = (
        f"Every sigmoid here is at 0.5, where it is steepest: 0.5 · (1 − 0.5) = 1/4. {count} in a row leave "
        f"(1/4)^{count} = 1/{4**count} of the gradient. This is why gradients vanish in deep networks."
    )
    wrong = [
        Wrong(k / 4, f"One sigmoid leaves a quarter of the gradient; here there are {count}."),
        Wrong(k * 0.5**count, "Their value is 0.5, but their slope is 0.5 · (1 − 0.5) = 1/4."),
        Wrong(k / (4 * count), "Slopes along a chain are multiplied, not added."),
        Wrong(0.25**count, "The factor k is missing."),
    ]
    prompt = "Every sigmoid in this chain outputs 0.5. What is the gradient of x, ∂L/∂x?"
    return gradient_question(graph, "x", because, prompt=prompt, wrong=wrong)


@ACTIVATIONS("flattest-input", 2, 3)
def flattest_input(rng: Random, level: int) -> Question:
    name = rng.choice(["tanh", "sigmoid"])
    near = [rng.choice([-1, 1]) * x for x in rng.sample([0.0, 0.1, 0.2, 0.5, 1.0, 1.5], 3)]
    far = rng.choice([-1, 1]) * float(rng.randint(4, 9))
    inputs = [x + 0.0 for x in (*near, far)]
    slopes = {x: QuestionGraph(f"y = {name}(x)", x=x).gradient("x") for x in inputs}
    order = sorted(inputs, key=lambda x: slopes[x])
    asks_least = level == 2 or rng.random() < 0.5
    least, right = order[0], order[0] if asks_least else order[-1]
    wrong = {
        f"x = {number(x)}": f"The slope there is {number(round(slopes[x], 4))}; at x = {number(right)} it is "
        f"{number(round(slopes[right], 4))}."
        for x in inputs
        if x != right
    }
    return choice(
        rng,
        f"x = {number(right)}",
        wrong,
        prompt=f"At which of these inputs does {name}(x) have the {'smallest' if asks_least else 'largest'} slope?",
        because=f"{name} is steepest at 0 and flat far from it: at x = {number(least)} it is saturated, and a neuron "
        "there learns very slowly.",
        steps=[f"slope at x = {number(x)}: {number(round(slopes[x], 6))}" for x in sorted(inputs)],
        formulas=[f"y = {name}(x)"],
    )


@ACTIVATIONS("dead-relu", 3, 5)
def dead_relu(rng: Random, level: int) -> Question:
    """Two or three neurons; one weight receives no gradient, because its relu is inactive."""
    count = 2 if level == 3 else 3
    sizes = rng.sample(range(1, 8), count)
    off = rng.randrange(count)
    x = float(rng.choice([1, 2, 3]) * rng.choice([1, -1]))
    given = {f"w{i + 1}": float(math.copysign(size, -x if i == off else x)) for i, size in enumerate(sizes)}
    lines = [f"n{i} = w{i}*x" for i in range(1, count + 1)] + [f"h{i} = relu(n{i})" for i in range(1, count + 1)]
    lines += ["L = h1 + h2"] if count == 2 else ["s = h1 + h2", "L = s + h3"]
    graph = QuestionGraph(*lines, x=x, **given)
    dead = f"w{off + 1}"
    wrong = []
    for name, w in given.items():
        n = f"n{name[1]}"
        on = f"{n} = {number(graph.value(n))} is positive, so its relu passes the gradient on."
        if name != dead:
            wrong.append(Wrong(name, f"The sign of the weight alone does not decide. {on}" if w < 0 else on))
    return NodeQuestion(
        prompt="Which weight has the gradient 0?",
        nodes=[*given],
        answers=[dead],
        because=f"n{off + 1} is negative, so its relu passes no gradient on. For this x, {dead} does not learn.",
        steps=[*graph.forward_steps(f"n{off + 1}", f"h{off + 1}"), *graph.steps_to(dead)[-2:]],
        graph=graph,
        wrong=wrong,
    )


@ACTIVATIONS("hinge", 3, 4)
def hinge(rng: Random, level: int) -> Question:
    y = float(rng.choice([1, -1]))
    margin = rng.choice([-3.0, -2.0, -1.5, -1.0, -0.5, -0.25, 0.25, 0.5, 0.75, 1.5, 2.0, 2.5, 3.0, 4.0])
    s = y * margin
    if level == 3:
        graph, name, factor = QuestionGraph("m = y*s", "d = 1 - m", "L = relu(d)", y=y, s=s), "s", 1.0
    else:
        x = float(rng.choice([2, 4, -2, -4]))
        graph = QuestionGraph("s = w*x", "m = y*s", "d = 1 - m", "L = relu(d)", w=s / x, x=x, y=y)
        name, factor = "w", x
    is_inside = margin < 1
    because = (
        f"y·s = {number(margin)} is below 1, so the sample is inside the margin: the loss pulls s toward y."
        if is_inside
        else f"y·s = {number(margin)} is beyond the margin of 1: the loss is constant 0 there, and so is its gradient."
    )
    wrong = [
        Wrong(-y * factor, "The sample is beyond the margin, where the loss is constant 0."),
        Wrong(0.0, "The gradient is 0 only beyond the margin, where y·s is above 1. Here it is below."),
    ]
    prompt = f"The hinge loss of one sample, max(0, 1 − y·s). What is the gradient of {name}, ∂L/∂{name}?"
    return gradient_question(graph, name, because, prompt=prompt, wrong=wrong)


@ACTIVATIONS("softmax-cross-entropy", 4, 5)
def softmax_cross_entropy(rng: Random, level: int) -> Question:
    from adjoint.nn import cross_entropy

    shares = rng.choice([[0.5, 0.25, 0.25], [0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.8, 0.1, 0.1], [0.4, 0.4, 0.2]])
    rng.shuffle(shares)
    label, asked = rng.randrange(3), rng.randrange(3)
    logits = [Value(math.log(p)) for p in shares]
    cross_entropy([logits], [label]).backward()
    gradient = logits[asked].grad
    p, is_right = shares[asked], asked == label
    number_of = ("first", "second", "third")
    return NumberQuestion(
        prompt=(
            f"softmax gives the probabilities p for three classes; the {number_of[label]} class is the correct one. "
            f"What is the gradient of the cross-entropy with respect to the {number_of[asked]} logit?"
        ),
        answer=gradient,
        decimals=3,
        because="Softmax and cross-entropy together have the gradient p − y: y is 1 for the correct class "
        "and 0 for the others.",
        steps=[f"p − y = {number(p)} − {int(is_right)} = {number(round(gradient, 6))}"],
        given={"p": shares},
        wrong=[
            Wrong(p - (not is_right), f"This is {'' if is_right else 'not '}the correct class: y is {int(is_right)}."),
            Wrong(-gradient, "That is y − p. The gradient of the correct class is negative."),
            Wrong(p * (1 - p), "That is the slope of softmax alone. The logarithm in the loss cancels part of it."),
            Wrong(
                -1 / shares[label],
                "That is the gradient of the loss with respect to the probability of the correct class.",
            ),
            Wrong(-math.log(shares[label]), "That is the loss itself, −log of the probability of the correct class."),
        ],
    )


@ACTIVATIONS("off-or-on", 2, 3)
def off_or_on(rng: Random, level: int) -> Question:
    """For how many samples a relu neuron is active, and so learns."""
    w, b = float(rng.choice([1, 2, -1, -2])), float(rng.choice([-3, -1, 1, 3]))
    xs = sorted(rng.sample(range(-5, 6), 4 if level == 2 else 5))
    graphs = {x: QuestionGraph("p = w*x", "n = p + b", "L = relu(n)", w=w, x=float(x), b=b) for x in xs}
    on = [x for x, graph in graphs.items() if graph.gradient("b")]
    return NumberQuestion(
        prompt="A neuron relu(w·x + b) sees the samples x, one by one. For how many of them does b receive "
        "a gradient that "
        "is not 0?",
        answer=float(len(on)),
        because="b learns from a sample if w·x + b is positive. Otherwise relu is inactive and passes no gradient on.",
        steps=[
            f"x = {number(float(x))}: w·x + b = {number(graph.value('n'))}, {'active' if x in on else 'inactive'}"
            for x, graph in graphs.items()
        ],
        given={"w": w, "b": b, "x": [float(x) for x in xs]},
        formulas=["relu(w*x + b)"],
        wrong=[
            Wrong(float(len(xs) - len(on)), "That is the number of samples for which relu is inactive."),
            Wrong(float(sum(x > 0 for x in xs)), "The sign of w·x + b decides, not the sign of x."),
            Wrong(float(len(xs)), "relu is inactive where w·x + b is negative."),
        ],
    )
