"""Generate the TypeScript types of the messages from the Python types.

python -m adjoint_lab.protocol.typescript      writes web/src/rooms/*/messages.ts
"""

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from adjoint_lab.protocol import learn, mistakes, quiz, train
from adjoint_lab.protocol.common import TypeScript

ROOMS = {"learn": learn, "mistakes": mistakes, "quiz": quiz, "train": train}
WEB = Path(__file__).parents[3] / "web" / "src" / "rooms"
_PLAIN: dict[object, str] = {
    int: "number", float: "number", str: "string", bool: "boolean", NoneType: "null", None: "null",
    object: "unknown", Any: "unknown",
}  # fmt: skip


def generate(module: ModuleType) -> str:
    """Return the TypeScript file for the messages of one room."""
    imports: set[TypeScript] = set()
    types = list(_types_of(module))
    interfaces = [_interface(cls, imports) for cls in types]
    header = [f"// Generated from {module.__name__} by `make web`; do not edit."]
    for path in sorted({found.module for found in imports}, key=str.lower):  # the order of the linter of web/
        names = ", ".join(sorted(found.name for found in imports if found.module == path))
        header.append(f'import type {{ {names} }} from "{path}";')
    return "\n".join(header) + "\n\n" + "\n\n".join(interfaces) + "\n"


def _types_of(module: ModuleType) -> Iterator[type]:
    """Yield the message types that a module defines or imports, in their order."""
    for cls in vars(module).values():
        if is_typeddict(cls) or (inspect.isclass(cls) and dataclasses.is_dataclass(cls)):
            yield cls


def _interface(cls: type, imports: set[TypeScript]) -> str:
    lines = [f"/** {(cls.__doc__ or '').splitlines()[0]} */", f"export interface {cls.__name__} {{"]
    required = getattr(cls, "__required_keys__", None)
    for name, hint in get_type_hints(cls, include_extras=True).items():
        mark = "" if required is None or name in required else "?"
        lines.append(f"  {name}{mark}: {_type(hint, imports)};")
    return "\n".join([*lines, "}"])


def _type(hint: Any, imports: set[TypeScript]) -> str:
    """Return a type of Python in TypeScript.

    >>> _type(dict[str, list[float | None]], set())
    'Record<string, (number | null)[]>'
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        meaning = arguments[1]
        if isinstance(meaning, TypeScript):
            imports.add(meaning)
            return meaning.name
        return _type(meaning, imports)
    if origin is NotRequired:
        return _type(arguments[0], imports)
    if origin in (Union, UnionType):
        return " | ".join(_type(x, imports) for x in arguments)
    if origin is Literal:
        return " | ".join(f'"{x}"' for x in arguments)
    if origin is dict:
        return f"Record<string, {_type(arguments[1], imports)}>"
    if origin is list or (origin is tuple and arguments[-1] is ...):
        inner = _type(arguments[0], imports)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(_type(x, imports) for x in arguments)}]"
    return _PLAIN.get(hint) or hint.__name__


if __name__ == "__main__":
    for name, module in ROOMS.items():
        (WEB / name / "messages.ts").write_text(generate(module))
