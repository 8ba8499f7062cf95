"""How the mistakes are found: the warnings that guards gave, and the results of checks."""

import re
from collections.abc import Callable

from adjoint import GradientCheck, Value, check_gradients, nn
from adjoint.errors import collect_warnings
from adjoint.training import LOSSES
from adjoint_lab.engines import LayerNumbers
from adjoint_lab.protocol.mistakes import Detection
from adjoint_lab.trials import Trial
from adjoint_lab.wrong_lines import assigning_backward

_SYMPTOMS = ("not_finite_loss", "diverging_loss")  # guards that do not name the mistake

Loss = Callable[[], Value]
WrongBackward = Callable[[nn.MLP, Loss, float], None]  # the network, its loss on a few samples, the learning rate


def find_warning(trial: Trial) -> Detection | None:
    """Return the first warning of a guard."""
    return _warning(trial.warnings[0]) if trial.warnings else None


def find_warning_or_check(wrong: WrongBackward, trial: Trial) -> Detection:
    """Return the first warning of a guard that names the mistake; if there is none, check the gradients."""
    warnings = [text for text in trial.warnings if _guard_of(text) not in _SYMPTOMS]
    return _warning(warnings[0]) if warnings else check_backward(wrong, trial)


def _warning(text: str) -> Detection:
    return {"by": f"adjoint.guards: {_guard_of(text)}", "text": text, "is_guard": True}


def _guard_of(text: str) -> str:
    """Return the name of the guard that gave a warning; the warning says how to switch it off."""
    found = re.search(r"adjoint\.guards\((\w+)=False\)", text)
    return found[1] if found else ""


def _check_result(call: str, text: str) -> Detection:
    return {"by": call, "text": text, "is_guard": False}


def diagnose(trial: Trial) -> Detection:
    """Diagnose the network with its current weights."""
    return _diagnose(trial, trial.scalar_network())


def diagnose_at_start(trial: Trial) -> Detection:
    """Diagnose the network with its first weights: those of a run that diverges soon overflow."""
    return _diagnose(trial, trial.initial_network())


def _diagnose(trial: Trial, network: nn.MLP) -> Detection:
    found = nn.diagnose(network, trial.inputs, trial.targets, LOSSES[trial.configuration.loss], show=False)
    return _check_result("nn.diagnose(model, X, y)", str(found))


def check_backward(wrong: WrongBackward, trial: Trial) -> Detection:
    """Compare the gradients of the last layer with central differences, on a few samples and with the first weights."""
    network, few = trial.initial_network(), slice(0, 4)
    weights = network.layers[-1].neurons[0].w

    def loss() -> Value:
        predictions = [network(row) for row in trial.inputs[few]]
        return LOSSES[trial.configuration.loss](predictions, trial.targets[few])

    with collect_warnings():
        if trial.is_broken:
            wrong(network, loss, trial.optimizer.lr)
        else:
            loss().backward()
    gradients = [w.grad for w in weights]
    result = check_gradients(loss(), *weights, raise_on_failure=False)
    result = GradientCheck([row._replace(analytic=grad) for row, grad in zip(result.inputs, gradients)])
    text = str(result) if result.ok else str(result.failure()).replace(" and ", "\nand ", 1)  # a long line
    return _check_result("adjoint.check_gradients(loss)", text)


def backward_by_assigning(network: nn.MLP, loss: Loss, lr: float) -> None:
    """Compute gradients with `=` instead of `+=`."""
    assigning_backward(loss())


def backward_again(network: nn.MLP, loss: Loss, lr: float) -> None:
    """Compute gradients with two backward passes."""
    once = loss()
    once.backward()
    once.backward()


def backward_of_old_graph(network: nn.MLP, loss: Loss, lr: float) -> None:
    """Compute gradients from a graph that was recorded before the last update of the weights."""
    loss().backward()
    old = loss()
    for p in network.parameters():
        p.data -= lr * p.grad
        p.grad = 0.0
    old.backward()


COMPARISON = "np.ptp([[p.data for p in neuron.parameters()] for neuron in layer.neurons], axis=0).max()"


def compare_neurons(trial: Trial) -> Detection:
    """Return how much the neurons of each layer differ."""
    lines = []
    for k, (weights, gradients) in enumerate(zip(trial.weights()[:-1], trial.gradients()), 1):
        weight_spread, gradient_spread = (_spread(layer) for layer in (weights, gradients))
        lines.append(
            f"layer {k}: its {len(weights.b)} neurons differ by at most {weight_spread:.2g} in their weights "
            f"and {gradient_spread:.2g} in their gradients"
        )
    return _check_result(COMPARISON, "\n".join(lines))


def _spread(layer: LayerNumbers) -> float:
    """Return the largest difference between the neurons of a layer."""
    neurons = [[*w, b] for w, b in zip(layer.w, layer.b)]
    return max(max(column) - min(column) for column in zip(*neurons))


def relative_step(trial: Trial) -> Detection:
    """Return the size of a step relative to the weights."""
    rate = trial.optimizer.lr
    lines = [
        f"layer {k}: a step of {rate:g} × {gradients.norm:.2g} changes weights of norm {weights.norm:.2g} "
        f"by {_share(rate * gradients.norm / weights.norm)}"
        for k, (weights, gradients) in enumerate(zip(trial.weights(), trial.gradients()), 1)
    ]
    return _check_result("lr × |gradient| / |weights|", "\n".join([*lines, "About one part in a thousand is typical."]))


def _share(x: float) -> str:
    return f"one part in {1 / x:,.0f}" if 0 < x < 0.01 else f"{x:.0%}"
