"""Programs of learners that attack Python, the check or its process: by accident, or on purpose."""

import io
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from adjoint_learn.answers import check_source
from adjoint_learn.checking import Check, Mismatch
from adjoint_learn.course import load
from adjoint_learn.isolated import _read_report, check_isolated, end_reason
from adjoint_learn.results import Result
from adjoint_learn.terminal.screens import result

COURSE = load()
SLOPE = COURSE.exercise("slope")
HARMLESS = {
    "a byte order mark": "\ufeff",
    "Windows lines": "x = 1\r\n",
    "a closed output": "import sys\nsys.stdout.close()\nprint(1)\n",
    "its module is gone": "import sys\ndel sys.modules['slope']\n",
    "annotations": "from __future__ import annotations\n",
    "a main part": "if __name__ == '__main__':\n    1 / 0\n",
    "a pickle": "import pickle\nclass P: pass\npickle.loads(pickle.dumps(P()))\n",
    "its own source": "import inspect\ndef g(): pass\nassert inspect.getsource(g) == 'def g(): pass\\n'\n",
}


@pytest.mark.parametrize("start", HARMLESS)
def test_programs_that_pass(start):
    result = check_source(SLOPE, HARMLESS[start] + SLOPE.solution)
    assert result.passed, result.message


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        ("x = '\0'\n", "Python cannot read the program: ", 1),
        ("exec('x =')\n", "`SyntaxError: invalid syntax`.", 1),  # not the program itself
        ("raise ValueError('one\\ntwo')\n", "`ValueError: one two`.", 1),
        ("class A:\n    def __init__(self): pass\n\nA(1)\n", "`TypeError: A.__init__() takes 1 positional", 4),
        ("raise KeyError('`')\n", "`KeyError: '''`.", 1),
    ],
)
def test_messages(source, message, line):
    result = check_source(SLOPE, source)
    assert result.message.startswith(message)
    assert result.places[-1].line == line


def test_the_text_of_an_exception_is_not_markdown():
    with pytest.raises(Mismatch, match="raises `AttributeError: 'float' object has no attribute '__missing__'`"):
        Check().evaluate("a.__missing__", a=1.0)


def test_a_syntax_error_in_an_imported_file_names_that_file():
    result = check_source(SLOPE, "from engine import Value\n", modules={"engine": ("engine.py", "x = 1\nx = (\n")})
    assert [(place.file, place.line) for place in result.places] == [("engine.py", 2)]


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_nothing_survives_a_check(tmp_path):
    source = f"""
import os, subprocess, sys, threading, time
print("\\ud800")
threading.Thread(target=time.sleep, args=(1000,)).start()
found = subprocess.Popen(["sleep", "1000"], start_new_session=True)
open({str(tmp_path / "process")!r}, "w").write(f"{{found.pid}} {{os.path.dirname(os.getcwd())}}")
sys.stdout = sys.__stdout__ = None
"""
    result = check_isolated(COURSE, SLOPE, source + SLOPE.solution)
    assert result.passed
    result.output.encode()  # can be printed
    process, folder = (tmp_path / "process").read_text().split(maxsplit=1)
    assert not Path(folder).exists()
    for _ in range(6000):
        if not Path(f"/proc/{process}").exists() or ") Z " in Path(f"/proc/{process}/stat").read_text():
            return
        time.sleep(0.1)
    raise AssertionError("the process is still running")


@pytest.mark.skipif(sys.platform == "win32", reason="uses signals")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("n = input()\n", "Your program waits for `input()`"),
        ("raise KeyboardInterrupt\n", "The check was interrupted by `KeyboardInterrupt`."),
        ("import random\nrandom.Random = None\n", "The check was interrupted by `TypeError: "),
        ("import os\nos.kill(os.getpid(), 40)\n", "Your program crashed Python (signal 40)."),
    ],
)
def test_programs_that_end_the_check(source, message):
    result = check_isolated(COURSE, SLOPE, source)
    assert result.message.startswith(message)
    assert "Traceback" not in result.output


@pytest.mark.skipif(sys.platform != "linux", reason="limits the computing time")
def test_a_loop_that_cannot_be_interrupted_is_ended():
    source = "from adjoint_learn.child import _set_limits\n_set_limits(1024, 1)\nwhile True:\n    pass\n"
    with subprocess.Popen([sys.executable, "-c", source]) as process:
        process.wait()
    reason = end_reason(SLOPE, process.returncode, late=False)
    assert reason.startswith("Your program was still running after 10 seconds")


REPORTS = [
    "",
    "[]",
    "null",
    '{"status": "weird"}',
    '{"status": "passed", "output": 5}',
    '{"status": "failed", "notes": [3]}',
    '{"status": "failed", "notes": "ab"}',
    '{"status": "failed", "graph": {"text": "", "svg": 3}}',
    '{"status": "failed", "places": [{"file": "a.py", "line": "1", "code": ""}]}',
    "[" * 100_000,
    " " * 10**7,
]


@pytest.mark.skipif(sys.platform == "win32", reason="makes pipes and devices")
def test_a_program_that_writes_into_the_report(tmp_path):
    path = tmp_path / "result.json"
    for text in REPORTS:
        path.write_text(text)
        assert _read_report(path) is None, text[:80]
    path.unlink()
    os.mkfifo(path)  # reading it would wait forever
    assert _read_report(path) is None
    path.unlink()
    path.symlink_to("/dev/zero")
    assert _read_report(path) is None


def test_codes_that_a_program_prints_do_not_reach_the_terminal():
    console = Console(file=io.StringIO(), force_terminal=True, no_color=True)
    for part in result(Result("error", "`\x1b[2Jone`.", output="\x1b[2Jtwo\x9b2J\n"), SLOPE, []):
        console.print(part)
    shown = console.file.getvalue()
    assert "one" in shown
    assert "two" in shown
    assert "\x1b[2J" not in shown
    assert "\x9b" not in shown
