def off(x):
    h = 1e-5
    return abs(3 * x**3 - ((x + h) ** 3 - (x - h) ** 3) / (2 * h))


def check(check, learner):
    for name in ("lucky", "unlucky"):
        x = getattr(learner, name)
        check.true(f"`{name}` should be a number.", isinstance(x, int | float) and not isinstance(x, bool), got=x)
    lucky, unlucky = learner.lucky, learner.unlucky
    text = f"`lucky` is {lucky:g}. There the wrong rule gives {3 * lucky**3:g}, and the slope is {3 * lucky**2:g}."
    if off(lucky) > 1e-6:
        check.fail(f"{text} They should be equal.", "not lucky")
    check.held += 1
    if off(unlucky) < 1e-3:
        check.fail(f"`unlucky` is {unlucky:g}, and there the wrong rule gives the right number.", "not unlucky")
    check.held += 1
    check.close("disagreement(2.0)", learner.disagreement(2.0), 12.0, tolerance=1e-6)
    for x in (-1.0, 0.5, 0.0, 1.0, *(round(check.random.uniform(-2, 2), 2) for _ in range(5))):
        check.close(f"disagreement({x:g})", learner.disagreement(x), off(x), tolerance=1e-6)
    check.note("at 0 and at 1 the wrong rule cannot be told from the right one")
