"""Programs that compute an expression and its gradients, one with adjoint and one with PyTorch."""

import ast
import math
from collections.abc import Collection, Mapping
from itertools import chain, count

from adjoint import nn
from adjoint.errors import LabError
from adjoint.see import Expression, Statement

_TAKEN = {"Value", "explain", "print", "torch", "float"}
_LAYERS = {name.lower() for name in dir(nn)}  # of the activations; their functions are in torch.nn.functional, not
_IN_TORCH = {"relu", "selu", "sigmoid", "tanh"}  # in torch, but for these
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

    >>> print(write_programs(Expression("d = a*b; tanh(d)"), {"a": 2.0, "b": -3.0})["adjoint"])
    from adjoint import Value, explain, tanh
    <BLANKLINE>
    a = Value(2.0, label="a")
    b = Value(-3.0, label="b")
    <BLANKLINE>
    d = a * b
    d.label = "d"
    out = tanh(d)
    out.backward()
    <BLANKLINE>
    print(out.data)
    print("d out / d a =", a.grad)
    print("d out / d b =", b.grad)
    print("d out / d d =", d.grad)
    print(explain(out))
    <BLANKLINE>
    """
    if not expression.used.intersection(expression.names):
        raise LabError("the expression has no variable to differentiate; use a name in it, such as a")
    program = _Program(expression, numbers)
    return {"adjoint": program.with_adjoint(), "torch": program.with_torch()}


class _Program:
    """The parts that both programs share: the variables, their numbers, and the variable of the result."""

    def __init__(self, expression: Expression, numbers: Mapping[str, float]):
        self.expression = expression
        self.names: dict[str, str] = {}
        for name in (*expression.names, *(x.name for x in expression.statements if x.name)):
            self.names[name] = _free_name(name, {*_TAKEN, *self.names.values()})
        outs = chain(["out"], map("out{}".format, count(1)))
        self.names[""] = next(name for name in outs if name not in self.names)
        self.out = self.names[expression.result]
        self.title = expression.result or self.out
        self.inputs = {name: _number(float(numbers[name])) for name in expression.names}
        # Statements that make a node of their own and that the result depends on, without the result itself.
        self.inner = [
            x.name
            for x in expression.statements
            if x.name in expression.used and not x.alias and x.name != expression.result
        ]

    def with_adjoint(self) -> str:
        """Return the program that uses adjoint."""
        lines, rewriter = [], _Rewriter(self.names)
        functions: set[str] = set()
        for statement in self.expression.statements:
            formula = rewriter.rewrite(statement)
            functions |= {
                x.func.id
                for x in ast.walk(ast.parse(formula))
                if isinstance(x, ast.Call) and isinstance(x.func, ast.Name)
            }
            variable = self.names[statement.name]
            lines.append(f"{variable} = {formula}")
            if statement.name and not statement.alias:
                lines.append(f'{variable}.label = "{statement.name}"')
        inputs = [f'{self.names[name]} = Value({x}, label="{name}")' for name, x in self.inputs.items()]
        imports = ", ".join(["Value", "explain", *sorted(functions - {"float"})])
        return _join(
            [f"from adjoint import {imports}"],
            inputs,
            [*lines, f"{self.out}.backward()"],
            [f"print({self.out}.data)", *self._gradients(".grad"), f"print(explain({self.out}))"],
        )

    def with_torch(self) -> str:
        """Return the program that uses PyTorch."""
        lines, rewriter = [], _TorchRewriter(self.names)
        for statement in self.expression.statements:
            variable = self.names[statement.name]
            lines.append(f"{variable} = {rewriter.rewrite(statement)}")
            if statement.name in self.inner:
                lines.append(f"{variable}.retain_grad()")
        inputs = [f"{self.names[name]} = {_tensor(x, ', requires_grad=True')}" for name, x in self.inputs.items()]
        return _join(
            ["import torch"],
            inputs,
            [*lines, f"{self.out}.backward()"],
            [f"print({self.out}.item())", *self._gradients(".grad.item()")],
        )

    def _gradients(self, attribute: str) -> list[str]:
        used = self.expression.used
        names = [*(name for name in self.expression.names if name in used), *self.inner]
        return [f'print("d {self.title} / d {name} =", {self.names[name]}{attribute})' for name in names]


def _join(*blocks: list[str]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _free_name(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _number(x: float) -> str:
    return repr(x) if math.isfinite(x) else f'float("{x}")'


def _tensor(x: str, options: str = "") -> str:
    return f"torch.tensor({x}, dtype=torch.float64{options})"


class _Rewriter(ast.NodeTransformer):
    """Writes an expression as Python, with constant parts as numbers: Python itself would raise an error for 1/0."""

    def __init__(self, names: Mapping[str, str]):
        self.names = names

    def rewrite(self, statement: Statement) -> str:
        """Return the right side of a statement as text."""
        return ast.unparse(self.visit(_expression(ast.unparse(statement.formula))))  # a copy, because visits change it

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
        is_activation = name.replace("_", "") in _LAYERS and name not in _IN_TORCH
        module = "torch.nn.functional" if is_activation else "torch"
        return _expression(f"{module}.{name}({', '.join(operands)})")


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
