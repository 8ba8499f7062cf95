"""The process that checks one program: reads a request from standard input and writes the result to a file."""

import contextlib
import json
import os
import sys
from pathlib import Path

from adjoint.learn.course import load
from adjoint.learn.results import Result
from adjoint.learn.running import check_source


def main() -> None:
    """Check the program of the request. The result appears in one step, or not at all."""
    request = json.load(sys.stdin)
    exercise = load(request["course"]).exercise(request["exercise"])
    missing = [name for name in exercise.needs if not _import(name)]
    if missing:
        result = Result("stopped", f"This exercise needs {missing[0]}: `pip install {missing[0]}`, then check again.")
    else:
        _limit_memory(request["memory"])
        modules = {name: (file, source) for name, (file, source) in request["modules"].items()}
        result = check_source(exercise, request["source"], request["file"], modules)
    report = Path(request["report"])
    part = report.with_suffix(".part")
    part.write_text(json.dumps(result.as_json()), encoding="utf-8")
    part.replace(report)
    sys.stdout.flush()
    os._exit(0)  # threads of the learner do not delay the result


def _import(name: str) -> bool:
    """Import a library before the limit on memory, which counts from here."""
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def _limit_memory(megabytes: int) -> None:
    """Limit the memory of this process to what it uses now and some more, where the system can do that."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        # RLIMIT_DATA counts private writable memory; libraries reserve much more address space than they use.
        kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
        used = _used_memory() if sys.platform == "linux" else 0
        resource.setrlimit(kind, (used + megabytes * 2**20, resource.getrlimit(kind)[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 2**20, 64 * 2**20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _used_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0
