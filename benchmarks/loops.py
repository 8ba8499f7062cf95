"""Speed of loops in compiled functions, and of many small derivatives, compared with JAX and HIPS autograd.

    python benchmarks/loops.py [--quick] [--only NAME …] [--json FILE]

Every row runs the same program for each library, from `peers/loops.py`, alternately, each in a process of its own and
on one thread, after it has checked that both compute the same. A missed target is reported and is not an error.
"""

import os
import sys
from collections.abc import Iterable, Sequence

from alternation import Row, Times, alternate, require_same, run, running, times_faster, times_the_cost
from processes import ONE_THREAD, Process

NEEDED = ("numpy", "jax", "scipy", "autograd")
LIBRARIES = ("adjoint", "jax")


def main(arguments: Sequence[str] | None = None) -> None:
    os.environ.update(ONE_THREAD)
    description = "Measure adjoint's loops and small derivatives next to their peers."
    run(description, (scan, neural_ode, lstm, ode, jacobian, log_gamma, tiny_gradients), NEEDED, arguments)


def compared(rounds: int, what: str, pair: Iterable[Process], slice_seconds: float = 0.05) -> tuple[Times, Times]:
    """Return the times of ours and theirs, which compute the same."""
    with running(dict(zip(("ours", "theirs"), pair))) as peers:
        require_same(what, [peers["ours"]()], [peers["theirs"]()])
        times = alternate(peers, 10 * rounds if slice_seconds else rounds, slice_seconds, settling=bool(slice_seconds))
    return times["ours"], times["theirs"]


def gradient(rounds: int, program: str, what: str, at_most: float) -> Row:
    times = compared(rounds, what, (Process("peers.loops:Gradient", program, name) for name in LIBRARIES))
    return times_the_cost(f"{what}, gradient, jit vs JAX", *times, at_most)


def compilation(rounds: int, program: str, what: str, at_most: float) -> Row:
    peers = (Process("peers.loops:Compilation", program, name) for name in LIBRARIES)
    return times_the_cost(f"{what}, first call, jit vs JAX", *compared(rounds, what, peers, slice_seconds=0), at_most)


def scan(rounds: int) -> list[Row]:
    what = "scan of 100 steps"
    return [gradient(rounds, "recurrence", what, 1.2), compilation(rounds, "recurrence", what, 1.2)]


def neural_ode(rounds: int) -> list[Row]:
    what = "neural ODE of 19 steps"
    return [gradient(rounds, "neural_ode", what, 1.3), compilation(rounds, "neural_ode", what, 1.3)]


def lstm(rounds: int) -> list[Row]:
    return [gradient(rounds, "lstm", "LSTM of 99 steps", 1.3)]


def ode(rounds: int) -> list[Row]:
    what = "100,000 ODEs"
    eager = compared(rounds, what, (Process("peers.loops:Gradient", "ode", "adjoint", jit) for jit in (True, False)))
    return [gradient(rounds, "ode", what, 1.3), times_faster(f"{what}, gradient, jit vs eager", *eager, at_least=1)]


def jacobian(rounds: int) -> list[Row]:
    what = "Jacobian of 26 columns, forward mode"
    times = compared(rounds, what, (Process("peers.loops:jacobian", name) for name in LIBRARIES))
    return [times_the_cost(f"{what}, jit vs JAX", *times, at_most=1.3)]


def log_gamma(rounds: int) -> list[Row]:
    times = compared(rounds, "gammaln", (Process("peers.loops:log_gamma", name) for name in ("adjoint", "scipy")))
    return [times_the_cost("gammaln of a number vs SciPy's multigammaln", *times, at_most=1)]


def tiny_gradients(rounds: int) -> list[Row]:
    rows = []
    for of_arrays, what in ((False, "of a number"), (True, "of three numbers")):
        peers = (Process("peers.loops:tiny_gradients", name, of_arrays) for name in ("adjoint", "autograd"))
        times = compared(rounds, what, peers)
        rows.append(times_the_cost(f"480 gradients {what} vs HIPS autograd", *times, at_most=1.3))
    return rows


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
