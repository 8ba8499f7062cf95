from adjoint_learn.statements import random_program


def check(check, learner):
    make = learner.Value
    check.close("Value(2.0).grad", check.evaluate("Value(2.0).grad", Value=make), 0.0)
    check.rules(make, "L = a + b", a=2.0, b=-3.0)
    check.rules(make, "L = a * b", a=2.0, b=-3.0)
    check.rules(make, "L = a * b", a=0.0, b=-3.0)
    check.rules(make, "d = a*b; e = d + c; L = e*f", a=2.0, b=-3.0, c=10.0, f=-2.0)
    check.rules(make, "L = a + a", a=3.0)
    check.rules(make, "L = a * a", a=3.0)
    check.rules(make, "d = a*b; e = a + b; L = d*e", a=2.0, b=-3.0)
    check.rules(make, "L = 2*a + 1", a=3.0)
    for _ in range(20):
        program, inputs = random_program(check.random, ["x + y", "x * y", "3 * x", "x + 2"])
        check.rules(make, program, **inputs)
    check.note("in 20 random graphs, your rules give the gradients of adjoint and the slopes of nudges")
