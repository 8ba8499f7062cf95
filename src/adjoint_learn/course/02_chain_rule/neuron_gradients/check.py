import math

from adjoint import Value

INPUTS = {"x1": 2.0, "x2": 0.0, "w1": -3.0, "w2": 1.0, "b": 6.8813735870195432}
WHY = {
    "o": "o changes exactly as much as o.",
    "n": "o = tanh(n): the local derivative is 1 − o², and o is 0.7071.",
    "b": "n = s + b: a sum hands its gradient on.",
    "s": "n = s + b: a sum hands its gradient on.",
    "p1": "s = p1 + p2: a sum hands its gradient on.",
    "p2": "s = p1 + p2: a sum hands its gradient on.",
    "x1": "p1 = x1·w1: the local derivative with respect to x1 is w1.",
    "w1": "p1 = x1·w1: the local derivative with respect to w1 is x1.",
    "x2": "p2 = x2·w2: the local derivative with respect to x2 is w2.",
    "w2": "p2 = x2·w2: the local derivative with respect to w2 is x2.",
}


def output(x):
    return math.tanh(x["x1"] * x["w1"] + x["x2"] * x["w2"] + x["b"])


def check(check, learner):
    check.true("`gradients` must be a dictionary", isinstance(learner.gradients, dict), got=learner.gradients)
    v = {name: Value(x) for name, x in INPUTS.items()}
    v["p1"], v["p2"] = v["x1"] * v["w1"], v["x2"] * v["w2"]
    v["s"] = v["p1"] + v["p2"]
    v["n"] = v["s"] + v["b"]
    v["o"] = v["n"].tanh()
    v["o"].backward()
    for name in INPUTS:
        up, down = ({**INPUTS, name: INPUTS[name] + h} for h in (1e-5, -1e-5))
        assert abs((output(up) - output(down)) / 2e-5 - v[name].grad) < 1e-6
    for name, because in WHY.items():
        check.close(f'gradients["{name}"]', learner.gradients.get(name), v[name].grad, tolerance=1e-3, because=because)
    check.note("w1 has the gradient 1: a small increase of w1 raises the output by about as much")
