"""The number of random examples that a test draws: as given in `make test`, a multiple of it in `make fuzz`."""

import os

from hypothesis import settings

TIMES = int(os.environ.get("FUZZ", "1"))


def examples(count: int, **options) -> settings:
    """Return Hypothesis settings that draw `count` examples, or `FUZZ` times as many if that variable is set."""
    return settings(max_examples=count * TIMES, **options)
