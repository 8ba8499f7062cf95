from adjoint_learn.nodes import parents_first
from adjoint_learn.statements import random_program


def check(check, learner):
    make = learner.Value
    check.statements(make, "L = a.sigmoid()", a=0.0)
    check.statements(make, "L = a.sigmoid()", a=2.0)
    x = make(2.0)
    recorded = any(node is x for node in parents_first(x.sigmoid()))
    check.true("The result should remember its input in `_prev`, or `backward()` cannot go on from there", recorded)
    check.statements(make, "d = a.sigmoid(); L = d * c", a=-1.5, c=-3.0)
    check.statements(make, "d = a.sigmoid(); e = d + a; L = d * e", a=0.5)
    for x in (-30.0, 30.0, -1000.0, 1000.0):
        check.statements(make, "L = a.sigmoid()", a=x)
    for _ in range(10):
        program, inputs = random_program(check.random, ["x.sigmoid()", "x + y", "x * y", "x.tanh()"])
        check.statements(make, program, **inputs)
        check.nudges(make, program, **inputs)
    check.note("at -1000 the result is 0 and at 1000 it is 1, without an overflow")
    check.note("ten random graphs agree with adjoint and with central differences")
