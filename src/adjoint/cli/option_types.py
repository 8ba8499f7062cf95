"""Conversion of command-line arguments, and the exit codes of commands."""

import argparse
from collections.abc import Callable
from typing import TypeVar

OK, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
T = TypeVar("T")


def _reader(what: str, read: Callable[[str], T], fits: Callable[[T], bool]) -> Callable[[str], T]:
    def reader(text: str) -> T:
        try:
            found = read(text)
        except ValueError:
            found = None
        if found is None or not fits(found):
            raise argparse.ArgumentTypeError(f"expected {what}, not {text!r}")
        return found

    return reader


integer = _reader("an integer of at least 1", int, lambda n: n >= 1)
integer_from_0 = _reader("an integer of at least 0", int, lambda n: n >= 0)
positive_number = _reader("a number above 0", float, lambda x: 0 < x < float("inf"))
number_from_0 = _reader("a number of at least 0", float, lambda x: 0 <= x < float("inf"))
fraction = _reader("a number of at least 0 and below 1", float, lambda x: 0 <= x < 1)
probability = _reader("a number above 0, at most 1", float, lambda x: 0 < x <= 1)
layer_sizes = _reader(
    "one or more sizes, such as 16,16",
    lambda text: tuple(int(size) for size in text.split(",")),
    lambda sizes: all(size >= 1 for size in sizes),
)


def fraction_or_file(text: str) -> float | str:
    """Return a fraction as a number, and anything that is no number as the name of a file."""
    try:
        float(text)
    except ValueError:
        return text
    return fraction(text)
