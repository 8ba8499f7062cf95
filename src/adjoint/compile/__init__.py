"""Compilation: `jit` and `vmap` run a function once and turn what it computes into a program.

This layer uses `errors`, `engine`, `arrays`, `transforms` and `distributed`. It has one front, back ends, and a fast
path.

The front knows Python, and nothing of how a program is computed. Start with `compiled.py`. `reachable` finds what a
call can reach (`reach`, `places`) and the key that two calls share if one program serves both; `state` has the rule of
what is state, and `roles` decides which numbers of objects are inputs. `session` runs the function once with stand-ins
for its numbers, and finds out what it changes and returns, as templates (`results`). `checking` runs it eagerly in the
same way, for `jit(f, check=True)`.

A back end knows how to compute. `backend.py` is its interface, in the order of the calls:

- `BackEnd.recorder(reach)` returns a `Recorder` for one run of the function, or raises `Unsuitable`, and the next back
  end of `Compiled._backends` is tried.
- `Recorder.record(run)` calls `run(stand_ins)` with a stand-in for each place; the session puts them into the places.
  `enter`, `replacement` and `leave` do for Values what the back end needs. A back end that records Values itself
  returns each scalar Value as its own `replacement`.
- When the function has returned, the session asks for `content(i)` of each Value, turns data into the number of an
  output (`output`), and objects that were computed into templates (`template`).
- `BackEnd.compile(trace)` returns a `Program`, `Program.bind(reach)` the program for the objects of a call, and
  `Bound.run(state, data)` runs it, stores the results, and returns what the function returns.

`xla` is the back end for arrays; it uses JAX, which is an optional extra and is loaded by the first call that needs it.
The package `fast` recognizes repeated calls. It can be switched off without changing a result.
"""
