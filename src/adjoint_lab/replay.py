"""Compute a graph again with other numbers in its leaves, so that sliders can move them; the graph itself stays."""

from collections.abc import Mapping

from adjoint import Op, Value
from adjoint.arrays.array_rule import ArrayOp
from adjoint.engine.graph import evaluation_order, recompute
from adjoint.see import names_of

MAX_INPUTS = 26


class Replay:
    """A graph that can be computed again.

    `inputs` holds the scalar leaves that can be moved, by name. It is empty if the graph contains operations written by
    hand, which cannot be computed again.

    >>> a, b = Value(2.0, label="a"), Value(-3.0, label="b")
    >>> replay = Replay(a * b)
    >>> replay.inputs, replay({"a": 4.0}).data
    ({'a': 2.0, 'b': -3.0}, -12.0)
    """

    def __init__(self, root: Value):
        self.root, self._order = root, evaluation_order(root)
        self.size = len(self._order)
        names = names_of(self._order)
        can_compute = all(not x.parents or (isinstance(x._rule, (Op, ArrayOp)) and not x._closure) for x in self._order)
        leaves = [x for x in self._order if not x.parents and isinstance(x.data, float)]
        self._names = {x: names[x] for x in leaves[:MAX_INPUTS]} if can_compute else {}
        self.inputs: dict[str, float] = {name: x.data for x, name in self._names.items()}

    def __call__(self, numbers: Mapping[str, float | Value]) -> Value:
        """Return the result with these numbers; leaves that are not named keep theirs."""
        leaves: dict[Value, Value] = {}
        for leaf in self._order:
            if not leaf.parents:
                given = numbers.get(self._names.get(leaf, ""), leaf.data)
                leaves[leaf] = given if isinstance(given, Value) else Value(given)
        result = recompute(self.root, leaves)
        for before, after in zip(self._order, evaluation_order(result), strict=True):
            after.label = before.label
        return result
