from adjoint_learn.statements import random_program


def check(check, learner):
    make = learner.Value
    a = check.evaluate("Value(2.0)", Value=make)
    check.has_parents("(a**3)", check.evaluate("a**3", a=a), a)
    check.has_parents("a.exp()", check.evaluate("a.exp()", a=a), a)
    check.rules(make, "L = a**3", a=2.0)
    check.rules(make, "L = a**2", a=-3.0)
    check.rules(make, "L = a**2", a=0.0)
    check.rules(make, "L = a**-1", a=4.0)
    check.rules(make, "L = a**0.5", a=4.0)
    check.rules(make, "d = a**2; L = d*b", a=3.0, b=-2.0)
    check.rules(make, "d = a**2; e = a**3; L = d + e", a=2.0)
    check.rules(make, "L = a.exp()", a=2.0)
    check.rules(make, "d = a.exp(); L = d*b", a=2.0, b=-2.0)
    check.rules(make, "d = a.exp(); L = d + a", a=-1.0)
    for _ in range(20):
        program, inputs = random_program(check.random, ["x + y", "x * y", "x**2", "(0.1 * x).exp()"], 4)
        check.rules(make, program, **inputs)
    check.note("the slope of a**3 at 2 is 12, and the slope of exp at 2 is exp(2) = 7.389")
