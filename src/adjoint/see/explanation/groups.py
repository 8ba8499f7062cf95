"""Records which module of a network made which nodes, so that a graph of thousands of nodes reads as a few layers.

    with grouping(model) as groups:
        loss = ((model(x) - y) ** 2).mean()
    print(explain(loss, groups=groups))

Inside the context every module of the model has a forward hook. A module made the nodes between the inputs and the
outputs of its calls, except for those that its own submodules made.
"""

import threading
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import describe
from adjoint.nn.module import Module
from adjoint.transforms.trees import tree_leaves

OUTSIDE = ""  # the group of nodes that no module made


class _Call(NamedTuple):
    """One call of a module: its path, and the Values among its inputs."""

    path: str
    inputs: list[Value]


class Groups:
    """The modules of a network by their paths, and which of them made a node or owns a parameter.

    >>> from adjoint import grouping, nn
    >>> with grouping(nn.MLP(2, [3, 1], seed=0)) as groups:
    ...     pass
    >>> type(groups).__name__, groups.titles["layers.1"]
    ('Groups', 'Layer(3, 1, tanh)')
    """

    def __init__(self, model: Module):
        self.titles: dict[str, str] = {path: module._headline() for path, module in model.named_modules()}
        self.parameters: dict[Value, str] = {p: name for name, p in model.named_parameters()}
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._calls: dict[Value, _Call] = {}
        self._thread = threading.get_ident()

    def path_of(self, node: Value) -> str:
        """Return the path of the innermost module that made a node or owns it as a parameter; "" for none."""
        if node in self._calls:
            return self._calls[node].path
        return lineage(self.parameters[node], self.titles)[-1] if node in self.parameters else OUTSIDE

    def record(self, module: Module, inputs: tuple[object, ...], output: object) -> None:
        """Assign the nodes between the inputs and the output of a call to its module. This is the forward hook."""
        if threading.get_ident() != self._thread:
            return
        call = _Call(self._paths[id(module)], _values_in(inputs))
        waiting, seen = _values_in(output), set(call.inputs)
        while waiting:
            node = waiting.pop()
            if node in seen or not node.parents:
                continue
            seen.add(node)
            owner = self._calls.setdefault(node, call)
            if owner is call:
                waiting += node.parents
            elif owner.path != call.path and is_within(owner.path, call.path):
                waiting += owner.inputs  # a submodule made this node; continue with the inputs of its call


def _values_in(tree: object) -> list[Value]:
    return [x for x in tree_leaves(tree) if isinstance(x, Value)]


def is_within(group: str, path: str) -> bool:
    """Return whether a group is the one at `path`, or a part of it."""
    return path == OUTSIDE or group == path or group.startswith(f"{path}.")


def lineage(path: str, known: Collection[str]) -> list[str]:
    """Return the known paths that are prefixes of a path, the outermost first.

    >>> lineage("layers.0.neurons.2.w.1", {"layers.0", "layers.0.neurons.2"})
    ['layers.0', 'layers.0.neurons.2']
    """
    parts = path.split(".")
    prefixes = [".".join(parts[:i]) for i in range(1, len(parts) + 1)]
    return [prefix for prefix in prefixes if prefix in known] or [OUTSIDE]


@contextmanager
def grouping(model: Module) -> Iterator[Groups]:
    """Record, inside the context, which module of `model` makes which nodes.

    Calls in other threads are not recorded, nor are modules whose class overrides `__call__` instead of `forward`.

    >>> from adjoint import grouping, nn
    >>> model = nn.MLP(2, [3, 1], seed=0)
    >>> with grouping(model) as groups:
    ...     out = model([1.0, -2.0])
    >>> groups.path_of(out), groups.titles["layers.1"]
    ('layers.1.neurons.0', 'Layer(3, 1, tanh)')
    """
    if not isinstance(model, Module):
        raise ArgumentError(f"grouping needs a module such as nn.MLP(2, [4, 1]), not {describe(model)}")
    groups = Groups(model)
    with ExitStack() as stack:
        for module in model.modules():
            stack.callback(module.register_forward_hook(groups.record))
        yield groups
