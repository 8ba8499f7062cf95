"""What `draw` can show, such as the graph of a Value or a compiled program. Each has a scene and a text."""

from typing import TYPE_CHECKING

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.see.drawing.layer_boxes import model_lines, model_scene
from adjoint.see.drawing.lookalikes import is_lookalike, lookalike_scene
from adjoint.see.drawing.networks import Network, is_network
from adjoint.see.drawing.neurons import network_lines, network_scene, network_svg, read_network
from adjoint.see.drawing.scene import MOST_BOXES, Choices, Scene, build_scene
from adjoint.see.drawing.svg import scene_as_svg
from adjoint.see.drawing.text_trees import MOST_LINES, Line, graph_lines, scene_lines
from adjoint.see.drawing.torch_graphs import is_torch, torch_scene

if TYPE_CHECKING:
    from collections.abc import Callable

    from adjoint.compile.numbers.program import Program


class Subject:
    """Something that can be drawn. `options` names the options of `draw` that apply to it."""

    noun = ""
    options = ("fields", "numbers")
    direction = "LR"

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        """Return the content of a picture of at most so many boxes."""
        raise NotImplementedError

    def lines(self, choices: Choices) -> list[Line]:
        """Return the lines of the text."""
        return scene_lines(self.scene(choices, MOST_LINES))

    def svg(self, choices: Choices) -> str:
        """Return the picture as SVG."""
        return scene_as_svg(self.scene(choices), choices.direction)


class ValueGraph(Subject):
    """The graph below a Value."""

    noun = "a graph of Values"
    options = ("fields", "numbers", "groups", "opened")

    def __init__(self, root: Value):
        self.root = root

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        return build_scene(self.root, choices)

    def lines(self, choices: Choices) -> list[Line]:
        return graph_lines(self.root, choices)


class CompiledProgram(Subject):
    """The program of a compiled function of numbers. As text it is the list of its instructions."""

    noun = "a compiled program"
    options = ()
    direction = "TB"

    def __init__(self, program: "Program", scene_of: "Callable[[Program], Scene]"):
        self.program, self.scene_of = program, scene_of

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        return self.scene_of(self.program)

    def lines(self, choices: Choices) -> list[Line]:
        return [[(line, "")] for line in self.program.listing().splitlines()]


class LookalikeGraph(Subject):
    """The graph of nodes that have the attributes of micrograd's Value."""

    noun = "a graph of another class"

    def __init__(self, root: object):
        self.root = root

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        return lookalike_scene(self.root, choices=choices, most=most)


class TorchGraph(Subject):
    """The graph of a tensor of PyTorch."""

    noun = "a graph of PyTorch"

    def __init__(self, root: object):
        self.root = root

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        return torch_scene(self.root, choices, most)


class NeuronGraph(Subject):
    """A small network: its neurons and weights."""

    noun = "a model"
    options = ("fields", "numbers")

    def __init__(self, network: Network):
        self.network = network

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        return network_scene(self.network, choices)

    def lines(self, choices: Choices) -> list[Line]:
        return network_lines(self.network, choices)

    def svg(self, choices: Choices) -> str:
        return network_svg(self.network, choices)


class LayerChain(Subject):
    """A model: its layers, one after the other."""

    noun = "a model"
    options = ()

    def __init__(self, model: object):
        self.model = model

    def scene(self, choices: Choices, most: int = MOST_BOXES) -> Scene:
        return model_scene(self.model, most)

    def lines(self, choices: Choices) -> list[Line]:
        return model_lines(self.model)


def find_subject(x: object) -> Subject:
    """Return how `x` is drawn; raise an error if it cannot be drawn."""
    if isinstance(x, Value):
        return ValueGraph(x)
    if is_lookalike(x):
        return LookalikeGraph(x)
    if is_torch(x):
        return TorchGraph(x)
    if hasattr(x, "listing"):
        from adjoint.see.drawing import tape_programs

        if isinstance(x, tape_programs.Program):
            return CompiledProgram(x, tape_programs.program_scene)
        # compiled by XLA, or not compiled yet
        raise ArgumentError(f"draw shows programs of single numbers; this one is: {x}")
    if is_network(x):
        network = read_network(x)
        return LayerChain(x) if network is None else NeuronGraph(network)
    raise ArgumentError(
        "draw needs a Value or another node with `data` and `_prev`, a model, a tensor of PyTorch, "
        f"or the program of a compiled function, not {describe(x)}"
    )
