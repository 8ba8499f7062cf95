"""Standard output that is closed, full, or cannot show every character; warnings as lines on standard error."""

import codecs
import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adjoint.errors import AdjointWarning

# Characters of tables, mathematics and punctuation, in ASCII. Others become what Unicode decomposes them into, or "?".
_ASCII = {
    "─": "-", "│": "|", "└": "`", "├": "|", "╴": "-", "–": "-", "—": "-", "−": "-", "·": "*", "×": "x", "…": "...",
    "±": "+/-", "∂": "d", "√": "sqrt", "π": "pi", "σ": "s", "Σ": "sum", "→": "->", "←": "<-", "≤": "<=", "≥": ">=",
    "↓": "v", "≈": "~", "≠": "!=", "∞": "inf", "“": '"', "”": '"', "‘": "'", "’": "'", "•": "*", "█": "#", "▏": "|",
}  # fmt: skip


def prepare_output() -> None:
    """Let output that cannot show a character show it in ASCII, and give closed output somewhere to go."""
    codecs.register_error("adjoint-ascii", _in_ascii)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the shell: `adjoint bench >&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="adjoint-ascii")


@contextmanager
def show_warnings_as_lines() -> Iterator[None]:
    """Show a warning of adjoint as one line, without the line of source and the advice for programs in Python."""
    with warnings.catch_warnings():
        default = warnings.showwarning

        def show(message: Any, category: type[Warning], *place: Any) -> None:
            if not issubclass(category, AdjointWarning):
                return default(message, category, *place)
            print(f"adjoint: warning: {_PYTHON.sub('', str(message))}", file=sys.stderr)

        warnings.showwarning = show
        yield


_PYTHON = re.compile(r", at (<[^>]*>|\S+):\d+| \(adjoint\.guards\(.*\) switches this warning off\.\)$")


def discard_output(name: str) -> None:
    """Redirect "stdout" or "stderr" to os.devnull, so that the flush at exit cannot fail."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), getattr(sys, name).fileno())
    except (OSError, ValueError):
        setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Return the characters that cannot be encoded in ASCII, and where to go on."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return "".join(_ASCII.get(letter) or _plain(letter) for letter in text), error.end


def _plain(letter: str) -> str:
    """Return a letter without accents, a superscript as a digit; "?" if there is nothing in ASCII.

    >>> _plain("é"), _plain("²"), _plain("語")
    ('e', '2', '?')
    """
    return unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode() or "?"
