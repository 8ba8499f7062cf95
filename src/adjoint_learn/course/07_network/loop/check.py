from adjoint import nn

XS = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
YS = [1.0, -1.0, -1.0, 1.0]


def check(check, learner):
    from network import MLP  # the learner's

    neuron = MLP(1, [1])
    set_numbers(neuron, [0.0, 0.0])
    what = "train(neuron, [[1.0]], [1.0], 0.1, 1), for one neuron with w = b = 0"
    check.close(what, learner.train(neuron, [[1.0]], [1.0], 0.1, 1), [1.0], because="The output is 0 and the target 1.")
    numbers, gradients = [p.data for p in neuron.parameters()], [p.grad for p in neuron.parameters()]
    if numbers == [0.0, 0.0]:
        seen = ", ".join(f"{gradient:g}" for gradient in gradients)
        check.fail(f"After one step w and b are still 0. Their gradients are {seen}.", gradients)
    because = "Their gradients are −2, and the rate is 0.1."
    check.close("w and b after this step", numbers, [0.2, 0.2], because=because)
    set_numbers(neuron, [0.0, 0.0])
    what = "train(neuron, [[1.0]], [1.0], 0.1, 2), for one neuron with w = b = 0"
    because = "At first the output is 0 and the loss 1. The gradients of w and b are −2, so both become 0.2."
    check.close(what, learner.train(neuron, [[1.0]], [1.0], 0.1, 2), [1.0, 0.384455], tolerance=1e-5, because=because)
    check.equal("train(neuron, [[1.0]], [1.0], 0.1, 0)", learner.train(neuron, [[1.0]], [1.0], 0.1, 0), [])

    slopes = slopes_by_nudges(MLP, seed=1)
    model, before = start(MLP, seed=1)
    losses = learner.train(model, XS, YS, 0.05, 1)
    because = "It is the sum over the four points, with the weights of `random.seed(1)`."
    check.close("the first loss on the four points", losses, [6.244272], tolerance=1e-5, because=because)
    moves = [(old - p.data) / 0.05 for old, p in zip(before, model.parameters())]
    because = "It should be 0.05 times the slope that nudges of the weights measure."
    check.close("the first step, divided by its rate", moves, slopes, tolerance=1e-4, because=because)

    reference = nn.MLP(3, [4, 4, 1], seed=1)
    expected = reference_losses(reference, 5)
    model, _ = start(MLP, seed=1)
    losses = learner.train(model, XS, YS, 0.05, 5)
    because = "Is something left over from the steps before?"
    check.close("the first five losses on the four points", losses, expected, because=because)
    numbers = [p.data for p in model.parameters()]
    check.close("the parameters after five steps", numbers, [p.data for p in reference.parameters()])

    model, _ = start(MLP, seed=1)
    losses = learner.train(model, XS, YS, 0.05, 200)
    below = next((i for i, loss in enumerate(losses) if loss < 0.01), None)
    check.true("The loss should get below 0.01 within 200 steps", below is not None, got=losses[-1])
    outputs = ", ".join(f"{model(x).data:.2f}" for x in XS)
    check.note(f"the loss fell from {losses[0]:.4f} to {losses[-1]:.4f}; below 0.01 after {below} steps")
    check.note(f"your network says {outputs}; the targets are 1, −1, −1, 1")


def start(MLP, seed):
    """Return a network of the learner's, with the initial weights of adjoint's, and these weights."""
    numbers = [p.data for p in nn.MLP(3, [4, 4, 1], seed=seed).parameters()]
    model = MLP(3, [4, 4, 1])
    set_numbers(model, numbers)
    return model, numbers


def set_numbers(model, numbers):
    for p, number in zip(model.parameters(), numbers):
        p.data = number


def slopes_by_nudges(MLP, seed):
    """Return the central difference of the loss for each parameter."""
    model, numbers = start(MLP, seed)
    slopes = []
    for p, number in zip(model.parameters(), numbers):
        losses = []
        for h in (1e-5, -1e-5):
            p.data = number + h
            losses.append(sum((model(x).data - y) ** 2 for x, y in zip(XS, YS)))
        p.data = number
        slopes.append((losses[0] - losses[1]) / 2e-5)
    return slopes


def reference_losses(model, steps):
    losses = []
    for _ in range(steps):
        loss = sum((model(x) - y) ** 2 for x, y in zip(XS, YS))
        model.zero_grad()
        loss.backward()
        for p in model.parameters():
            p.data -= 0.05 * p.grad
        losses.append(loss.data)
    return losses
