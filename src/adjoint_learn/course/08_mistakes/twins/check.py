from numbers import Real

from engine import Value
from network import MLP

CASES = [([0.0, 0.0], -1.0), ([0.0, 1.0], 1.0), ([1.0, 0.0], 1.0), ([1.0, 1.0], -1.0)]


def check(check, learner):
    model = begin(check, learner, 1)
    hidden = [tuple(p.data for p in neuron.parameters()) for neuron in model.layers[0].neurons]
    numbers = [p.data for p in model.parameters()]
    different = len(set(hidden))
    if different < 4:
        message = f"The four hidden neurons should start with four different sets of numbers, and have {different}."
        check.fail(message, [different, numbers[0], numbers[-1]])
    check.held += 1
    again = [p.data for p in begin(check, learner, 1).parameters()]
    check.true("The same seed should give the same numbers.", again == numbers)
    other = [p.data for p in begin(check, learner, 2).parameters()]
    check.true("Another seed should give other numbers.", other != numbers)
    failed = []
    for seed in (1, 2, 3):
        model = begin(check, learner, seed)
        size = max(abs(p.data) for p in model.parameters())
        loss = train(model, 0.1, 100)
        check.note(f"seed {seed}: the loss is {loss:.3f} after 100 steps")
        if not loss < 1:
            failed.append(f"From seed {seed} the loss is still {loss:.2f} after 100 steps. ")
    if len(failed) > 1:  # with good numbers too, a seed may be unlucky
        kind = "huge" if size > 5 else "tiny" if size < 0.2 else "stuck"
        check.fail(f"{''.join(failed)}It should be below 1. Your numbers go up to {size:.3g}.", kind)


def begin(check, learner, seed):
    """Return a new network that the learner's function has started."""
    model = MLP(2, [4, 1])
    for p in model.parameters():
        p.data = 7.0
    learner.start(model, seed)
    for p in model.parameters():
        check.true("`data` of every parameter should be a number.", isinstance(p.data, Real), got=p.data)
    unchanged = all(p.data == 7.0 for p in model.parameters())
    check.true("`start` should change the parameters of the model. Assign to `p.data`.", not unchanged)
    return model


def train(model, rate, steps):
    loss = Value(0.0)
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in CASES)
        for p in model.parameters():
            p.grad = 0.0
        loss.backward()
        for p in model.parameters():
            p.data -= rate * p.grad
    return loss.data
