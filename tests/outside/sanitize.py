"""Run the test suite on a native core built with AddressSanitizer and UndefinedBehaviorSanitizer.

`make sanitize` runs it. The core is built without its slabs, so that every node is an allocation that the sanitizer
watches. Then the rounds of `stress.py` run for MINUTES, and LeakSanitizer checks a program that uses every part of the
core. `python sanitize.py --stress` runs the rounds alone.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "sanitize"
ENVIRONMENT = {
    "ADJOINT_PURE": "",
    "PYTHONPATH": str(BUILD / "lib"),
    "PYTHONMALLOC": "malloc",
}


def main() -> int:
    if shutil.which("gcc") is None:
        print("make sanitize needs gcc", file=sys.stderr)
        return 2
    build()
    suite = 0
    if "--stress" not in sys.argv:
        suite = run(["-m", "pytest", "-p", "no:cacheprovider", *(sys.argv[1:] or ["tests"])], leaks=False)
    # the sanitizer reserves more address space than a limit on memory allows
    options = ["--engine", "native", "--minutes", os.environ.get("MINUTES", "2"), "--without", "limiting"]
    stress = run([str(Path(__file__).parent / "stress.py"), *options], leaks=False)
    leaks = run([str(Path(__file__).parent / "exercise.py")], leaks=True)
    return suite or stress or leaks


def build() -> None:
    shutil.rmtree(BUILD, ignore_errors=True)
    command = [
        sys.executable,
        "setup.py",
        "-q",
        "build",
        f"--build-base={BUILD}",
        f"--build-lib={BUILD / 'lib'}",
    ]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "ADJOINT_SANITIZE": "1"}, check=True)
    if not list((BUILD / "lib" / "adjoint" / "engine").glob("_core*")):
        raise SystemExit("the sanitized core could not be built; see the compiler's messages above")


def run(arguments: list[str], leaks: bool) -> int:
    """Run Python on the sanitized core; with `leaks`, fail if the core leaked memory."""
    report = BUILD / "report"
    for old in BUILD.glob("report*"):
        old.unlink()
    # the interpreter itself leaks memory when it exits, so only leaks through the core count
    options = f"detect_leaks={int(leaks)}:exitcode={0 if leaks else 99}:log_path={report}"
    libraries = [_library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so")]
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": options,
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    status = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment).returncode
    for written in BUILD.glob("report*"):
        text = written.read_text()
        found = [block for block in re.split(r"\n\n+", text) if "_native/" in block] if leaks else [text]
        if found:
            print("\n\n".join(found), file=sys.stderr)
            status = status or 1
    print(f"{'leaks' if leaks else 'memory and undefined behavior'}: {'clean' if status == 0 else 'NOT clean'}")
    return status


def _library(name: str) -> str:
    command = ["gcc", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
