"""Compilation: `jit` and `vmap` turn a function into an XLA program, by way of JAX, which is an optional extra.

This layer uses `errors`, `engine`, `arrays` and `transforms`. Start with `compiled.py`. A function runs once with
tracers (`tracing`) in everything that it can reach (`reachable`, `places`). What it computed becomes a program
(`program`), and what it returned becomes a template (`results`). Later calls check that nothing has changed
(`bindings`, `arguments`) and run the program; its arrays stay on the device (`device_arrays`).
"""
