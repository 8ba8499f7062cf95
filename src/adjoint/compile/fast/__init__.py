"""The fast path of compiled functions: what makes the second call of a function take microseconds.

Nothing here decides what a function computes. The slow path finds everything that a call can reach (`reachable`) and
takes the program that its key names. It does so for every call that no `Binding` recognizes. This package remembers
the objects of a call (`bindings`) and recognizes arguments that the same program serves (`arguments`). Without it,
every call takes the slow path and has the same result: `ADJOINT_FAST_CALLS=0` in the environment, or
`compiled.settings.fast = False`, switches it off.
"""
