import math

FUNCTIONS = {
    "3x² - 4x + 5": (lambda x: 3 * x**2 - 4 * x + 5, lambda x: 6 * x - 4),
    "x³": (lambda x: x**3, lambda x: 3 * x**2),
    "sin": (math.sin, math.cos),
    "exp": (math.exp, math.exp),
}


def check(check, learner):
    for name, (f, derivative) in FUNCTIONS.items():
        for x in (3.0, 2 / 3, check.random.uniform(-2, 2)):
            check.close(f"slope({name}, {x:.4g})", learner.slope(f, x), derivative(x), tolerance=1e-6)
    check.note("your slopes of four functions agree with the formulas to six digits")
