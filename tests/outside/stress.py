"""Stress both engines: threads that predict, train, load and save at once; interrupts; forks; failing allocations.

    python stress.py --minutes 2 --seed 0               # `make stress`: half of the time on each engine
    python stress.py --seed 0 --round 17 --engine python    # repeat one round

A round draws what it does from the seed and its number; `stress_rounds.py` has the kinds of rounds. A failure prints
the command that repeats its round. What threads and signals do at which moment differs from run to run, so repeat a
round several times (`--times`).
"""

import argparse
import faulthandler
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

ENGINES = {"native": "", "python": "1"}  # the values of ADJOINT_PURE
LONGEST = 120  # seconds that a round may take: beyond, it hangs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=[*ENGINES, "both"], default="both")
    parser.add_argument("--round", type=int, help="run this round alone")
    parser.add_argument("--times", type=int, default=1, help="how often to run that round")
    parser.add_argument("--without", default="", help="kinds of rounds to leave out, separated by commas")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)  # a process that runs rounds
    options = parser.parse_args()
    if options.inside:
        return run_rounds(options)
    engines = list(ENGINES) if options.engine == "both" else [options.engine]
    return max(run_engine(engine, options.minutes / len(engines)) for engine in engines)


def run_engine(engine: str, minutes: float) -> int:
    """Run rounds in a process of their own, and report how it ended."""
    command = [sys.executable, __file__, *sys.argv[1:], "--inside", "--minutes", str(minutes), "--engine", engine]
    # malloc returns the memory of arrays at once and reserves none for threads, so that limits on memory are felt
    malloc = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}
    environment = {**malloc, **os.environ, "ADJOINT_PURE": ENGINES[engine]}
    ended = subprocess.run(command, env=environment).returncode
    if ended < 0:
        print(f"{engine}: killed by signal {-ended}", file=sys.stderr)
    return int(ended != 0)


def run_rounds(options: argparse.Namespace) -> int:
    import stress_rounds

    import adjoint

    assert adjoint.accelerated == (options.engine == "native"), "the native core was not built"
    left_out = set(filter(None, options.without.split(",")))
    kinds = [kind for kind in stress_rounds.ROUNDS if kind.__name__ not in left_out]
    done, counts, start = Counter(), Counter(), time.monotonic()
    number = options.round or 0
    while options.times > 0 if options.round is not None else time.monotonic() - start < 60 * options.minutes:
        kind = kinds[number % len(kinds)]
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            with tempfile.TemporaryDirectory() as folder:
                counts += kind(Random(f"{options.seed}, {number}"), Path(folder))
        except BaseException:
            without = f" --without {options.without}" if left_out else ""
            command = f"--seed {options.seed} --round {number} --engine {options.engine}{without}"
            print(f"\n{kind.__name__} failed; repeat it: python {__file__} {command} --times 20", file=sys.stderr)
            raise
        done[kind.__name__] += 1
        if options.round is None:
            number += 1
        else:
            options.times -= 1
    faulthandler.cancel_dump_traceback_later()
    rounds = ", ".join(f"{count} {name}" for name, count in sorted(done.items()))
    found = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
    seconds = time.monotonic() - start
    print(f"{options.engine}: {sum(done.values())} rounds in {seconds:.0f} s ({rounds}): {found}; nothing wrong")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
