"""Print a program as Python that runs by itself."""

import ast
import functools
import inspect
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from arrays import Call

from random_programs.build import Failure
from random_programs.program import numbers

PREAMBLE = {
    "V": "class V(Value):\n    pass\n",
    "W": "class W(Value):\n    def __eq__(self, other):\n"
    "        return isinstance(other, W) and self.data == other.data\n\n"
    "    def __hash__(self):\n        return hash(self.data)\n",
    "read_only": "def read_only(x):\n    x.flags.writeable = False\n    return x\n",
}
INFINITE = "inf, nan = np.inf, np.nan"
# How to run a check by hand. `total` is the sum of the results.
TOTAL = "def total(*xs):\n    return adjoint.sum(program(*xs))\n\n"
TWICE = """y = program({names})
y.backward(np.ones(np.shape(y.data)), create_graph=True)
gradients = [x.grad for x in ({names},)]
for x in ({names},):
    x.zero_grad()
for gradient in gradients:
    gradient.backward(np.ones(np.shape(gradient.data)))
print({grads})"""
CHECKS = {
    "forward": "print(program({names}))",
    "backward": "y = program({names})\ny.backward({cotangent})\nprint({grads})",
    "vjp": "y, pull = adjoint.vjp(program, {primals})\nprint(pull({cotangent}))",
    "jvp": "print(adjoint.jvp(program, ({primals},), ({tangents},)))",
    "grad": TOTAL + "print(adjoint.grad(total, {every})({primals}))",
    "jacobian": "print(adjoint.jacobian(program, {every})({primals}))",
    "backward, twice": TWICE,
    "grad of grad": TOTAL + "print(adjoint.hessian(total, {every})({primals}))",
    "grad(grad(f))": "print(adjoint.grad(adjoint.grad(program))({primals}))",
    "hvp": TOTAL + "print(adjoint.hvp(total, ({primals},), ({tangents},)))",
    "jvp of jvp": "def along(*xs):\n    return adjoint.jvp(program, xs, ({tangents},))[1]\n\n"
    "print(adjoint.jvp(along, ({primals},), ({tangents},)))",
    "hessian": TOTAL + "print(adjoint.hessian(total, {every})({primals}))",
    "in float32": "print(program({names}))  # with arrays of float32",
    "jit": "print(adjoint.jit(program)({names}))",
    "vmap": "print(adjoint.vmap(program)({batches}))",
    "at infinity": "y = program({names})\nadjoint.sum(y).backward()\nprint(y, {grads})",
    "integers": "print(program(), program().dtype)",
}


def as_python(failure: Failure, heading: str) -> str:
    """Return a program that fails as Python."""
    program = failure.program
    names = [leaf.name for leaf in program.variables]
    lines = ["import adjoint", "import numpy as np", "from adjoint import Tensor, Value, linalg, nn"]
    texts = " ".join([*(leaf.line for leaf in program.leaves), *(step.text for step in program.steps)])
    lines += ["\n" + text for name, text in PREAMBLE.items() if f"{name}(" in texts]
    lines += [INFINITE] if re.search(r"\b(inf|nan)\b", texts) else []
    used = {name: function for name, function in program.functions.items() if f"{name}(" in texts}
    for name, function in used.items():
        lines += definitions(name, function)
    lines.append("")
    lines += [leaf.line for leaf in program.leaves]
    lines += ["", f"def program({', '.join(names)}):"]
    lines += [f"    {step.target} = {step.text}" for step in program.steps]
    lines += [f"    return {program.result}", ""]
    texts = {role: ", ".join(text) for role, text in failure.texts.items()}
    ones = ", ".join(f"np.ones(np.shape({name}.data))" for name in names)
    filled = {"names": ", ".join(names), "primals": ", ".join(names), "tangents": ones,
              "cotangent": "np.ones(np.shape(y.data if isinstance(y, Value) else y))",
              "grads": ", ".join(f"{name}.grad" for name in names), "every": repr(tuple(range(len(names)))),
              "batches": ", ".join(f"Tensor(np.stack([{name}.data] * 2))" for name in names), **texts}  # fmt: skip
    lines.append(CHECKS[failure.check].format(**filled))
    return f"# {heading}, by {failure.check}: {failure.message}\n" + "\n".join(lines) + "\n"


# --- functions of the test files -------------------------------------------------------------------------


def definitions(name: str, function: Callable, seen: set | None = None) -> list[str]:
    """Return the lines that define a function of a test file under a name, with all that it uses."""
    seen = set() if seen is None else seen
    if name in seen:
        return []
    seen.add(name)
    if isinstance(function, Call):
        return [*_needed(function.arguments, function.options), f"{name} = {_call_text(function)}"]
    module = getattr(function, "__module__", "") or ""
    if not isinstance(function, types.FunctionType) or module.split(".")[0] in ("adjoint", "numpy", "torch"):
        return [f"{name} = {_public_name(function)}"]
    lines = []
    for used, x in _used_by(function):
        lines += _definition(used, x, seen)
    return [*lines, _function_text(name, function)]


def _definition(name: str, x: Any, seen: set) -> list[str]:
    if name in seen or name in ("adjoint", "np", "linalg", "nn", "Value", "Tensor"):
        return []
    if isinstance(x, types.ModuleType):
        seen.add(name)
        return [f"import {x.__name__} as {name}"]
    if callable(x) and not isinstance(x, type):
        return definitions(name, x, seen)
    seen.add(name)
    if isinstance(x, type):
        return [f"from {x.__module__} import {x.__name__} as {name}"]
    return [f"{name} = {_literal(x)}"]


def _used_by(function: types.FunctionType) -> list[tuple[str, Any]]:
    """Return the global names and the variables of outer functions that a function uses."""
    closure = dict(zip(function.__code__.co_freevars, (cell.cell_contents for cell in function.__closure__ or ())))
    return [
        *closure.items(),
        *((n, function.__globals__[n]) for n in _names(function.__code__) if n in function.__globals__),
    ]


def _names(code: types.CodeType) -> list[str]:
    inner = [name for x in code.co_consts if isinstance(x, types.CodeType) for name in _names(x)]
    return list(dict.fromkeys([*code.co_names, *inner]))


def _function_text(name: str, function: types.FunctionType) -> str:
    node = _node(function)
    if isinstance(node, ast.Lambda):
        return f"{name} = {ast.unparse(node)}"
    node.name, node.decorator_list, node.returns = name, [], None
    for argument in (*node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
        if argument is not None:
            argument.annotation = None
    return ast.unparse(node)


def _node(function: types.FunctionType) -> Any:
    """Return the syntax tree of a function, found by its place in its file."""
    code = function.__code__
    places = {(line, column) for line, _, column, _ in code.co_positions() if line and column}
    functions = [node for node in ast.walk(_tree(code.co_filename)) if isinstance(node, (ast.Lambda, ast.FunctionDef))]
    found = [node for node in functions if _first_line(node) == code.co_firstlineno]
    for node in found:
        if isinstance(node, ast.FunctionDef):
            return ast.parse(ast.unparse(node)).body[0]
    for node in found:
        body = node.body
        if (body.lineno, body.col_offset) in places or len(found) == 1:
            return node
    return found[0]


def _first_line(node: ast.Lambda | ast.FunctionDef) -> int:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


@functools.cache
def _tree(path: str) -> ast.Module:
    return ast.parse(Path(path).read_text(encoding="utf-8"))


def _call_text(call: Call) -> str:
    arguments = "".join(f", {_literal(x)}" for x in call.arguments)
    arguments += "".join(f", {key}={_literal(x)}" for key, x in call.options.items())
    if call.as_method:
        return f"lambda x, *others: x.{call.name}(*others{arguments})"
    return f"lambda x, *others: adjoint.{call.name}(x, *others{arguments})"


def _needed(arguments: tuple, options: dict) -> list[str]:
    found = [*arguments, *options.values()]
    return ["from math import inf, nan"] if any(isinstance(x, float) and not np.isfinite(x) for x in found) else []


def _public_name(function: Any) -> str:
    name = getattr(function, "__name__", repr(function))
    module = inspect.getmodule(function)
    if module is not None and module.__name__.endswith(".linalg"):
        return f"linalg.{name}"
    if module is not None and module.__name__.split(".")[0] == "adjoint":
        return f"nn.{name}" if ".nn." in module.__name__ else f"adjoint.{name}"
    return f"__import__('operator').{name}" if hasattr(__import__("operator"), name) else f"adjoint.{name}"


def _literal(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return numbers(x)
    if hasattr(x, "detach"):
        return f"__import__('torch').tensor({x.tolist()})"
    if isinstance(x, (tuple, list)):
        inner = ", ".join(map(_literal, x))
        return f"({inner}{',' * (len(x) == 1)})" if isinstance(x, tuple) else f"[{inner}]"
    return "..." if x is ... else repr(x)
