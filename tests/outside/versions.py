"""Run the engine's tests on other versions of Python: `make versions`.

Each version gets its own environment, with the package built and installed as a user would do it. installed.py has the
tests, which do not need PyTorch: it is not available for every version.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "versions"
VERSION = """
import sys, sysconfig
print("%d.%d" % sys.version_info[:2] + "t" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))
"""  # 3.14t is free-threaded


def main(interpreters: list[str]) -> int:
    found = interpreters or [name for name in (f"python3.{minor}" for minor in range(11, 20)) if runs(name)]
    failed = [name for name in found if not passes(name)]
    print(f"{len(found) - len(failed)} of {len(found)} versions pass: {', '.join(found)}")
    return 1 if failed or not found else 0


def runs(name: str) -> bool:
    return bool(shutil.which(name)) and subprocess.run([name, "-c", ""], capture_output=True).returncode == 0


def passes(interpreter: str) -> bool:
    version = subprocess.run([interpreter, "-c", VERSION], capture_output=True, text=True, check=True).stdout.strip()
    place = BUILD / version
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([interpreter, "-m", "venv", str(place / "venv")], check=True)
    python = str(place / "venv" / "bin" / "python")
    source = place / "source"  # a copy, so that builds do not affect each other
    ignored = shutil.ignore_patterns(
        ".venv", "build", "site", "node_modules", ".git", "*.so", "*.egg-info", "__pycache__"
    )
    shutil.copytree(ROOT, source, ignore=ignored)
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(source), "pytest", "hypothesis"], check=True)
    passed = True
    for engine in ("native", "python"):  # on a free-threaded Python, the core runs with the GIL alone
        environment = {**os.environ, "ADJOINT_PURE": "1" if engine == "python" else ""}
        if version.endswith("t") and engine == "native":
            environment["PYTHON_GIL"] = "1"
        command = [python, str(source / "tests" / "outside" / "installed.py"), engine]
        passed &= subprocess.run(command, cwd=place, env=environment).returncode == 0
    return passed


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
