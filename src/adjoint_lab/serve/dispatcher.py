"""Read the messages of one page, carry them out in its rooms, and answer: no threads and no sockets.

    page → {"id": 7, "room": "train", "do": "play", …}
    page ← {"id": 7, "ok": {…}}  or  {"id": 7, "error": "…"}      one for each message
    page ← {"room": "train", "event": "snapshot", …}              when a room has something to show

A room is a class. Its `NEWEST_WINS` names the messages that may be skipped: of several that wait, only the newest is
carried out, and its reply answers all of them.

`serve/session.py` uses a dispatcher for a page of the server, `page/host.py` for the static site, where Python runs in
the browser.
"""

import json
import logging
from collections.abc import Callable, Collection, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from adjoint.errors import AdjointError, LabError, describe
from adjoint_lab.serve.messages import Message, one_of, read, text, whole
from adjoint_lab.serve.outbox import Outbox

# A room is imported when a page first uses it, so that the lab starts quickly.
ROOMS = {
    "explore": "adjoint_lab.rooms.explore:Explore",
    "train": "adjoint_lab.rooms.train:Train",
    "mistakes": "adjoint_lab.rooms.mistakes:Mistakes",
    "quiz": "adjoint_lab.rooms.quiz:Quiz",
    "learn": "adjoint_lab.rooms.learn:Learn",
}
MAX_BYTES = 256 * 1024  # of a message
MAX_WAITING = 64  # messages of a page

_log = logging.getLogger("adjoint_lab")


class Push(Protocol):
    """Send an event to the page, from any thread; of several unsent events with the same key, only the newest."""

    def __call__(self, event: Message, key: str) -> None: ...


class Room(Protocol):
    """Carries out the messages of one page."""

    @property
    def NEWEST_WINS(self) -> Collection[str]:
        """The names of messages of which only the newest is carried out."""
        ...

    def handle(self, do: str, message: Message) -> Mapping[str, object]:
        """Carry out a message and return the answer; raise an `AdjointError` for a mistake in the message."""
        ...

    def close(self) -> None:
        """End all threads and release everything: the page is gone."""
        ...


Rooms = Mapping[str, str | Callable[[Push], Room]]


class Letter(NamedTuple):
    """A message that waits to be carried out."""

    id: int
    room: str
    do: str
    message: Message


class Dispatcher:
    """The waiting messages and the open rooms of one page. Replies and events go to its outbox.

    Messages may be accepted in one thread and carried out in another. `guard` is then the lock of the queue.
    """

    def __init__(self, rooms: Rooms, outbox: Outbox, guard: AbstractContextManager[Any] | None = None) -> None:
        self._known_rooms = rooms
        self._outbox = outbox
        self._guard = guard or nullcontext()
        self._open_rooms: dict[str, Room] = {}
        self._newest_wins: set[tuple[str, str]] = set()
        self._waiting: dict[Hashable, Letter] = {}
        self._logged: set[tuple[str, type]] = set()

    def accept(self, given: str | None) -> None:
        """Queue a message, or reply what is wrong with it. None stands for binary data."""
        number = None
        try:
            message = read(_checked(given))
            number = whole(message, "id", 0, 2**53 - 1)
            letter = Letter(number, one_of(message, "room", self._known_rooms), text(message, "do", 40), message)
            with self._guard:
                key = self._key(letter)
                if key not in self._waiting and len(self._waiting) >= MAX_WAITING:
                    raise LabError(f"{MAX_WAITING} messages are waiting already; wait for some answers first")
                self._waiting[key] = letter
        except Exception as error:
            self._outbox.reply(_as_text({"id": number, "error": self._error_text("reading a message", error)}))

    def _key(self, letter: Letter) -> Hashable:
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

    @property
    def is_waiting(self) -> bool:
        """Return True if a message waits."""
        return bool(self._waiting)

    def take(self) -> Letter | None:
        """Remove the first waiting message from the queue and return it; None if there is none."""
        with self._guard:
            return self._waiting.pop(next(iter(self._waiting))) if self._waiting else None

    def carry_out(self, letter: Letter) -> None:
        """Carry out a message in its room, and reply."""
        try:
            answer = self._room(letter.room).handle(letter.do, letter.message)
            if not isinstance(answer, dict):
                raise TypeError(f"a room must answer with a dict, not {describe(answer)}")
            reply = _as_text({"id": letter.id, "ok": answer})
        except Exception as error:
            reply = _as_text({"id": letter.id, "error": self._error_text(f"{letter.room}.{letter.do}", error)})
        if (letter.room, letter.do) in self._newest_wins:
            self._outbox.update(("reply", letter.room, letter.do), reply)
        else:
            self._outbox.reply(reply)

    def _room(self, name: str) -> Room:
        if name not in self._open_rooms:
            room = self._open_rooms[name] = _load(self._known_rooms[name])(partial(_push, self._outbox, name))
            with self._guard:  # messages that arrived before `NEWEST_WINS` was known are queued again
                self._newest_wins |= {(name, do) for do in room.NEWEST_WINS}
                self._waiting = {self._key(letter): letter for letter in self._waiting.values()}
        return self._open_rooms[name]

    def close(self) -> None:
        """Close all rooms: the page is gone."""
        for name, room in self._open_rooms.items():
            try:
                room.close()
            except Exception:
                _log.exception("the lab failed to close %s; this is a bug in the lab", name)
        self._open_rooms.clear()


def _checked(given: str | None) -> str:
    if given is None:
        raise LabError("a message must be JSON text, and this is binary")
    size = len(given.encode())
    if size > MAX_BYTES:
        raise LabError(f"a message may have at most {MAX_BYTES:,} bytes, and this one has {size:,}")
    return given


def _load(room: str | Callable[[Push], Room]) -> Callable[[Push], Room]:
    if not isinstance(room, str):
        return room
    module, _, name = room.partition(":")
    return getattr(import_module(module), name)


def _push(outbox: Outbox, room: str, event: Message, key: str) -> None:
    outbox.update((room, key), _as_text({"room": room, **event}))


def _as_text(message: Message) -> str:
    return json.dumps(message, allow_nan=False, separators=(",", ":"))
