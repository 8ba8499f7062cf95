"""The commands and programs of the README, in their order, in an empty environment: what a newcomer types works."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
TIMEOUT = 1800  # seconds; only a defect reaches it

pytestmark = [pytest.mark.long, pytest.mark.full]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the files of the repository, without anything that was built."""
    folder = tmp_path_factory.mktemp("checkout")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory):
    """The environment variables of somebody with a new virtual environment."""
    place = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    kept = {name: x for name, x in os.environ.items() if not name.startswith(("PYTHON", "ADJOINT", "COV", "PYTEST"))}
    return kept | {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "BROWSER": "true"}


def test_everything_that_the_readme_shows_works_in_its_order(checkout, newcomer):
    programs = commands = 0
    for kind, text in BLOCKS:
        if kind == "python":
            printed = run(["python", "-c", text], checkout, newcomer)
            programs += 1
            if "print(draw(L))" in text:
                assert f"```\n{printed}```" in README
        for line in text.splitlines() if kind == "sh" else ():
            command = line.partition("  #")[0].strip()
            commands += 1
            if command == "adjoint lab":
                open_the_lab(checkout, newcomer)
            elif command != "make test":  # which runs this test
                run(["sh", "-c", command], checkout, newcomer)
    assert programs >= 4
    assert commands >= 8
    assert (checkout / "moons.png").read_bytes().startswith(b"\x89PNG")
    assert (checkout / "adjoint-course/01_nudge/slope.py").exists()


def test_every_extra_of_the_install_page_can_be_added(checkout, newcomer):
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    extras = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert {"lab", "plot", "jax"} <= set(extras)
    extras.remove("torch")  # as large as everything else together, and of the same form
    done = run(["pip", "install", "--dry-run", f"adjoint-autograd[{','.join(extras)}]"], checkout, newcomer)
    assert "adjoint-autograd" in done


def run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command as the newcomer, and return what it printed."""
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        encoding="utf-8", timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def open_the_lab(folder: Path, environment: dict[str, str]) -> None:
    """Start the lab, load its page, and end it with Ctrl-C."""
    command = ["adjoint", "lab", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address = re.search(r"http://[\d.]+:\d+/", process.stdout.readline())
            assert address
            with urlopen(address[0], timeout=TIMEOUT) as page:
                assert b"adjoint" in page.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(TIMEOUT) == 0
        finally:
            process.kill()
