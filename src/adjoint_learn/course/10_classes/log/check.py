from adjoint_learn.nodes import parents_first
from adjoint_learn.statements import random_program


def check(check, learner):
    Value = learner.Value
    check.statements(Value, "L = a.log()", a=2.0)
    x = Value(2.0)
    recorded = any(node is x for node in parents_first(x.log()))
    check.true("The result should remember its input in `_prev`, or `backward()` cannot go on from there", recorded)
    check.statements(Value, "d = a.log(); L = d * c", a=2.0, c=-3.0)
    check.statements(Value, "d = a.log(); L = d + a", a=4.0)
    check.statements(Value, "d = a.log(); e = b.log(); L = d * e + d", a=0.5, b=3.0)
    for _ in range(10):
        program, _ = random_program(check.random, ["(x * x + 1).log()", "x + y", "x * y", "x.tanh()"])
        inputs = {name: round(check.random.uniform(-2, 2), 2) for name in "abc"}
        check.statements(Value, program, **inputs)
    for _ in range(5):
        x, h = check.random.uniform(0.2, 5), 1e-5
        value = Value(x)
        value.log().backward()
        slope = (Value(x + h).log().data - Value(x - h).log().data) / (2 * h)
        check.close(f"the gradient of log at {x:.3f}", value.grad, slope, because="That is the central difference.")
    check.note("ten random graphs with log agree with adjoint, and five slopes with central differences")
