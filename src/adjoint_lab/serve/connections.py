"""A limit on connections: a program that opens many of them and sends nothing does not keep the page from answering."""

from typing import Any

from adjoint.errors import library

MOST = 128  # open connections without a WebSocket; a page needs about six
SECONDS = 10.0  # for the first request of a connection


def limited_protocol() -> type:
    """Return uvicorn's protocol for HTTP with limits: the oldest connection gives way, and a silent one is closed."""
    h11_impl = library("uvicorn.protocols.http.h11_impl", "adjoint lab", "lab")
    waiting: dict[Any, None] = {}  # the connections without a WebSocket, the oldest first

    class LimitedProtocol(h11_impl.H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            waiting[self] = None
            while len(waiting) > MOST:
                oldest = next(iter(waiting))
                del waiting[oldest]
                oldest.transport.abort()
            self._first_request = self.loop.call_later(SECONDS, self._close_if_silent)

        def _close_if_silent(self) -> None:
            if self.cycle is None and self in waiting:
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._forget()  # the gate decides whether the WebSocket may stay
            super().handle_websocket_upgrade(event)

        def _forget(self) -> None:
            waiting.pop(self, None)
            self._first_request.cancel()

    return LimitedProtocol
