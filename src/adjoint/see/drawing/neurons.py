"""Pictures of a small network: a circle for each neuron with its bias, a line for each weight.

The color of a line is the sign of the weight, its width the size; with `fields=["grad"]`, those of the gradient.
A scene has the same content for DOT and Mermaid.
"""

import math
from html import escape
from typing import Any, NamedTuple

from adjoint.engine.attachments import short
from adjoint.errors.text_table import table
from adjoint.see.drawing.networks import (
    Dense,
    Network,
    NeuronWeights,
    Parameter,
    is_sequential,
    is_small,
    scalar_layer,
    scalar_layers,
)
from adjoint.see.drawing.palette import line_width
from adjoint.see.drawing.scene import Box, Choices, Edge, Scene
from adjoint.see.drawing.svg import document, label, text_width
from adjoint.see.drawing.text_trees import Line

_RADIUS, _SPACE = 24.0, 62.0  # of a circle; between the centers of two neurons of a layer
_LAYER, _LABELED_LAYER = 150.0, 240.0  # between layers
_FEW_INPUTS, _FEW_WEIGHTS = 4, 24  # of networks whose lines have the numbers of their weights
_LINE = 16.0
_RULES = """\
.adjoint-graph circle { fill: var(--made); stroke: var(--line); }
.adjoint-graph .input { fill: var(--box); }
.adjoint-graph .neuron.root { stroke: var(--ink); }
.adjoint-graph .positive { stroke: var(--op-line); }
.adjoint-graph .negative { stroke: var(--root); }
.adjoint-graph .zero { stroke: var(--line); stroke-dasharray: 2 3; }
.adjoint-graph .invalid { stroke: var(--mark); stroke-dasharray: 6 3; }
.adjoint-graph .halo { paint-order: stroke; stroke: var(--box); stroke-width: 6; }
"""


def read_network(model: Any) -> Network | None:
    """Return the neurons of a model; None if it has other layers, or is too large to draw every neuron.

    >>> from adjoint import nn
    >>> [(layer.name, layer.inputs, layer.activation) for layer in read_network(nn.MLP(2, [3, 1], seed=0)).layers]
    [('layers[0]', 2, 'tanh'), ('layers[1]', 3, 'tanh')]
    """
    scalar, note = scalar_layers(model), ""
    if scalar is not None:
        sizes = [(len(neurons[0].w), len(neurons)) for _, neurons in scalar]
        layers = [scalar_layer(*layer) for layer in scalar] if is_small(sizes) else []
    else:
        from adjoint.see.drawing.array_networks import array_layers  # loads NumPy

        layers = array_layers(model)
        if layers and not (is_sequential(model) or layers[0].name == ""):
            note = "The layers are in the order in which the model defines them."
    return Network(_headline(model, layers), layers, note) if layers else None


def _headline(model: object, layers: list[Dense]) -> str:
    """Return the class of a model and its sizes: `MLP(2 → 4 tanh → 1)`."""
    steps = [str(layer.inputs) for layer in layers[:1]]
    steps += [" ".join(filter(None, (str(len(layer.neurons)), layer.activation))) for layer in layers]
    return f"{type(model).__name__}({' → '.join(steps)})"


class _Place(NamedTuple):
    """The center of a circle, along and across the direction of the computation."""

    along: float
    across: float


class _Measure:
    """The number of a parameter that is shown, its data or its gradient, and the largest of them."""

    def __init__(self, network: Network, choices: Choices):
        self.is_grad = "data" not in choices.fields and "grad" in choices.fields
        self.number = _brief if choices.number is short else choices.number
        weights = (w for layer in network.layers for neuron in layer.neurons for w in neuron.weights)
        sizes = (abs(self.of(weight)) for weight in weights)
        self.most = max((size for size in sizes if math.isfinite(size)), default=0.0)

    def of(self, parameter: Parameter) -> float:
        return parameter.grad if self.is_grad else parameter.data

    def text(self, parameter: Parameter | None) -> str:
        return "" if parameter is None else self.number(self.of(parameter))

    def share(self, parameter: Parameter) -> float:
        """Return the number relative to the largest, from −1 to 1."""
        x = self.of(parameter)
        return math.copysign(1.0, x) if not math.isfinite(x) else x / self.most if self.most else 0.0


def network_scene(network: Network, choices: Choices) -> Scene:
    """Return the network as boxes and edges."""
    measure = _Measure(network, choices)
    scene = Scene(title=_title(network), note=network.note)
    names = [_input_name(i) for i in range(network.layers[0].inputs)]
    scene.boxes = [Box("neuron leaf", name, [], title=f"input {name}") for name in names]
    first = 0
    for layer in network.layers:
        start, kind = len(scene.boxes), "neuron root" if layer is network.layers[-1] else "neuron"
        for i, neuron in enumerate(layer.neurons):
            rows = [measure.text(neuron.bias)] if neuron.bias else []
            scene.boxes.append(Box(kind, layer.activation, rows, title=_neuron_title(layer, i, neuron)))
            for j, weight in enumerate(neuron.weights):
                scene.edges.append(Edge(first + j, start + i, _parameter_title(weight), measure.share(weight)))
        first = start
    return scene


def network_lines(network: Network, choices: Choices) -> list[Line]:
    """Return a table of the weights, and of their gradients if there are any, for each layer."""
    lines, has_gradients = [network.title], network.has_gradients
    kinds = [kind for kind in ("data", "grad") if kind in choices.fields and (kind == "data" or has_gradients)]
    for layer in network.layers:
        words = f"{layer.name}: " * bool(layer.name) + f"{layer.inputs} → {len(layer.neurons)}"
        lines += ["", f"{words}, {layer.activation}" if layer.activation else words]
        has_bias = any(neuron.bias is not None for neuron in layer.neurons)
        headings = ["neuron", "", *(f"w[{k}]" for k in range(layer.inputs)), *["b"] * has_bias]
        rows = []
        for i, neuron in enumerate(layer.neurons):
            parameters = [*neuron.weights, *([neuron.bias] if neuron.bias is not None else [])]
            for kind in kinds:
                numbers = [choices.number(p.data if kind == "data" else p.grad) for p in parameters]
                rows.append([str(i) if kind == kinds[0] else "", kind, *numbers])
        lines += table(headings, rows, "r " + "r" * len(headings)).splitlines()
    lines += ["", network.note] if network.note else []
    return [[(line, "")] for line in lines]


def network_svg(network: Network, choices: Choices) -> str:
    """Return the network as SVG."""
    return _Picture(network, choices).render()


class _Picture:
    """The elements of the picture, and the area that they cover."""

    def __init__(self, network: Network, choices: Choices):
        self.network, self.is_upright, self.measure = network, choices.direction == "TB", _Measure(network, choices)
        layers = network.layers
        is_small = sum(layer.inputs * len(layer.neurons) for layer in layers) <= _FEW_WEIGHTS
        is_narrow = max(layer.inputs for layer in layers) <= _FEW_INPUTS
        self.has_labels = is_small and is_narrow and not self.is_upright  # there, labels would be side by side
        sizes = [layers[0].inputs, *(len(layer.neurons) for layer in layers)]
        self.breadth, step = max(sizes) * _SPACE, _LABELED_LAYER if self.has_labels else _LAYER
        starts = [(self.breadth - size * _SPACE) / 2 for size in sizes]
        self.columns = [
            [_Place(_RADIUS + k * step, start + (i + 0.5) * _SPACE) for i in range(size)]
            for k, (size, start) in enumerate(zip(sizes, starts))
        ]
        self.left, self.right, self.bottom = 0.0, 0.0, 0.0

    def render(self) -> str:
        lines, circles, labels = [], [], []
        for i, place in enumerate(self.columns[0]):
            circles += self._circle(place, "input", _input_name(i), f"input {_input_name(i)}")
        for layer, before, column in zip(self.network.layers, self.columns, self.columns[1:]):
            kind = "neuron root" if layer is self.network.layers[-1] else "neuron"
            for i, (neuron, place) in enumerate(zip(layer.neurons, column)):
                title = _neuron_title(layer, i, neuron)
                circles += self._circle(place, kind, self.measure.text(neuron.bias), title)
                for j, (weight, start) in enumerate(zip(neuron.weights, before)):
                    lines += self._edge(start, place, weight)
                    # the labels of different inputs are at different distances, so that they do not meet
                    labels += self._label(start, place, weight, 0.15 + 0.7 * (j + 1) / (layer.inputs + 1))
        parts = [*lines, *circles, *labels, *self._captions(), *self._legend()]
        return document(_title(self.network), (self.left, 0.0, self.right - self.left, self.bottom), parts, _RULES)

    def _at(self, place: _Place) -> tuple[float, float]:
        return (place.across, place.along) if self.is_upright else place

    def _circle(self, place: _Place, kind: str, text: str, title: str) -> list[str]:
        x, y = self._at(place)
        return [
            "<g>",
            f"<title>{escape(title)}</title>",
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:g}"/>',
            label(x, y + 4, text, "", "middle"),
            "</g>",
        ]

    def _edge(self, start: _Place, end: _Place, weight: Parameter) -> list[str]:
        (x1, y1), (x2, y2), share = self._at(start), self._at(end), self.measure.share(weight)
        kind = "positive" if share > 0 else "negative" if share < 0 else "zero"
        kind = kind if math.isfinite(self.measure.of(weight)) else "invalid"
        line = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        return [
            "<g>",
            f"<title>{escape(_parameter_title(weight))}</title>",
            f'<line class="{kind}" {line} stroke-width="{line_width(share):.2f}"/>',
            f'<line class="touch" {line}/>',
            "</g>",
        ]

    def _label(self, start: _Place, end: _Place, weight: Parameter, part: float) -> list[str]:
        if not self.has_labels:
            return []
        x, y = (a + part * (b - a) for a, b in zip(self._at(start), self._at(end)))
        return [label(x, y + 4, self.measure.text(weight), "halo", "middle")]

    def _captions(self) -> list[str]:
        """Return the names and activations of the layers: below the picture, or to its left if it runs downward."""
        texts = [["inputs"]]
        texts += [[text for text in (layer.name, layer.activation) if text] for layer in self.network.layers]
        widest = max(text_width(text) for rows in texts for text in rows)
        found, last = [], self.columns[-1][0].along
        for column, rows in zip(self.columns, texts):
            along = column[0].along
            for i, row in enumerate(rows):
                if self.is_upright:
                    found.append(label(-12, along + (i - (len(rows) - 1) / 2) * _LINE + 4, row, "soft", "end"))
                else:
                    found.append(label(along, self.breadth + (i + 1) * _LINE, row, "soft", "middle"))
        if self.is_upright:
            self.left, self.right, self.bottom = -12 - widest, self.breadth, last + _RADIUS
        else:
            half = max(widest / 2, _RADIUS)
            self.left, self.right = _RADIUS - half, last + half
            self.bottom = self.breadth + max(map(len, texts)) * _LINE
        return found

    def _legend(self) -> list[str]:
        noun, y, found = "gradient" if self.measure.is_grad else "weight", self.bottom + 20, []
        for kind in ("positive", "negative"):
            text = f"{kind} {noun}"
            found.append(f'<path class="{kind}" stroke-width="3" d="M{self.left:.1f} {y:.1f}h22"/>')
            found.append(label(self.left + 30, y + 4, text, "soft"))
            self.right, y = max(self.right, self.left + 30 + text_width(text)), y + _LINE
        has_bias = any(neuron.bias for layer in self.network.layers for neuron in layer.neurons)
        bias = f"in a circle: {'the gradient of ' if self.measure.is_grad else ''}the bias" if has_bias else ""
        for text in filter(None, (bias, self.network.note)):
            found.append(label(self.left, y + 4, text, "soft"))
            self.right, y = max(self.right, self.left + text_width(text)), y + _LINE
        self.bottom = y - 8
        return found


def _brief(x: float) -> str:
    """Return a number in at most six characters.

    >>> [_brief(x) for x in (0.123, -12.34, 1e-5, -123456.0)]
    ['0.12', '-12.3', '1e-05', '-1e+05']
    """
    if x == 0 or 0.005 <= abs(x) < 10:
        return f"{x:.2f}"
    return f"{x:.1f}" if 10 <= abs(x) < 1000 else f"{x:.0e}"


def _input_name(i: int) -> str:
    return f"x{i + 1}"


def _title(network: Network) -> str:
    return f"A network: {network.title}"


def _parameter_title(parameter: Parameter) -> str:
    grad = f", grad {parameter.grad:.6g}" if parameter.grad else ""
    return f"{parameter.name} = {parameter.data:.6g}{grad}"


def _neuron_title(layer: Dense, i: int, neuron: NeuronWeights) -> str:
    name = " ".join(part for part in (layer.name, f"neuron {i}") if part)
    kind = f", {layer.activation}" if layer.activation else ""
    return f"{name}{kind}" + (f": {_parameter_title(neuron.bias)}" if neuron.bias is not None else "")
