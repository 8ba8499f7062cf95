"""Run the test suite and the stress on a native core that is built with sanitizers.

`make sanitize` runs it. AddressSanitizer and UndefinedBehaviorSanitizer watch the test suite and the rounds of
`stress.py`, ThreadSanitizer watches the rounds with threads, each for MINUTES; LeakSanitizer checks a program that uses
every part of the core. The core is built without its slabs, so that a sanitizer sees each node as an allocation.
`python sanitize.py --stress` leaves out the test suite.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT, OUTSIDE = Path(__file__).parents[2], Path(__file__).parent
BUILD = ROOT / "build" / "sanitize"
LIBRARIES = {"address,undefined": ("libasan.so", "libubsan.so", "libstdc++.so"), "thread": ("libtsan.so",)}
MINUTES = os.environ.get("MINUTES", "2")
STRESS = [str(OUTSIDE / "stress.py"), "--engine", "native", "--minutes", MINUTES, "--without"]


def main() -> int:
    if shutil.which("gcc") is None:
        print("make sanitize needs gcc", file=sys.stderr)
        return 2
    build("address,undefined")
    failed = False
    if "--stress" not in sys.argv:
        suite = ["-m", "pytest", "-p", "no:cacheprovider", *(sys.argv[1:] or ["tests"])]
        failed |= run("memory and undefined behavior", suite, "address,undefined", "detect_leaks=0:exitcode=99")
    # a limit on memory does not allow the address space that the sanitizer reserves
    stress = [*STRESS, "limiting"]
    failed |= run(
        "memory and undefined behavior of the stress", stress, "address,undefined", "detect_leaks=0:exitcode=99"
    )
    # the interpreter itself leaks memory when it exits, so only leaks through the core count
    exercise = [str(OUTSIDE / "exercise.py")]
    failed |= run("leaks", exercise, "address,undefined", "detect_leaks=1:exitcode=0", only_core=True)
    build("thread")
    # ThreadSanitizer does not follow a fork. NumPy and Python are not built with it, so only the core counts.
    stress = [*STRESS, "limiting,forking,starving"]
    failed |= run("threads", stress, "thread", "exitcode=0:report_signal_unsafe=0", only_core=True)
    return int(failed)


def build(sanitizers: str) -> None:
    shutil.rmtree(BUILD, ignore_errors=True)
    command = [sys.executable, "setup.py", "-q", "build", f"--build-base={BUILD}", f"--build-lib={BUILD / 'lib'}"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "ADJOINT_SANITIZE": sanitizers}, check=True)
    if not list((BUILD / "lib" / "adjoint" / "engine").glob("_core*")):
        raise SystemExit("the sanitized core could not be built; see the compiler's messages above")


def run(what: str, arguments: list[str], sanitizers: str, options: str, only_core: bool = False) -> bool:
    """Run Python on the sanitized core; return whether it failed or the sanitizer reported something.

    With `only_core`, reports count that name a file of the core.
    """
    for old in BUILD.glob("report*"):
        old.unlink()
    options = f"{options}:log_path={BUILD / 'report'}"
    environment = {
        **os.environ,
        "ADJOINT_PURE": "",
        "PYTHONPATH": str(BUILD / "lib"),
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": " ".join(_library(name) for name in LIBRARIES[sanitizers]),
        "ASAN_OPTIONS": options,
        "TSAN_OPTIONS": options,
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    command = [sys.executable, *arguments]
    if sanitizers == "thread":
        environment["OPENBLAS_NUM_THREADS"] = "1"  # its threads synchronize in ways that the sanitizer does not see
        command = [*_fixed_addresses(), *command]
    failed = subprocess.run(command, cwd=ROOT, env=environment).returncode != 0
    for written in BUILD.glob("report*"):
        text = written.read_text()
        found = (
            [block for block in re.split(r"\n\n+(?=\S)|={10,}", text) if _is_of_core(block)] if only_core else [text]
        )
        if found:
            print("\n\n".join(found), file=sys.stderr)
            failed = True
    print(f"{what}: {'NOT clean' if failed else 'clean'}")
    return failed


def _is_of_core(block: str) -> bool:
    """Return whether a report is about the core: not about what Python keeps of a module that the core imports."""
    return "_native/" in block.split("PyImport_Import")[0]


def _fixed_addresses() -> list[str]:
    """Return a prefix of a command that switches off random addresses, which some versions of the sanitizer need."""
    return ["setarch", "-R"] if shutil.which("setarch") else []


def _library(name: str) -> str:
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
