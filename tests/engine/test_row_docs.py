"""`help` and `inspect.signature` of Values and operations: the same on both engines."""

import inspect
import pydoc
from ast import literal_eval

import pytest
from programs import torch_function

import adjoint
from adjoint import Tensor, Value, ops
from adjoint.engine import row_docs

NAMES = [name for name in dir(Value) if not name.startswith("_") and hasattr(Value, name)]


def signature(x: object) -> list[tuple]:
    """Return the parameters of a method; C marks `self` as positional, and writes no types."""
    parameters = list(inspect.signature(x).parameters.values())
    return [(p.name, p.default, p.kind) if i else p.name for i, p in enumerate(parameters)]


@pytest.mark.parametrize("name", NAMES)
def test_help_and_signature_of_each_name_are_the_same_on_both_engines(all_engines, name):
    found = []
    for engine in all_engines:
        x = getattr(engine.Value, name)
        found.append((inspect.getdoc(x), signature(x) if callable(x) else None))
        assert found[-1][0]
    assert found[0] == found[-1]


def test_help_of_a_method_shows_its_signature_and_text():
    shown = pydoc.plain(pydoc.render_doc(Value.backward))
    assert "retain_graph" in shown
    assert "by the chain rule" in shown
    assert str(inspect.signature(Value.tanh)) == str(inspect.signature(Tensor.tanh)) == "(self, /)"
    assert str(inspect.signature(Value(1.0).leaky_relu)) == "(a=0.01, /)"
    assert [*inspect.signature(Value).parameters] == ["data", "_children", "_op", "label", "requires_grad"]


def test_each_row_has_its_own_documentation_and_signature():
    assert row_docs.__test__.keys() == ops.TABLE.keys()
    assert "hyperbolic tangent" in pydoc.render_doc(adjoint.tanh)
    assert str(inspect.signature(adjoint.leaky_relu)) == "(x, a=0.01, /)"
    assert str(inspect.signature(adjoint.hypot)) == "(x, z, /)"
    cube = adjoint.op("cube", lambda m, x: x * x * x, lambda m, y, x: 3 * x * x)
    assert cube.__doc__ == adjoint.Op.__doc__
    assert adjoint.Op.__doc__.startswith("One operation")
    assert "forward" in inspect.signature(adjoint.Op).parameters


@pytest.mark.parametrize("name", ops.TABLE)
def test_the_example_of_a_row_shows_the_numbers_of_pytorch(name):
    """The doctests compare the examples with our own results."""
    torch = pytest.importorskip("torch")
    _, operands, shown = row_docs._ROWS[name]
    x, *others = (torch.tensor(float(operand), dtype=torch.float64) for operand in operands.split(", "))
    defaults = [torch.tensor(a, dtype=torch.float64) for a in ops.TABLE[name].defaults]
    y = torch_function(name)(x.requires_grad_(), *others, *defaults)
    (slope,) = torch.autograd.grad(y, x)
    assert literal_eval(shown) == (round(y.item(), 4), round(slope.item(), 4))
    assert f"{name}({operands})" in row_docs.row_doc(name)
