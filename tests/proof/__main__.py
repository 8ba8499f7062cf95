"""Compare adjoint with what other people wrote, and write docs/proof.md: `make proof`.

    python tests/proof [SOURCE …] [--check]

A source is a file of this folder with a function `run() -> Report`. Each runs in a process of its own, two at a time.
The shares of agreement are kept in shares.json. A share that fell is an error, and so is a difference without a reason;
then nothing is written. To accept a share that fell, remove it from shares.json. With --check nothing is ever written.
Given sources, only their shares are compared or kept, and the page stays.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib import import_module
from pathlib import Path

import numpy as np
from report import Difference, Report, Share

import adjoint

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "proof.md"
SHARES = FOLDER / "shares.json"
Shares = dict[str, dict[str, list[int]]]  # for each source and share: how many agree, of how many

INTRODUCTION = """\
# The proof from outside

Other projects have written down what a correct result is: databases of samples, certified fits, sets of problems, and
reference implementations. `make proof` runs them against adjoint and writes this page: which share agrees, the reason
for each difference, and what turned out to be wrong in the references. It fails if a difference has no reason or if a
share is smaller than the one recorded in `tests/proof/shares.json`; continuous integration runs it.

The kinds of difference are:

- *wrong*: another number, shape or dtype.
- *refused*: a call that the reference computes raises one of adjoint's errors.
- *accepted*: a call that the reference refuses is computed.
- *unknown keyword* and *raw exception*: the call raises another error.
- *missing*: adjoint has nothing of this name, so there is no comparison.
"""
FOUND = """\
In each of these cases adjoint and the reference differ, and an independent measure agrees with adjoint: usually central
differences of the reference's own values. For CUTEst the evidence ends with an entry of the element function (`e…`) or
group function (`g…`) that is wrong: `g_` is its gradient and `H_` its Hessian, as in the program of the problem.
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/proof", description=__doc__.partition("\n")[0])
    parser.add_argument("sources", nargs="*", help=f"some of {', '.join(sources())}; all by default")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a share fell")
    parser.add_argument("--into", help=argparse.SUPPRESS)  # in the process of a source: the file for its report
    options = parser.parse_args()
    if unknown := set(options.sources) - set(sources()):
        parser.error(f"unknown source {', '.join(sorted(unknown))}; there are {', '.join(sources())}")
    if options.into:
        return run_here(options.sources[0], Path(options.into))
    start = time.perf_counter()
    names = options.sources or sources()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        found = dict(zip(names, pool.map(lambda name: run_apart(name, Path(folder)), names)))
    reports = {name: report for name, report in found.items() if report}
    for report in reports.values():
        print(f"{report.title} ({report.seconds:.0f} s of CPU time)")
        print(*(f"  {share.name}: {share}" for share in report.shares), sep="\n")
    recorded: Shares = json.loads(SHARES.read_text()) if SHARES.exists() else {}
    shares = shares_of(reports)
    problems = [f"{name} did not end" for name in names if name not in reports]
    problems += [f"{name} is in {SHARES.name}, and has no file" for name in recorded if name not in sources()]
    problems += unexplained(reports) + fallen(shares, {name: recorded[name] for name in shares if name in recorded})
    if not options.check and not problems:
        kept = shares if not options.sources else recorded | shares
        SHARES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        if not options.sources:
            PAGE.write_text(page(list(reports.values()), time.perf_counter() - start), encoding="utf-8")
            print(f"wrote docs/{PAGE.name}")
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return 1 if problems else 0


def sources() -> list[str]:
    """Return the names of the files of this folder that have a comparison."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if "\ndef run() -> Report:" in path.read_text())


def run_here(name: str, into: Path) -> int:
    report: Report = import_module(name).run()
    report.seconds = time.process_time()
    into.write_text(json.dumps(report.as_data()))
    return 0


def run_apart(name: str, folder: Path) -> Report | None:
    """Run a source in a process of its own, with one thread for the matrix products of each library."""
    into = folder / f"{name}.json"
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, str(FOLDER), name, "--into", str(into)]
    if subprocess.run(command, env={**os.environ, **threads}, stdout=sys.stderr).returncode:
        return None
    data = json.loads(into.read_text())
    data["shares"] = [Share(**share) for share in data["shares"]]
    data["differences"] = [Difference(**difference) for difference in data["differences"]]
    return Report(**data)


# --- what is an error ----------------------------------------------------------------------------------------------


def shares_of(reports: dict[str, Report]) -> Shares:
    return {name: {share.name: [share.agree, share.total] for share in r.shares} for name, r in reports.items()}


def fallen(shares: Shares, recorded: Shares) -> list[str]:
    """Return a line for each recorded share that is smaller now, missing, or of fewer things that agree."""
    lines = []
    for source, expected in recorded.items():
        for name, (agreed, of) in expected.items():
            agree, total = shares[source].get(name, [0, 0])
            if agree < agreed or agree * of < agreed * total:
                lines.append(
                    f"{source}: the share of {name} fell from {Share('', agreed, of)} to {agree:,} of {total:,}"
                )
    return lines


def unexplained(reports: dict[str, Report]) -> list[str]:
    """Return a line for each difference without a reason."""
    return [
        f"{name}: {difference.what}: {difference.kind}, without a reason"
        for name, report in reports.items()
        for difference in report.differences
        if not difference.reason.strip()
    ]


# --- the page --------------------------------------------------------------------------------------------------------


def page(reports: list[Report], seconds: float) -> str:
    """Return the page of the site: all shares, the errors of the references, and the differences of each source."""
    versions = f"adjoint {adjoint.__version__}, NumPy {np.__version__} and Python {platform.python_version()}"
    used = sum(report.seconds for report in reports)
    lines = [
        INTRODUCTION,
        f"Written by `make proof` on {date.today().isoformat()} with {versions}, in {seconds / 60:.0f} minutes on "
        f"{os.cpu_count()} cores, of which it used {used / 60:.0f} minutes of CPU time.\n",
        "## What agrees\n",
        *table("| source | what | agree |", [row for report in reports for row in share_rows(report)]),
        "## What was found wrong in the references\n",
    ]
    wrong = [(r.title, d.what, f"{d.count:,}", d.reason) for r in reports for d in grouped(r) if is_of_reference(d)]
    lines += [FOUND, *table("| source | what | count | evidence |", wrong)] if wrong else ["Nothing so far.\n"]
    for report in reports:
        how = report.how[:1].upper() + report.how[1:]
        lines += [f"## {report.title}\n", f"{how}.\n", f"Source: {report.source}.\n"]
        rows = [(d.what, d.kind, f"{d.count:,}", d.reason) for d in grouped(report) if not is_of_reference(d)]
        lines += table("| what differs | kind | count | reason |", rows) or ["Everything agrees.\n"]
    return "\n".join(lines).rstrip("\n") + "\n"


def share_rows(report: Report) -> list[tuple]:
    """Return the rows of a source in the table of all shares; the first names it and leads to its section."""
    anchor = re.sub(r"[^a-z0-9]+", "-", report.title.replace("'", "").lower()).strip("-")
    first = f"[{report.title}](#{anchor})"
    return [(first if i == 0 else "", share.name, share) for i, share in enumerate(report.shares)]


def grouped(report: Report) -> list[Difference]:
    """Return one difference for each kind and reason; it names up to four things and says how many others there are."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for difference in report.differences:
        groups.setdefault((difference.kind, difference.reason), []).append(difference)
    found = []
    for (kind, reason), group in groups.items():
        names = [difference.what for difference in group]
        what = ", ".join(names[:4]) + (f" and {len(names) - 4} others" if len(names) > 4 else "")
        found.append(Difference(what, kind, reason, sum(difference.count for difference in group)))
    return found


def is_of_reference(difference: Difference) -> bool:
    return difference.kind == "reference"


def table(head: str, rows: list[tuple]) -> list[str]:
    """Return the lines of a table; none for a table without rows."""
    if not rows:
        return []
    rule = "|" + "---|" * len(rows[0])
    return [head, rule, *("| " + " | ".join(str(x).replace("|", "\\|") for x in row) + " |" for row in rows), ""]


if __name__ == "__main__":
    raise SystemExit(main())
