"""One page of the lab: rooms carry out its messages one after another, and the answers are sent back.

Three activities run concurrently. A reader accepts messages as they arrive and never waits for one to be carried out.
A thread carries them out. A sender sends what is in the outbox. The reader and the sender run on the event loop, which
all pages share, so nothing is computed there.

    page → {"id": 7, "room": "train", "do": "play", …}
    page ← {"id": 7, "ok": {…}}  or  {"id": 7, "error": "…"}      one for each message
    page ← {"room": "train", "event": "snapshot", …}              when a room has something to show

A room is a class. Its `NEWEST_WINS` names the messages that may be skipped: of several that wait, only the newest is
carried out, and its reply answers all of them.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Hashable, Mapping
from functools import partial
from importlib import import_module
from threading import Condition, Thread
from time import monotonic
from typing import NamedTuple, Protocol

from adjoint.errors import AdjointError, LabError
from adjoint.errors.given import describe
from adjoint.lab.serve.gate import PROTOCOL, Event, Receive, Scope, Send
from adjoint.lab.serve.messages import Message, one_of, read, text, whole
from adjoint.lab.serve.outbox import Outbox

# A room is imported when a page first uses it, so that the lab starts quickly.
ROOMS = {
    "explore": "adjoint.lab.rooms.explore:Explore",
    "train": "adjoint.lab.rooms.train:Train",
    "mistakes": "adjoint.lab.rooms.mistakes:Mistakes",
    "quiz": "adjoint.lab.rooms.quiz:Quiz",
    "learn": "adjoint.lab.rooms.learn:Learn",
}
MAX_BYTES = 256 * 1024  # of a message
MAX_WAITING = 64  # messages of a page
MAX_SESSIONS = 64

_log = logging.getLogger("adjoint.lab")


class Push(Protocol):
    """Send an event to the page, from any thread; of several unsent events with the same key, only the newest."""

    def __call__(self, event: Message, key: str) -> None: ...


class Room(Protocol):
    """Carries out the messages of one page."""

    NEWEST_WINS: Collection[str]

    def __init__(self, push: Push) -> None: ...

    def handle(self, do: str, message: Message) -> Mapping[str, object]:
        """Carry out a message and return the answer; raise an `AdjointError` for a mistake in the message."""
        ...

    def close(self) -> None:
        """End all threads and release everything: the page is gone."""
        ...


Rooms = Mapping[str, str | Callable[[Push], Room]]


class _Letter(NamedTuple):
    id: int
    room: str
    do: str
    message: Message


class Session:
    """A connected page, from its first message until it is gone and its rooms are closed."""

    def __init__(self, rooms: Rooms, on_end: Callable[["Session"], None]) -> None:
        self._known_rooms = rooms
        self._on_end = on_end
        self._open_rooms: dict[str, Room] = {}
        self._newest_wins: set[tuple[str, str]] = set()
        self._waiting: dict[Hashable, _Letter] = {}
        self._change = Condition()  # guards `_waiting` and `open`
        self.open = True  # until the page is gone
        self._outbox = Outbox()
        self._logged: set[tuple[str, type]] = set()
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

    # --- on the event loop ---------------------------------------------------------------------------------

    async def _read_all(self, receive: Receive) -> None:
        while (event := await receive())["type"] == "websocket.receive":
            self._accept(event)
            await self._outbox.wait_for_room()

    def _accept(self, event: Event) -> None:
        """Queue a message, or reply what is wrong with it."""
        number = None
        try:
            message = read(_text_of(event))
            number = whole(message, "id", 0, 2**53 - 1)
            letter = _Letter(number, one_of(message, "room", self._known_rooms), text(message, "do", 40), message)
            with self._change:
                key = self._key(letter)
                if key not in self._waiting and len(self._waiting) >= MAX_WAITING:
                    raise LabError(f"{MAX_WAITING} messages are waiting already; wait for some answers first")
                self._waiting[key] = letter
                self._change.notify()
        except Exception as error:
            self._outbox.reply(_as_text({"id": number, "error": self._error_text("reading a message", error)}))

    def _key(self, letter: _Letter) -> Hashable:
        """Return what a message shares with those that it replaces; it takes their place in the queue."""
        about = (letter.room, letter.do)
        return about if about in self._newest_wins else object()

    def _error_text(self, action: str, error: Exception) -> str:
        """Return what the page shows of an error; log a bug of the lab, once."""
        if isinstance(error, AdjointError):
            return str(error)
        kind = type(error)
        if (action, kind) not in self._logged:  # a slider would repeat it sixty times per second
            self._logged.add((action, kind))
            _log.error("the lab failed at %s; this is a bug in the lab", action, exc_info=error)
        return f"the lab failed at {action} ({kind.__name__}: {error}); this is a bug"

    # --- in the thread of the session ----------------------------------------------------------------------

    def _carry_out_all(self) -> None:
        while letter := self._next():
            answer = self._answer(letter)
            if (letter.room, letter.do) in self._newest_wins:
                self._outbox.update(("reply", letter.room, letter.do), answer)
            else:
                self._outbox.reply(answer)
        for name, room in self._open_rooms.items():
            try:
                room.close()
            except Exception:
                _log.exception("the lab failed to close %s; this is a bug in the lab", name)
        self._open_rooms.clear()
        self._on_end(self)

    def _next(self) -> _Letter | None:
        """Wait for a message; return None when the page is gone."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or not self.open)
            return self._waiting.pop(next(iter(self._waiting))) if self.open else None

    def _answer(self, letter: _Letter) -> str:
        try:
            answer = self._room(letter.room).handle(letter.do, letter.message)
            if not isinstance(answer, dict):
                raise TypeError(f"a room must answer with a dict, not {describe(answer)}")
            return _as_text({"id": letter.id, "ok": answer})
        except Exception as error:
            return _as_text({"id": letter.id, "error": self._error_text(f"{letter.room}.{letter.do}", error)})

    def _room(self, name: str) -> Room:
        if name not in self._open_rooms:
            room = self._open_rooms[name] = _load(self._known_rooms[name])(partial(_push, self._outbox, name))
            with self._change:  # messages that arrived before `NEWEST_WINS` was known are queued again
                self._newest_wins |= {(name, do) for do in room.NEWEST_WINS}
                self._waiting = {self._key(letter): letter for letter in self._waiting.values()}
        return self._open_rooms[name]


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


def _text_of(event: Event) -> str:
    found = event.get("text")
    if found is None:
        raise LabError("a message must be JSON text, and this is binary")
    size = len(found.encode())
    if size > MAX_BYTES:
        raise LabError(f"a message may have at most {MAX_BYTES:,} bytes, and this one has {size:,}")
    return found


def _load(room: str | Callable[[Push], Room]) -> Callable[[Push], Room]:
    if not isinstance(room, str):
        return room
    module, _, name = room.partition(":")
    return getattr(import_module(module), name)


def _push(outbox: Outbox, room: str, event: Message, key: str) -> None:
    outbox.update((room, key), _as_text({"room": room, **event}))


def _as_text(message: Message) -> str:
    return json.dumps(message, allow_nan=False, separators=(",", ":"))
