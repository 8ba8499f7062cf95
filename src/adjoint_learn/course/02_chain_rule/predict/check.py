from adjoint import Value


def check(check, learner):
    gradients = {"a": 6.0, "b": -4.0, "c": -2.0, "f": 4.0}
    one = learner.predict(-8.0, {"a": 6.0}, {"a": 0.06})
    check.close('predict(-8.0, {"a": 6.0}, {"a": 0.06})', one, -7.64)
    moves = {name: 0.01 * x for name, x in gradients.items()}
    check.close("predict(-8.0, gradients, moves)", learner.predict(-8.0, gradients, moves), -7.28)
    turned = dict(reversed(moves.items()))
    because = "It is the same prediction: the moves have their names in another order."
    got = learner.predict(-8.0, gradients, turned)
    check.close("predict(-8.0, gradients, turned)", got, -7.28, because=because)
    for size in (0.1, 0.01):
        for _ in range(5):
            numbers = {name: round(check.random.uniform(-3, 3), 2) for name in "abcf"}
            v = {name: Value(x) for name, x in numbers.items()}
            L = (v["a"] * v["b"] + v["c"]) * v["f"]
            L.backward()
            moves = {name: check.random.uniform(-size, size) for name in numbers}
            gradients = {name: value.grad for name, value in v.items()}
            linear = L.data + sum(gradients[name] * moves[name] for name in numbers)
            n = {name: numbers[name] + moves[name] for name in numbers}
            true = (n["a"] * n["b"] + n["c"]) * n["f"]
            assert abs(true - linear) < 20 * size**2  # the prediction is good
            got = learner.predict(L.data, gradients, moves)
            check.close(f"predict({L.data:.4g}, gradients, moves of up to {size})", got, linear)
    check.note("with ten times smaller moves, the error of the prediction is about a hundred times smaller")
