"""What exists for the users of other libraries: their names, and functions with their parameters.

`names.py` has tables of the names that PyTorch, JAX, NumPy, Keras and scikit-learn use and adjoint does not; the
messages of errors quote them. It imports nothing, and every layer may read it. The other files come after `arrays`:
`torch_functions.py` has functions and methods of arrays with PyTorch's parameters, `torch_creation.py` new arrays, and
`torch_modules.py` methods of `nn.Module`. Two public modules of PyTorch's stay where their names say:
`nn/functional.py` and `optim/lr_scheduler.py`.
"""
