"""Names for the nodes of a graph, the same in every text and picture: their labels, otherwise v1, v2, …"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjoint.engine.value import Value

_MOST_CHARACTERS = 40
_BLANK = {"Cc": " ", "Zl": " ", "Zp": " ", "Zs": " "}  # includes line ends and tabs
_INVISIBLE = {"Cf", "Cs", "Co", "Cn"}  # text direction marks, lone surrogates, private and unassigned characters


def names_of(nodes: Iterable["Value"], known: Mapping["Value", str] | None = None) -> dict["Value", str]:
    """Return a unique name for each node: its label, its name in `known`, or v1, v2, … in this order.

    >>> from adjoint import Value
    >>> from adjoint.see import names_of
    >>> a = Value(2.0, label="a")
    >>> b = a * 3
    >>> list(names_of([a, b, b + a]).values())
    ['a', 'v1', 'v2']
    """
    known = known or {}
    given = {node: (node.label and one_line(node.label)) or known.get(node, "") for node in nodes}
    return dict(zip(given, unique_names(given.values())))


def unique_names(given: Collection[str]) -> list[str]:
    """Return different names: those that are given, numbered from the second of the same name on; v1, v2, … for "".

    >>> unique_names(["a", "", "a", ""])
    ['a', 'v1', 'a#2', 'v2']
    """
    taken = set(given)
    automatic = (name for name in map("v{}".format, count(1)) if name not in taken)
    names: list[str] = []
    used: Counter[str] = Counter()
    for name in given:
        if not name:
            names.append(next(automatic))
            continue
        used[name] += 1
        while used[name] > 1:  # two nodes have the same label
            again = f"{name}#{used[name]}"
            if again not in taken:
                name = again
                break
            used[name] += 1
        names.append(name)
    return names


def one_line(text: object, most: int = _MOST_CHARACTERS) -> str:
    """Return a label as one short line, without invisible characters.

    >>> one_line(" two\\n lines\\u202e ")
    'two lines'
    """
    text = str(text)
    if len(text) < most and text.isascii() and text.isprintable():
        return text.strip()
    kinds = ((character, unicodedata.category(character)) for character in text[: 8 * most])
    seen = "".join(_BLANK.get(kind, character) for character, kind in kinds if kind not in _INVISIBLE)
    line = " ".join(seen.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
