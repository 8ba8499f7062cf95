"""The number of random examples that a test draws: as written in `make test`, many times as many in `make fuzz`."""

import os

from hypothesis import settings

TIMES = int(os.environ.get("FUZZ", "1"))


def examples(count: int, **options) -> settings:
    """Return Hypothesis settings that draw `count` examples, or `FUZZ` times as many where that variable is set."""
    return settings(max_examples=count * TIMES, **options)
