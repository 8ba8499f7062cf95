from adjoint_learn.checking import Mismatch, show
from adjoint_learn.statements import random_program

OPERATIONS = [
    "x + y",
    "x * y",
    "x - y",
    "x / (y * y + 1)",
    "x**2",
    "x.tanh()",
    "x.tanh().exp()",
    "(x + 0.137).relu()",
    "-x",
    "2 * x",
    "1 - x",
    "1 / (x * x + 2)",
]
GRAPHS = 200


def check(check, learner):
    make = learner.Value
    check.statements(make, "L = a * b", a=2.0, b=-3.0)
    check.statements(make, "d = a * b; e = d + c; L = e * f", a=2.0, b=-3.0, c=10.0, f=-2.0)
    check.statements(make, "L = a + a", a=3.0)
    check.statements(make, "d = a * b; e = d + a; L = d * e", a=2.0, b=-3.0)
    check.statements(make, "d = a.exp(); e = a**2; t = a.tanh(); r = a.relu(); L = d + e + t + r + a", a=0.5)
    a = check.evaluate("Value(2.0)", Value=make)
    check.evaluate("(a * a).backward()", a=a)
    check.evaluate("(3 * a).backward()", a=a)
    because = "The gradient of `a` is 4 in `a * a` and 3 in `3 * a`, and both calls of `backward()` add to it."
    check.close("a.grad after (a * a).backward() and (3 * a).backward()", a.grad, 7.0, because=because)
    a, b = check.evaluate("Value(2.0)", Value=make), check.evaluate("Value(-3.0)", Value=make)
    product = check.evaluate("a * b", a=a, b=b)
    for calls in (1, 2):
        check.evaluate("L.backward()", L=product)
        seed = f"The seed of each call is 1, and here `L.grad` was {show(product.grad)}."
        because = f"Each call adds the gradient of `a`, which is -3, once. {seed}"
        check.close(f"a.grad after L = a * b and {calls} calls of L.backward()", a.grad, -3.0 * calls, because=because)
    programs = [random_program(check.random, OPERATIONS) for _ in range(GRAPHS)]
    problems = []
    for program, inputs in programs:
        try:
            check.statements(make, program, **inputs)
        except Mismatch as problem:
            problems.append(problem)
    agreed = GRAPHS - len(problems)
    check.note(f"{agreed} of {GRAPHS} random graphs have the same values and gradients as in adjoint")
    if problems:
        raise problems[0]
    for program, inputs in programs[:20]:
        check.nudges(make, program, **inputs)
    x = check.evaluate("Value(1.0)", Value=make)
    y = x
    for _ in range(3000):
        y = check.evaluate("y + 1", y=y)
    check.evaluate("y.backward()", y=y)
    check.close("the gradient at the start of a chain of 3,000 additions", x.grad, 1.0)
    check.note("a chain of 3,000 nodes works too")
