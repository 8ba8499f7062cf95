from adjoint import nn


def check(check, learner):
    layer = learner.Layer(3, 4)
    neurons = getattr(layer, "neurons", None)
    count = len(neurons) if isinstance(neurons, list | tuple) else neurons
    check.equal("len(Layer(3, 4).neurons)", count, 4)
    weights = [len(getattr(neuron, "w", ())) for neuron in neurons]
    check.equal("the weights of each neuron of Layer(3, 4)", weights, [3] * 4, because="Each neuron has 3 inputs.")
    check.equal(
        "the number of different neurons of Layer(3, 4)",
        len({id(neuron) for neuron in neurons}),
        4,
        because="Each neuron must be an object of its own.",
    )
    starts = {tuple(weight.data for weight in neuron.w) for neuron in neurons}
    check.true("The neurons of a layer should start with different weights", len(starts) == 4)
    outputs = layer([1.0, -2.0, 0.5])
    is_list = isinstance(outputs, list | tuple)
    check.true("`Layer(3, 4)([1.0, -2.0, 0.5])` should be a list of outputs", is_list, got=outputs)
    because = "There is one output per neuron."
    check.equal("len(Layer(3, 4)([1.0, -2.0, 0.5]))", len(outputs), 4, because=because)
    check.true("The outputs of a layer should be Values", all(map(is_value, outputs)), got=outputs)
    single = learner.Layer(3, 1)([1.0, -2.0, 0.5])
    check.true("A layer of one neuron should return a Value and not a list", is_value(single), got=single)
    parameters = layer.parameters()
    is_flat = isinstance(parameters, list | tuple) and all(map(is_value, parameters))
    check.true("`parameters()` should be a flat list of Values", is_flat, got=parameters)
    check.equal(
        "len(Layer(3, 4).parameters())", len(parameters), 16, because="Four neurons have three weights and a bias each."
    )
    expected = [p for neuron in neurons for p in neuron.parameters()]
    same = all(a is b for a, b in zip(parameters, expected))
    check.true("`parameters()` should list the parameters of the first neuron first, then the second", same)
    for _ in range(8):
        compare(check, learner, check.random.randint(1, 4), check.random.randint(1, 4))
    check.note("your layer has the outputs and gradients of adjoint's `nn.Layer`")


def compare(check, learner, nin, nout):
    """Compare a random layer with adjoint's and with central differences."""
    x = [round(check.random.uniform(-2, 2), 2) for _ in range(nin)]
    theirs = nn.Layer(nin, nout, seed=check.random.randrange(1000))
    layer = learner.Layer(nin, nout)
    for value, reference in zip(layer.parameters(), theirs.parameters()):
        value.data = reference.data
    expected, got = as_list(theirs(x)), as_list(layer(x))
    what = f"Layer({nin}, {nout})"
    check.close(f"the outputs of {what}", [value.data for value in got], [value.data for value in expected])
    total, reference = got[0] * 1.0, expected[0] * 1.0
    for i in range(1, nout):
        total, reference = total + got[i] * (i + 1.0), reference + expected[i] * (i + 1.0)
    total.backward()
    reference.backward()
    gradients = [value.grad for value in layer.parameters()]
    check.close(f"the gradients of {what}", gradients, [value.grad for value in theirs.parameters()])
    value = layer.parameters()[0]
    number, sums = value.data, []
    for h in (1e-5, -1e-5):
        value.data = number + h
        sums.append(sum((i + 1.0) * output.data for i, output in enumerate(as_list(layer(x)))))
    slope = (sums[0] - sums[1]) / 2e-5
    check.close(f"the first gradient of {what}", gradients[0], slope, because="That is the central difference.")


def as_list(x):
    return x if isinstance(x, list | tuple) else [x]


def is_value(x):
    return hasattr(x, "data") and hasattr(x, "grad")
