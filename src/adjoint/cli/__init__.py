"""The command line: `adjoint train`, `predict`, `check`, `graph`, `explain`, `bench` and `lab`.

This is the top layer and may use every other. Start with `command_line.py`, which has the parser; each other file is a
command, and `arguments.py` converts their arguments.
"""
