"""The display of progress in a terminal, in a notebook and in a pipe."""

import os
import re
import select
import subprocess
import sys
import time
import types

import pytest

from adjoint import errors, fit, nn
from adjoint.data import moons
from adjoint.training.progress import Bar, Lines, display_of
from adjoint.training.stopping import Plan

pty = pytest.importorskip("pty")

PLAN = Plan(epochs=2, batches=3, accumulate=1, steps=None, tokens=0)
PROGRAM = """
import numpy as np
from adjoint import fit, nn
from adjoint.data import moons

X, y = moons(40, seed=0)
model = nn.Sequential(nn.Linear(2, 8, seed=0), nn.Tanh(), nn.Linear(8, 1, seed=1))
def pause(model, history):
    import time
    time.sleep({pause})
history = fit(model, (X, 2 * y - 1), loss="hinge", metrics="accuracy", epochs={epochs}, callbacks=pause, {options})
print("stopped:", history.stopped, history.epochs)
"""


def program(options: str = "", epochs: int = 12, pause: float = 0.03) -> list[str]:
    return [sys.executable, "-c", PROGRAM.format(options=options, epochs=epochs, pause=pause)]


# A new session owns the terminal, as a program started by a shell does, so that Ctrl-C reaches it. A job in the
# background ignores Ctrl-C, and so would the programs that it starts.
TAKE_TERMINAL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A program in its own terminal, and its output."""

    def __init__(self, arguments: list[str], columns: int = 100, **variables: str):
        self.output = ""
        environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "24"} | variables
        self.screen, side = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *arguments],
            stdin=side,
            stdout=side,
            stderr=side,
            env=environment,
            start_new_session=True,
        )
        os.close(side)

    def read_until(self, text: str | None = None) -> str:
        """Read until the text appears, or to the end."""
        limit = time.monotonic() + 120
        while time.monotonic() < limit and (text is None or text not in self.output):
            if select.select([self.screen], [], [], 0.5)[0]:
                try:
                    self.output += os.read(self.screen, 1 << 16).decode()
                except OSError:  # the other side is closed
                    break
        return self.output

    def press(self, key: bytes) -> None:
        os.write(self.screen, key)

    def end(self) -> int:
        self.read_until()
        os.close(self.screen)
        return self.process.wait()


def final_screen(output: str) -> str:
    """Return the final content of the screen: each line as it was last output."""
    lines, row = [""], 0
    for part in re.split(r"(\x1b\[[0-9;?]*[a-zA-Z]|\r\n|\r|\n)", output):
        if part.endswith("\n"):
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part.endswith("A") and part.startswith("\x1b"):
            row -= int(part[2:-1] or 1)
        elif part == "\x1b[2K":
            lines[row] = ""
        elif not part.startswith("\x1b") and part != "\r":
            lines[row] += part
    return "\n".join(lines)


def test_a_terminal_shows_one_bar_that_grows_with_loss_metric_rate_and_time_left():
    terminal = Terminal(program(pause=0.1))
    output = re.sub(r"\x1b\[[0-9;?]*m", "", terminal.read_until("stopped:"))
    assert terminal.end() == 0
    assert re.search(r"epoch +\d+/12 [━╸╺]+ loss \d\.\d{4}  accuracy \d+\.\d% \d[\d,.]* steps/s  \S+( s)? left", output)
    lines = [line for line in final_screen(terminal.output).splitlines() if line.strip()]
    assert re.fullmatch(r"epoch 12/12 ━+ loss \d\.\d{4}  accuracy \d+\.\d% *", lines[0])
    ended = re.fullmatch(r"finished after 12 epochs in (\S+)( s)?; best: epoch \d+, loss \d\.\d{4}", lines[1].strip())
    assert lines[2] == "stopped: finished 12"
    assert len(lines) == 3
    assert ended


def test_a_bar_is_drawn_ten_times_per_second_and_not_for_each_step(monkeypatch):
    now, drawn = [100.0], []
    monkeypatch.setattr("adjoint.training.progress.perf_counter", lambda: now[0])
    monkeypatch.setattr("adjoint.training.loop.perf_counter", lambda: now[0])
    monkeypatch.setattr(Bar, "_draw", lambda self, *numbers: drawn.append(now[0]) or setattr(self, "_drawn", now[0]))

    def pass_time(model, history):
        now[0] += 0.01

    X, y = moons(40, seed=0)
    fit(nn.Linear(2, 1, seed=0), (X, y), loss="mse", epochs=100, batch_size=10, callbacks=pass_time, progress="bar")
    assert 10 <= len(drawn) <= 13  # the first, about ten in this second, and the last


def test_a_narrow_terminal_has_the_numbers_below_the_bar():
    terminal = Terminal(program("validation=(X, 2 * y - 1)"), columns=80)
    assert terminal.end() == 0
    lines = [line.rstrip() for line in final_screen(terminal.output).splitlines() if line.strip()]
    assert re.fullmatch(r"epoch 12/12 ━+", lines[0])
    assert re.fullmatch(r"loss \S+  accuracy \S+  validation loss \S+  validation accuracy \S+", lines[1])
    assert all(len(line) <= 80 for line in lines)


def test_ctrl_c_in_a_terminal_ends_cleanly():
    terminal = Terminal(program(epochs=100_000))
    terminal.read_until("accuracy")
    terminal.press(b"\x03")
    assert terminal.end() == 0
    assert "Traceback" not in terminal.output
    assert "interrupted after" in terminal.output
    assert "stopped: interrupted" in terminal.output
    assert terminal.output.rstrip().endswith(terminal.output.rsplit("stopped:", 1)[1].rstrip())
    assert "\x1b[?25h" in terminal.output  # the cursor is visible again


def test_a_dumb_terminal_gets_lines():
    terminal = Terminal(program(), TERM="dumb")
    assert terminal.end() == 0
    assert "━" not in terminal.output
    assert "epoch 12/12  loss" in terminal.output


def test_a_pipe_gets_plain_lines_on_the_error_stream():
    ended = subprocess.run(program(epochs=100, pause=0.0), capture_output=True, text=True, check=True)
    assert ended.stdout == "stopped: finished 100\n"
    lines = ended.stderr.splitlines()
    assert len(lines) == 22  # the first, every fifth, and the summary
    assert re.fullmatch(r"epoch   1/100  loss \d\.\d{4}  accuracy \d+\.\d%", lines[0])
    assert re.match(r"epoch  50/100  loss \d\.\d{4}  accuracy \d+\.\d%  [\d,]+ steps/s", lines[10])
    assert lines[-1].startswith("finished after 100 epochs in")
    assert "\x1b" not in ended.stderr


def test_progress_can_be_hidden():
    ended = subprocess.run(program("progress=False"), capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("stopped: finished 12\n", "")


# --- notebooks and displays by name ---


def in_a_notebook(monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))


def test_a_notebook_shows_a_bar(monkeypatch):
    pytest.importorskip("ipywidgets")
    in_a_notebook(monkeypatch)
    assert isinstance(display_of("auto", PLAN), Bar)
    assert isinstance(display_of("notebook", PLAN), Bar)


def test_a_notebook_without_ipywidgets_gets_lines_or_an_error_that_names_the_extra(monkeypatch):
    in_a_notebook(monkeypatch)
    monkeypatch.setattr("adjoint.training.progress.find_spec", lambda name: None)
    assert isinstance(display_of("auto", PLAN), Lines)
    with pytest.raises(errors.MissingExtraError, match=r"pip install 'adjoint-autograd\[notebook\]'"):
        display_of("notebook", PLAN)


@pytest.mark.parametrize(("progress", "kind"), [("plain", Lines), ("bar", Bar), (True, Lines), ("auto", Lines)])
def test_a_display_is_chosen_by_its_name(progress, kind, capsys):
    assert type(display_of(progress, PLAN)) is kind


def test_the_remaining_time_depends_on_the_last_seconds(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("adjoint.training.progress.perf_counter", lambda: now[0])
    display = display_of(False, PLAN._replace(epochs=10, batches=100))
    assert display.pace() == []
    display.reach(1, 1)  # the long first step does not count
    now[0] = 101.0
    display.reach(1, 51)
    assert display.pace() == ["50 steps/s", "19 s left"]
    now[0] = 111.0
    display.reach(2, 50)
    now[0] = 112.0
    display.reach(2, 60)
    assert display.pace() == ["10 steps/s", "1:24 left"]
    now[0] = 113.0
    display.reach(10, 100)
    assert display.pace()[1:] == []
