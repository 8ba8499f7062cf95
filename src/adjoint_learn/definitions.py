"""Programs as lists of definitions: what one has and another has not, and a program with some of them changed.

Functions, and methods of classes, are told apart by their names. Everything works on lines, so comments stay.
"""

import ast
from collections.abc import Iterable, Iterator

Name = tuple[str, ...]  # of a function, or of a class and its method
_SOLUTION = "solution"  # a wrong answer that imports from here changes parts of the solution


def new_definitions(before: str, after: str) -> str:
    """Return what a program has and an earlier one has not: whole methods with their class, functions, and the rest.

    >>> print(new_definitions("class A:\\n    x = 1\\n", "class A:\\n    x = 1\\n    y = 2\\n"))
    class A:
        y = 2
    """
    known = {ast.dump(node) for node in _statements(ast.parse(before))}
    lines, parts = after.splitlines(), []
    for node in ast.parse(after).body:
        if ast.dump(node) in known:
            continue
        if isinstance(node, ast.ClassDef):
            new = (_text(lines, child) for child in node.body if ast.dump(child) not in known)
            parts.append(f"class {node.name}:\n" + "\n\n".join(new))
        else:
            parts.append(_text(lines, node))
    return "\n\n".join(parts)


def changes_solution(tree: ast.Module) -> bool:
    """Return whether a wrong answer has a line `from solution import *`, and so changes parts of the solution."""
    return any(isinstance(node, ast.ImportFrom) and node.module == _SOLUTION for node in tree.body)


def with_changes(program: str, changes: str) -> str:
    """Return a program in which definitions are replaced by those of the same name in `changes`; new ones are added.

    >>> with_changes("x = 1\\ndef f():\\n    return 1\\n", "def f():\\n    return 2\\n")
    'x = 1\\ndef f():\\n    return 2\\n'
    """
    lines, new = program.splitlines(), changes.splitlines()
    replaced: list[tuple[int, int, str]] = []  # first line, end, text
    places = {name: span for node in ast.parse(program).body for name, span in _spans(node)}
    for node in ast.parse(changes).body:
        if isinstance(node, ast.FunctionDef):
            start, end = places.get((node.name,), (len(lines), len(lines)))
            replaced.append((start, end, _text(new, node)))
        elif isinstance(node, ast.ClassDef):
            _, bottom = places.get((node.name,), (len(lines), len(lines)))
            for child in node.body:
                if isinstance(child, ast.FunctionDef):
                    start, end = places.get((node.name, child.name), (bottom, bottom))
                    replaced.append((start, end, ("\n" if start == bottom else "") + _text(new, child)))
    for start, end, text in sorted(replaced, key=lambda item: item[0], reverse=True):
        lines[start:end] = text.split("\n")
    return "\n".join(lines) + "\n"


def definitions(tree: ast.Module) -> dict[Name, ast.FunctionDef]:
    """Return the functions of a program and the methods of its classes.

    >>> list(definitions(ast.parse("class A:\\n    def f(self): ...\\ndef g(): ...")))
    [('A', 'f'), ('g',)]
    """
    found: dict[Name, ast.FunctionDef] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found[(node.name,)] = node
        elif isinstance(node, ast.ClassDef):
            found |= {(node.name, child.name): child for child in node.body if isinstance(child, ast.FunctionDef)}
    return found


def changed(before: str, after: str) -> set[Name]:
    """Return the definitions that a program has and an earlier one does not have, or has in another form."""
    try:
        known = definitions(ast.parse(before))
    except SyntaxError:  # `verify` reports a stub that is not a program
        known = {}
    old = {name: ast.dump(node) for name, node in known.items()}
    return {name for name, node in definitions(ast.parse(after)).items() if old.get(name) != ast.dump(node)}


def with_definitions(program: str, other: str, names: Iterable[Name]) -> ast.Module:
    """Return a program in which some definitions are those of another program.

    >>> ast.unparse(with_definitions("def f():\\n  return 1", "def f():\\n    return 2", [("f",)])).split()[-1]
    '2'
    """
    tree, wanted = ast.parse(program), definitions(ast.parse(other))
    for name in names:
        owner = tree.body
        if len(name) == 2:
            classes = (node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name[0])
            owner = next(classes, owner)
        at = next((i for i, node in enumerate(owner) if getattr(node, "name", "") == name[-1]), None)
        if at is None:
            owner.append(wanted[name])
        else:
            owner[at] = wanted[name]
    return tree


def _spans(node: ast.stmt) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """Yield the names and lines of a function, or of a class and its methods."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield (node.name,), _span(node)
    if isinstance(node, ast.ClassDef):
        for child in node.body:
            if isinstance(child, ast.FunctionDef):
                yield (node.name, child.name), _span(child)


def _span(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(x.lineno for x in decorators)]) - 1, node.end_lineno or node.lineno


def _text(lines: list[str], node: ast.stmt) -> str:
    start, end = _span(node)
    return "\n".join(lines[start:end])


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements of a program, and those in its classes."""
    for node in tree.body:
        yield node
        if isinstance(node, ast.ClassDef):
            yield from node.body


def returns(node: ast.FunctionDef) -> bool:
    """Return whether a definition hands over a value, apart from the functions inside of it."""
    return any(isinstance(x, ast.Return) and x.value is not None for x in _own(node))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a definition, without those of functions inside of it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda):
            yield child
            yield from _own(child)
