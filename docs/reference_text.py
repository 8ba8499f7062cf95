"""Griffe extension for the API reference: highlights doctests, and hides private parameters."""

import inspect
from importlib import import_module

import griffe


class ReferenceText(griffe.Extension):
    """Puts a fence around doctests, which Markdown would read as nested quotes, and hides private parameters."""

    def on_class_instance(self, *, cls: griffe.Class, **options: object) -> None:
        if cls.docstring is None and "ndim" in cls.keywords:  # adjoint/nn/spatial.py
            text = inspect.getdoc(getattr(import_module(cls.module.path), cls.name))
            cls.docstring = griffe.Docstring(text or "", parent=cls)

    def on_object(self, *, obj: griffe.Object, loader: griffe.GriffeLoader, **options: object) -> None:
        if obj.docstring:
            obj.docstring.value = fence_doctests(obj.docstring.value)

    def on_function_instance(self, *, func: griffe.Function, **options: object) -> None:
        func.parameters = public_parameters(func.parameters)


def public_parameters(parameters: griffe.Parameters) -> griffe.Parameters:
    """Return the parameters without private ones, such as `_op`; those after a private one become keyword-only."""
    shown, is_hidden = [], False
    for parameter in parameters:
        if parameter.name.startswith("_"):
            is_hidden = True
            continue
        if is_hidden and parameter.kind is griffe.ParameterKind.positional_or_keyword:
            parameter.kind = griffe.ParameterKind.keyword_only
        shown.append(parameter)
    return griffe.Parameters(*shown)


def fence_doctests(text: str) -> str:
    """Return a docstring with its doctests in fenced blocks; `<BLANKLINE>` becomes an empty line."""
    lines, is_open = [], False
    for line in [*text.split("\n"), ""]:
        if line.startswith(">>>") and not is_open:
            lines.append("```pycon")
            is_open = True
        elif is_open and not line.strip():
            lines.append("```")
            is_open = False
        lines.append("" if line.strip() == "<BLANKLINE>" else line)
    return "\n".join(lines[:-1])
