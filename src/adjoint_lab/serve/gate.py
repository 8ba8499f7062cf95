"""Access control: a gate around the whole application that refuses everything it does not recognize.

Every page that a browser has open can reach a server on the same machine. The gate keeps foreign pages out:

- Host must name this server. A foreign name that resolves to this machine (DNS rebinding) is refused.
- Origin must be the same address. Browsers add this header, and no page can forge it. A WebSocket must have one: only
  this header stops a foreign page from opening a WebSocket.
- A WebSocket must present the token that was printed with the address. A page reads it from the fragment of its own
  address, which browsers never send. It arrives as a subprotocol, the only header of a WebSocket that a page can set.

Only the shell, the code of the page, needs no token: it is the same for everyone and contains no secret.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Event = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
SHELL = ("/", "/assets/{file}")  # the routes that need no token
PROTOCOL = "adjoint"  # a page opens its WebSocket with [PROTOCOL, token] as subprotocols

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Gate:
    """An application behind the gate, which passes on only what its own pages send."""

    def __init__(self, application: Application, token: str, port: int, hosts: Iterable[str] = LOOPBACK) -> None:
        self.application: Any = application
        self._token = token.encode()
        ending = "" if port == 80 else f":{port}"  # browsers omit the default port of http
        self.places = tuple(f"{host.lower()}{ending}" for host in hosts)  # as browsers write them

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request or one WebSocket."""
        if scope["type"] == "http":
            send = _with_headers(send)
            status, refusal = self._http_refusal(scope)
            if refusal:
                await _answer(send, status, refusal)
            else:
                await self.application(scope, receive, send)
        elif scope["type"] == "websocket":
            if self._is_own_socket(scope):
                await self.application(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: HTTP 403
        else:
            raise RuntimeError(f"the lab answers http and websocket, not {scope['type']}")

    def _http_refusal(self, scope: Scope) -> tuple[int, str]:
        """Return the status and the text of a refusal; the text is empty for a request that may pass."""
        place = _single_header(scope, b"host")
        if place not in self.places:
            return 403, f"this lab is only available at http://{self.places[0]}/"
        if _has_header(scope, b"origin") and _single_header(scope, b"origin") != f"http://{place}":
            return 403, "this lab only answers its own pages"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this lab only supports GET and HEAD"
        if not _is_shell(scope["path"]):
            return 403, "this address needs a token"
        return 200, ""

    def _is_own_socket(self, scope: Scope) -> bool:
        place = _single_header(scope, b"host")
        if place not in self.places or _single_header(scope, b"origin") != f"http://{place}":
            return False
        offered = scope.get("subprotocols") or []
        if len(offered) != 2 or offered[0] != PROTOCOL:
            return False
        return hmac.compare_digest(offered[1].encode(errors="replace"), self._token)


def _is_shell(path: str) -> bool:
    """Return whether a path is one of the routes of the shell; a name without a file is refused later."""
    root, files = SHELL
    return path == root or path.startswith(files.removesuffix("{file}"))


def _has_header(scope: Scope, name: bytes) -> bool:
    return any(header == name for header, _ in scope["headers"])


def _single_header(scope: Scope, name: bytes) -> str | None:
    """Return a header that occurs exactly once: programs disagree on which of two to use."""
    found = [value for header, value in scope["headers"] if header == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Event) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
        await send(message)

    return send_with_headers


async def _answer(send: Send, status: int, text: str) -> None:
    body = f"{text}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"GET, HEAD"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
