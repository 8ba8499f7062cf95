"""A graph computed again with other numbers in its leaves, so that somebody can move them; the graph itself stays."""

from collections.abc import Mapping

from adjoint.arrays.array_rule import ArrayOp
from adjoint.engine.graph import evaluation_order
from adjoint.engine.rule import Op
from adjoint.engine.value import Value
from adjoint.see.explanation.naming import names_of

MOST_INPUTS = 26


class Replay:
    """A graph that can be computed again.

    `inputs` has the numbers among its leaves by name: those that can be moved. There are none where code written by
    hand is a part of the graph, for what that computes is not known.

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
        self._names = {x: names[x] for x in leaves[:MOST_INPUTS]} if can_compute else {}
        self.inputs: dict[str, float] = {name: x.data for x, name in self._names.items()}

    def __call__(self, numbers: Mapping[str, float | Value]) -> Value:
        """Return the result of the graph with these numbers; what is not named stays as it is."""
        made: dict[Value, Value] = {}
        for value in self._order:
            if value.parents:
                operands = [made[x] if isinstance(x, Value) else x for x in value._operands]
                made[value] = value._rule(*operands, **(getattr(value, "_static", None) or {}))
            else:
                given = numbers.get(self._names.get(value, ""), value.data)
                made[value] = given if isinstance(given, Value) else Value(given)
            made[value].label = value.label
        return made[self.root]
