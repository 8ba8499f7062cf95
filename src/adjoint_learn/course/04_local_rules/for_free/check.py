from adjoint_learn.statements import random_program

OPERATIONS = ["x - y", "x / (y * y + 1)", "-x", "1 - x", "x - 0.5", "x / 2", "1 / (x * x + 2)"]


def check(check, learner):
    make = learner.Value
    check.rules(make, "L = -a", a=2.0)
    check.rules(make, "L = a - b", a=2.0, b=-3.0)
    check.rules(make, "L = a - 1", a=2.0)
    check.rules(make, "L = 1 - a", a=3.0)
    check.rules(make, "L = a / b", a=2.0, b=4.0)
    check.rules(make, "L = a / 4", a=2.0)
    check.rules(make, "L = 1 / a", a=4.0)
    check.rules(make, "d = a - b; e = a / b; L = d*e", a=3.0, b=2.0)
    check.rules(make, "L = a - a", a=3.0)
    check.rules(make, "L = a / a", a=3.0)
    for _ in range(20):
        program, inputs = random_program(check.random, OPERATIONS)
        check.rules(make, program, **inputs)
    check.note("negation, subtraction and division work, with a number on either side")
