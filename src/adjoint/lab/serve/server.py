"""The application of the lab, and how it is started: a socket is bound, the address printed, the browser opened."""

import errno
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any

from adjoint.errors import LabError
from adjoint.errors.optional import library
from adjoint.lab.serve.gate import LOOPBACK, SHELL, Gate
from adjoint.lab.serve.session import LARGEST, ROOMS, Rooms, Sessions

HOST, PORT = "127.0.0.1", 8731
ASSETS = Path(__file__).parents[1] / "assets"
_MISSING = "the page is not built: make web\n"
_KINDS = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip


# --- the application ---------------------------------------------------------------------------------------


def application(
    token: str, port: int, hosts: Collection[str] = LOOPBACK, rooms: Rooms = ROOMS, assets: Path = ASSETS
) -> Gate:
    """Return the lab as an ASGI application: the code of the page, and a WebSocket for each page, behind the gate."""
    applications, routing = _starlette("applications"), _starlette("routing")
    respond, sessions = _shell(assets), Sessions(rooms)
    root, files = SHELL
    routes = [
        routing.Route(root, respond),
        routing.Route(files, respond),
        routing.WebSocketRoute("/socket", sessions),
    ]
    starlette = applications.Starlette(routes=routes)
    starlette.router.redirect_slashes = False  # what is not there is not looked for elsewhere
    starlette.state.sessions = sessions
    return Gate(starlette, token, port, hosts)


def _shell(assets: Path) -> Any:
    """Return what answers with files of the folder: those that are there now, by name, and nothing else."""
    responses = _starlette("responses")
    found = sorted(assets.iterdir()) if assets.is_dir() else []
    files = {path.name: (path.read_bytes(), _KINDS[path.suffix]) for path in found if path.suffix in _KINDS}
    tags = {name: f'"{sha256(content).hexdigest()[:32]}"' for name, (content, _) in files.items()}

    async def respond(request: Any) -> Any:
        name = request.path_params.get("file", "index.html")
        if not files and not request.path_params:
            return responses.PlainTextResponse(_MISSING, 503)
        if name not in files:
            return responses.PlainTextResponse("there is no such file\n", 404)
        content, kind = files[name]
        if request.headers.get("if-none-match") == tags[name]:
            return responses.Response(None, 304, {"ETag": tags[name]})
        return responses.Response(content, 200, {"ETag": tags[name]}, kind)

    return respond


def _starlette(module: str) -> Any:
    return library(f"starlette.{module}", "adjoint lab", "lab")


# --- where it is -------------------------------------------------------------------------------------------


def hosts_for(host: str, allow_remote: bool = False) -> tuple[str, ...]:
    """Return the names at which a lab bound to `host` may be asked for; raise where it should not be bound.

    >>> hosts_for("127.0.0.1")
    ('127.0.0.1', 'localhost', '[::1]')
    >>> hosts_for("192.168.1.5")
    Traceback (most recent call last):
    adjoint.errors.LabError: --host 192.168.1.5 would let other machines reach this lab; add --allow-remote if they may
    """
    try:
        address = ip_address(host)
    except ValueError:
        address = None
    if not host or (address and address.is_unspecified):
        raise LabError(
            f"--host {host or repr(host)} is every address of this machine, and the lab must know at which it is asked "
            "for; name one, such as --host 192.168.1.5"
        )
    if not allow_remote and host != "localhost" and not (address and address.is_loopback):
        raise LabError(f"--host {host} would let other machines reach this lab; add --allow-remote if they may")
    name = _in_address(host)
    return LOOPBACK if name in LOOPBACK else (name, *LOOPBACK)


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 takes any that is free."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        raise LabError(_why_not(error, host, port)) from None


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < 65535 else PORT
        return f"port {port} is taken, perhaps by another lab; try --port {other}, or --port 0 for any that is free"
    if error.errno == errno.EACCES:
        return f"port {port} may not be opened by this user; try --port {PORT}, or --port 0 for any that is free"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"this machine has no address {host}; leave --host away for {HOST}"
    return f"the lab cannot listen at {host}, port {port}: {error.strerror or error}"


# --- starting it -------------------------------------------------------------------------------------------


def run(host: str = HOST, port: int = PORT, open_browser: bool = True, allow_remote: bool = False) -> None:
    """Serve the lab until Ctrl-C: print its address, and open it in the browser."""
    for name in ("starlette", "uvicorn", "websockets"):
        library(name, "adjoint lab", "lab")
    hosts = hosts_for(host, allow_remote)
    with listening(host, port) as listener, suppress(KeyboardInterrupt):
        port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
        gate = application(token, port, hosts)
        address = f"http://{_in_address(host)}:{port}/#token={token}"
        print(f"adjoint lab: {address}\nCtrl-C stops it.", flush=True)
        if open_browser and _has_display():
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        # A network that trains in one thread keeps the others waiting this long; a slider should not feel it.
        sys.setswitchinterval(0.001)
        try:
            server(gate).run([listener])
        finally:
            gate.application.state.sessions.join(0.5)


def server(gate: Gate) -> Any:
    """Return the server of uvicorn that serves the lab."""
    uvicorn = library("uvicorn", "adjoint lab", "lab")
    config = uvicorn.Config(
        gate,
        loop="asyncio",
        http="h11",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws_max_size=16 * LARGEST,  # beyond what is answered with an error, the connection is cut
        ws_per_message_deflate=False,  # nothing to win on one's own machine
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


def _has_display() -> bool:
    """Return whether a browser could show itself. Without one, a browser for terminals would take this terminal."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
