"""Griffe extension: shows the doctests of a docstring as highlighted code in the API reference."""

import griffe


class DoctestBlocks(griffe.Extension):
    """Puts a fence around each run of doctest lines, which Markdown would otherwise read as nested quotes."""

    def on_object(self, *, obj: griffe.Object, loader: griffe.GriffeLoader, **options: object) -> None:
        if obj.docstring:
            obj.docstring.value = fence_doctests(obj.docstring.value)


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
