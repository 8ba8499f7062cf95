"""The number of random examples that a test draws.

`make test` draws half as many as a test names, but at least 3, since Hypothesis draws the simplest one first.
`make test FULL=yes` draws all of them, and `make fuzz` a multiple, new ones at each run.
"""

import math
import os

from hypothesis import settings

TIMES = float(os.environ.get("FUZZ", "0.5"))
FUZZING = TIMES > 1


def share(count: int) -> int:
    """Return how many examples to draw for a test that names `count`."""
    return max(min(count, 3), math.ceil(count * TIMES))


def examples(count: int, **options) -> settings:
    """Return Hypothesis settings that draw `count` examples, or their share."""
    return settings(max_examples=share(count), **options)
