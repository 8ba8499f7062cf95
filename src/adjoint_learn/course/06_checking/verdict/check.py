import math


def check(check, learner):
    from engine import Value  # the learner's

    def make(function, derivative):
        """Return an operation on Values with this function and this rule."""

        def operation(x):
            out = Value(function(x.data), (x,), "operation")

            def _backward():
                x.grad += derivative(x.data) * out.grad

            out._backward = _backward
            return out

        return operation

    def claim(what, operation, function, expected, because=""):
        check.equal(f"verdict of {what}", learner.verdict(operation, function), expected, because=because)

    cube = make(lambda x: x**3, lambda x: 3 * x)
    signed = make(lambda x: x * abs(x), lambda x: 2 * x)
    claim("2·x with the rule 2", make(lambda x: 2 * x, lambda x: 2.0), lambda x: 2 * x, "right")
    because = "Its gradient is 2, which is less than the slope 3."
    claim("3·x with the rule 2", make(lambda x: 3 * x, lambda x: 2.0), lambda x: 3 * x, "gradient", because)
    claim("tanh of your engine", lambda x: x.tanh(), math.tanh, "right", "Floats differ in their last digits.")
    because = "Both rules give 3 at 1, and other numbers elsewhere."
    claim("x³ with the rule 3·x", cube, lambda x: x**3, "gradient", because)
    because = "The slope of x·|x| is 2·|x|. For positive x that is the same."
    claim("x·|x| with the rule 2·x", signed, lambda x: x * abs(x), "gradient", because)
    because = "For negative x the rule gives the slope 2·|x|, and for positive x it does not."
    negated = make(lambda x: x * abs(x), lambda x: -2 * x)
    claim("x·|x| with the rule −2·x", negated, lambda x: x * abs(x), "gradient", because)
    because = "It falls from 1 to 0 instead of rising from 0 to 1, and its gradient is right for what it computes."
    claim("1 / (1 + eˣ) as the sigmoid 1 / (1 + e⁻ˣ)", lambda x: 1 / (1 + x.exp()), sigmoid, "value", because)
    coarse = make(math.tanh, lambda x: round(1 - math.tanh(x) ** 2, 1))
    because = "Its errors are smaller than 0.05, and still errors: a correct rule is exact to about eight digits."
    claim("tanh with a rule that is rounded to one digit", coarse, math.tanh, "gradient", because)
    because = "At its kink, 0, there is no slope, and nudges give 0.5."
    claim("relu of your engine", lambda x: x.relu(), lambda x: max(0.0, x), "right", because)
    for _ in range(6):
        a, b = check.random.uniform(0.5, 2), check.random.uniform(0.1, 0.5)
        name, function, rule = f"{a:.2f}·x + {b:.2f}·x²", polynomial(0.0, a, b), polynomial(a, 2 * b, 0.0)
        claim(name, make(function, rule), function, "right")
        claim(f"{name}, with a term of the rule halved", make(function, polynomial(a, b, 0.0)), function, "gradient")
        doubled = make(polynomial(0.0, 2 * a, 2 * b), polynomial(2 * a, 4 * b, 0.0))
        claim(f"{name}, doubled with its rule", doubled, function, "value")
    check.note("you found the wrong rules, and the operation that is wrong although its gradient fits its values")


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def polynomial(a, b, c):
    return lambda x: a + b * x + c * x**2
