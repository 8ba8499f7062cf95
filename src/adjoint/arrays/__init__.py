"""Values that hold arrays: the same rules on NumPy, JAX, PyTorch and CuPy arrays, with broadcasting.

This layer uses `errors` and `engine`. Start with `tensor.py` (the class), then `apply.py` (how an operation makes a
node), `kernels.py` (a row of the table compiled for arrays), `backward_pass.py` and `forward_mode.py`. `functions/`
holds the operations on whole arrays, by subject; `backends/` adapts the array libraries.
"""
