"""Questions on updates: which way a step goes and how far, by the rate, momentum, Adam and weight decay."""

import math
from random import Random

from adjoint import Value
from adjoint.optim import SGD, Adam, clip_grad_norm
from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, term
from adjoint_lab.rooms.quiz.mixups import gradient_question
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Question, Wrong, choice
from adjoint_lab.rooms.quiz.templates import Subject, numbers

UPDATES = Subject("updates", "Updates")

_SQUARED = ["p = w*x", "d = p - y", "L = d**2"]


def _squared_error(rng: Random, level: int, most: int = 5) -> QuestionGraph:
    """Return the squared error of one prediction that is not right yet."""
    w, x, y = numbers(rng, 3, level, most)
    return QuestionGraph(*_SQUARED, w=w, x=x, y=y + (w * x == y))


@UPDATES("sgd-step", 1, 3)
def sgd_step(rng: Random, level: int) -> Question:
    if level == 1:
        w, x = numbers(rng, 2, 2, 9)
        graph = QuestionGraph("L = w*x", w=w, x=x)
    else:
        graph = _squared_error(rng, level)
    w, x, g = graph.value("w"), graph.value("x"), graph.gradient("w")
    lr = rng.choice([0.1, 0.01, 0.5]) if level == 1 else 0.1 if abs(x) < 3 else 0.01
    parameter = Value(w)
    parameter.grad = g
    SGD([parameter], lr=lr).step()
    return NumberQuestion(
        prompt=f"One step of gradient descent with learning rate lr = {number(lr)}. What is w afterward?",
        answer=round(parameter.data, 10),
        because="A step moves against the gradient: w ← w − lr · w.grad.",
        steps=[
            *graph.steps_to("w"),
            f"w ← {number(w)} − {number(lr)} · {term(g)} = {number(round(parameter.data, 10))}",
        ],
        graph=graph,
        given={"lr": lr},
        wrong=[
            Wrong(w + lr * g, "That moves uphill. A step subtracts the gradient."),
            Wrong(w - g, "The learning rate is missing: multiply the gradient by lr."),
            Wrong(-lr * g, "That is the change of w. The question asks for its new value."),
            Wrong(g, "That is the gradient of w."),
            Wrong(w - lr, "A step of gradient descent is lr times the gradient, not lr alone."),
            Wrong(w, "w changes whenever its gradient is not 0."),
        ],
    )


@UPDATES("moves-loss-down", 1, 3)
def moves_loss_down(rng: Random, level: int) -> Question:
    if level < 3:
        return _one_way_down(rng, level)
    w, x, b, y = numbers(rng, 4, level, 6)
    graph = QuestionGraph("p = w*x", "s = p + b", "d = s - y", "L = d**2", w=w, x=x, b=b, y=y + (w * x + b == y))
    ups = {name: graph.gradient(name) < 0 for name in "wb"}
    right = _moves(ups)
    wrong = {}
    for change in ({"w": True}, {"b": True}, {"w": True, "b": True}):
        moved = {name: up != change.get(name, False) for name, up in ups.items()}
        uphill = " and ".join(change)
        wrong[_moves(moved)] = f"For {uphill} this moves uphill: a step moves against the gradient."
    return choice(
        rng,
        right,
        wrong,
        prompt="Both w and b may change a little. Which change decreases the loss L fastest?",
        because=f"∂L/∂w = {number(graph.gradient('w'))} and ∂L/∂b = {number(graph.gradient('b'))}: move against both.",
        steps=graph.steps_to("w", "b"),
        graph=graph,
    )


def _moves(ups: dict[str, bool]) -> str:
    return ", ".join(f"{name} {'up' if up else 'down'}" for name, up in ups.items())


def _one_way_down(rng: Random, level: int) -> Question:
    graph = _squared_error(rng, level)
    if rng.random() < 0.2:
        w, x = graph.value("w"), graph.value("x")
        graph = QuestionGraph(*_SQUARED, w=w, x=x, y=w * x)
    g, w, d = graph.gradient("w"), graph.value("w"), graph.value("d")
    texts = {1: "Make w a little larger", -1: "Make w a little smaller", 0: "Leave w as it is"}
    better = 0 if g == 0 else -1 if g > 0 else 1
    uphill = (
        f"The gradient of w is {number(g)}: this direction is uphill."
        if g
        else "The prediction is already correct; every change increases the loss."
    )
    wrong = {texts[1]: uphill, texts[-1]: uphill, texts[0]: f"The loss is {number(d * d)}, and its gradient is not 0."}
    del wrong[texts[better]]
    because = "d is 0, so the gradient is 0: this is the minimum."
    if g:
        side, way = ("positive", "smaller") if g > 0 else ("negative", "larger")
        because = f"∂L/∂w = {number(g)} is {side}: w must become {way}."
    return choice(
        rng,
        texts[better],
        wrong,
        prompt="Which change of w decreases the loss L?",
        because=because,
        steps=graph.steps_to("w"),
        graph=graph,
    )


@UPDATES("momentum-second", 3, 5)
def momentum_second(rng: Random, level: int) -> Question:
    w0, lr, momentum = float(rng.randint(1, 5)), 0.1, rng.choice([0.5, 0.9])
    g1, g2 = numbers(rng, 2, level if level > 3 else 1, 8)
    w = Value(w0)
    optimizer, places = SGD([w], lr=lr, momentum=momentum), []
    for g in (g1, g2):
        w.grad = g
        optimizer.step()
        places.append(round(w.data, 10))
    velocity = momentum * g1 + g2
    return NumberQuestion(
        prompt="Gradient descent with momentum; the initial velocity is 0. The gradients g of the first two steps are "
        "g1 and g2. What is w after both?",
        formulas=["velocity = momentum*velocity + g", "w = w - lr*velocity"],
        answer=places[-1],
        because="The second step still includes part of the first gradient.",
        steps=[
            f"step 1: velocity = {number(g1)}, w = {number(w0)} − {number(lr)} · {term(g1)} = {number(places[0])}",
            f"step 2: velocity = {number(momentum)} · {term(g1)} + {term(g2)} = {number(velocity)}, "
            f"w = {number(places[0])} − {number(lr)} · {term(velocity)} = {number(places[1])}",
        ],
        given={"w": w0, "g1": g1, "g2": g2, "lr": lr, "momentum": momentum},
        wrong=[
            Wrong(w0 - lr * (g1 + g2), "That is plain gradient descent: the velocity was left out."),
            Wrong(places[0], "That is w after the first step."),
            Wrong(w0 - lr * velocity, "The first step has already moved w; the second one starts from there."),
            Wrong(w0 + lr * (g1 + velocity), "Steps subtract the gradient."),
            Wrong(
                places[0] - lr * (momentum * g1 + (1 - momentum) * g2),
                "In this form the gradient is added in full, not weighted by 1 − momentum.",
            ),
        ],
    )


@UPDATES("adam-first", 3, 5)
def adam_first(rng: Random, level: int) -> Question:
    w0, lr = float(rng.randint(1, 9)), rng.choice([0.1, 0.01, 0.05])
    g = float(rng.choice([0.02, 0.5, 3, 40, 700, -0.02, -0.5, -3, -40, -700]))
    w = Value(w0)
    (w * g).backward()
    Adam([w], lr=lr).step()
    after = round(w.data, 6)
    return NumberQuestion(
        prompt=f"The first step of Adam with lr = {number(lr)}, from a gradient of {number(g)}. What is w afterward?",
        answer=after,
        decimals=3,
        because=(
            "Adam divides the mean of the gradients by the root of the mean of their squares. In the first "
            "step both come "
            "from the same gradient: g / √g² is +1 or −1. So the first step is lr, regardless of the size "
            "of the gradient."
        ),
        steps=[f"w ← {number(w0)} {'−' if g > 0 else '+'} {number(lr)} = {number(after)}"],
        given={"w": w0, "g": g, "lr": lr},
        wrong=[
            Wrong(w0 - lr * g, "That is plain gradient descent. Adam divides by the size of the gradient."),
            Wrong(w0 + lr * math.copysign(1, g), "Steps move against the gradient, not along it."),
            Wrong(w0 - lr * 0.1 * g, "Adam corrects the bias of its means: after one step, m / (1 − β₁) is g itself."),
            Wrong(lr, "That is the size of the step. The question asks for the new w."),
        ],
    )


_COURSES = {  # the change of w in each step, and the range of 2·k·lr
    "It converges to 0 from one side": ("w keeps its sign and shrinks", "below 1"),
    "It oscillates and converges to 0": ("w changes its sign and shrinks", "between 1 and 2"),
    "It oscillates between two values forever": ("w changes its sign and keeps its size", "2"),
    "It oscillates and diverges": ("w changes its sign and grows", "above 2"),
}


@UPDATES("rate-course", 3, 5)
def rate_course(rng: Random, level: int) -> Question:
    factors = [0.5, 0.8, -0.5, -0.8, -1.5, -2.0, -1.0, 0.2, -3.0]
    k, factor = float(rng.choice([1, 2, 4, 5, 10])), rng.choice(factors if level > 3 else factors[:6])
    lr, w0 = round((1 - factor) / (2 * k), 6), float(rng.choice([1, 2, 4, 10]))
    places, w = [], Value(w0)
    optimizer = SGD([w], lr=lr)
    for _ in range(4):
        places.append(round(w.data, 6))
        optimizer.zero_grad()
        (w**2 * k).backward()
        optimizer.step()
    right = [*_COURSES][0 if factor > 0 else 1 if factor > -1 else 2 if factor == -1 else 3]
    pull = number(2 * k * lr)
    return choice(
        rng,
        right,
        {course: f"For that, 2·k·lr is {pulls}; here it is {pull}." for course, (_, pulls) in _COURSES.items()},
        prompt=f"Gradient descent on L = k·w² with lr = {number(lr)}. How does w behave?",
        because=f"The gradient is 2·k·w, so w ← w − lr·2·k·w = (1 − {pull})·w: {_COURSES[right][0]}.",
        steps=[f"w: {', '.join(map(number, places))}, …"],
        graph=QuestionGraph("q = w**2", "L = k*q", w=w0, k=k),
        given={"lr": lr},
    )


@UPDATES("largest-rate", 4, 5)
def largest_rate(rng: Random, level: int) -> Question:
    w = float(rng.randint(1, 6))
    if level == 4:
        k, c = float(rng.choice([0.5, 1, 2, 4, 5, 10])), float(rng.randint(1, 9))
        graph, curvature = QuestionGraph("q = w**2", "e = k*q", "L = e + c", w=w, k=k, c=c), 2 * k
        slope = "2·k·w"
    else:
        x, y = float(rng.choice([1, 2, 4, 5, 10])), float(rng.randint(1, 9))
        graph, curvature = QuestionGraph(*_SQUARED, w=w, x=x, y=y), 2 * x * x
        slope = "2·x·(w·x − y)"
    bound = 2 / curvature
    return NumberQuestion(
        prompt="Gradient descent on L. Above which learning rate does w diverge?",
        answer=bound,
        because=(
            "A step multiplies the distance to the minimum by 1 − lr · curvature. Above lr = 2 / curvature "
            "this factor is "
            "below −1."
        ),
        steps=[
            f"gradient: {slope}",
            f"curvature, its derivative: {number(curvature)}",
            f"2 / {number(curvature)} = {number(bound)}",
        ],
        graph=graph,
        wrong=[
            Wrong(1 / curvature, "At 1 / curvature one step reaches the minimum; up to twice that, w still converges."),
            Wrong(curvature, "That is the curvature itself. The larger the curvature, the smaller the rate must be."),
            Wrong(curvature / 2, "It is 2 / curvature, not curvature / 2."),
            Wrong(1.0, "There is no general bound of 1; the curvature determines the bound."),
        ],
    )


@UPDATES("weight-decay", 3, 4)
def weight_decay(rng: Random, level: int) -> Question:
    w, k = float(rng.choice([2, 3, 4, -2, -3])), rng.choice([0.1, 0.5, 0.01, 1.0])
    g = float(rng.choice([1, 2, 3, -1, -2, 5]))
    if level == 3:
        graph = QuestionGraph("e = w*g", "q = w**2", "r = k*q", "L = e + r", w=w, g=g, k=k)
    else:
        x, y = 2.0, float(rng.choice([1, 3, 5, -1]))
        graph = QuestionGraph(
            "p = w*x", "d = p - y", "e = d**2", "q = w**2", "r = k*q", "L = e + r", w=w, x=x, y=y, k=k
        )
    because = (
        "The penalty k·w² adds 2·k·w to the gradient: it pulls every weight toward 0, larger weights more strongly."
    )
    plain, penalty = graph.gradient("w") - 2 * k * w, 2 * k * w
    wrong = [
        Wrong(plain, "That is the gradient without the penalty. The penalty contributes 2·k·w."),
        Wrong(plain + k * w, "The factor 2 of the square is missing."),
        Wrong(plain + k * w * w, "That adds the penalty itself instead of its derivative, 2·k·w."),
        Wrong(plain - penalty, "The penalty is added to the loss, so its gradient is added as well."),
        Wrong(penalty, "That is only the contribution of the penalty."),
    ]
    prompt = "The loss has a penalty on the weight, k·w². What is the gradient of w, ∂L/∂w?"
    return gradient_question(graph, "w", because, prompt=prompt, wrong=wrong)


@UPDATES("mean-not-sum", 2, 4)
def mean_not_sum(rng: Random, level: int) -> Question:
    count = 2 if level == 2 else 4
    xs = [float(x) for x in rng.sample(range(1, 10), count)]
    w = float(rng.randint(2, 5))
    names = [f"x{i}" for i in range(1, count + 1)]
    lines = [f"e{i} = w*{name}" for i, name in enumerate(names, 1)]
    lines += ["s = e1 + e2"] if count == 2 else ["s1 = e1 + e2", "s2 = e3 + e4", "s = s1 + s2"]
    graph = QuestionGraph(*lines, f"L = s/{count}", w=w, **dict(zip(names, xs)))
    total = sum(xs)
    because = (
        f"The mean divides by {count}, so w receives {'half' if count == 2 else 'a quarter'} of the "
        f"gradient of the sum."
    )
    wrong = [
        Wrong(total, f"That is the gradient of the sum. The mean divides it by {count}."),
        Wrong(total / count**2, f"The division by {count} happens only once, in the last node."),
    ]
    prompt = f"L is the mean over {count} samples. What is the gradient of w, ∂L/∂w?"
    return gradient_question(graph, "w", because, prompt=prompt, wrong=wrong)


@UPDATES("clip-norm", 3, 4)
def clip_norm(rng: Random, level: int) -> Question:
    a, b, length = rng.choice([(3, 4, 5), (6, 8, 10), (4, 3, 5), (8, 6, 10), (5, 12, 13), (9, 12, 15), (12, 9, 15)])
    signs = [rng.choice([1.0, -1.0]) for _ in range(2)]
    g = [a * signs[0], b * signs[1]]
    most = float(rng.choice([1, 2, length / 2] if level == 3 else [1, 2, 5, length / 2, length * 2]))
    parameters = [Value(0.0), Value(0.0)]
    for parameter, gradient in zip(parameters, g):
        parameter.grad = gradient
    clip_grad_norm(parameters, most)
    clipped = parameters[0].grad
    is_short = length <= most
    return NumberQuestion(
        prompt=f"The gradients g1 and g2 are clipped to a norm of {number(most)}. What is g1 afterward?",
        answer=clipped,
        decimals=2,
        because=(
            f"Their norm is {length}, which is not above {number(most)}: nothing changes."
            if is_short
            else f"Their norm is {length}. Both are scaled by {number(most)}/{length}."
        ),
        steps=[
            f"√(g1² + g2²) = √{a * a + b * b} = {length}",
            f"g1 = {number(g[0])}"
            if is_short
            else f"g1 ← {number(g[0])} · {number(most)}/{length} = {number(round(g[0] * most / length, 4))}",
        ],
        given={"g1": g[0], "g2": g[1]},
        wrong=[
            Wrong(
                math.copysign(min(most, a), g[0]),
                "That clips g1 alone; the norm is that of both gradients together.",
            ),
            Wrong(g[0] * most / (a + b), "The norm is the root of the sum of squares, not the sum of absolute values."),
            Wrong(g[0] / length, f"That scales to norm 1 instead of {number(most)}."),
            Wrong(g[0], f"Their norm, {length}, is above {number(most)}: they are scaled down."),
            Wrong(g[0] * most / length, "Clipping makes gradients smaller, never larger."),
            Wrong(-clipped, "Clipping keeps the direction: signs do not change."),
        ],
    )
