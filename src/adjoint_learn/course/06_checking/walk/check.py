import torch


def check(check, learner):
    def claim(what, tensor, because=""):
        got = learner.function_names(tensor)
        is_list = isinstance(got, list | tuple) and all(isinstance(name, str) for name in got)
        check.true("`function_names` should return a list of names", is_list, got=got)
        found = sorted(name.split("::")[-1] for name in got)
        check.equal(f"sorted(function_names({what}))", found, reference(tensor), because=because)

    x, w = torch.tensor(0.5, requires_grad=True), torch.tensor(-3.0, requires_grad=True)
    claim("x.tanh()", x.tanh(), "A leaf such as `x` has the function AccumulateGrad.")
    claim("w.exp() * x.tanh()", w.exp() * x.tanh(), "The product has two operands, and each of them has a graph.")
    claim("torch.tanh(x * w + 6.5)", torch.tanh(x * w + 6.5), "The constant 6.5 has no function.")
    claim("x * x", x * x, "`x` is one leaf, although it is used twice.")
    d = x * w
    claim("d * (d + x), with d = x * w", d * (d + x), "Some functions are reached in two ways.")
    for _ in range(10):
        values = [x, w]
        for _ in range(6):
            a, b = check.random.choice(values), check.random.choice(values)
            values.append(check.random.choice([a + b, a * b, a - b, a.tanh(), a * 2.0, 1.0 - b]))
        claim("a random graph", values[-1])
    chain = x
    for _ in range(100):
        chain = chain + 1.0
    claim("a chain of 100 additions", chain)
    check.note("you can read the graph of any tensor")


def reference(tensor):
    seen, todo = [], [tensor.grad_fn]
    known = set()
    while todo:
        function = todo.pop()
        if function is not None and function not in known:
            known.add(function)
            seen.append(function)
            todo.extend(following for following, _ in function.next_functions)
    return sorted(function.name().split("::")[-1] for function in seen)
