"""Transforms of functions: `grad` and its relatives, `checkpoint`, `custom_vjp`, and the numerical gradient check.

This layer uses `errors`, `engine`, `arrays` and `linalg`. Start with `derivatives.py`. Each transform evaluates the
function once (`linearization`) with fresh variables (`variables`). Arguments and results are pytrees (`trees`).
`recompute` trades time for memory, `custom` takes gradient rules written by users, and `gradient_check` compares
gradients with central differences.
"""
