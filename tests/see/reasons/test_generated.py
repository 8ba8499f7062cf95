"""`why` names the right node, line and cause in generated programs, whose mistake is known by construction.

A program computes a loss from `w`, one operation on each line, with one mistake between harmless operations. The same
programs run with numbers and with arrays.
"""

import random
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import adjoint
from adjoint import Value, optim, why

SEEDS = range(12)


@dataclass
class Mistake:
    """The lines of a mistake, of which the one that ends in `# here` is the one to be named."""

    lines: str
    cause: str
    kind: str
    op: str = ""


MISTAKES = {
    "closed relu": Mistake("a = a * 0.01 - 5.0\na = a.relu()  # here", "closed", "zero", "relu"),
    "saturated tanh": Mistake("a = a * 0.01 + 40.0\na = a.tanh()  # here", "saturated", "zero", "tanh"),
    "saturated sigmoid": Mistake("a = a * 0.01 - 900.0\na = a.sigmoid()  # here", "saturated", "zero", "sigmoid"),
    "nearly saturated": Mistake("a = a * 0.01 + 12.0\na = a.tanh()  # here", "saturated", "tiny", "tanh"),
    "log of zero": Mistake("c = a.data\na = a - c\na = a.log()  # here", "pole", "not finite", "log"),
    "root of zero": Mistake("c = a.data\na = a - c\na = a.sqrt()  # here", "pole", "not finite", "sqrt"),
    "division by zero": Mistake(
        "c = a.data\nb = a - c\na = a / b  # here", "pole", "not finite", "/"
    ),
    "root of a negative": Mistake("a = a * 0.01 - 5.0\na = a.sqrt()  # here", "undefined", "not finite", "sqrt"),
    "0 times infinity": Mistake(
        "a = a * 0.01 + 800.0\na = a.exp()  # here\na = a * 0.0", "overflow", "not finite", "exp"
    ),
    "infinite data": Mistake("a = a * infinity  # here", "data", "not finite", "*"),
    "exp overflow": Mistake("a = a * 0.01 + 800.0\na = a.exp()  # here", "overflow", "not finite", "exp"),
    "underflow": Mistake("a = a * 0.01 - 800.0\na = a.exp()  # here", "underflow", "zero", "exp"),
    "zero factor": Mistake("a = a * nothing  # here", "zero factor", "zero", "*"),
    "not chosen": Mistake("a = a.maximum(10.0)  # here", "not chosen", "zero", "maximum"),
    "a step": Mistake("a = a.round()  # here", "step", "zero", "round"),
    "cancelled": Mistake("b = a * 1.0  # here\na = b - b", "cancelled", "zero", "*"),
    "flat": Mistake("a = a * 0.01 - 5.0\na = a.relu()\na = a ** 2  # here", "flat", "zero", "**"),
    "huge": Mistake("a = a * 3e9  # here\na = a - a.data", "large factor", "huge", "*"),
    "tiny": Mistake("a = a * 3e-9  # here", "small factor", "tiny", "*"),
    "detached": Mistake("a = a.detach()  # here", "detach", "none"),
    "no_grad": Mistake("with no_grad():\n    a = a * 1.1  # here", "no_grad", "none"),
}  # fmt: skip
# What is wrong before or after the computation of the loss: the lines before, those after, and the cause.
ENDINGS = {
    "frozen": ("w.requires_grad = False", "loss.backward()", "frozen", "none"),
    "never used": ("a = u * 1.0", "loss.backward()", "never used", "none"),
    "another object": ("a = Value(w.data) * 1.0", "loss.backward()", "never used", "none"),
    "zero_grad after backward": (
        "",
        "loss.backward()\noptimizer.zero_grad()  # here\noptimizer.step()",
        "zeroed",
        "zero",
    ),
    "w.zero_grad after backward": ("", "loss.backward()\nw.zero_grad()  # here\noptimizer.step()", "zeroed", "zero"),
    "grad = 0 after backward": ("", "loss.backward()\nw.grad = 0.0  # here\noptimizer.step()", "zeroed", "zero"),
    "backward not called": ("", "optimizer.zero_grad()\noptimizer.step()", "backward not called", "none"),
    "nothing": ("", "optimizer.zero_grad()\nloss.backward()\noptimizer.step()", "", "ordinary"),
    "nothing, zero_grad last": ("", "loss.backward()\noptimizer.step()\noptimizer.zero_grad()", "", "ordinary"),
}


def harmless(rng: random.Random) -> list[str]:
    """Return lines that neither stop a gradient nor change its size by much."""
    lines = []
    for _ in range(rng.randrange(4)):
        c = round(rng.uniform(0.5, 1.5), 2)
        lines += rng.choice([
            [f"a = a * {c}"], [f"a = a + {c}"], [f"a = {c} - a"], [f"a = a / {c}"], ["a = -a"],
            [f"b = a * {c}", "a = a + b"], [f"a = (a * 0.01).tanh() * {c}"], ["a = a + u"],
        ])  # fmt: skip
    return lines


def program(lines: list[str], name: str, form: str, seed: int) -> tuple[dict, int | None]:
    """Return the namespace of a program whose function is `step`, and the number of the line to be named."""
    rng = np.random.default_rng(seed)
    shape = {"number": (), "array": (3, 2)}[form]
    data = rng.uniform(0.5, 1.5, shape)
    w = Value(data if shape else float(data), label="w" if seed % 2 else "")
    u = Value(rng.uniform(0.5, 1.5, shape) if shape else 0.7)
    namespace = {"w": w, "u": u, "Value": Value, "no_grad": adjoint.no_grad, "infinity": float("inf"), "nothing": 0.0}
    namespace["optimizer"] = optim.SGD([w, u], lr=0.01)
    body = [*lines, "return loss"]
    source = "\n".join(["def step():", *(f"    {line}" for line in body)])
    exec(compile(source, name, "exec"), namespace)
    here = [i for i, line in enumerate(source.splitlines(), 1) if line.endswith("# here")]
    return namespace, here[0] if here else None


def ask(lines: list[str], name: str, form: str, seed: int) -> tuple[adjoint.see.Why, int | None]:
    namespace, here = program(lines, name, form, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of guards, about these mistakes
        return why(namespace["w"], namespace["step"]), here


@pytest.mark.parametrize("form", ["number", "array"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_node_that_stops_or_spoils_a_gradient_is_named(mistake, form):
    expected = MISTAKES[mistake]
    for seed in SEEDS:
        rng = random.Random(seed)
        total = "loss = a.sum()" if form == "array" else "loss = a * 1.0"
        ending = "loss.backward()" if seed % 3 or expected.kind == "none" else ""
        lines = ["a = w * 1.0", *harmless(rng), *expected.lines.splitlines(), *harmless(rng), total, ending]
        answer, here = ask(list(filter(None, lines)), f"case_{seed}.py", form, seed)
        found = answer.cause, answer.kind, answer.op
        assert found == (expected.cause, expected.kind, expected.op or answer.op), f"{lines}\n{answer}"
        assert answer.line == f"case_{seed}.py:{here}", f"{lines}\n{answer}"
        assert f"case_{seed}.py:" in answer.sentence


@pytest.mark.parametrize("form", ["number", "array"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_wrong_around_a_computation_is_named(ending, form):
    before, after, cause, kind = ENDINGS[ending]
    for seed in SEEDS:
        rng = random.Random(seed)
        total = "loss = a.sum()" if form == "array" else "loss = a * 1.0"
        lines = ["a = w * 1.0 + u", *before.splitlines(), *harmless(rng), total, *after.splitlines()]
        answer, here = ask(lines, f"case_{seed}.py", form, seed)
        assert (answer.cause, answer.kind) == (cause, kind), f"{lines}\n{answer}"
        if here is not None:
            assert answer.line == f"case_{seed}.py:{here}", f"{lines}\n{answer}"


@pytest.mark.parametrize("form", ["number", "array"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_without_lines_the_same_node_is_named(mistake, form):
    expected = MISTAKES[mistake]
    for seed in SEEDS:
        rng = random.Random(seed)
        total = "loss = a.sum()" if form == "array" else "loss = a * 1.0"
        lines = ["a = w * 1.0", *harmless(rng), *expected.lines.splitlines(), *harmless(rng), total]
        namespace, _ = program(lines, "case.py", form, seed)
        answer = why(namespace["w"], namespace["step"]())
        if expected.kind == "none":
            assert (answer.kind, answer.cause) == ("none", "cut")
        else:
            assert (answer.cause, answer.kind, answer.op) == (expected.cause, expected.kind, expected.op), (
                f"{lines}\n{answer}"
            )
            assert not answer.line
