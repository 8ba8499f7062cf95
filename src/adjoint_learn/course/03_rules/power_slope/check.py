from adjoint import Value


def check(check, learner):
    for n in (2, 3, 4):
        for x in (1.0, 2.0, 3.0):
            check.close(f"power_slope({x:g}, {n})", learner.power_slope(x, n), n * x ** (n - 1), tolerance=1e-9)
    because = "The table does not have this one: nudges decide."
    for x, n in ((2.0, 5), (-2.0, 3), (4.0, 0.5), (2.0, -1), (1.5, 1), (0.0, 2)):
        got = learner.power_slope(x, n)
        if x:
            h = 1e-5
            nudged = ((x + h) ** n - (x - h) ** n) / (2 * h)
            check.close(f"power_slope({x:g}, {n:g})", got, nudged, tolerance=1e-6, because=because)
        a = Value(x)
        (a**n).backward()
        check.close(f"power_slope({x:g}, {n:g})", got, a.grad, tolerance=1e-9, because=because)
    check.note("your rule agrees with nudges for negative exponents and for square roots too")
