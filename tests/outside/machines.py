"""Run the numeric tests as other machines would run them: `make machines`, on this machine alone.

    python tests/outside/machines.py [--only NAME …] [--quick]

Each environment is a process of pytest with its own variables or options: OpenBLAS with the kernels of other
processors, NumPy and XLA without newer instructions, the oldest NumPy and JAX that pyproject.toml allows, another order
of tests, and the surroundings that a script, a small terminal or a user without a home gives. Two environments run at a
time. The output of each is kept in build/machines. `--quick` is what continuous integration runs.
"""

import argparse
import atexit
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "machines"
FUNCTIONS = [f"tests/arrays/functions/test_{name}.py" for name in ("sorting", "precision", "products", "reductions")]
KEY = ["tests/nn", "tests/optim", *FUNCTIONS[:2]]
NUMBERS = [*KEY, *FUNCTIONS[2:], "tests/stats", "tests/transforms"]
PROGRAMS = ["tests/training", "tests/cli", "tests/learn"]
OLDEST = ["tests/test_lower_bounds.py", *FUNCTIONS, "tests/engine/test_value.py", "tests/nn/test_generation.py"]
FLOAT16 = [
    *FUNCTIONS[:2],
    "tests/compile/test_dtypes.py",
    "tests/arrays/test_backends.py",
    "tests/optim/test_loss_scaling.py",
    "tests/training/test_mixed_precision.py",
]
# A shell starts programs in the background of a script like this.
IGNORE_CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
# What NumPy can use on this processor beyond what it was compiled for. Its names differ from version to version.
BEYOND_BASELINE = """
from numpy._core import _multiarray_umath as core
print(*[name for name in core.__cpu_dispatch__ if core.__cpu_features__[name]])
"""


class Environment(NamedTuple):
    """The tests of a run, and its variables and options; `quick` are the tests of `--quick`, for those that it runs."""

    title: str
    tests: list[str]
    variables: Callable[[], dict[str, str]] = dict
    options: tuple[str, ...] = ()
    quick: list[str] | None = None
    python: Callable[[], list[str]] = lambda: [sys.executable]


class CannotRunError(Exception):
    """This machine cannot be made to look like that environment."""


class Result(NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    remark: str = ""


def numpy_features() -> str:
    found = subprocess.run([sys.executable, "-c", BEYOND_BASELINE], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def kernels(name: str, needs: str = "") -> dict[str, str]:
    """Return the variable that chooses OpenBLAS's kernels; those of `needs` would crash where its instructions lack."""
    if platform.machine() not in ("x86_64", "AMD64"):
        raise CannotRunError(f"kernels of x86, on {platform.machine()}")
    if needs and not set(needs.split()) & set(numpy_features().split()):
        raise CannotRunError(f"needs a processor with {needs.split()[0]}")
    return {"OPENBLAS_CORETYPE": name}


def without_avx2() -> dict[str, str]:
    return {"NPY_DISABLE_CPU_FEATURES": numpy_features()}


def no_home() -> dict[str, str]:
    return {"HOME": "/nonexistent", "USERPROFILE": "/nonexistent"}


def odd_folder() -> dict[str, str]:
    folder = tempfile.mkdtemp(prefix="a b é ")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {"TMPDIR": folder}


def lowest_python() -> list[str]:
    """Return a Python with the lowest NumPy and JAX that pyproject.toml allows, and all else from this one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = [_lowest(project["dependencies"], "numpy"), _lowest(project["optional-dependencies"]["jax"], "jax")]
    place = RESULTS / "lowest"
    python = place / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wanted = [*lowest, lowest[1].replace("jax", "jaxlib")]
    if subprocess.run([*install, "--only-binary=:all:", *wanted]).returncode:
        raise CannotRunError(f"no wheels of {', '.join(wanted)} for Python {sys.version.split()[0]}")
    (folder,) = place.glob("lib/python*/site-packages")
    (folder / "all_else.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return [str(python)]


def _lowest(requirements: list[str], name: str) -> str:
    """Return `numpy==2.0.*` of `numpy>=2.0`."""
    (bound,) = (found[1] for text in requirements if (found := re.match(rf"{name}>=([\d.]+)", text)))
    return f"{name}=={bound}.*"


def ignoring_ctrl_c() -> list[str]:
    return [sys.executable, "-c", IGNORE_CTRL_C]


ENVIRONMENTS = {
    "skylakex": Environment("OpenBLAS with AVX-512", NUMBERS, lambda: kernels("SkylakeX", "X86_V4 AVX512_SKX")),
    "haswell": Environment("OpenBLAS with AVX2", NUMBERS, lambda: kernels("Haswell", "X86_V3 AVX2"), quick=KEY),
    "nehalem": Environment("OpenBLAS with SSE4.2", NUMBERS, lambda: kernels("Nehalem")),
    "numpy-sse": Environment("NumPy without AVX2", NUMBERS, without_avx2),
    "old": Environment("both of these", NUMBERS, lambda: kernels("Nehalem") | without_avx2(), quick=KEY),
    "threads": Environment("OpenBLAS with 8 threads", KEY, lambda: {"OPENBLAS_NUM_THREADS": "8"}),
    "xla-sse": Environment("XLA limited to SSE4.2", FLOAT16, lambda: {"XLA_FLAGS": "--xla_cpu_max_isa=SSE4_2"}),
    "lowest": Environment("the lowest NumPy and JAX", OLDEST, python=lowest_python, quick=OLDEST[:3]),
    "random": Environment("random order", NUMBERS, options=("-p", "randomly", "--randomly-seed=1")),
    "two": Environment("two at once (-n 2)", NUMBERS, options=("-n", "2")),
    "background": Environment("Ctrl-C ignored", PROGRAMS, python=ignoring_ctrl_c),
    "no-home": Environment("no home folder", PROGRAMS, no_home),
    "folder": Environment("a temporary folder with a space", PROGRAMS, odd_folder),
    "terminal": Environment("NO_COLOR=1 COLUMNS=40", PROGRAMS, lambda: {"NO_COLOR": "1", "COLUMNS": "40"}),
}


def run(name: str, quick: bool) -> Result:
    """Run the tests of an environment, and print those that failed."""
    environment, start = ENVIRONMENTS[name], perf_counter()
    tests = (quick and environment.quick) or environment.tests
    try:
        python, variables = environment.python(), environment.variables()
    except CannotRunError as error:
        return Result(remark=f"not run: {error}")
    command = [*python, "-m", "pytest", "-m", "not long and not full", "-p", "no:cacheprovider", *environment.options]
    paths = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    log = RESULTS / f"{name}.log"
    given = {**os.environ, **variables, "PYTHONPATH": paths}
    given.pop("CLOSENESS", None)  # the fractions of the tolerances are recorded on this machine
    with log.open("w", encoding="utf-8") as file:
        code = subprocess.run([*command, *tests], cwd=ROOT, env=given, stdout=file, stderr=subprocess.STDOUT).returncode
    output = log.read_text(encoding="utf-8", errors="replace")
    last = re.findall(r"^(\d+ (?:passed|failed|skipped|error).*) in \d", output, re.MULTILINE)[-1:]
    found = {kind: int(count) for count, kind in re.findall(r"(\d+) ([a-z]+?)s?\b", "".join(last))}
    failed = found.get("failed", 0) + found.get("error", 0)
    if code:
        lines = re.findall(r"^(?:FAILED|ERROR) .*", output, re.MULTILINE) or [output[-2000:]]
        print(f"{name}: exit code {code}; see {log}", *lines, sep="\n  ", flush=True)
    return Result(
        found.get("passed", 0), max(failed, code != 0 or not found), found.get("skipped", 0), perf_counter() - start
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=ENVIRONMENTS, metavar="NAME", help=", ".join(ENVIRONMENTS))
    parser.add_argument("--quick", action="store_true", help="only what continuous integration runs")
    given = parser.parse_args()
    names = given.only or [name for name in ENVIRONMENTS if ENVIRONMENTS[name].quick or not given.quick]
    RESULTS.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(names, pool.map(lambda name: run(name, given.quick), names)))
    print(f"{'environment':<12}{'':<34}{'passed':>8}{'failed':>8}{'skipped':>8}{'seconds':>9}")
    for name, result in results.items():
        counts = f"{result.passed:>8}{result.failed:>8}{result.skipped:>8}{result.seconds:>9.0f}"
        print(f"{name:<12}{ENVIRONMENTS[name].title:<34}{result.remark or counts}")
    return 1 if any(result.failed for result in results.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
