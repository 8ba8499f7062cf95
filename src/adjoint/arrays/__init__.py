"""Values that hold arrays: the same rules on NumPy, JAX, PyTorch and CuPy arrays, with broadcasting.

This layer uses `errors` and `engine`. Start with `tensor.py` (the class), then `kernels.py` (a row of the table
compiled for arrays), `backward_pass.py` and `forward_mode.py`. `functions/` holds the operations that are not
elementwise, by subject; `backends` hides the differences between the array libraries.
"""
