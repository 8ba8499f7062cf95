import math

FUNCTIONS = {
    "3x² - 4x + 5": (lambda x: 3 * x**2 - 4 * x + 5, lambda x: 6 * x - 4),
    "x³": (lambda x: x**3, lambda x: 3 * x**2),
    "sin": (math.sin, math.cos),
    "exp": (math.exp, math.exp),
}


def check(check, learner):
    f, _ = FUNCTIONS["3x² - 4x + 5"]
    check.close("slope(3x² - 4x + 5, 3)", learner.slope(f, 3.0), 14.0, tolerance=1e-2)
    because = "The slope of |x| is −1 to the left of 0 and 1 to the right, so that nudges in both directions cancel."
    check.close("slope(|x|, 0)", learner.slope(abs, 0.0), 0.0, because=because)
    for name, (f, derivative) in FUNCTIONS.items():
        for x in (3.0, 2 / 3, check.random.uniform(-2, 2)):
            check.close(f"slope({name}, {x:.4g})", learner.slope(f, x), derivative(x), tolerance=1e-5)
    check.note("your slopes of four functions agree with the formulas")
