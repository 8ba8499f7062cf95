"""The outputs that a page must compute from the weights: web/tests/shared/outputs.json has those of the engine.

network.test.ts compares the page with this file. `python tests/lab/test_page_outputs.py` writes it.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from closeness import require_close

from adjoint import data, nn
from adjoint.engine.modes import no_grad
from adjoint_lab.configurations import ACTIVATIONS, OUTPUTS, Configuration
from adjoint_lab.experiments import Experiment

FILE = Path(__file__).parents[2] / "web/tests/shared/outputs.json"
POINTS = 3
SHAPES = ((2, [3, 2, 1]), (2, [5, 3]), (3, [1]))  # of inputs and layers: hidden layers, several classes, neither


def outputs_of(network: nn.MLP, inputs: list[float]) -> list[list[float]]:
    """Return the inputs of a network of Values and the outputs of each of its layers."""
    found, x = [inputs], inputs
    with no_grad():
        for layer in network.layers:
            output = layer(x)
            x = [value.data for value in (output if isinstance(output, list) else [output])]
            found.append(x)
    return found


def computed_by_the_engine() -> list[dict[str, Any]]:
    """Return random networks with each activation, points, and the outputs of all layers at each point."""
    rng, found = Random(17), []
    for activation in ACTIVATIONS:
        for inputs, sizes in SHAPES:
            output = rng.choice(OUTPUTS)
            network = nn.MLP(inputs, sizes, activation, output, seed=rng)
            for parameter in network.parameters():
                parameter.data *= 3
            scale = data.Scale([rng.gauss(0, 2) for _ in range(inputs)], [rng.uniform(0.1, 9) for _ in range(inputs)])
            points = [[rng.gauss(0, 5) for _ in range(inputs)] for _ in range(POINTS)]
            scaled = [[(x - a) / b for x, a, b in zip(point, scale.mean, scale.spread)] for point in points]
            found.append(
                {
                    "architecture": {
                        "activations": [layer.neurons[0].activation for layer in network.layers],
                        "mean": scale.mean,
                        "spread": scale.spread,
                    },
                    "weights": [
                        {"w": [[w.data for w in n.w] for n in layer.neurons], "b": [n.b.data for n in layer.neurons]}
                        for layer in network.layers
                    ],
                    "points": points,
                    "outputs": [outputs_of(network, x) for x in scaled],
                }
            )
    return found


def flat(x: Any) -> list[float]:
    return [number for part in x for number in flat(part)] if isinstance(x, list) else [x]


def test_the_file_has_what_the_engine_computes():
    expected, found = computed_by_the_engine(), json.loads(FILE.read_text())
    assert [{**each, "outputs": None} for each in found] == [{**each, "outputs": None} for each in expected]
    for a, b in zip(found, expected):
        require_close(flat(a["outputs"]), flat(b["outputs"]))


@pytest.mark.parametrize("engine", ["scalar", "array"])
def test_an_experiment_describes_its_network_completely(engine):
    rows = [[i, 100 * i * i, i % 3] for i in range(9)]
    for given in (
        {"dataset": "csv", "rows": rows, "hidden": [3, 2], "activation": "gelu"},
        {"dataset": "xor", "hidden": [], "output": "tanh"},
    ):
        experiment = Experiment(Configuration.read({**given, "engine": engine}))
        experiment.step()
        architecture, weights = experiment.architecture(), [layer.as_json() for layer in experiment.weights()]
        sizes = experiment.configuration.sizes
        network = nn.MLP(sizes[0], sizes[1:], experiment.configuration.activation, architecture["activations"][-1])
        for layer, numbers in zip(network.layers, weights, strict=True):
            for neuron, w, b in zip(layer.neurons, numbers["w"], numbers["b"], strict=True):
                for parameter, x in zip(neuron.parameters(), [*w, b], strict=True):
                    parameter.data = x
        assert [layer.neurons[0].activation for layer in network.layers] == architecture["activations"]
        scores = experiment.plain_network()(experiment.inputs)
        for place, inputs, expected in zip(experiment.X, experiment.inputs, scores, strict=True):
            scaled = [(x - a) / b for x, a, b in zip(place, architecture["mean"], architecture["spread"], strict=True)]
            require_close(scaled, [*inputs])
            require_close(outputs_of(network, scaled)[-1], expected)


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(each) for each in computed_by_the_engine())
    FILE.write_text(f"[\n{lines}\n]\n")
