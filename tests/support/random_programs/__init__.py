"""Random programs over arrays that no author of a test chose, and the checks that they pass.

`program` says what a program is, `choices` and `build` grow one from a seed, `steps`, `signatures`, `cases` and
`special` draw its lines, `check` compares its derivatives with central differences, `shrink` makes a program that fails
short, `source` prints it, and `campaign` runs thousands.
"""
