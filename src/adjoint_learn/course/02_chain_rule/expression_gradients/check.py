from adjoint import Value

INPUTS = {"a": 2.0, "b": -3.0, "c": 10.0, "f": -2.0}
WHY = {
    "L": "L changes exactly as much as L.",
    "e": "L = e·f: if e grows by 0.001, how much does L grow?",
    "f": "L = e·f: if f grows by 0.001, how much does L grow?",
    "d": "e = d + c: the local derivative is 1, times the gradient of e.",
    "c": "e = d + c: the local derivative is 1, times the gradient of e.",
    "a": "d = a·b: the local derivative with respect to a is b, times the gradient of d.",
    "b": "d = a·b: the local derivative with respect to b is a, times the gradient of d.",
}


def result(inputs, moved="", by=0.0):
    """Return L, with one of its values moved."""
    x = {name: number + (by if name == moved else 0.0) for name, number in inputs.items()}
    d = x["a"] * x["b"] + (by if moved == "d" else 0.0)
    e = d + x["c"] + (by if moved == "e" else 0.0)
    return e * x["f"] + (by if moved == "L" else 0.0)


def check(check, learner):
    check.true("`gradients` must be a dictionary", isinstance(learner.gradients, dict), got=learner.gradients)
    values = {name: Value(x) for name, x in INPUTS.items()}
    values["d"] = values["a"] * values["b"]
    values["e"] = values["d"] + values["c"]
    values["L"] = values["e"] * values["f"]
    values["L"].backward()
    for name, because in WHY.items():
        nudged = (result(INPUTS, name, 1e-4) - result(INPUTS, name, -1e-4)) / 2e-4
        assert abs(nudged - values[name].grad) < 1e-6
        got = learner.gradients.get(name)
        check.close(f'gradients["{name}"]', got, values[name].grad, because=because)
    check.note("a nudge of 0.001 in a raises L by 0.006, and one in b lowers it by 0.004")
