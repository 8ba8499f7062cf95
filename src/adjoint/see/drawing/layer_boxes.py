"""Pictures of a model by its layers: a box for each, with the shapes and the number of its parameters.

The layers of a Sequential and of an MLP are a chain, in the order in which they are applied. A model with a `forward`
of its own can apply its parts in any order, so its picture shows only which module contains which.
"""

from dataclasses import dataclass
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors.text_table import table
from adjoint.nn.members import count_parameters, frozen_note
from adjoint.nn.module import Module
from adjoint.see.drawing.networks import applied_layers, is_sequential, scalar_layers
from adjoint.see.drawing.node_graphs import as_summary
from adjoint.see.drawing.scene import Box, Edge, Scene
from adjoint.see.drawing.text_trees import MOST_LINES, Line
from adjoint.see.explanation.groups import lineage
from adjoint.see.explanation.naming import one_line
from adjoint.see.explanation.summaries import bounds

_LENGTH = 48  # characters of a line in a box


@dataclass(slots=True)
class Part:
    """A layer, or a module that contains others: its path, its constructor call, and its own parameters."""

    path: str
    what: str
    shapes: str
    count: int
    parameters: list[Any]
    depth: int = 0


def model_scene(model: Any, most: int) -> Scene:
    """Return the content of a picture of a model."""
    chain = _chain(model)
    parts = chain or _tree(model)
    shown = parts[:most]
    scene = Scene([_box(part) for part in shown], title=f"A model: {type(model).__name__}")
    if len(parts) > most:
        scene.note = f"{len(parts) - most:,} of {len(parts):,} layers are not shown: the last ones"
    elif not chain:
        scene.note = "an arrow points from a module to the modules that it contains"
    within: list[int] = []  # the modules around the current one, from the outermost on
    for i, part in enumerate(shown):
        if chain and i:
            scene.edges.append(Edge(i - 1, i, f"{shown[i - 1].path} → {part.path}"))
        del within[part.depth :]
        if within:
            scene.edges.append(Edge(within[-1], i, f"{shown[within[-1]].path or 'the model'} contains {part.path}"))
        within += [] if chain else [i]
    return scene


def _box(part: Part) -> Box:
    frozen = frozen_note([p for p in part.parameters if isinstance(p, Value)])
    rows = [part.what, part.shapes, f"{part.count:,} parameter{'s' * (part.count != 1)}{frozen}" if part.count else ""]
    rows += [f"{name} {found}" for name in ("data", "grad") if (found := _range(part.parameters, name))]
    title = f"{part.path}: {part.what}" if part.path else part.what
    shown = [one_line(row, _LENGTH) for row in rows if row]
    return Box("group", one_line(part.path or "model", _LENGTH), shown, title=title)


def model_lines(model: Any) -> list[Line]:
    """Return a table of the layers."""
    parts = _chain(model) or _tree(model)
    rows = [["  " * part.depth + (part.path or "model"), part.what, part.shapes, f"{part.count:,}"] for part in parts]
    lines = table(["name", "layer", "shapes", "parameters"], rows[:MOST_LINES], "   r").splitlines()
    lines += [f"… {len(rows) - MOST_LINES:,} more"] * (len(rows) > MOST_LINES)
    return [[(line, "")] for line in lines]


def _chain(model: Any) -> list[Part] | None:
    """Return the layers in the order in which they are applied; None if that order is not known."""
    scalar = scalar_layers(model)
    if scalar is not None:
        return [_scalar_part(path, neurons) for path, neurons in scalar]
    if is_sequential(model):
        return [_part(path, module) for path, module in applied_layers(model)]
    return None if any(True for _ in model.named_children()) else [_part("", model)]


def _tree(model: Module) -> list[Part]:
    """Return the modules, each before those that it contains."""
    paths: set[str] = set()
    parts = []
    for path, module in model.named_modules():
        depth = 0 if not path else 1 + len([outer for outer in lineage(path, paths) if outer])
        parts.append(_part(path, module, depth))
        paths.add(path)
    return parts


def _scalar_part(path: str, neurons: list[Any]) -> Part:
    first, inputs = neurons[0], len(neurons[0].w)
    parameters = [p for neuron in neurons for p in (*neuron.w, getattr(neuron, "b", None)) if p is not None]
    what = first._headline() if isinstance(first, Module) else f"{type(first).__name__}({inputs})"
    return Part(path, f"{len(neurons)} × {what}", f"{inputs} → {len(neurons)}", len(parameters), parameters)


def _part(path: str, module: Module, depth: int = 0) -> Part:
    children = [child for _, child in module.named_children()]
    inner = {id(p) for child in children for p in child.parameters()}
    own = [(name, p) for name, p in module.named_parameters() if id(p) not in inner]
    arrays = [(name, p) for name, p in own if getattr(p, "shape", ())]
    shapes = ", ".join(f"{name} {'×'.join(map(str, getattr(p, 'shape')))}" for name, p in arrays)  # noqa: B009
    what = module._headline() if not children else type(module).__name__
    return Part(path, what, shapes, count_parameters(module), [p for _, p in own], depth)


def _range(parameters: list[Any], name: str) -> str:
    """Return the least and the greatest number of the parameters, or of their gradients if there are any."""
    shown = bounds(as_summary(getattr(p, name, None)) for p in parameters)
    return "" if shown == "–" or (name == "grad" and shown == "0") else shown
