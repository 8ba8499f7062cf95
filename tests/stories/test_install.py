"""Installation in empty environments: what the README tells newcomers to type, and the files of a release."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
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
    return clean_environment() | {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "BROWSER": "true"}


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


@pytest.fixture(scope="module")
def release(checkout, tmp_path_factory):
    """The files of a release, built as the workflow builds them: sources, a wheel with the core, and one without it."""
    dist = tmp_path_factory.mktemp("dist")
    settings = clean_environment() | {"ADJOINT_REPOSITORY": "https://example.org/adjoint", "ADJOINT_REQUIRE_CORE": "1"}
    run([sys.executable, "-m", "build", "--outdir", str(dist)], checkout, settings)  # the wheel is built of the sources
    pure = settings | {"ADJOINT_PURE_WHEEL": "1"}
    run([sys.executable, "-m", "build", "--wheel", "--outdir", str(dist)], checkout, pure)
    return dist


def the_file(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def test_a_release_passes_the_checks_of_the_index(release):
    assert len(list(release.iterdir())) == 3
    run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, release.iterdir())], release, clean_environment()
    )


def test_the_links_of_the_readme_lead_to_the_repository_from_everywhere(release):
    about = metadata_of(the_file(release, "*-py3-none-any.whl"))
    text = str(about.get_payload())
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^()\s]+)\)", prose)
    assert "https://example.org/adjoint/blob/HEAD/docs/install.md" in targets
    assert all(target.startswith(("https://", "#")) for target in targets)
    assert "Source, https://example.org/adjoint" in about.get_all("Project-URL", [])
    assert [text for _, text in BLOCKS] == re.findall(r"^```(?:sh|python)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_sources_hold_what_builds_and_tests_the_package_and_no_built_file(release):
    with tarfile.open(the_file(release, "*.tar.gz")) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert set(listed.split("\n")) - {""} <= names
    assert {"setup.py", "LICENSE", "CITATION.cff", "SECURITY.md", "tests/outside/installed.py"} <= names
    assert not [name for name in names if name.endswith((".so", ".o", ".pyd"))]


@pytest.mark.parametrize(
    ("file", "compiler", "engine"),
    [
        ("*-cp3*.whl", "/bin/false", "native"),
        ("*-py3-none-any.whl", "/bin/false", "python"),
        ("*.tar.gz", None, "native"),
        ("*.tar.gz", "/bin/false", "python"),
    ],
    ids=["wheel", "wheel for every system", "sources with a compiler", "sources without a compiler"],
)
def test_a_file_of_a_release_installs_without_a_network_and_passes_the_smoke_test(
    release, checkout, tmp_path, file, compiler, engine
):
    """What it needs, and what builds it, comes from the environment of the tests."""
    environment = clean_environment() | ({"CC": compiler} if compiler else {})
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "new"], check=True)
    python = tmp_path / "new" / "bin" / "python"
    (packages,) = (tmp_path / "new").glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(("adjoint", "__editable__")) and path.suffix != ".pth":
            (packages / path.name).symlink_to(path)
    offline = ["--no-index", "--no-build-isolation", "--no-deps"]
    run([python, "-m", "pip", "install", *offline, the_file(release, file)], tmp_path, environment)
    run([python, "-m", "pip", "check"], tmp_path, environment)
    shown = run([python, checkout / "tests/outside/installed.py", engine], tmp_path, environment)
    assert f"{engine} engine" in shown


def test_a_core_that_must_be_built_and_cannot_be_is_an_error(release, tmp_path):
    environment = clean_environment() | {"CC": "/bin/false", "ADJOINT_REQUIRE_CORE": "1"}
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run(
        [*command, the_file(release, "*.tar.gz")], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "adjoint: the native core could not be built" in done.stdout + done.stderr


def clean_environment() -> dict[str, str]:
    """The environment variables, without those that change Python, pytest or adjoint."""
    removed = ("PYTHON", "ADJOINT", "COV", "PYTEST")
    return {name: value for name, value in os.environ.items() if not name.startswith(removed)}


def run(command: list, folder: Path, environment: dict[str, str]) -> str:
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
