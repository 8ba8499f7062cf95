"""Random training steps over single numbers, run eagerly and compiled by `jit`.

`program` says what a program is and runs it, `expressions`, `statements` and `build` grow one from a seed, `check`
compares the two runs, `noise` says how far they may differ, and `campaign` runs thousands and makes those that fail
short.
"""
