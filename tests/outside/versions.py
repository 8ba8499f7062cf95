"""Run the engine's tests on other versions of Python: `make versions`.

Each version gets its own environment, with the package built and installed as a user would do it. The tests are
those that do not need PyTorch, which is not available for every version.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "versions"
SUBJECTS = (
    "engine/test_value.py",
    "engine/test_rule.py",
    "engine/test_modes.py",
    "engine/test_anomaly.py",
    "engine/mathematics",
    "transforms/test_gradient_check.py",
    "arrays/test_copying.py",
)


def main(interpreters: list[str]) -> int:
    found = interpreters or [name for name in (f"python3.{minor}" for minor in range(11, 20)) if runs(name)]
    failed = [name for name in found if not passes(name)]
    print(f"{len(found) - len(failed)} of {len(found)} versions pass: {', '.join(found)}")
    return 1 if failed or not found else 0


def runs(name: str) -> bool:
    return bool(shutil.which(name)) and subprocess.run([name, "-c", ""], capture_output=True).returncode == 0


def passes(interpreter: str) -> bool:
    question = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = subprocess.run([interpreter, "-c", question], capture_output=True, text=True, check=True).stdout.strip()
    place = BUILD / version
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([interpreter, "-m", "venv", str(place / "venv")], check=True)
    python = str(place / "venv" / "bin" / "python")
    source = place / "source"  # a copy, so that builds do not affect each other
    ignored = shutil.ignore_patterns(".venv", "build", ".git", "*.so", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, source, ignore=ignored)
    packages = [str(source), "pytest", "hypothesis", "numpy"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    tests = [str(source / "tests" / subject) for subject in SUBJECTS]
    passed = True
    for pure in ("", "1"):
        print(f"Python {version}, {'the Python engine' if pure else 'the native core'}:", flush=True)
        command = [
            python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(source / "tests"),
            *tests,
        ]
        environment = {**os.environ, "ADJOINT_PURE": pure}
        passed &= subprocess.run(command, cwd=place, env=environment).returncode == 0
    return passed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
