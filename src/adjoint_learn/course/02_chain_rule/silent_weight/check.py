import math

from adjoint import Value


def check(check, learner):
    for x2 in (0.0, -0.5, 1.0, 3.0, *(round(check.random.uniform(-3, 3), 2) for _ in range(10))):
        w2 = Value(1.0)
        (w2 * x2 + (2.0 * -3.0 + 6.8813735870195432)).tanh().backward()

        def o(w, x2=x2):
            return math.tanh(x2 * w + 0.8813735870195432)

        assert abs((o(1 + 1e-5) - o(1 - 1e-5)) / 2e-5 - w2.grad) < 1e-6
        check.close(f"w2_gradient({x2:g})", learner.w2_gradient(x2), w2.grad)
    check.note("at x2 = 3 the gradient is tiny again: there the tanh is almost flat")
