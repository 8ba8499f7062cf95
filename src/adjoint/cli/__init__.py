"""The command line: `adjoint train`, `predict`, `check`, `graph`, `explain` and `bench`.

This is the top layer and may use every other. Start with `command_line.py`, which has the parser; each other file is a
command, and `arguments.py` converts their arguments. `entry_points.py` finds the commands of other packages, such as
`adjoint learn` and `adjoint lab`.
"""
