"""Compilation: `jit` and `vmap` turn a function into an XLA program through JAX, which is an optional extra.

This layer uses `errors`, `engine`, `arrays` and `transforms`. Start with `compiled.py`. A function runs once with
tracers (`tracing`) in everything that it can reach (`reachable`, `places`). The recorded computation (`jaxprs`) becomes
a program (`program`), and what the function returned becomes a template (`results`). The package `fast` makes later
calls quick. Nothing here loads JAX before the first compiled function is called.
"""
