"""The page in the package is built from web/, and web/ passes its own checks."""

import gzip
import hashlib
from pathlib import Path

import pytest
from npm import run_npm

import adjoint_lab

ASSETS = Path(adjoint_lab.__file__).parent / "assets"
WEB = Path(__file__).parents[2] / "web"
NAMES = {"explore.css", "explore.js", "fingerprint.txt", "icon.svg", "index.html", "learn.js", "main.css", "main.js"}


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


def test_the_assets_are_the_expected_files_and_small():
    assert {path.name for path in ASSETS.iterdir()} == NAMES
    sizes = {name: len(gzip.compress((ASSETS / name).read_bytes())) for name in NAMES - {"fingerprint.txt"}}
    assert sizes.pop("learn.js") <= 160_000  # loaded when the room Learn is opened
    assert sum(sizes.values()) <= 150_000


def test_the_page_loads_nothing_from_other_servers():
    known = (
        "http://www.w3.org/",  # XML namespaces, which are never loaded
        "http://`+",  # marked writes the address of a link,
        "https://github.com/markedjs/marked.`",  # and names itself in an error message
    )
    for path in ASSETS.glob("*.*"):
        for scheme in ("http://", "https://"):
            for part in path.read_text(encoding="utf-8").split(scheme)[1:]:
                assert (scheme + part).startswith(known), f"{path.name}: {scheme}{part[:60]}"


@pytest.mark.full
def test_the_front_end_passes_its_linter_and_its_own_tests(web):
    run_npm(web, "run", "check")


@pytest.mark.full
def test_building_again_gives_the_same_bytes(web):
    run_npm(web, "run", "build")
    built = (web.parent / "src/adjoint_lab/assets").iterdir()
    differing = [path.name for path in built if path.read_bytes() != (ASSETS / path.name).read_bytes()]
    assert not differing, "run `make web`"  # names only: pytest would compare the bytes for an hour
