"""The colors of every picture, distinguishable for color-blind readers; markers distinguish classes without color.

Classes have the colors of Okabe and Ito. Negative numbers are blue, positive ones orange.
"""

CLASSES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
NEGATIVE, POSITIVE = "#0072B2", "#E69F00"
NEUTRAL = "#F7F7F7"
INK, GRID = "#333333", "#D9D9D9"
MARK = "#B3261E"  # what is wrong; readable as text on white
_THIN, _THICK = 0.8, 4.8  # lines of weights


def weight_color(weight: float) -> str:
    """Return the color of the line of a weight, by its sign."""
    return POSITIVE if weight > 0 else NEGATIVE if weight < 0 else GRID


def line_width(weight: float) -> float:
    """Return the width of the line of a weight, given its size relative to the largest weight."""
    return _THIN + (_THICK - _THIN) * abs(weight)
