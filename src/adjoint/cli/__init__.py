"""The command line: `adjoint train`, `predict`, `explain`, `draw`, `check`, `bench` and `lab`.

This is the top layer, and may use every other. Start with `command_line.py`, which has the parser; the other files are
commands.
"""
