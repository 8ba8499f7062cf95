"""How a benchmark measures and reports.

Each peer has a process of its own, and the peers run alternately, in short slices, so that a change in the speed of the
machine affects all of them. The result is the median ratio of neighboring slices.
"""

import argparse
import importlib.util
import json
import math
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

from processes import Process

import adjoint

Times = list[float]  # seconds for one call, slice by slice


@contextmanager
def running(peers: Mapping[str, Process]) -> Iterator[Mapping[str, Process]]:
    """End the processes of the peers after the block."""
    try:
        yield peers
    finally:
        for peer in peers.values():
            peer.end()


def alternate(
    peers: Mapping[str, Process], rounds: int, slice_seconds: float = 0.0, settling: int = 1, collector: bool = True
) -> dict[str, Times]:
    """Run and time every peer in every round, each for about `slice_seconds` but at least one call.

    The garbage of an engine is part of its cost, so the garbage collector runs, unless `collector` is False. Before
    each slice, garbage is collected, and `settling` untimed calls bring the peer back to its steady state.
    """
    calls = {name: max(1, round(slice_seconds / _warm(peer))) for name, peer in peers.items()}
    times: dict[str, Times] = {name: [] for name in peers}
    order = list(peers)
    for _ in range(rounds):
        for name in order:
            peer = peers[name]
            peer.collect()
            peer.let_collector_run(collector)
            peer.time(settling)
            times[name].append(peer.time(calls[name]))
            peer.let_collector_run(True)
        order.reverse()  # no peer always runs first
    return times


def ratio(above: Times, below: Times) -> float:
    """Return the median of the ratios of neighboring slices."""
    return median(x / z for x, z in zip(above, below))


def require_same(workload: str, ours: Sequence[float], theirs: Sequence[float], tolerance: float = 1e-6) -> None:
    """Exit if the peers compute different numbers."""
    pairs = zip(ours, theirs, strict=True)
    if not all(math.isclose(x, z, rel_tol=tolerance, abs_tol=1e-9) for x, z in pairs):
        sys.exit(f"{workload}: the peers compute different results; fix them before comparing their speed")


def _warm(peer: Process) -> float:
    """Run until caches and allocators are warm, and return the seconds of the last call."""
    first = peer.time()
    return first if first > 0.1 else min(peer.time() for _ in range(3))


# --- results ---


@dataclass(frozen=True)
class Row:
    """One line of the table: a measurement and its target, if it has one."""

    workload: str
    ours: float
    peer: float | None
    unit: str
    measured: float
    relation: str
    target: float | None
    sign: str = "×"  # after the measured figure and its target

    @property
    def holds(self) -> bool | None:
        if self.target is None:
            return None
        return self.measured >= self.target if self.relation == "≥" else self.measured <= self.target

    def cells(self) -> tuple[str, ...]:
        peer = "–" if self.peer is None else _quantity(self.peer, self.unit)
        target = "–" if self.target is None else f"{self.relation} {self.target:g} {self.sign}".rstrip()
        verdict = {True: "holds", False: "MISSES", None: "for information"}[self.holds]
        return (
            self.workload,
            _quantity(self.ours, self.unit),
            peer,
            f"{self.measured:.3g} {self.sign}".rstrip(),
            target,
            verdict,
        )


def times_faster(workload: str, ours: Times, peer: Times, at_least: float | None) -> Row:
    return Row(workload, median(ours), median(peer), "s", ratio(peer, ours), "≥", at_least)


def times_the_cost(workload: str, ours: Times, peer: Times, at_most: float | None) -> Row:
    return Row(workload, median(ours), median(peer), "s", ratio(ours, peer), "≤", at_most)


# --- the command line and the report ---

Measure = Callable[[int], list[Row]]  # takes the number of rounds: 1 with --quick, else 3


def run(description: str, measures: Sequence[Measure], needed: Sequence[str], arguments: Sequence[str] | None) -> None:
    """Run the measurements that the command line selects, print the table, and write the JSON file if one is given."""
    options = _parse(description, [measure.__name__ for measure in measures], arguments)
    _require(needed)
    versions = {"adjoint": adjoint.__version__, **{name: version(name) for name in needed}}
    facts = {**_machine(), "engine": "native core", **versions}
    print(", ".join(f"{name}: {fact}" for name, fact in facts.items()), end="\n\n")
    rows = []
    for measure in measures:
        if not options.only or measure.__name__ in options.only:
            print(f"measuring {measure.__name__.replace('_', ' ')} …", file=sys.stderr, flush=True)
            rows += measure(1 if options.quick else 3)
    print_table(rows)
    if options.json:
        write_json(options.json, facts, rows)


def _parse(description: str, measures: Sequence[str], arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a third of the time, less precise")
    names = ", ".join(measures)
    parser.add_argument("--only", nargs="+", choices=measures, metavar="NAME", help=f"run only these: {names}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE")
    options = parser.parse_args(arguments)
    if options.json and not (options.json.parent.is_dir() and not options.json.is_dir()):
        parser.error(f"--json: cannot write a file at {options.json}")
    return options


def _require(needed: Sequence[str]) -> None:
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(f"this benchmark needs {' and '.join(missing)}: pip install -e . --group bench")
    if not adjoint.accelerated:
        sys.exit(
            "this benchmark needs the native core, which is not in use: unset ADJOINT_PURE, or install a "
            "C compiler and run pip install -e . again"
        )


def _machine() -> dict[str, str | int | None]:
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
    }


def print_table(rows: list[Row]) -> None:
    lines = [("workload", "ours", "peer", "ratio", "target", ""), *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for number, (workload, *figures, verdict) in enumerate(lines):
        cells = [workload.ljust(widths[0]), *(x.rjust(width) for x, width in zip(figures, widths[1:]))]
        print(" | ".join([*cells, verdict]).rstrip())
        if number == 0:
            print("-|-".join("-" * width for width in widths))
    verdicts = [row.holds for row in rows if row.holds is not None]
    print(f"\n{sum(verdicts)} of {len(verdicts)} bars hold")


def write_json(path: Path, facts: dict, rows: list[Row]) -> None:
    lines = [{**asdict(row), "holds": row.holds} for row in rows]
    text = json.dumps({"machine": facts, "rows": lines}, indent=2, ensure_ascii=False) + "\n"
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)  # atomic: a reader sees the old file or the new one


def _quantity(x: float, unit: str) -> str:
    if unit != "s":
        return f"{x:.4g} {unit}".rstrip()
    scale, prefix = next((s, p) for s, p in ((1, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (0, "")) if x >= s)
    return f"{x / (scale or 1):.3g} {prefix}s"
