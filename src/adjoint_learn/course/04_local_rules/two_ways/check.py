import math

from engine import Value

from adjoint_learn.nodes import parents_first
from adjoint_learn.statements import call_rules


def check(check, learner):
    points = [0.5, 0.0, -1.0, 2.0, *(round(check.random.uniform(-3, 3), 2) for _ in range(10))]
    for x in points:
        a = Value(x)
        t = learner.tanh_from_exp(a)
        what = f"tanh_from_exp(Value({x:g}))"
        check.true(
            f"`{what}` should be a Value.",
            isinstance(t, Value),
            got=t,
            because="Replace the TODO, and do not forget `return`." if t is None else "",
        )
        check.close(f"{what}.data", t.data, math.tanh(x))
        call_rules(t)
        check.close(f"the gradient of x = {x:g} in tanh_from_exp(x)", a.grad, 1 - math.tanh(x) ** 2)
        step = 1e-5
        high, low = (learner.tanh_from_exp(Value(x + change)).data for change in (step, -step))
        check.close(f"the gradient of x = {x:g} in tanh_from_exp(x)", a.grad, (high - low) / (2 * step), tolerance=1e-4)
    single = Value(0.5)
    call_rules(single.tanh())
    composed = Value(0.5)
    root = learner.tanh_from_exp(composed)
    call_rules(root)
    check.close("the gradient of the composed tanh at 0.5", composed.grad, single.grad)
    nodes = len(parents_first(root)) - 1
    check.true("`tanh_from_exp(x)` should be composed of `exp`, `+`, `-` and `/`, but it is one operation.", nodes > 1)
    check.note(f"as one operation, tanh adds 1 node to the graph; composed of exp, it adds {nodes}")
