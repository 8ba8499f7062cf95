"""The course in a terminal: `watching.py` is the loop that follows the learner's file and keys.

`screens.py` renders lessons, tasks and results for a rich console, and `keys.py` reads single keys.
"""
