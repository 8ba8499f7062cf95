"""Which module of a network made which nodes, so that a graph of thousands of nodes reads as a few layers.

    with grouping(model) as groups:
        loss = ((model(x) - y) ** 2).mean()
    print(explain(loss, groups=groups))

Nothing is noted outside of the context, and modules do nothing for it: their classes are called in another way while it
lasts. What a call made is what lies between its inputs and its outputs.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from adjoint.engine.value import Value
from adjoint.errors import ArgumentError
from adjoint.errors.given import described
from adjoint.nn.module import Module
from adjoint.transforms.trees import tree_leaves

OUTSIDE = ""  # the group of what no module made
_ONE_AT_A_TIME = threading.RLock()  # classes are everybody's: who enters last has to leave first
_CALLS = ("__call__", "_respond")  # what a module computes by: the second is how a layer asks its own neurons


class _Call:
    """One call of a module: of which, in which other call, and with which Values."""

    __slots__ = ("inputs", "path", "within")

    def __init__(self, path: str, within: "_Call | None", inputs: list[Value]):
        self.path, self.within, self.inputs = path, within, inputs


class Groups:
    """The modules of a network by their paths, and which of them made a node or owns a parameter."""

    def __init__(self, model: Module):
        self.model = model
        self.titles: dict[str, str] = {path: module._headline() for path, module in model.named_modules()}
        self.parameters: dict[Value, str] = {p: name for name, p in model.named_parameters()}
        self._paths = {id(module): path for path, module in model.named_modules()}
        self._calls: dict[Value, _Call] = {}
        self._within: _Call | None = None

    def path_of(self, node: Value) -> str:
        """Return the path of the innermost module that made a node, or that it is a parameter of; "" for none."""
        if node in self._calls:
            return self._calls[node].path
        return lineage(self.parameters[node], self.titles)[-1] if node in self.parameters else OUTSIDE

    def called(self, module: Module, call: Callable, inputs: tuple, options: dict) -> Any:
        """Call a module, and note the nodes that it makes."""
        path = self._paths.get(id(module))
        if path is None or (self._within is not None and self._within.path == path):  # not of this model; or super()
            return call(module, *inputs, **options)
        outer = self._within
        given = [x for x in tree_leaves([inputs, options]) if isinstance(x, Value)]
        self._within = made = _Call(path, outer, given)
        try:
            output = call(module, *inputs, **options)
        finally:
            self._within = outer
        self._claim(made, [x for x in tree_leaves(output) if isinstance(x, Value)])
        return output

    def _claim(self, call: _Call, outputs: list[Value]) -> None:
        """Note that a call made what its outputs were computed from, up to its inputs and to what calls in it made."""
        waiting, seen = outputs, set(call.inputs)
        while waiting:
            node = waiting.pop()
            if node in seen or not node.parents:
                continue
            seen.add(node)
            owner = self._calls.get(node)
            if owner is None:
                self._calls[node] = call
                waiting += node.parents
                continue
            while owner is not None and owner.within is not call:
                owner = owner.within
            if owner is not None:
                waiting += owner.inputs  # what the inner call made is its own; go on before it


def lineage(path: str, known: Collection[str]) -> list[str]:
    """Return those of the known paths that a path leads through.

    >>> lineage("layers.0.neurons.2.w.1", {"layers.0", "layers.0.neurons.2"})
    ['layers.0', 'layers.0.neurons.2']
    """
    parts = path.split(".")
    prefixes = [".".join(parts[:i]) for i in range(1, len(parts) + 1)]
    return [prefix for prefix in prefixes if prefix in known] or [OUTSIDE]


@contextmanager
def grouping(model: Module) -> Iterator[Groups]:
    """Note, while the context lasts, which module of `model` makes which nodes.

    >>> from adjoint import nn
    >>> model = nn.MLP(2, [3, 1], seed=0)
    >>> with grouping(model) as groups:
    ...     out = model([1.0, -2.0])
    >>> groups.path_of(out), groups.titles["layers.1"]
    ('layers.1.neurons.0', 'Layer(3, 1, tanh)')
    """
    if not isinstance(model, Module):
        raise ArgumentError(f"grouping needs a module, such as nn.MLP(2, [4, 1]), not {described(model)}")
    with _ONE_AT_A_TIME:
        yield from _grouped(Groups(model), threading.get_ident())


def _grouped(groups: Groups, thread: int) -> Iterator[Groups]:
    model, originals = groups.model, list[tuple[type, str, Callable | None]]()
    try:
        for kind in dict.fromkeys(type(module) for module in model.modules()):
            for name in _CALLS:
                if hasattr(kind, name):
                    originals.append((kind, name, vars(kind).get(name)))
                    setattr(kind, name, _noting(getattr(kind, name), groups, thread))
        yield groups
    finally:
        for kind, name, original in reversed(originals):
            if original is None:
                delattr(kind, name)
            else:
                setattr(kind, name, original)


def _noting(call: Callable, groups: Groups, thread: int) -> Callable:
    def noting(self, *inputs, **options):
        if threading.get_ident() != thread:
            return call(self, *inputs, **options)
        return groups.called(self, call, inputs, options)

    return noting
