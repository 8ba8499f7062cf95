"""What is in the package was built from the sources that are here, and would be built so again."""

import gzip
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

import adjoint.lab

ASSETS = Path(adjoint.lab.__file__).parent / "assets"
WEB = Path(__file__).parents[2] / "web"
NAMES = {"explore.css", "explore.js", "fingerprint.txt", "icon.svg", "index.html", "main.css", "main.js"}


def fingerprint(folder: Path) -> str:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    digest = hashlib.sha256()
    for name in sorted(name for name in found if "node_modules" not in name.split("/")):
        digest.update(f"{name}\0".encode() + found[name].read_bytes() + b"\0")
    return digest.hexdigest()


def test_the_assets_are_built_from_these_sources():
    built_from = (ASSETS / "fingerprint.txt").read_text().strip()
    assert built_from == fingerprint(WEB), (
        "web/ has changed since the page was built: run `make web`, commit the assets"
    )


def test_the_assets_are_these_files_and_small():
    assert {path.name for path in ASSETS.iterdir()} == NAMES
    loaded = [path for path in ASSETS.iterdir() if path.name != "fingerprint.txt"]
    assert sum(len(gzip.compress(path.read_bytes())) for path in loaded) <= 150_000


def test_nothing_is_loaded_from_elsewhere():
    known = ("http://www.w3.org/",)  # names of XML, which nobody loads
    for path in ASSETS.glob("*.*"):
        for scheme in ("http://", "https://"):
            for part in path.read_text(encoding="utf-8").split(scheme)[1:]:
                assert (scheme + part).startswith(known), f"{path.name}: {scheme}{part[:60]}"


@pytest.mark.skipif(shutil.which("npm") is None, reason="building the page needs Node.js")
def test_building_again_gives_the_same_bytes(tmp_path):
    shutil.copytree(WEB, tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    for command in (["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        done = subprocess.run(command, cwd=tmp_path / "web", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    for path in (tmp_path / "src/adjoint/lab/assets").iterdir():
        assert path.read_bytes() == (ASSETS / path.name).read_bytes(), f"{path.name} differs: run `make web`"
