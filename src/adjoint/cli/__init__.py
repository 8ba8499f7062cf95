"""The command line: `adjoint train`, `tokenize`, `predict`, `generate`, `graph`, `explain` and `bench`.

This is the top layer and may use every other. Start with `command_line.py`, which has the parser; a command is the file
of its name, and `option_types.py` converts their arguments. `train_language.py`, `language_options.py` and
`training_pictures.py` are parts of `adjoint train`, and `expressions.py` is what `graph` and `explain` share.
`entry_points.py` finds the commands of other packages, such as `adjoint learn` and `adjoint lab`.
"""
