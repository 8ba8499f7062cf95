from adjoint_learn.statements import random_program


def check(check, learner):
    make = learner.Value
    a = check.evaluate("Value(0.5)", Value=make)
    check.has_parents("a.tanh()", check.evaluate("a.tanh()", a=a), a)
    check.rules(make, "L = a.tanh()", a=0.5)
    check.rules(make, "L = a.tanh()", a=0.0)
    check.rules(make, "L = a.tanh()", a=-2.0)
    check.rules(make, "t = a.tanh(); L = t*b", a=0.5, b=-3.0)
    check.rules(make, "t = a.tanh(); L = t + a", a=0.5)
    neuron = "n = x1*w1 + x2*w2 + b; o = n.tanh()"
    check.rules(make, neuron, x1=2.0, x2=0.0, w1=-3.0, w2=1.0, b=6.8813735870195432)
    for _ in range(20):
        program, inputs = random_program(check.random, ["x + y", "x * y", "x.tanh()"])
        check.rules(make, program, **inputs)
    check.note("the neuron of lesson 2 has the gradients -1.5, 1, 0.5 and 0 that you computed by hand")
