"""The fast path of compiled functions: what makes the second call of a function take microseconds.

Nothing here decides what a function computes. The slow path finds everything that a call can reach (`reachable`),
traces the function (`tracing`) and compiles a program (`program`). It does so for every call that no `Binding`
recognizes; without bindings, every call would be correct but slow. This package remembers the objects of a call
(`bindings`), recognizes arguments that the same program serves (`arguments`), keeps arrays on the device between
calls (`device_arrays`), and computes in Python what depends on Python numbers alone (`formulas`).
"""
