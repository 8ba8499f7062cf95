"""One page of the lab: its messages carried out by rooms, one after another, and the answers sent.

Three run side by side. A reader takes messages in as they come and never waits for one to be carried out; a thread
carries them out; a sender sends what is in the outbox. The reader and the sender are on the event loop, which belongs
to all pages, so nothing is computed there.

    page → {"id": 7, "room": "train", "do": "play", …}
    page ← {"id": 7, "ok": {…}}  or  {"id": 7, "error": "…"}      one for each message
    page ← {"room": "train", "event": "snapshot", …}              when a room has something to show

A room is a class. Its `NEWEST_WINS` names what may be skipped when it was asked for again: of several such messages
that wait, only the newest is carried out, and its reply is the reply to all of them.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Hashable, Mapping
from functools import partial
from importlib import import_module
from threading import Condition, Thread
from time import monotonic
from typing import Any, NamedTuple, Protocol

from adjoint.errors import AdjointError, LabError
from adjoint.errors.given import described
from adjoint.lab.serve.gate import PROTOCOL, Receive, Scope, Send
from adjoint.lab.serve.messages import one_of, read, text, whole
from adjoint.lab.serve.outbox import Outbox

# A room is loaded when a page first asks for it, so that the lab starts at once.
ROOMS = {
    "explore": "adjoint.lab.rooms.explore:Explore",
    "train": "adjoint.lab.rooms.train:Train",
    "mistakes": "adjoint.lab.rooms.mistakes:Mistakes",
    "quiz": "adjoint.lab.rooms.quiz:Quiz",
}
LARGEST = 256 * 1024  # bytes of a message
MOST_WAITING = 64  # messages of a page
MOST_SESSIONS = 64

_log = logging.getLogger("adjoint.lab")


class Push(Protocol):
    """Send an event to the page, from any thread; of several unsent ones with the same key, the newest."""

    def __call__(self, event: Mapping[str, Any], key: str) -> None: ...


class Room(Protocol):
    """What carries out the messages of one page that are for it."""

    NEWEST_WINS: Collection[str]

    def __init__(self, push: Push) -> None: ...

    def handle(self, do: str, message: dict[str, Any]) -> dict[str, Any]:
        """Carry out a message and return what the page is to know; raise an `AdjointError` for a mistake in it."""
        ...

    def close(self) -> None:
        """The page is gone: end all threads and let go of everything."""
        ...


Rooms = Mapping[str, str | Callable[[Push], Room]]


class _Letter(NamedTuple):
    id: int
    room: str
    do: str
    message: dict[str, Any]


class Session:
    """A page that is connected, from its first message until it is gone and its rooms are closed."""

    def __init__(self, rooms: Rooms, ended: Callable[["Session"], None]) -> None:
        self._known = rooms
        self._ended = ended
        self._made: dict[str, Room] = {}
        self._newest_wins: set[tuple[str, str]] = set()
        self._waiting: dict[Hashable, _Letter] = {}
        self._change = Condition()  # of what waits, and of whether the page is there
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
                _log.error("a page of the lab was cut off; this is a defect of the lab", exc_info=outcome)

    # --- on the event loop ---------------------------------------------------------------------------------

    async def _read_all(self, receive: Receive) -> None:
        while (event := await receive())["type"] == "websocket.receive":
            self._take_in(event)
            await self._outbox.until_taken()

    def _take_in(self, event: Mapping[str, Any]) -> None:
        """Put a message among those that wait, or answer what is wrong with it."""
        number = None
        try:
            message = read(_text_of(event))
            number = whole(message, "id", 0, 2**53 - 1)
            letter = _Letter(number, one_of(message, "room", self._known), text(message, "do", 40), message)
            with self._change:
                key = self._key(letter)
                if key not in self._waiting and len(self._waiting) >= MOST_WAITING:
                    raise LabError(f"{MOST_WAITING} messages wait already; send more when some are answered")
                self._waiting[key] = letter
                self._change.notify()
        except Exception as error:
            self._outbox.reply(_written({"id": number, "error": self._problem("a message that came", error)}))

    def _key(self, letter: _Letter) -> Hashable:
        """Return what a message shares with those that it replaces; a replaced one gives it its place in the queue."""
        about = (letter.room, letter.do)
        return about if about in self._newest_wins else object()

    def _problem(self, place: str, error: Exception) -> str:
        """Return what the page is told of an error; if it is a defect of ours, log it, once."""
        if isinstance(error, AdjointError):
            return str(error)
        kind = type(error)
        if (place, kind) not in self._logged:  # a slider would repeat it sixty times a second
            self._logged.add((place, kind))
            _log.error("the lab failed at %s; this is a defect of the lab", place, exc_info=error)
        return f"the lab failed at {place} ({kind.__name__}: {error}); this is a defect"

    # --- in the thread of the session ----------------------------------------------------------------------

    def _carry_out_all(self) -> None:
        while letter := self._next():
            answer = self._answer(letter)
            if (letter.room, letter.do) in self._newest_wins:
                self._outbox.update(("reply", letter.room, letter.do), answer)
            else:
                self._outbox.reply(answer)
        for name, room in self._made.items():
            try:
                room.close()
            except Exception:
                _log.exception("the lab failed to close %s; this is a defect of the lab", name)
        self._made.clear()
        self._ended(self)

    def _next(self) -> _Letter | None:
        """Wait for a message; None when the page is gone."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or not self.open)
            return self._waiting.pop(next(iter(self._waiting))) if self.open else None

    def _answer(self, letter: _Letter) -> str:
        try:
            done = self._room(letter.room).handle(letter.do, letter.message)
            if not isinstance(done, dict):
                raise TypeError(f"a room answers with a dict, not {described(done)}")
            return _written({"id": letter.id, "ok": done})
        except Exception as error:
            return _written({"id": letter.id, "error": self._problem(f"{letter.room}.{letter.do}", error)})

    def _room(self, name: str) -> Room:
        if name not in self._made:
            room = self._made[name] = _loaded(self._known[name])(partial(_push, self._outbox, name))
            with self._change:  # what came before this was known is sorted again
                self._newest_wins |= {(name, do) for do in room.NEWEST_WINS}
                self._waiting = {self._key(letter): letter for letter in self._waiting.values()}
        return self._made[name]


class Sessions:
    """All pages that are connected: the application behind the WebSocket."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self.open: set[Session] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one page until it is gone."""
        await receive()
        await send({"type": "websocket.accept", "subprotocol": PROTOCOL})
        if len(self.open) >= MOST_SESSIONS:
            reason = f"{MOST_SESSIONS} pages are open already, and the lab serves no more: close one, then reload"
            await send({"type": "websocket.close", "code": 1013, "reason": reason})
            return
        session = Session(self.rooms, self.open.discard)
        self.open.add(session)
        await session.serve(receive, send)

    def join(self, seconds: float) -> None:
        """Wait until all rooms are closed, but no longer than this."""
        end = monotonic() + seconds
        for session in list(self.open):
            session.thread.join(max(0.0, end - monotonic()))


def _text_of(event: Mapping[str, Any]) -> str:
    found = event.get("text")
    if found is None:
        raise LabError("a message is a JSON text, and this is binary")
    size = len(found.encode())
    if size > LARGEST:
        raise LabError(f"a message has at most {LARGEST:,} bytes, and this has {size:,}")
    return found


def _loaded(room: str | Callable[[Push], Room]) -> Callable[[Push], Room]:
    if not isinstance(room, str):
        return room
    module, _, name = room.partition(":")
    return getattr(import_module(module), name)


def _push(outbox: Outbox, room: str, event: Mapping[str, Any], key: str) -> None:
    outbox.update((room, key), _written({"room": room, **event}))


def _written(message: Mapping[str, Any]) -> str:
    return json.dumps(message, allow_nan=False, separators=(",", ":"))
