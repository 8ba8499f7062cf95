import math

from adjoint import Value


def f(x):
    return 3 * x**2 - 4 * x + 5


def quartic(x):
    return x**4


def descend(f, x, rate, steps):
    """Take the same steps with the exact slopes of adjoint."""
    for _ in range(steps):
        place = Value(x)
        f(place).backward()
        x -= rate * place.grad
    return x


def check(check, learner):
    check.close("downhill(f, 3.0, 0.1, 1)", learner.downhill(f, 3.0, 0.1, 1), 1.6, tolerance=1e-4)
    check.close("downhill(f, 3.0, 0.1, 2)", learner.downhill(f, 3.0, 0.1, 2), 1.04, tolerance=1e-4)
    check.close("downhill(f, 3.0, 0.1, 50)", learner.downhill(f, 3.0, 0.1, 50), 2 / 3, tolerance=1e-4)
    check.close("downhill(f, 3.0, 0.1, 0)", learner.downhill(f, 3.0, 0.1, 0), 3.0)
    because = "The rate is too large here, so each step overshoots and f rises. The walk still takes all its steps."
    check.close(
        "downhill(f, 3.0, 0.35, 3)",
        learner.downhill(f, 3.0, 0.35, 3),
        descend(f, 3.0, 0.35, 3),
        tolerance=1e-4,
        because=because,
    )
    for _ in range(10):
        middle, start = check.random.uniform(-3, 3), check.random.uniform(-3, 3)
        rate, steps = check.random.uniform(0.01, 0.3), check.random.randrange(1, 30)

        def g(x, middle=middle):
            return (x - middle) ** 2 + 0.1 * x

        what = f"downhill((x - {middle:.3g})² + 0.1x, {start:.3g}, {rate:.3g}, {steps})"
        check.close(what, learner.downhill(g, start, rate, steps), descend(g, start, rate, steps), tolerance=1e-4)
    got, expected = learner.downhill(quartic, 1.0, 0.1, 3), descend(quartic, 1.0, 0.1, 3)
    check.close("downhill(x⁴, 1.0, 0.1, 3)", got, expected, tolerance=1e-4)
    lowest = learner.downhill(math.cos, 2.0, 0.5, 200)
    check.close("downhill(cos, 2.0, 0.5, 200)", lowest, math.pi, tolerance=1e-4)
    check.note("on the cosine, your walk found π, where it is lowest")
