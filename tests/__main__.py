"""Run everything that `make test` checks, and print little: `python tests [--full | --check BASE]`.

The tests on the native core take all cores. The other parts run beside them, one after the other, because many tests
wait for processes and browsers: the Python engine, lint and types, the course. With `--full`, as in continuous
integration, the tests on the native core come first, with coverage, then the longest tests. Then follow also the
static site, the proof from outside, other machines, and how much of its tolerance each comparison of numbers uses. What
a part prints is in build/tests; of a part that failed, the failures are printed last.
"""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOGS = ROOT / "build" / "tests"
CORES = min(os.cpu_count() or 1, 8)  # each process loads PyTorch and JAX: about 1.5 GB
CLOSENESS = LOGS / "closeness.txt"

# The Python engine runs the tests of the modules that have a second implementation in C. All other code is the same on
# both engines.
PURE = (
    "tests/engine tests/errors tests/transforms tests/arrays/test_*.py tests/nn/test_scalar.py tests/compile/numbers "
    "tests/arrays/functions/test_indexing.py tests/arrays/functions/test_products.py "
    "tests/arrays/functions/test_reductions.py tests/arrays/functions/test_shaping.py "
    "tests/stories/test_accumulation.py tests/stories/test_arrays.py tests/stories/test_compiled_numbers.py "
    "tests/stories/test_derivatives.py tests/stories/test_expressions.py tests/compile/test_random_numbers.py "
    "tests/compile/fast/test_contents.py"
)
NOT_PURE = (
    "not jax and not xla and not engines_with_each_other and not coverage and (not compile or numbers or contents)"
)


@dataclass
class Part:
    """Commands that run one after the other; each must exit with 0."""

    name: str
    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    failed: bool = False
    seconds: float = 0.0

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    @property
    def results(self) -> Path:
        return LOGS / f"{self.name}.xml"

    def run(self) -> "Part":
        start = time.monotonic()
        environment = {**os.environ, "ADJOINT_PURE": "", **self.environment}
        # Images of containers often set this; then each program that a test starts would compile its modules again.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with open(self.log, "wb") as log:
            for command in self.commands:
                log.write(f"$ {' '.join(command)}\n".encode())
                log.flush()
                result = subprocess.run(
                    command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
                self.failed |= result.returncode != 0
        self.seconds = time.monotonic() - start
        return self

    def outcomes(self) -> Counter[str]:
        """Return how many tests passed, failed and were skipped; nothing for a part that is not of pytest."""
        counts: Counter[str] = Counter()
        if self.results.exists():
            for suite in ElementTree.parse(self.results).iter("testsuite"):
                total, *others = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
                counts += Counter(passed=total - sum(others), failed=others[0] + others[1], skipped=others[2])
        return counts

    def skips(self) -> Iterator[str]:
        if self.results.exists():
            for skipped in ElementTree.parse(self.results).iter("skipped"):
                yield skipped.get("message", "").removeprefix("Skipped: ")


def pytest_part(name: str, marked: str, *selected: str, processes: int = 1, **environment: str) -> Part:
    """Return the part of pytest that runs the tests with these marks on `processes` cores."""
    paths = [str(path.relative_to(ROOT)) for pattern in selected for path in sorted(ROOT.glob(pattern))]
    several = ["-n", str(processes), "--dist", "worksteal"] if processes > 1 else []
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--durations=30", "-m", marked, *several]
    return Part(name, [[*command, f"--junitxml={LOGS / name}.xml", *paths]], environment)


def python_part(name: str, *programs: str, **environment: str) -> Part:
    return Part(name, [[sys.executable, *program.split()] for program in programs], environment)


def parts(full: bool) -> tuple[list[Part], list[Part]]:
    """Return the parts that take all cores, and those that run side by side."""
    chosen = "" if full else " and not full"
    pure = pytest_part("python", f"not site{chosen}", *PURE.split(), ADJOINT_PURE="1")
    pure.commands[0] += ["-k", NOT_PURE]
    lint = python_part(
        "lint", "-m ruff check", "-m ruff format --check", "tests/support/user_programs.py", "-m pyright"
    )
    course = python_part("course", "-m adjoint learn verify")
    if not full:
        return [], [pytest_part("native", "not site and not full", "tests", "src", processes=CORES), pure, lint, course]
    measured = pytest_part("native", "not site and not long", "tests", "src", processes=CORES)
    measured.commands[0] += ["--cov", "--cov-report="]  # slows long tests down several times
    measured.commands.append([sys.executable, "-m", "coverage", "report"])
    long = pytest_part("long", "long and not site", "tests", processes=CORES)
    others = [
        python_part("proof", "tests/proof --check"),
        python_part("machines", "tests/outside/machines.py --quick"),
        pytest_part("site", "site", "tests/lab/browser"),
        pure,
        lint,
        course,
        python_part("course-python", "-m adjoint learn verify", ADJOINT_PURE="1"),
    ]
    return [measured, long], others


def quick_parts(base: str) -> list[Part]:
    """Return the parts of `make check`."""
    core = pytest_part(
        "core", "not long and not full and not site", "tests/engine", "tests/errors", *changed_tests(base)
    )
    return [
        core,
        python_part("types", "tests/support/known_types.py"),
        python_part("lint", "-m ruff check", "-m ruff format --check"),
    ]


def changed_tests(base: str) -> list[str]:
    """Return the test files of the files that changed since a commit, and changed files with examples in docstrings."""
    git = ["git", "-C", str(ROOT)]
    lists = [[*git, "diff", "--name-only", base], [*git, "ls-files", "--others", "--exclude-standard"]]
    names = "".join(subprocess.run(command, capture_output=True, text=True).stdout for command in lists).split("\n")
    found = []
    for path in map(Path, filter(None, names)):
        if path.parts[0] == "src" and path.suffix == ".py":
            folder = (
                path.parts[1].removeprefix("adjoint").removeprefix("_")
            )  # the tests of adjoint_lab are in tests/lab
            found += [str(path), str(Path("tests", folder, *path.parts[2:-1], f"test_{path.name}"))]
        elif path.parts[0] == "tests" and path.match("test_*.py"):
            found.append(str(path))
    return [name for name in dict.fromkeys(found) if not re.search("learn/course|lab/browser", name)]


def main(full: bool = False, base: str | None = None) -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    for old in LOGS.iterdir():
        old.unlink()
    if full:
        os.environ |= {"CLOSENESS": str(CLOSENESS), "FUZZ": os.environ.get("FUZZ", "1")}
    alone, together = ([], quick_parts(base)) if base else parts(full)
    print(f"running on {CORES} cores; all that is printed is in {LOGS.relative_to(ROOT)}", flush=True)
    done = [show(part.run()) for part in alone]
    with ThreadPoolExecutor(CORES if full or base else 2) as pool:
        done += [show(ended.result()) for ended in as_completed([pool.submit(part.run) for part in together])]
    if full:
        done.append(show(python_part("closeness", f"tests/outside/closest.py {CLOSENESS.relative_to(ROOT)}").run()))
    return summarize(done)


def show(part: Part) -> Part:
    counts = (
        ", ".join(f"{n:,} {what}" for what, n in part.outcomes().items() if n) or "failed" * part.failed or "passed"
    )
    print(f"{part.name:14} {int(part.seconds) // 60:2}:{int(part.seconds) % 60:02}  {counts}", flush=True)
    return part


def summarize(done: list[Part]) -> int:
    """Print what was skipped and, last, what failed; return the exit status."""
    if skips := Counter(reason for part in done for reason in part.skips()):
        print("skipped:")
        for reason, count in skips.most_common(20):
            print(f"{count:6,}  {reason[:110]}")
    failed = [part for part in done if part.failed]
    for part in failed:
        print(f"\n=== {part.name}: {part.log.relative_to(ROOT)} ===\n{failures(part.log)}")
    totals = sum((part.outcomes() for part in done), Counter())
    for part in done:  # a part without tests of its own, or one that could not run them, counts as one
        if not part.outcomes() or (part.failed and not part.outcomes()["failed"]):
            totals["failed" if part.failed else "passed"] += 1
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return int(bool(failed))


def failures(log: Path) -> str:
    """Return the end of what a part printed, from the first failure on, without the list of the slowest tests."""
    text = log.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"^=+ slowest .*?(?=^=)", "", text, flags=re.DOTALL | re.MULTILINE)
    start = re.search(r"^=+ (ERRORS|FAILURES) =+$", text, re.MULTILINE)
    return "\n".join(line[:300] for line in text[start.start() if start else 0 :].splitlines()[-300:])


if __name__ == "__main__":
    raise SystemExit(main("--full" in sys.argv, sys.argv[2] if "--check" in sys.argv else None))
