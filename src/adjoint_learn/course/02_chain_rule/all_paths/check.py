import math

from adjoint import Value


def check(check, learner):
    check.close("gradient([(1.0, -3.0)])", learner.gradient([(1.0, -3.0)]), -3.0)
    check.close("gradient([(2.0, -3.0)])", learner.gradient([(2.0, -3.0)]), -6.0)
    check.close("gradient([(1.0, 2.0), (1.0, 5.0)])", learner.gradient([(1.0, 2.0), (1.0, 5.0)]), 7.0)
    check.close("gradient([(1.0, -3.0), (1.0, 1.0)])", learner.gradient([(1.0, -3.0), (1.0, 1.0)]), -2.0)
    check.close("gradient([])", learner.gradient([]), 0.0, because="A value without uses does not change the result.")
    for _ in range(20):
        x, u, v, w = (round(check.random.uniform(-2, 2), 2) for _ in range(4))
        value = Value(x)
        p, q, r = value * u, value + v, value.tanh()
        total = p * q + r * w
        total.backward()
        uses = [(p.grad, u), (q.grad, 1.0), (r.grad, 1 - math.tanh(x) ** 2)]
        h = 1e-5

        def f(x, u=u, v=v, w=w):
            return x * u * (x + v) + math.tanh(x) * w

        assert abs((f(x + h) - f(x - h)) / (2 * h) - value.grad) < 1e-6
        shown = ", ".join(f"({a:.3g}, {b:.3g})" for a, b in uses)
        check.close(f"gradient([{shown}])", learner.gradient(uses), value.grad)
    check.note("your sums agree with adjoint on 20 graphs in which a value is used three times")
