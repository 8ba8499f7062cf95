def check(check, learner):
    from engine import Value  # the learner's

    def off_by(error):
        """Return an operation that computes x², with a derivative that is wrong by `error`."""

        def operation(x):
            out = Value(x.data**2, (x,), "square")

            def _backward():
                x.grad += (2 * x.data + error) * out.grad

            out._backward = _backward
            return out

        return operation

    def claim(what, f, xs, expected, because=""):
        check.close(what, learner.check_gradients(f, list(xs)), expected, tolerance=1e-4, because=because)

    right, wrong, wrong_below = off_by(0.0), off_by(0.5), off_by(-3.0)
    because = "The rule of this square gives 4.5, and its slope is 4."
    claim("check_gradients(wrong_square, [2.0])", wrong, [2.0], 0.5, because)
    because = "The gradient is 4, and so is the slope."
    claim("check_gradients(square, [2.0])", right, [2.0], 0.0, because)
    because = "The rule gives 1 and the slope is 4, so the gradient is too *small* by 3."
    claim("check_gradients(wrong_square, [2.0])", wrong_below, [2.0], 3.0, because)
    claim("check_gradients(lambda a, b: a * b + a, [2.0, -3.0])", lambda a, b: a * b + a, [2.0, -3.0], 0.0)
    for name, f, because in (
        ("wrong_square(a) + b * b", lambda a, b: wrong(a) + b * b, "The gradient of `b` is right."),
        ("a * a + wrong_square(b)", lambda a, b: a * a + wrong(b), "The gradient of `a` is right."),
    ):
        claim(f"check_gradients(lambda a, b: {name}, [2.0, 3.0])", f, [2.0, 3.0], 0.5, because)
    what = "check_gradients, where the gradients of two inputs are wrong by 3 and by 0.5,"
    claim(what, lambda a, b: wrong_below(a) + wrong(b), [2.0, 3.0], 3.0, "The largest difference counts.")
    because = "The rule is right. Your nudges have to be more exact: a central difference with a small h."
    claim("check_gradients(lambda a: (3 * a).exp(), [1.0])", lambda a: (3 * a).exp(), [1.0], 0.0, because)
    for _ in range(10):
        error = round(check.random.uniform(0.1, 1), 2)
        xs = [round(check.random.uniform(-1, 1), 2) for _ in range(3)]
        what = f"check_gradients(lambda a, b, c: (a * b).tanh() + c * wrong_square(b), {xs})"
        claim(what, with_tanh(off_by(error)), xs, abs(xs[2] * error))
    check.note("your check measures the error of a rule, also where the wrong input is used twice")


def with_tanh(square):
    return lambda a, b, c: (a * b).tanh() + c * square(b)
