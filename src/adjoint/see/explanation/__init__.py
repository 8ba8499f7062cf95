"""A computation as a list of steps: `print(adjoint.explain(loss))`. Start with `steps.py`."""
