"""Programs that compute an expression and its gradients, one with adjoint and one with PyTorch."""

import ast
import math
from collections.abc import Mapping
from itertools import chain, count

from adjoint.errors import LabError
from adjoint.see.expression import Expression

_ADJOINT = """\
from adjoint import {imports}

{inputs}

{out} = {expression}
{out}.backward()

print({out}.data)
{gradients}
print(explain({out}))
"""
_TORCH = """\
import torch

{inputs}

{out} = {expression}
{out}.backward()

print({out}.item())
{gradients}
"""
_TAKEN = {"Value", "explain", "print", "torch", "float"}
_IN_FUNCTIONAL = {
    "softplus", "silu", "gelu", "softsign", "logsigmoid", "tanhshrink", "mish", "hardtanh", "relu6", "hardsigmoid",
    "hardswish", "softshrink", "hardshrink", "celu",
}  # fmt: skip
_WRITTEN_OUT = {
    "quick_gelu": "{x} * torch.sigmoid(1.702 * {x})",
    "gelu_tanh": 'torch.nn.functional.gelu({x}, approximate="tanh")',
}
_WITH_SLOPE = {
    "leaky_relu": "torch.where({x} > 0, {x}, {z} * {x})",
    "elu": "torch.where({x} > 0, {x}, {z} * torch.expm1({x}))",
    "celu": "torch.where({x} > 0, {x}, {z} * torch.expm1({x} / {z}))",
    "hardshrink": "torch.where(torch.abs({x}) <= {z}, 0 * {z}, {x})",
    "softshrink": "torch.where(torch.abs({x}) <= {z}, 0 * {z}, {x} - torch.sign({x}) * {z})",
}


def write_programs(expression: Expression, numbers: Mapping[str, float]) -> dict[str, str]:
    """Return programs that compute the expression and its gradients, one with adjoint and one with PyTorch.

    >>> print(write_programs(Expression("tanh(a*b)"), {"a": 2.0, "b": -3.0})["adjoint"])
    from adjoint import Value, explain, tanh
    <BLANKLINE>
    a = Value(2.0, label="a")
    b = Value(-3.0, label="b")
    <BLANKLINE>
    out = tanh(a * b)
    out.backward()
    <BLANKLINE>
    print(out.data)
    print("d out / d a =", a.grad)
    print("d out / d b =", b.grad)
    print(explain(out))
    <BLANKLINE>
    """
    if not expression.names:
        raise LabError("the expression has no variable to differentiate; use a name in it, such as a")
    names = {name: f"{name}_" if name in _TAKEN else name for name in expression.names}
    out = next(name for name in chain(["out"], map("out{}".format, count(1))) if name not in names)
    given = {variable: _number(float(numbers[name])) for name, variable in names.items()}
    labels = {variable: name for name, variable in names.items()}
    gradients = [f'print("d {out} / d {name} =", {variable}.grad)' for name, variable in names.items()]
    return {
        "adjoint": _ADJOINT.format(
            imports=", ".join(["Value", "explain", *sorted(_called_functions(expression))]),
            inputs="\n".join(f'{name} = Value({x}, label="{labels[name]}")' for name, x in given.items()),
            out=out,
            expression=_Rewriter(names).rewrite(expression),
            gradients="\n".join(gradients),
        ),
        "torch": _TORCH.format(
            inputs="\n".join(f"{name} = {_tensor(x, ', requires_grad=True')}" for name, x in given.items()),
            out=out,
            expression=_TorchRewriter(names).rewrite(expression),
            gradients="\n".join(line.replace(".grad)", ".grad.item())") for line in gradients),
        ),
    }


def _parse(expression: Expression) -> ast.expr:
    return ast.parse(expression.text.strip(), mode="eval").body


def _called_functions(expression: Expression) -> set[str]:
    """Return the functions that the program calls, after constant parts have been computed."""
    tree = ast.parse(_Rewriter({name: name for name in expression.names}).rewrite(expression))
    return {x.func.id for x in ast.walk(tree) if isinstance(x, ast.Call) and isinstance(x.func, ast.Name)} - {"float"}


def _number(x: float) -> str:
    return repr(x) if math.isfinite(x) else f'float("{x}")'


def _tensor(x: str, options: str = "") -> str:
    return f"torch.tensor({x}, dtype=torch.float64{options})"


class _Rewriter(ast.NodeTransformer):
    """Writes an expression as Python, with constant parts as numbers: Python itself would raise an error for 1/0."""

    def __init__(self, names: Mapping[str, str]):
        self.names = names

    def rewrite(self, expression: Expression) -> str:
        """Return the expression as text."""
        return ast.unparse(self.visit(_parse(expression)))

    def visit(self, node: ast.AST) -> ast.AST:
        """Return a node, or its number if it is constant."""
        if isinstance(node, ast.expr) and not isinstance(node, ast.Constant) and not self._is_named(node):
            return _expression(_number(Expression(ast.unparse(node)).value({}).data))
        return super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return a call with rewritten operands; the name of the function is not a variable."""
        return ast.Call(node.func, [self.visit(x) for x in node.args], [])  # pyright: ignore[reportArgumentType]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Return the variable for a name; names that the program uses itself are changed."""
        return ast.Name(self.names[node.id])

    def _is_named(self, node: ast.AST) -> bool:
        return any(isinstance(x, ast.Name) and x.id in self.names for x in ast.walk(node))


class _TorchRewriter(_Rewriter):
    """Writes an expression with the functions of PyTorch."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return a call of PyTorch's function of the same name; of two operands, a number becomes a tensor."""
        assert isinstance(node.func, ast.Name)
        name, operands = node.func.id, [ast.unparse(self.visit(x)) for x in node.args]
        if len(operands) == 2 and name in _WITH_SLOPE:
            return _expression(_WITH_SLOPE[name].format(x=f"({operands[0]})", z=f"({operands[1]})"))
        if name in _WRITTEN_OUT:
            return _expression(_WRITTEN_OUT[name].format(x=f"({operands[0]})"))
        if len(operands) == 2:
            operands = [text if self._is_named(x) else _tensor(text) for text, x in zip(operands, node.args)]
        module = "torch.nn.functional" if name in _IN_FUNCTIONAL or name in _WITH_SLOPE else "torch"
        return _expression(f"{module}.{name}({', '.join(operands)})")


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
