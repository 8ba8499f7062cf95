from adjoint import nn


def check(check, learner):
    neuron = learner.Neuron(2)
    weights, bias = getattr(neuron, "w", None), getattr(neuron, "b", None)
    check.true("`Neuron(2).w` should be a list of two Values", is_values(weights, 2), got=weights)
    check.true("`Neuron(2).b` should be a Value", is_value(bias), got=bias)
    many = learner.Neuron(40)
    check.equal(
        "the number of different weights of Neuron(40)",
        len({id(value) for value in many.w}),
        40,
        because="Each weight must be a Value of its own.",
    )
    numbers = [value.data for value in [*many.w, many.b]]
    if len(set(numbers)) < 41:
        shown = len(set(numbers))
        check.fail(f"The 41 numbers of Neuron(40) should be random, so all different. {shown} are different.", shown)
    check.held += 1
    check.true("The weights and the bias should be numbers from −1 to 1", all(-1 <= number <= 1 for number in numbers))
    both_signs = min(numbers) < 0 < max(numbers)
    check.true("Some of the weights should be negative and some positive", both_signs)
    first, second = learner.Neuron(2), learner.Neuron(2)
    check.true("Two new neurons should have different biases: the bias is random too", first.b.data != second.b.data)
    set_numbers([*neuron.w, neuron.b], [-3.0, 1.0, 6.8813735870195432])
    output = neuron([2.0, 0.0])
    data = output.data if is_value(output) else output
    check.close("Neuron(2)([2.0, 0.0]).data, with w = −3 and 1 and b = 6.8814", data, 0.70710678)
    check.true("A neuron should return a Value", is_value(output), got=type(output).__name__)
    output.backward()
    gradients = [value.grad for value in [*neuron.w, neuron.b]]
    because = "Those are the gradients of w₁, w₂ and b that you computed by hand in lesson 2."
    check.close("the gradients of this neuron", gradients, [1.0, 0.0, 0.5], because=because)
    parameters = neuron.parameters()
    check.true(
        "`parameters()` should be a list of the two weights and then the bias",
        is_values(parameters, 3) and all(a is b for a, b in zip(parameters, [*neuron.w, neuron.b])),
        got=parameters,
    )
    for _ in range(10):
        compare(check, learner, check.random.randint(1, 5))
    check.note("your neuron has the outputs and gradients of adjoint's `nn.Neuron`")


def compare(check, learner, nin):
    """Compare a random neuron with adjoint's and with central differences."""
    x = [round(check.random.uniform(-2, 2), 2) for _ in range(nin)]
    theirs = nn.Neuron(nin, seed=check.random.randrange(1000))
    numbers = [value.data for value in theirs.parameters()]
    neuron = learner.Neuron(nin)
    set_numbers(neuron.parameters(), numbers)
    expected, output = theirs(x), neuron(x)
    check.close(f"the output of a neuron with {nin} inputs", output.data, expected.data)
    expected.backward()
    output.backward()
    got = [value.grad for value in neuron.parameters()]
    what = f"the gradients of a neuron with {nin} inputs"
    check.close(what, got, [value.grad for value in theirs.parameters()])
    slopes = []
    for value, number in zip(neuron.parameters(), numbers):
        outputs = []
        for h in (1e-5, -1e-5):
            value.data = number + h
            outputs.append(neuron(x).data)
        value.data = number
        slopes.append((outputs[0] - outputs[1]) / 2e-5)
    check.close(what, got, slopes, because="Those are the central differences.")


def is_value(x):
    return hasattr(x, "data") and hasattr(x, "grad")


def is_values(x, count):
    return isinstance(x, list | tuple) and len(x) == count and all(map(is_value, x))


def set_numbers(values, numbers):
    for value, number in zip(values, numbers):
        value.data = number
