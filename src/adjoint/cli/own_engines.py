"""Find the class of a program that is an autograd engine, and put `adjoint.Value` in its place.

Such a class has `data`, `grad` and a method `backward`. It is found in the syntax tree; the program does not run here.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from adjoint.errors import ArgumentError, suggest

HOOK = "__adjoint_backward__"  # what the calls of backward() in a program become
_SECOND = {"children", "prev", "parents", "inputs", "operands"}  # the names of parameters, without underscores
_THIRD = {"op", "operation", "localgrads", "localgradients", "grads"}
_FOURTH = {"label", "name"}
_KEYWORDS = {"data", "_children", "_op", "label"}


@dataclass(frozen=True, slots=True)
class Engine:
    """A program, and the class in it that is an engine."""

    path: str
    tree: ast.Module
    kind: ast.ClassDef

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.kind.name

    @property
    def methods(self) -> dict[str, ast.FunctionDef]:
        """The methods of the class by name."""
        return {node.name: node for node in self.kind.body if isinstance(node, ast.FunctionDef)}

    def has(self, attribute: str) -> bool:
        """Return whether the class has a method or an attribute of this name."""
        return attribute in self.methods or attribute in _attributes(self.kind)

    def makes_nodes(self, method: str) -> bool:
        """Return whether a method makes a node with parents, and is not made of other operations alone."""
        calls = [x for x in ast.walk(self.methods.get(method, ast.Pass())) if isinstance(x, ast.Call)]
        return any(_is_name(x.func, self.name) and len(x.args) + len(x.keywords) > 1 for x in calls)

    def line_of(self, method: str) -> int:
        """Return the line of a method, or that of the class if it has none of this name."""
        return self.methods.get(method, self.kind).lineno

    def program(self, is_own: bool) -> ast.Module:
        """Return the program with its own class, or with that of adjoint; its calls of `backward()` call the hook."""
        tree = copy.deepcopy(self.tree)
        place = self.tree.body.index(self.kind)
        kind = tree.body.pop(place)
        tree = _Hooked().visit(tree)
        if not is_own:
            alias = ast.alias("Value", None if self.name == "Value" else self.name)
            kind = ast.copy_location(ast.ImportFrom("adjoint", [alias], 0), kind)
        tree.body.insert(place, kind)
        return ast.fix_missing_locations(tree)


class _Hooked(ast.NodeTransformer):
    """Replaces `loss.backward()` by a call of the hook with the loss."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "backward":
            return node
        hook = ast.copy_location(ast.Name(HOOK, ast.Load()), node)
        return ast.copy_location(ast.Call(hook, [node.func.value, *node.args], node.keywords), node)


def read_engine(path: str, name: str | None = None) -> Engine:
    """Return a program and its class that is an engine; raise an error that says why it cannot be replaced."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror or error}") from None
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise ArgumentError(f"{path}{line} is not a Python program: {error.args[0]}") from None
    engine = Engine(path, tree, _find(tree, path, name))
    _require_replaceable(engine)
    return engine


def _find(tree: ast.Module, path: str, name: str | None) -> ast.ClassDef:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if name is not None:
        found = [node for node in classes if node.name == name]
        if not found:
            raise suggest.unknown_name_error("class", name, [node.name for node in classes])
        return found[-1]
    found = [node for node in classes if _is_engine(node)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{node.name} (line {node.lineno})" for node in found)
        raise ArgumentError(
            f"{path} has several classes with data, grad and backward: {names}; choose one with --class"
        )
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and any(alias.name == "Value" for alias in node.names):
            raise ArgumentError(
                f"{path} imports its Value from {node.module}; write `from adjoint import Value` in line {node.lineno}"
            )
    near = [f"{node.name} (line {node.lineno}) has no {_missing(node)}" for node in classes if _missing(node, 1)]
    advice = f": {'; '.join(near)}" if near else ""
    raise ArgumentError(f"{path} defines no class with data, grad and a method backward{advice}")


def _is_engine(kind: ast.ClassDef) -> bool:
    return not _missing(kind)


def _missing(kind: ast.ClassDef, most: int = 3) -> str:
    """Return what a class lacks to be an engine; nothing if that is more than `most` things."""
    attributes = _attributes(kind)
    has_backward = any(isinstance(node, ast.FunctionDef) and node.name == "backward" for node in kind.body)
    lacks = [name for name in ("data", "grad") if name not in attributes] + ["method backward"] * (not has_backward)
    return " and no ".join(lacks) if len(lacks) <= most else ""


def _attributes(kind: ast.ClassDef) -> set[str]:
    """Return the attributes that a class assigns to `self`, declares or has as properties."""
    found: set[str] = set()
    for node in kind.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.FunctionDef):
            if node.decorator_list:
                found.add(node.name)
            own = node.args.args[0].arg if node.args.args else ""
            found |= {
                x.attr
                for x in ast.walk(node)
                if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store) and _is_name(x.value, own)
            }
    return found


def _is_name(node: ast.AST | None, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


# --- what cannot be replaced ----------------------------------------------------------------------------


def _require_replaceable(engine: Engine) -> None:
    kind = engine.kind
    if any(not _is_name(base, "object") for base in kind.bases) or kind.keywords:
        _refuse(engine, kind, "it derives from another class")
    for node in _outside(engine):
        if isinstance(node, ast.ClassDef) and any(_is_name(base, engine.name) for base in node.bases):
            _refuse(engine, node, f"the class {node.name} derives from it")
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_name(node.value, engine.name):
            _refuse(engine, node, f"{engine.name}.{node.attr} is assigned outside of the class")
        if isinstance(node, ast.Call) and _is_name(node.func, engine.name):
            _check_call(engine, node)


def _outside(engine: Engine) -> Iterator[ast.AST]:
    return (x for node in engine.tree.body if node is not engine.kind for x in ast.walk(node))


def _check_call(engine: Engine, call: ast.Call) -> None:
    """Raise if the class is called with something that `Value(data, _children, _op, label)` has no place for."""
    names, given = _parameters(engine.kind), len(call.args)
    if any(isinstance(x, ast.Starred) for x in call.args) or any(k.arg is None for k in call.keywords):
        return
    if given == 0 and not any(keyword.arg == "data" for keyword in call.keywords):
        _refuse(engine, call, "it is made without data, which adjoint's Value needs")
    for name, known in zip(names[1:given], (_SECOND, _THIRD, _FOURTH)):
        if name.replace("_", "") not in known:
            _refuse(engine, call, f"its constructor takes {name}, where adjoint's takes {_place(known)}")
    if given > 4:
        _refuse(engine, call, "its constructor takes more than adjoint's Value(data, _children, _op, label)")
    for keyword in call.keywords:
        if keyword.arg not in _KEYWORDS:
            _refuse(engine, call, f"its constructor takes {keyword.arg}=, adjoint's Value(data, _children, _op, label)")


def _place(known: set[str]) -> str:
    return (
        "the children" if known is _SECOND else "the operation or the local gradients" if known is _THIRD else "a label"
    )


def _parameters(kind: ast.ClassDef) -> list[str]:
    """Return the parameters of the constructor; those of a dataclass are its fields."""
    for node in kind.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            return [x.arg for x in node.args.args[1:]]
    return [
        node.target.id for node in kind.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]


def _refuse(engine: Engine, node: ast.AST, reason: str) -> NoReturn:
    line = getattr(node, "lineno", engine.kind.lineno)
    raise ArgumentError(f"the class {engine.name} of {engine.path} cannot be replaced: {reason} (line {line})")
