"""What users see where output or input is unusual: one line and an exit code, never a traceback."""

import json
import os
import shlex
import signal
import subprocess
import sys

import numpy as np
import pytest

from adjoint import load, save
from adjoint.cli.command_line import main
from adjoint.training import eager_steps, recipes

MODULE = [sys.executable, "-m", "adjoint"]


def shell(command: str, **environment: str) -> subprocess.CompletedProcess:
    """Run a command line in which `adjoint` is this adjoint."""
    line = command.replace("adjoint ", f"{shlex.join(MODULE)} ", 1)
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, timeout=300, check=False, env={**os.environ, **environment}
    )


def require_one_line(done: subprocess.CompletedProcess, message: str, code: int = 2) -> None:
    errors = done.stderr.decode()
    assert done.returncode == code, errors
    assert "Traceback" not in errors
    assert len(errors.strip().splitlines()) == 1, errors
    assert message in errors


# --- standard output ---


def test_a_full_disk_gives_one_line_and_exit_code_2():
    require_one_line(
        shell("adjoint explain a*b a=2 b=3 > /dev/full"), "cannot write the output: No space left on device"
    )


@pytest.mark.parametrize("buffering", ["", "1"])
@pytest.mark.parametrize("command", ["--version", "--help", "", "train --help", "graph --help", "bench --help"])
def test_help_and_the_version_that_cannot_be_written_give_exit_code_2(command, buffering):
    done = shell(f"adjoint {command} > /dev/full", PYTHONUNBUFFERED=buffering)
    require_one_line(done, "adjoint: cannot write the output: No space left on device")


@pytest.mark.parametrize("buffering", ["", "1"])
@pytest.mark.parametrize("command", ["train mons", "train xor --epochs 2", "predict nothing.safetensors"])
def test_errors_that_cannot_be_written_give_exit_code_2(command, buffering):
    assert shell(f"adjoint {command} 2> /dev/full", PYTHONUNBUFFERED=buffering).returncode == 2


def test_help_and_the_version_are_written():
    for command, first in (("--version", b"adjoint "), ("--help", b"usage: "), ("graph --help", b"usage: ")):
        done = shell(f"adjoint {command}")
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.startswith(first)


def test_closed_output_is_no_error():
    done = shell("adjoint explain a*b a=2 b=3 >&-")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", b"d"), ("latin-1", b"\xb7")])
def test_output_that_cannot_show_a_character_shows_ascii(encoding, shown):
    done = shell("adjoint explain tanh(a)*b a=2 b=3".replace("(", "\\(").replace(")", "\\)"), PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    done.stdout.decode(encoding)
    assert shown in done.stdout
    assert b"?" not in done.stdout


# --- input that is too large or of another kind ---


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    code = main([str(x) for x in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize("hidden", ["100000,100000", "9" * 30, ",".join(["9" * 30] * 2)])
def test_a_network_that_is_too_large_gives_one_line(capsys, hidden):
    code, _, error = run(capsys, "train", "moons", "--hidden", hidden)
    assert (code, error.count("\n")) == (2, 1)
    assert "has more than 10,000,000 weights" in error or "the size of a hidden layer is too large" in error
    assert len(error) < 400


def test_an_array_with_three_axes_gives_one_line(capsys, tmp_path):
    np.savez(tmp_path / "images.npz", X=np.zeros((6, 3, 3)), y=np.arange(6) % 2)
    code, _, error = run(capsys, "train", tmp_path / "images.npz")
    assert (code, error.count("\n")) == (2, 1)
    assert "X has shape (6, 3, 3)" in error
    assert "reshape X to (samples, inputs)" in error


def test_a_table_with_very_many_columns_gives_one_line(capsys, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["1"] * 400_000))
    code, _, error = run(capsys, "train", path)
    assert (code, error.count("\n")) == (2, 1)
    assert "has more than 10,000,000 weights" in error


def test_a_backend_of_matplotlib_that_does_not_exist_is_not_used(tmp_path):
    picture = tmp_path / "moons.png"
    done = shell(f"adjoint train moons --epochs 1 --quiet --plot {shlex.quote(str(picture))}", MPLBACKEND="nonsense")
    assert (done.returncode, done.stderr) == (0, b"")
    assert picture.read_bytes()[:4] == b"\x89PNG"


# --- classes or numbers ---


def table_of(tmp_path, targets) -> str:
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{target}" for (a, b), target in zip(rng.normal(size=(len(targets), 2)), targets)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(rows))
    return str(path)


HOUSES = [250_000 + 977 * k for k in range(60)]


@pytest.mark.parametrize(
    ("targets", "options", "task", "said"),
    [
        (HOUSES, [], "numbers", "numbers from 250000 to 307643; --classes trains a classifier"),
        ([0, 1, 2] * 4, [], "classes", "3 classes; network"),
        ([0, 1] * 4, [], "sides", "2 classes; network"),
        (list(range(20)) * 5, [], "classes", "20 classes; --regression predicts numbers"),
        (list(range(20)) * 4, [], "numbers", "numbers from 0 to 19; --classes"),
        ([-3, 4, 5, 6] * 3, [], "numbers", "numbers from -3 to 6; network"),
        (list(range(20)) * 4, ["--classes"], "classes", "20 classes; network"),
        ([0, 1, 2] * 4, ["--regression"], "numbers", "numbers from 0 to 2; network"),
    ],
)
def test_a_few_integers_are_classes_and_many_are_numbers(capsys, tmp_path, targets, options, task, said):
    path = table_of(tmp_path, targets)
    code, _, error = run(capsys, "train", path, "--epochs", 1, "--hidden", 3, *options)
    assert code == 0
    assert said in " ".join(error.split())
    asked = {"--classes": "classes", "--regression": "numbers"}.get(options[0]) if options else None
    assert recipes.task_of(recipes.recipe_for(path, targets=asked).data()[1]) == task


def test_header_decides_whether_the_first_line_is_a_sample(capsys, tmp_path):
    path = table_of(tmp_path, [0, 1] * 6)
    content = (tmp_path / "table.csv").read_text()
    (tmp_path / "table.csv").write_text("0,1,2\n" + content)
    command = ("train", path, "--epochs", 1, "--hidden", 3)
    code, _, error = run(capsys, *command)
    assert (code, error.count("\n")) == (2, 1)
    assert "table.csv, line 1: 0,1,2 may be a sample" in error
    assert "(adjoint train: --header or --no-header)" in error
    for option, said in (("--header", "12 samples, 2 classes"), ("--no-header", "13 samples, 3 classes")):
        code, _, error = run(capsys, *command, option)
        assert code == 0
        assert said in error
    for data, message in (("moons", "only a .csv file has a header, not 'moons'"), ("text.txt", "does not apply to")):
        code, _, error = run(capsys, "train", data, "--no-header")
        assert (code, error.count("\n")) == (2, 1)
        assert message in error


@pytest.mark.parametrize("inputs", [("nan", "inf"), ("1", "-inf"), ("NaN", "0"), ("1e999", "0")])
def test_inputs_that_are_not_finite_have_no_prediction(capsys, tmp_path, inputs):
    path = tmp_path / "xor.safetensors"
    assert run(capsys, "train", "xor", "--epochs", 1, "--quiet", "--save", path)[0] == 0
    for options in ([], ["--json"]):
        code, out, error = run(capsys, "predict", *options, path, "--", *inputs)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert "the inputs must be finite numbers, not" in error


def test_an_output_that_is_not_finite_is_no_prediction(capsys, tmp_path):
    """The weights of this model make the output of every large input infinite."""
    path = tmp_path / "xor.safetensors"
    assert run(capsys, "train", "xor", "--epochs", 1, "--quiet", "--save", path, "--activation", "relu")[0] == 0
    model, notes = load(path)
    for p in model.parameters():
        p.data = np.full_like(p.data, 1e30)
    save(path, model, **notes)
    code, out, error = run(capsys, "predict", path, "1e300", "1e300")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "the output of the network for the inputs [1e+300, 1e+300] is [" in error


def test_classes_need_integers(capsys, tmp_path):
    code, _, error = run(capsys, "train", table_of(tmp_path, [0.5, 1.5] * 4), "--classes")
    assert (code, error.count("\n")) == (2, 1)
    assert "cannot be classes" in error


# --- interruption ---

# A job in the background ignores Ctrl-C, and so do its children.
HEARS_INTERRUPTS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from adjoint.cli.command_line import main
raise SystemExit(main())
"""


def interrupt(first_line: str, *arguments: str) -> tuple[int, str, str]:
    """Send Ctrl-C once a line on standard error shows that training has reached some point."""
    command = [sys.executable, "-c", HEARS_INTERRUPTS, "train", "moons", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any(first_line in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def test_an_interruption_before_the_first_epoch_is_said_and_the_exit_code_is_130(capsys, monkeypatch, tmp_path):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(eager_steps.EagerStep, "__call__", interrupted)
    path, picture = tmp_path / "moons.safetensors", tmp_path / "moons.png"
    code, out, _ = run(capsys, "train", "moons", "--save", path, "--plot", picture)
    assert code == 130
    assert out == "training was interrupted before the first epoch had ended; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_later_interruption_keeps_the_best_epoch_and_the_exit_code_is_130(tmp_path):
    path = tmp_path / "moons.safetensors"
    code, out, err = interrupt("epoch", "--epochs", "1000000", "--json", "--save", str(path))
    assert code == 130, err
    assert json.loads(out)["stopped"] == "interrupted"
    assert path.exists()
