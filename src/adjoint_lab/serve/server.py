"""The application of the lab, and how it starts: bind a socket, print the address, open the browser."""

import errno
import logging
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Protocol

from adjoint.errors import LabError, library
from adjoint_lab.serve.connections import limited_protocol
from adjoint_lab.serve.dispatcher import MAX_BYTES, ROOMS, Rooms
from adjoint_lab.serve.gate import LOOPBACK, SHELL, Gate
from adjoint_lab.serve.session import Sessions

HOST, PORT = "127.0.0.1", 8731
WITHOUT_CODE: Rooms = {**ROOMS, "learn": "adjoint_lab.rooms.learn:LearnWithoutCode"}
ASSETS = Path(__file__).parents[1] / "assets"
_MISSING = "the page is not built; run `make web`\n"
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip


class Server(Protocol):
    """The part of uvicorn's server that is used here."""

    started: bool
    should_exit: bool

    def run(self, sockets: list[socket.socket]) -> None:
        """Serve on these sockets until the server should exit."""
        ...


# --- the application ---------------------------------------------------------------------------------------


def create_application(
    token: str, port: int, hosts: Collection[str] = LOOPBACK, rooms: Rooms = ROOMS, assets: Path = ASSETS
) -> Gate:
    """Return the lab as an ASGI application behind the gate: the code of the page, and one WebSocket for each page."""
    applications, routing = _starlette("applications"), _starlette("routing")
    respond, sessions = _serve_files(assets), Sessions(rooms)
    root, files = SHELL
    routes = [
        routing.Route(root, respond),
        routing.Route(files, respond),
        routing.WebSocketRoute("/socket", sessions),
    ]
    starlette = applications.Starlette(routes=routes)
    starlette.router.redirect_slashes = False  # a missing path is an error, never a redirect
    starlette.state.sessions = sessions
    return Gate(starlette, token, port, hosts)


def _serve_files(assets: Path) -> Callable[[Any], Awaitable[object]]:
    """Return the endpoint that serves the files of a folder: by name, and only those that exist now.

    Starlette's StaticFiles would serve files of any type in the folder, and takes media types from the registry on
    Windows, where scripts may be text/plain.
    """
    responses = _starlette("responses")
    found = sorted(assets.iterdir()) if assets.is_dir() else []
    files = {x.name: (x.read_bytes(), _MEDIA_TYPES[x.suffix]) for x in found if x.suffix in _MEDIA_TYPES}
    tags = {name: f'"{sha256(content).hexdigest()[:32]}"' for name, (content, _) in files.items()}

    async def respond(request: Any) -> object:
        name = request.path_params.get("file", "index.html")
        if not files and not request.path_params:
            return responses.PlainTextResponse(_MISSING, 503)
        if name not in files:
            return responses.PlainTextResponse("this file does not exist\n", 404)
        content, media_type = files[name]
        if request.headers.get("if-none-match") == tags[name]:
            return responses.Response(None, 304, {"ETag": tags[name]})
        return responses.Response(content, 200, {"ETag": tags[name]}, media_type)

    return respond


def _starlette(module: str) -> ModuleType:
    return library(f"starlette.{module}", "adjoint lab", "lab")


# --- the address -------------------------------------------------------------------------------------------


def hosts_for(host: str, allow_remote: bool = False) -> tuple[str, ...]:
    """Return the host names under which a lab bound to `host` answers; raise if it should not be bound there.

    >>> hosts_for("127.0.0.1")
    ('127.0.0.1', 'localhost', '[::1]')
    >>> hosts_for("192.168.1.5")
    Traceback (most recent call last):
    adjoint.errors.LabError: --host 192.168.1.5 would let other machines reach this lab; add --allow-remote to allow it
    """
    try:
        address = ip_address(host)
    except ValueError:
        address = None
    if not host or (address and address.is_unspecified):
        raise LabError(
            f"--host {host or repr(host)} binds all addresses of this machine, but the lab needs one; "
            "give an address such as --host 192.168.1.5"
        )
    if not allow_remote and host != "localhost" and not (address and address.is_loopback):
        raise LabError(f"--host {host} would let other machines reach this lab; add --allow-remote to allow it")
    name = _in_address(host)
    return LOOPBACK if name in LOOPBACK else (name, *LOOPBACK)


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def open_listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 takes any free port."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((str(address[0]), int(address[1])), family=family)
    except OSError as error:
        raise LabError(_listening_problem(error, host, port)) from None


def _listening_problem(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else PORT
        return f"port {port} is in use, perhaps by another lab; try --port {other}, or --port 0 for any free port"
    if error.errno == errno.EACCES:
        return f"you do not have permission to open port {port}; try --port {PORT}, or --port 0 for any free port"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"this machine does not have the address {host}; omit --host to use {HOST}"
    return f"the lab cannot listen at {host}, port {port}: {error.strerror or error}"


# --- starting ----------------------------------------------------------------------------------------------


def run(
    host: str = HOST,
    port: int = PORT,
    open_browser: bool = True,
    allow_remote: bool = False,
    allow_code: bool = False,
) -> None:
    """Serve the lab until Ctrl-C: print its address, and open it in the browser.

    With `allow_remote`, the programs of learners run only with `allow_code` as well.
    """
    for name in ("starlette", "uvicorn", "websockets"):
        library(name, "adjoint lab", "lab")
    hosts = hosts_for(host, allow_remote)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it writes a traceback for each connection that it refuses
    with open_listener(host, port) as listener, suppress(KeyboardInterrupt), _short_switch_interval():
        port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
        gate = create_application(token, port, hosts, WITHOUT_CODE if allow_remote and not allow_code else ROOMS)
        address = f"http://{_in_address(host)}:{port}/#token={token}"
        print(f"adjoint lab: {address}\nPress Ctrl-C to stop.", flush=True)
        if open_browser and _has_display():
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        try:
            create_server(gate).run([listener])
        finally:
            gate.application.state.sessions.join(0.5)


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Let threads take turns more often while the lab runs.

    A thread that trains a network makes the others wait for up to one interval, and a slider should not feel it. The
    interval is a setting of the whole process, so it is restored when the lab stops.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def create_server(gate: Gate) -> Server:
    """Return the uvicorn server that serves the lab."""
    uvicorn = library("uvicorn", "adjoint lab", "lab")
    config = uvicorn.Config(
        gate,
        loop="asyncio",
        http=limited_protocol(),
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws_max_size=16 * MAX_BYTES,  # smaller messages that are too large get an error, larger ones end the connection
        ws_per_message_deflate=False,  # compression gains nothing on the same machine
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def _has_display() -> bool:
    """Return whether a graphical browser can open; otherwise a text browser would take over this terminal."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
