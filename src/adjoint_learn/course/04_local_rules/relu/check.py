from adjoint_learn.statements import random_program


def check(check, learner):
    make = learner.Value
    a = check.evaluate("Value(0.5)", Value=make)
    check.has_parents("a.relu()", check.evaluate("a.relu()", a=a), a)
    check.rules(make, "L = a.relu()", a=3.0)
    check.rules(make, "r = a.relu(); L = r*b", a=3.0, b=-2.0)
    check.rules(make, "L = a.relu()", a=-2.0)
    check.rules(make, "r = a.relu(); L = r*b", a=-3.0, b=-2.0)
    check.rules(make, "r = a.relu(); L = r + a", a=3.0)
    for _ in range(20):
        # 0.137 keeps all inputs away from 0, where relu has no slope.
        program, inputs = random_program(check.random, ["x + y", "x * y", "(x + 0.137).relu()"])
        check.rules(make, program, **inputs)
    check.note("relu hands a gradient back unchanged, or not at all")
