"""The classic mistakes: the wrong line of each, its effect on a training run, and how it is found.

The lab really makes the mistake: it takes the step with the wrong line, or creates the network with it. Warnings are
the actual warnings of the guards, and the results of checks come from running them. The task, the network and the
learning rate of each mistake are chosen so that training succeeds without it and its harm is visible with it.
"""

from dataclasses import replace
from functools import partial

from adjoint_lab import detection, wrong_lines
from adjoint_lab.configurations import Configuration
from adjoint_lab.trials import Fault

_BASE = Configuration(
    dataset="moons",
    samples=80,
    held_out=0.0,
    hidden=(8, 8),
    activation="relu",
    loss="mse",
    optimizer="sgd",
    lr=0.2,
    batch_size=16,
    labels=("0", "1"),
)
# With all samples in each step, one pass at this rate converges and steps twice as long diverge, for seeds 0 to 11.
_FAST_TANH = replace(_BASE, activation="tanh", lr=0.35, batch_size=None)
_LOSS, _BACKWARD = "loss = mse(model(X), y)", "model.zero_grad(); loss.backward()"
_UPDATE = "for p in params: p.data -= lr * p.grad"

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "unzeroed",
            "Gradients are not set to zero",
            "loss.backward(); optimizer.step()",
            "optimizer.zero_grad(); loss.backward(); optimizer.step()",
            "backward() adds to the existing gradients. Without zero_grad(), each step repeats all steps before it.",
            detection.find_warning,
            _BASE,
            step=wrong_lines.without_zeroing,
        ),
        Fault(
            "assigned",
            "Assign instead of accumulate",
            "parent.grad = derivative * node.grad",
            "parent.grad += derivative * node.grad",
            "A value that is used several times receives one contribution to its gradient from each use. With =, all "
            "but the last are lost. A weight is used once for each sample of the batch.",
            partial(detection.check_backward, detection.backward_by_assigning),
            _BASE,
            step=wrong_lines.assigning,
        ),
        Fault(
            "twice",
            "A second backward()",
            "loss.backward(); loss.backward(); optimizer.step()",
            "loss.backward(); optimizer.step()",
            "The second pass adds the same gradients again, so the step is twice as long as the learning rate says. "
            "With a small rate this goes unnoticed; here one pass is stable and two are not. PyTorch raises an error "
            "instead.",
            partial(detection.find_warning_or_check, detection.backward_again),
            _FAST_TANH,
            step=wrong_lines.backward_twice,
        ),
        Fault(
            "kept",
            "A graph kept across steps",
            f"{_LOSS}\nfor step in range(300):\n    {_BACKWARD}\n    optimizer.step()",
            f"for step in range(300):\n    {_LOSS}\n    {_BACKWARD}\n    optimizer.step()",
            "A graph holds the numbers of the weights with which it was computed. If the loss is computed only once, "
            "every step repeats the first gradient, and the weights move past the minimum and on. The loss that the "
            "program prints does not even change. PyTorch raises an error instead.",
            partial(detection.find_warning_or_check, detection.backward_of_old_graph),
            replace(_BASE, batch_size=None),
            step=wrong_lines.keeping_the_loss,
        ),
        Fault(
            "data",
            "Weights assigned before backward()",
            f"{_LOSS}\n{_UPDATE}\n{_BACKWARD}",
            f"{_LOSS}\n{_BACKWARD}\n{_UPDATE}",
            "The graph holds the numbers of the weights before the assignment, and backward() computes their gradient. "
            "So each update uses a gradient that is one step late, and only about half the learning rate is stable. "
            "For arrays, adjoint raises an error instead.",
            partial(detection.find_warning_or_check, detection.backward_of_old_graph),
            _FAST_TANH,
            step=wrong_lines.updating_before_backward,
        ),
        Fault(
            "fast",
            "Learning rate too large",
            "optimizer = SGD(model.parameters(), lr=3.0)",
            f"optimizer = SGD(model.parameters(), lr={_BASE.lr})",
            "The gradient is the slope at one point. A step that is too large lands on the other side of the valley, "
            "higher up, where the slope is even steeper.",
            detection.find_warning,
            replace(_BASE, activation="tanh"),
            changes={"lr": 3.0},
        ),
        Fault(
            "slow",
            "Learning rate too small",
            "optimizer = SGD(model.parameters(), lr=0.0001)",
            f"optimizer = SGD(model.parameters(), lr={_BASE.lr})",
            "The direction is correct, but the steps are too small to make progress.",
            detection.relative_step,
            _BASE,
            changes={"lr": 1e-4},
        ),
        Fault(
            "zeros",
            "All weights zero",
            "for p in model.parameters(): p.data = 0.0",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "With zero weights, no signal passes forward and no gradient flows back. Only the last bias learns.",
            detection.diagnose,
            replace(_BASE, activation="tanh"),
            begin=partial(wrong_lines.set_all_weights, 0.0),
        ),
        Fault(
            "equal",
            "All weights equal",
            "for p in model.parameters(): p.data = 0.1",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "Neurons with equal weights receive equal gradients and stay equal: a layer of eight acts like one neuron. "
            "That is enough for a task that a line almost solves, but not for XOR.",
            detection.compare_neurons,
            replace(_BASE, dataset="xor", activation="tanh"),
            begin=partial(wrong_lines.set_all_weights, 0.1),
        ),
        Fault(
            "dead",
            "Dead ReLUs",
            "for neuron in layer.neurons: neuron.b.data = -6.0",
            "for neuron in layer.neurons: neuron.b.data = 0.0",
            "A ReLU that outputs 0 for every sample has slope 0 for every sample, so no gradient can revive it.",
            detection.diagnose,
            _BASE,
            begin=wrong_lines.lower_biases,
        ),
        Fault(
            "vanishing",
            "Vanishing sigmoids",
            'model = nn.MLP(2, [8, 8, 8, 8, 8, 1], "sigmoid")',
            'model = nn.MLP(2, [8, 8, 8, 8, 8, 1], "tanh")',
            "The slope of a sigmoid is at most 1/4. Five such layers leave almost nothing of the gradient.",
            detection.diagnose,
            replace(_BASE, hidden=(8, 8, 8, 8, 8), activation="tanh"),
            changes={"activation": "sigmoid"},
        ),
        Fault(
            "exploding",
            "Exploding gradients",
            "for p in model.parameters(): p.data = random.uniform(-3, 3)",
            "for p in model.parameters(): p.data = random.uniform(-1, 1)",
            "Each layer multiplies the signal and the gradient by its weights. With weights three times as large, six "
            "layers make the outputs up to 3⁶ = 729 times as large, and the first steps jump far away.",
            detection.diagnose_at_start,
            replace(_BASE, hidden=(8, 8, 8, 8, 8), lr=0.02),
            prepare=wrong_lines.widen_weights,
            begin=partial(wrong_lines.scale_weights, 3.0),
        ),
    )
}
