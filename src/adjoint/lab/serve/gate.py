"""Who may come into the lab: a gate around the whole application that refuses whatever it does not know.

A server on one's own machine is within reach of every page that one's browser has open. What keeps them out:

- Host must name this server. A foreign name that was made to lead here (DNS rebinding) does not.
- Origin, which a browser sends along and no page can forge, must be that same address. A WebSocket must have one;
  it is the only thing that keeps a foreign page from opening one.
- A WebSocket brings the token that was printed with the address. A page knows it from the fragment of its address,
  which a browser keeps to itself. It comes as a subprotocol, the only header of a WebSocket that a page can write.

Only the shell, the code of the page, is given without a token: it is the same for everyone and holds no secret.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
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
    """An application behind the gate: it is asked only what comes from a page of its own."""

    def __init__(self, application: Application, token: str, port: int, hosts: Iterable[str] = LOOPBACK) -> None:
        self.application: Any = application
        self._token = token.encode()
        ending = "" if port == 80 else f":{port}"  # a browser leaves out the port that http has anyway
        self.places = tuple(f"{host.lower()}{ending}" for host in hosts)  # as browsers write them

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or refuse, one request or one WebSocket."""
        if scope["type"] == "http":
            send = _with_headers(send)
            status, refusal = self._http_refusal(scope)
            if refusal:
                await _answer(send, status, refusal)
            else:
                await self.application(scope, receive, send)
        elif scope["type"] == "websocket":
            if self._socket_is_ours(scope):
                await self.application(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})  # before it is accepted: HTTP 403
        else:
            raise RuntimeError(f"the lab answers http and websocket, not {scope['type']}")

    def _http_refusal(self, scope: Scope) -> tuple[int, str]:
        """Return the status and the words with which a request is refused; no words if it is not."""
        place = _the_only(scope, b"host")
        if place not in self.places:
            return 403, f"this lab is at http://{self.places[0]}/ and nowhere else"
        if _has(scope, b"origin") and _the_only(scope, b"origin") != f"http://{place}":
            return 403, "this lab answers no other pages than its own"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this lab is read with GET and HEAD"
        if not _is_shell(scope["path"]):
            return 403, "there is nothing here without a token"
        return 200, ""

    def _socket_is_ours(self, scope: Scope) -> bool:
        place = _the_only(scope, b"host")
        if place not in self.places or _the_only(scope, b"origin") != f"http://{place}":
            return False
        offered = scope.get("subprotocols") or []
        if len(offered) != 2 or offered[0] != PROTOCOL:
            return False
        return hmac.compare_digest(offered[1].encode(errors="replace"), self._token)


def _is_shell(path: str) -> bool:
    """Return whether a path is one of the routes of the shell; a name that has no file is refused later."""
    root, files = SHELL
    return path == root or path.startswith(files.removesuffix("{file}"))


def _has(scope: Scope, name: bytes) -> bool:
    return any(header == name for header, _ in scope["headers"])


def _the_only(scope: Scope, name: bytes) -> str | None:
    """Return a header that occurs once: of two, some would believe the first and others the last."""
    found = [value for header, value in scope["headers"] if header == name]
    return found[0].decode("latin-1") if len(found) == 1 else None


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
        await send(message)

    return sending


async def _answer(send: Send, status: int, text: str) -> None:
    body = f"{text}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 405:
        headers.append((b"allow", b"GET, HEAD"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
