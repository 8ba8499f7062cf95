"""Functions of functions: `grad` and its relatives, `checkpoint`, `custom_vjp`, and the numerical gradient check.

This layer uses `errors`, `engine` and `arrays`. Start with `derivatives.py`. `trees.py` takes nested structures of
arrays apart and puts them together; `gradient_check.py` compares gradients with central differences.
"""
