"""One page of the served lab: rooms carry out its messages one after another, and the answers are sent back.

Three activities run concurrently. A reader accepts messages as they arrive and never waits for one to be carried out.
A thread carries them out. A sender sends what is in the outbox. The reader and the sender run on the event loop, which
all pages share, so nothing is computed there. What a message is and how it is answered: see `dispatcher.py`.
"""

import asyncio
import logging
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic

from adjoint_lab.serve.dispatcher import Dispatcher, Letter, Rooms
from adjoint_lab.serve.gate import PROTOCOL, Receive, Scope, Send
from adjoint_lab.serve.outbox import Outbox

MAX_SESSIONS = 64

_log = logging.getLogger("adjoint_lab")


class Session:
    """A connected page, from its first message until it is gone and its rooms are closed."""

    def __init__(self, rooms: Rooms, on_end: Callable[["Session"], None]) -> None:
        self._on_end = on_end
        self._change = Condition()  # guards the queue of the dispatcher, and `open`
        self.open = True  # until the page is gone
        self._outbox = Outbox()
        self._dispatcher = Dispatcher(rooms, self._outbox, self._change)
        self.thread = Thread(target=self._carry_out_all, name="a page of the lab", daemon=True)

    async def serve(self, receive: Receive, send: Send) -> None:
        """Serve the page until it is gone; its rooms are closed soon after."""

        async def send_text(text: str) -> None:
            await send({"type": "websocket.send", "text": text})

        self.thread.start()
        tasks = [asyncio.create_task(self._read_all(receive)), asyncio.create_task(self._outbox.send_all(send_text))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._outbox.close()
            with self._change:
                self.open = False
                self._change.notify()
            for task in tasks:
                task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception) and not isinstance(outcome, OSError):  # OSError: the page is gone
                _log.error("a page of the lab was disconnected; this is a bug in the lab", exc_info=outcome)

    async def _read_all(self, receive: Receive) -> None:
        """Accept messages. On the event loop."""
        while (event := await receive())["type"] == "websocket.receive":
            self._dispatcher.accept(event.get("text"))
            with self._change:
                self._change.notify()
            await self._outbox.wait_for_room()

    def _carry_out_all(self) -> None:
        """Carry out messages until the page is gone. In the thread of the session."""
        while letter := self._next():
            self._dispatcher.carry_out(letter)
        self._dispatcher.close()
        self._on_end(self)

    def _next(self) -> Letter | None:
        """Wait for a message; return None when the page is gone."""
        with self._change:
            self._change.wait_for(lambda: self._dispatcher.is_waiting or not self.open)
            return self._dispatcher.take() if self.open else None


class Sessions:
    """All connected pages: the application behind the WebSocket."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.open: set[Session] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one page until it is gone."""
        await receive()
        await send({"type": "websocket.accept", "subprotocol": PROTOCOL})
        if len(self.open) >= MAX_SESSIONS:
            reason = f"{MAX_SESSIONS} pages of this lab are open, which is the limit; close one, then reload"
            await send({"type": "websocket.close", "code": 1013, "reason": reason})
            return
        session = Session(self.rooms, self.open.discard)
        self.open.add(session)
        await session.serve(receive, send)

    def join(self, seconds: float) -> None:
        """Wait until all rooms are closed, but at most this long."""
        end = monotonic() + seconds
        for session in list(self.open):
            session.thread.join(max(0.0, end - monotonic()))
