"""Build the static site once for all tests, and serve it as `python -m http.server` does."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest
from serving import Lab, eventually

ROOT = Path(__file__).parents[2]


def builder(name: str = "build_site") -> ModuleType:
    """Return a program of docs/ that builds the site."""
    folder = str(ROOT / "docs")
    if folder not in sys.path:
        sys.path.append(folder)
    return import_module(name)


@cache
def built_site() -> Path:
    """Return the folder of the site. With ADJOINT_SITE=folder, it is the one that was built there."""
    if given := os.environ.get("ADJOINT_SITE"):
        return Path(given)
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    out = Path(tempfile.mkdtemp(prefix="adjoint-site-")) / "site"
    builder().build(out, install=not (ROOT / "web/node_modules/pyodide").exists())
    return out


class Handler(SimpleHTTPRequestHandler):
    """The handler of `python -m http.server`; it logs requests into a list."""

    def log_request(self, code: object = "-", size: object = "-") -> None:
        assert isinstance(self.server, Server)
        if isinstance(code, int):
            self.server.log.append((self.path, int(code)))

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """A server that ignores browsers which are closed during a download, with a log of paths and statuses."""

    def __init__(self, folder: Path, handler: type[Handler]):
        self.log: list[tuple[str, int]] = []
        super().__init__(("127.0.0.1", 0), partial(handler, directory=str(folder)))

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(folder: Path, log: list[tuple[str, int]] | None = None, handler: type[Handler] = Handler) -> Iterator[int]:
    """Serve a folder on a free port of this machine, and return the port. Requests are added to `log`."""
    server = Server(folder, handler)
    if log is not None:
        server.log = log
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class OfflineSite(Lab):
    """The static site as a lab: its server runs only while a browser opens the site for the first time."""

    has_arrays = False

    def __init__(self, folder: Path):
        with socket.create_server(("127.0.0.1", 0)) as free:
            super().__init__(free.getsockname()[1], None)
        self._folder = folder

    def address(self, room: str = "", **state: object) -> str:
        """Return the address of a room; without one, the room that the served lab opens first."""
        return super().address(room or "explore", **state)

    @contextmanager
    def online(self) -> Iterator[None]:
        """Run `python -m http.server` until the block ends, and then kill it."""
        command = [sys.executable, "-m", "http.server", str(self.port), "--bind", "127.0.0.1"]
        with (
            tempfile.TemporaryFile("w+") as log,
            subprocess.Popen([*command, "--directory", str(self._folder)], stdout=log, stderr=log) as server,
        ):
            try:
                eventually(self._answers, lambda: log.seek(0) or log.read())
                yield
            finally:
                server.kill()

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return False
        return True
