import adjoint

PROGRAMS = ("a * b + a", "a * a * b", "(2 * a + b * b).tanh()", "(a * b).tanh() * a + 1.5")


def check(check, learner):
    Dual = learner.Dual
    a, b = Dual(2.0, 1.0), Dual(-3.0)
    for code, data, tangent, because in (
        ("a + b", -1.0, 1.0, "A sum moves as fast as its parts together."),
        ("a * b", -6.0, -3.0, "If a moves by 1, then a * b moves by b."),
        ("b * a", -6.0, -3.0, "If a moves by 1, then b * a moves by b."),
        ("a * a", 4.0, 4.0, "Both factors move."),
        ("3 * a + 1", 7.0, 3.0, "A plain number does not move."),
        ("b.tanh()", -0.9950547536867305, 0.0, "b does not move."),
        ("(a * 0.5).tanh()", 0.7615941559557649, 0.2099871708070130, ""),
    ):
        claim(check, code, check.evaluate(code, a=a, b=b), data, tangent, because)
    for code in PROGRAMS:
        x, y = (round(check.random.uniform(-1.5, 1.5), 2) for _ in range(2))
        inputs = adjoint.Value(x), adjoint.Value(y)
        result = check.evaluate(code, a=inputs[0], b=inputs[1])
        result.backward()
        h = 1e-5
        nudged = [(x + h, y), (x - h, y)], [(x, y + h), (x, y - h)]
        for i, name in enumerate("ab"):
            got = check.evaluate(code, a=Dual(x, float(i == 0)), b=Dual(y, float(i == 1)))
            what = f"{code} at a = {x}, b = {y}, where {name} moves"
            claim(check, what, got, float(result.data), float(inputs[i].grad))
            up, down = (check.evaluate(code, a=Dual(p), b=Dual(q)).data for p, q in nudged[i])
            check.close(f"the tangent of {what}", got.tangent, (up - down) / (2 * h), because="By central difference.")
    check.note("two passes of your forward mode give the two derivatives that adjoint finds in one backward pass")


def claim(check, what, got, data, tangent, because=""):
    is_dual = hasattr(got, "data") and hasattr(got, "tangent")
    check.true(f"`{what}` should be a Dual", is_dual, got=got)
    check.close(f"the value of {what}", got.data, data)
    check.close(f"the tangent of {what}", got.tangent, tangent, because=because)
