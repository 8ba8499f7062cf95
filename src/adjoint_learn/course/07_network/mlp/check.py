from adjoint import nn


def check(check, learner):
    model = learner.MLP(3, [4, 4, 1])
    layers = getattr(model, "layers", None)
    count = len(layers) if isinstance(layers, list | tuple) else layers
    check.equal("len(MLP(3, [4, 4, 1]).layers)", count, 3, because="There is one layer for each number in the list.")
    layers_of_neurons = all(getattr(layer, "neurons", None) for layer in layers)
    check.true("`layers` should be a list of objects of your class `Layer`", layers_of_neurons, got=layers)
    shapes = [(len(layer.neurons[0].w), len(layer.neurons)) for layer in layers]
    check.equal("the inputs and neurons of the layers of MLP(3, [4, 4, 1])", shapes, [(3, 4), (4, 4), (4, 1)])
    output = model([2.0, 3.0, -1.0])
    check.true("`MLP(3, [4, 4, 1])` should return one Value", is_value(output), got=output)
    parameters = model.parameters()
    is_flat = isinstance(parameters, list | tuple) and all(map(is_value, parameters))
    check.true("`parameters()` should be a flat list of Values", is_flat, got=parameters)
    check.equal("len(MLP(3, [4, 4, 1]).parameters())", len(parameters), 41, because="That is 16 + 20 + 5.")
    count = len(learner.MLP(2, [4, 4, 1]).parameters())
    check.equal("len(MLP(2, [4, 4, 1]).parameters())", count, 37)
    for nin, nouts in ((2, [1]), (2, [2, 1]), (3, [4, 4, 1]), (1, [3, 2]), (2, [2, 2, 2, 1])):
        compare(check, learner, nin, nouts)
    check.note("your network has the outputs and gradients of adjoint's `nn.MLP`, with two outputs and four layers too")


def compare(check, learner, nin, nouts):
    """Compare a network with adjoint's that has the same weights, and its gradients with central differences."""
    x = [round(check.random.uniform(-2, 2), 2) for _ in range(nin)]
    theirs = nn.MLP(nin, nouts, seed=check.random.randrange(1000))
    model = learner.MLP(nin, nouts)
    for value, reference in zip(model.parameters(), theirs.parameters()):
        value.data = reference.data
    what = f"MLP({nin}, {nouts})({x})"
    expected, output = as_list(theirs(x)), as_list(model(x))
    check.close(f"{what} with the weights of nn.MLP", numbers(output), numbers(expected))
    expected[-1].backward()
    output[-1].backward()
    gradients = [value.grad for value in model.parameters()]
    check.close(f"the gradients of {what}", gradients, [value.grad for value in theirs.parameters()])
    for i in {0, len(gradients) // 2, len(gradients) - 1}:
        value = model.parameters()[i]
        number, results = value.data, []
        for h in (1e-5, -1e-5):
            value.data = number + h
            results.append(numbers(as_list(model(x)))[-1])
        value.data = number
        slope = (results[0] - results[1]) / 2e-5
        check.close(f"gradient {i} of {what}", gradients[i], slope, because="That is the central difference.")


def as_list(x):
    return x if isinstance(x, list | tuple) else [x]


def numbers(values):
    return [getattr(value, "data", value) for value in values]


def is_value(x):
    return hasattr(x, "data") and hasattr(x, "grad")
