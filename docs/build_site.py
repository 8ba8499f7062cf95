"""Builds the static site in site/, with the lab, the course and the documentation: `make site`.

The front end comes from web/, the pages from MkDocs, and Python from the npm package `pyodide`. The files need nothing
but a web server; docs/hosting.md describes where to put them.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import site_policy
from live_graphs import scenes

from adjoint_learn.course import load
from adjoint_learn.figures import figure_svg
from adjoint_learn.lesson_text import Figure

_ROOT = Path(__file__).parents[1]
_WEB = _ROOT / "web"
_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

# What the page cannot use: the C core, the command line, and code for libraries that it does not have.
_LEFT_OUT = (
    *(f"adjoint/{name}" for name in ("engine/_native/", "files/onnx/", "see/plots/", "cli/", "sklearn/")),
    *("adjoint/engine/array_methods.pyi", "adjoint_learn/terminal/", "adjoint_learn/command.py"),
    *(f"adjoint_lab/{name}" for name in ("command.py", "assets/main.", "assets/learn.js", "assets/index.html")),
)
_ENDINGS = (".py", ".pyi", ".md", ".txt", ".js", ".css", ".toml", ".json")

START_LIMIT, VISIT_LIMIT = 250_000, 8_000_000  # bytes, gzipped: the start page, and all that the first visit loads

_NOT_FOUND = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found</title>
<link rel="icon" href="data:,">
</head>
<body>
<h1>Page not found</h1>
<p>This site has no page at this address. Go to the <a href="./">first page of this folder</a>.</p>
</body>
</html>
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the static site.")
    parser.add_argument("--out", type=Path, default=_ROOT / "site", help="the folder to write (it is replaced)")
    parser.add_argument("--wheels", help="a folder with wheels for Pyodide, such as NumPy's")
    parser.add_argument("--no-install", action="store_true", help="use web/node_modules as it is")
    arguments = parser.parse_args()
    build(arguments.out.resolve(), wheels=arguments.wheels, install=not arguments.no_install)
    print("\n".join(_summary(arguments.out.resolve())))


def build(out: Path, wheels: str | None = None, *, install: bool = True) -> None:
    """Write the site into a folder."""
    chosen = _wheels(Path(wheels)) if wheels else []
    if install:
        _run(
            ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--silent"], _WEB
        )  # the versions of the lock file
    _run(["npx", "vite", "build", "--mode", "site", "--outDir", str(out), "--logLevel", "warn"], _WEB)
    _build_documentation(out / "docs")
    write_engine(out / "engine", chosen)
    _write(out / "scenes.json", json.dumps(scenes(), ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    _write(out / "404.html", _NOT_FOUND)
    _write(out / ".nojekyll", "")  # GitHub Pages serves all files as they are
    for page in out.rglob("*.html"):
        is_documentation = page.is_relative_to(out / "docs")
        _write(page, site_policy.with_policy(page.read_text("utf-8"), is_documentation=is_documentation))
    _write(out / "_headers", _headers())
    _write(out / "service-worker.js", service_worker(out))


def _build_documentation(out: Path) -> None:
    settings = {"LAB": "../index.html", "OPENED_AS_FILES": "false", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    _run(command, _ROOT, settings)
    # MkDocs has no address for its own page about missing pages and for the map, and browsers read no source maps.
    for unused in (out / "404.html", *out.glob("sitemap.xml*"), *out.rglob("*.map")):
        unused.unlink()
    shutil.rmtree(out / "assets/javascripts/lunr")  # for other languages than English


def write_engine(out: Path, wheels: list[Path]) -> None:
    """Write Pyodide, the sources of adjoint, and the wheels."""
    out.mkdir(parents=True, exist_ok=True)
    for name in _PYODIDE:
        shutil.copy(_WEB / "node_modules/pyodide" / name, out / name)
    write_sources(out / "adjoint.tar.gz")
    for wheel in wheels:
        shutil.copy(wheel, out / wheel.name)
    _write(out / "wheels.json", json.dumps([wheel.name for wheel in wheels]))


def write_sources(path: Path) -> None:
    """Write the sources that the page needs: adjoint, and lazy_loader, on which it depends."""
    import lazy_loader

    sources = [*_sources(), (Path(lazy_loader.__file__), "lazy_loader/__init__.py")]
    files = [(name, source.read_bytes()) for source, name in sources]
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in [*files, *_figures()]:
            entry = tarfile.TarInfo(name)  # without a date, so that the same sources give the same bytes
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(whole.getvalue(), 9, mtime=0))  # a third smaller than a zip of many small files


def _figures() -> Iterator[tuple[str, bytes]]:
    """Yield the pictures of the course, for `adjoint_learn.figures`: some need NumPy, and take seconds in a page."""
    for lesson in load().lessons:
        for block in lesson.blocks:
            if isinstance(block, Figure) and block.kind == "figure":
                name = f"adjoint_learn/course/{lesson.folder.name}/figures/{block.content}.svg"
                yield name, figure_svg(lesson, block).encode()


def _sources() -> Iterator[tuple[Path, str]]:
    for package in ("adjoint", "adjoint_lab", "adjoint_learn"):
        for path in sorted((_ROOT / "src" / package).rglob("*")):
            name = path.relative_to(_ROOT / "src").as_posix()
            if path.is_file() and path.suffix in _ENDINGS and not name.startswith(_LEFT_OUT):
                yield path, name


def _wheels(folder: Path) -> list[Path]:
    """Return the wheels in a folder that Pyodide can load."""
    if not folder.is_dir():
        raise SystemExit(f"WHEELS must be a folder with wheels for Pyodide, and {folder} is not a folder")
    found = sorted(folder.glob("*.whl"))
    if not found:
        raise SystemExit(f"WHEELS={folder} contains no .whl file; docs/hosting.md says where to get NumPy's")
    for wheel in found:
        if not wheel.stem.endswith(("wasm32", "none-any")):
            raise SystemExit(f"{wheel.name} is not for Pyodide: the name of such a wheel ends in wasm32.whl")
    return found


def _headers() -> str:
    """Return the headers for hosts that read `_headers`, such as Netlify and Cloudflare Pages."""
    lines = ["/*", "  X-Content-Type-Options: nosniff", "  Referrer-Policy: no-referrer", "/assets/*.js"]
    lines += [f"  Content-Security-Policy: {site_policy.worker_policy()}"]
    return "\n".join([*lines, "  Cache-Control: max-age=31536000, immutable", ""])


def service_worker(out: Path) -> str:
    """Return the service worker with the files of the site and their hashes."""
    files = {path.relative_to(out).as_posix(): path for path in sorted(out.rglob("*")) if path.is_file()}
    for name in ("_headers", ".nojekyll", "service-worker.js"):
        files.pop(name, None)
    # Of the hash, 64 bits are enough to notice a change; the first visit loads the list.
    site = {
        "files": {name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for name, path in files.items()},
        "first": [name for name in files if _is_in_first_visit(name)],
        "workerPolicy": site_policy.worker_policy(),
    }
    source = (_WEB / "site/service-worker.js").read_text("utf-8")
    return f"const SITE = {json.dumps(site, separators=(',', ':'))};\n{source}"


def _is_in_first_visit(name: str) -> bool:
    """Return whether a file is loaded by the first visit: the lab and Python, without documentation and wheels."""
    return not name.startswith("docs/") and not name.endswith(".whl")


def _summary(out: Path) -> Iterator[str]:
    start, visit = start_size(out), visit_size(out)
    yield f"wrote {out / 'index.html'}; open it with `python -m http.server --directory {out}`"
    yield f"start page     {start / 1e3:7.1f} KB gzipped   (limit {START_LIMIT / 1e3:.0f} KB)"
    yield f"first visit    {visit / 1e6:7.2f} MB gzipped   (limit {VISIT_LIMIT / 1e6:.0f} MB)"
    yield f"all files      {sum(p.stat().st_size for p in out.rglob('*') if p.is_file()) / 1e6:7.2f} MB"


def start_size(out: Path) -> int:
    """Return the bytes, gzipped, until the graph of the start page responds to its sliders."""
    page = (out / "index.html").read_text("utf-8")
    names = ["index.html", "scenes.json", *re.findall(r'(?:src|href)="\./([^"]+)"', page)]
    for name in names:
        if name.endswith(".js"):  # a script, and the scripts that it imports at its start
            imported = re.findall(r'(?:from|import)\s*"\./([^"]+\.js)"', (out / name).read_text("utf-8"))
            names += [f"assets/{other}" for other in imported if f"assets/{other}" not in names]
    return sum(_gzipped(out / name) for name in names)


def visit_size(out: Path) -> int:
    """Return the bytes, gzipped, of everything that the first visit loads."""
    site = json.loads((out / "service-worker.js").read_text("utf-8").partition("\n")[0][len("const SITE = ") : -1])
    return sum(_gzipped(out / name) for name in [*site["first"], "service-worker.js"])


def _gzipped(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


def _run(command: list[str], folder: Path, settings: dict[str, str] | None = None) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise SystemExit(f"{command[0]} was not found; install Node.js 20 or later to build the site")
    done = subprocess.run([program, *command[1:]], cwd=folder, env={**os.environ, **(settings or {})})
    if done.returncode:
        raise SystemExit(f"`{' '.join(command)}` failed in {folder}")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
