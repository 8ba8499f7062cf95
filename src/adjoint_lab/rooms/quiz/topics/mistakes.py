"""Questions on the classic mistakes: gradients not zeroed or assigned, all weights alike, rates that do not fit."""

from random import Random

from adjoint import Value, guards
from adjoint.see import number
from adjoint_lab.rooms.quiz.graphs import QuestionGraph, join_names, term
from adjoint_lab.rooms.quiz.questions import NumberQuestion, Question, Wrong, choice
from adjoint_lab.rooms.quiz.templates import Subject, numbers

MISTAKES = Subject("mistakes", "Mistakes")

_SQUARED = ["p = w*x", "d = p - y", "L = d**2"]


@MISTAKES("not-zeroed", 2, 4)
def not_zeroed(rng: Random, level: int) -> Question:
    if level == 2:
        w, x = numbers(rng, 2, level, 9)
        times = rng.choice([2, 3])
        graph = QuestionGraph("L = w*x", w=w, x=x)
        for _ in range(times):
            graph.root.backward()
        total = graph.values["w"].grad
        return NumberQuestion(
            prompt=f"backward() is called {'twice' if times == 2 else 'three times'}, without zero_grad(). "
            "What is w.grad afterward?",
            answer=total,
            because="Gradients accumulate: every backward pass adds to the existing gradients.",
            steps=[f"one pass adds {number(x)}", f"{times} · {number(x)} = {number(total)}"],
            graph=graph,
            wrong=[
                Wrong(x, "That is the result with zero_grad() before each pass."),
                Wrong(x**times, "The passes are added, not multiplied."),
                Wrong(w, "That is the value of w."),
                Wrong(0.0, "backward() does not set anything to zero."),
            ],
        )
    w0, x, lr = float(rng.randint(1, 6)), float(rng.choice([1, 2] if level == 3 else [2, -2, -1])), 0.1
    y = w0 * x + rng.choice([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5])
    w, seen = Value(w0, label="w"), []
    for _ in range(2):
        before = w.grad
        with guards(stale_gradients=False):
            ((w * x - y) ** 2).backward()
        seen.append((w.data, w.grad - before))
        if len(seen) < 2:
            w.data = w.data - lr * w.grad
    (_, first), (w1, second) = seen
    return NumberQuestion(
        prompt=f"backward(), a step with lr = {number(lr)}, the loss again, backward(), without zero_grad(). "
        "What is w.grad now?",
        answer=round(w.grad, 10),
        because="The second pass adds its gradient to the old one, which belongs to an earlier w.",
        steps=[
            f"first pass, at w = {number(w0)}: {number(first)}",
            f"second pass, at w = {number(w1)}: {number(second)}",
            f"w.grad = {number(first)} + {term(second)} = {number(w.grad)}",
        ],
        graph=QuestionGraph(*_SQUARED, w=w0, x=x, y=y),
        given={"lr": lr},
        wrong=[
            Wrong(second, "That is the correct gradient. The old one is still there, and the two add up."),
            Wrong(2 * first, "w has changed in between, so the second pass computes a different gradient."),
            Wrong(first, "That is the gradient of the first pass alone."),
        ],
    )


@MISTAKES("assigned", 3, 4)
def assigned(rng: Random, level: int) -> Question:
    """Graphs with only one possible order of the contributions to a: d is visited last."""
    a, b, c = numbers(rng, 3, level, 9)
    harder = [["d = a*b", "L = d*a"], ["d = a*b", "e = d*c", "L = e + a"]]
    lines = ["d = a*b", "L = d + a"] if level == 3 else rng.choice(harder)
    graph = QuestionGraph(*lines, a=a, b=b, c=c)
    parts = [float(step.contribution) for step in graph.edges_into("a") if isinstance(step.contribution, float)]
    return NumberQuestion(
        prompt="An engine assigns gradients (=) instead of accumulating them (+=). Its backward pass visits "
        "L first and d "
        "last. What is the final gradient of a?",
        answer=parts[-1],
        because=f"a is used twice. Assigning keeps only the last contribution. The correct gradient is the "
        f"sum, {number(sum(parts))}.",
        steps=[
            *(f"{step.node.name} sends {number(part)} to a" for step, part in zip(graph.edges_into("a"), parts)),
            f"with =: {number(parts[-1])}; with +=: {number(sum(parts))}",
        ],
        graph=graph,
        wrong=[
            Wrong(sum(parts), "That is the correct gradient, with +=. With =, the first contribution is lost."),
            Wrong(
                parts[0],
                "That is the contribution of L. It comes first, and is overwritten.",
            ),
            Wrong(a, "That is the value of a."),
        ],
    )


@MISTAKES("zero-weights", 3, 5)
def zero_weights(rng: Random, level: int) -> Question:
    """Which weights of a small network learn if some of them are initially 0."""
    function = rng.choice(["tanh", "relu"]) if level > 3 else "tanh"
    first, last = rng.choice([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)])
    x, y = float(rng.randint(1, 5)), float(rng.choice([1, 2, 3, -1]))
    lines = ["n1 = a1*x", "n2 = a2*x", f"h1 = {function}(n1)", f"h2 = {function}(n2)"]
    lines += ["o1 = v1*h1", "o2 = v2*h2", "s = o1 + o2", "d = s - y", "L = d**2"]
    graph = QuestionGraph(
        *lines, x=x, y=y if first == 0.0 or last == 0.0 else y + 5, a1=first, a2=first, v1=last, v2=last
    )
    moving = frozenset(name for name in ("a1", "a2", "v1", "v2") if graph.gradient(name))
    texts = {
        frozenset(): "None of them",
        frozenset(("a1", "a2")): "Only a1 and a2",
        frozenset(("v1", "v2")): "Only v1 and v2",
        frozenset(("a1", "a2", "v1", "v2")): "All four",
    }
    said = {0.0: "0", 1.0: "1"}
    begins = f"a1\u00a0=\u00a0a2\u00a0=\u00a0{said[first]}, v1\u00a0=\u00a0v2\u00a0=\u00a0{said[last]}"
    return choice(
        rng,
        texts[moving],
        {text: _where_it_errs(names, moving) for names, text in texts.items()},
        prompt=f"Two hidden neurons with {function}: {begins}. Which weights have a gradient that is not 0?",
        because=_why_still(function, first, last),
        steps=[f"∂L/∂{name} = {number(graph.gradient(name))}" for name in ("a1", "a2", "v1", "v2")],
        graph=graph,
    )


def _where_it_errs(named: frozenset[str], moving: frozenset[str]) -> str:
    too_many, missing = sorted(named - moving), sorted(moving - named)
    said = [f"The gradients of {join_names(too_many)} are 0 here."] if too_many else []
    return " ".join(said + ([f"The gradients of {join_names(missing)} are not 0."] if missing else []))


def _why_still(function: str, first: float, last: float) -> str:
    if first:
        return (
            "v1 and v2 receive the gradient of d times h1 and h2. On the way to a1 and a2 it is multiplied by v1 and "
            "v2, which are 0."
        )
    inner = "v1 and v2 receive the gradient times h1 and h2, which are 0."
    if last and function == "tanh":
        return f"{inner} a1 and a2 receive it times v1 and v2 and times the slope of tanh at 0, which is 1."
    if last:
        return f"{inner} a1 and a2 receive no gradient either: the slope of relu at 0 is 0."
    return f"{inner} On the way to a1 and a2 it is multiplied by v1 and v2, which are 0 as well. No weight ever learns."


@MISTAKES("equal-weights", 3, 4)
def equal_weights(rng: Random, level: int) -> Question:
    a, v, x = float(rng.choice([1, 2, -1])), float(rng.choice([1, 2, -1])), float(rng.choice([1, 2]))
    y, lr = float(rng.randint(5, 9)), rng.choice([0.1, 0.01])
    lines = ["h1 = a1*x", "h2 = a2*x", "o1 = v1*h1", "o2 = v2*h2", "s = o1 + o2", "d = s - y", "L = d**2"]
    graph = QuestionGraph(*lines, x=x, y=y + (2 * a * v * x == y), a1=a, a2=a, v1=v, v2=v)
    after = round(a - lr * graph.gradient("a2"), 10)
    return NumberQuestion(
        prompt=f"Two hidden neurons have equal initial weights. A step with lr = {number(lr)} moves a1 from "
        f"{number(a)} "
        f"to {number(after)}. To what does it move a2?",
        answer=after,
        because="Neurons with equal weights and inputs receive equal gradients. The two neurons stay equal "
        "forever, and are "
        "as useful as one. Random weights break this symmetry.",
        steps=[f"∂L/∂{name} = {number(graph.gradient(name))}" for name in ("a1", "a2")],
        graph=graph,
        given={"lr": lr},
        wrong=[
            Wrong(a, "a2 receives a gradient as well, so it changes."),
            Wrong(round(2 * a - after, 10), "The two neurons do not move apart: their gradients are equal."),
            Wrong(v - lr * graph.gradient("v2"), "That is the new value of v2."),
        ],
    )


_SYMPTOMS = {
    "The learning rate is too large": "Then w would jump over the minimum, further each time.",
    "The learning rate is too small": "Then w would hardly move.",
    "The step adds the gradient instead of subtracting it": "Then w would move away on one side, faster and faster.",
    "Nothing is wrong": "Then w would approach the minimum step by step.",
}
_SHOWS = (
    "w jumps over the minimum, further each time.",
    "w moves in the right direction, but hardly at all.",
    "w moves away from the minimum on one side, faster and faster.",
    "w approaches the minimum step by step.",
)


@MISTAKES("symptoms", 2, 4)
def symptoms(rng: Random, level: int) -> Question:
    best, w0 = float(rng.randint(2, 6)), float(rng.choice([0, 1, 8, 9]))
    x = float(rng.choice([1, 2]))
    which = rng.randrange(4)
    lr = [1.25, 0.0005, 0.15, 0.2][which] / (x * x)
    w, places, losses = Value(w0), [], []
    for _ in range(5):
        loss = (w * x - best * x) ** 2
        places.append(round(w.data, 3))
        losses.append(round(loss.data, 2))
        w.zero_grad()
        loss.backward()
        w.data = w.data + (lr if which == 2 else -lr) * w.grad
    right = [*_SYMPTOMS][which]
    given = {"w": places} | ({"L": losses} if level == 2 else {})
    return choice(
        rng,
        right,
        {text: why for text, why in _SYMPTOMS.items() if text != right},
        prompt=f"Five training steps with one weight, w. The loss is minimal at {number(best)}. What is wrong?",
        because=_SHOWS[which],
        steps=[f"w: {', '.join(map(number, places))}; the minimum is at {number(best)}"],
        given=given,
        formulas=["L = (w*x - y)**2"],
    )


@MISTAKES("old-gradients", 4, 5)
def old_gradients(rng: Random, level: int) -> Question:
    """The value of a weight after some steps on a straight line, if gradients are never zeroed."""
    w0, g, lr = float(rng.randint(1, 9)), float(rng.choice([2, 3, 4, 5, -2, -3, -5])), rng.choice([0.1, 0.5, 0.01])
    steps = 2 if level == 4 else 3
    w, places = Value(w0), []
    for _ in range(steps):
        with guards(stale_gradients=False):
            (w * g).backward()
        w.data = w.data - lr * w.grad
        places.append(round(w.data, 10))
    sums = [g * (i + 1) for i in range(steps)]
    return NumberQuestion(
        prompt=f"{'Two' if steps == 2 else 'Three'} steps of backward() and w ← w − lr·w.grad on L = g·w, "
        "without zero_grad(). What is w afterward?",
        answer=places[-1],
        because=f"w.grad grows with every pass: {join_names([number(x) for x in sums])}. So the steps grow, too.",
        steps=[
            f"step {i + 1}: w.grad = {number(total)}, w = {number(place)}"
            for i, (total, place) in enumerate(zip(sums, places))
        ],
        given={"w": w0, "g": g, "lr": lr},
        formulas=["L = g*w"],
        wrong=[
            Wrong(w0 - lr * g * steps, "That is the result with zero_grad() before each pass."),
            Wrong(w0 - lr * sums[-1], "The earlier steps have already moved w."),
            Wrong(2 * w0 - places[-1], "Steps subtract the gradient."),
            Wrong(places[0], "That is w after one step."),
        ],
    )
