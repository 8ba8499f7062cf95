"""The colors of every picture, distinguishable for color-blind readers; markers distinguish classes without color.

Classes have the colors of Okabe and Ito. Negative numbers are blue, positive ones orange.
"""

CLASSES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
NEGATIVE, POSITIVE = "#0072B2", "#E69F00"
NEUTRAL = "#F7F7F7"
INK, GRID = "#333333", "#D9D9D9"
MARK = "#B3261E"  # what is wrong; readable as text on white
