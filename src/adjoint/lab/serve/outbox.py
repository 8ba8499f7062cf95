"""What waits to be sent to one page: replies at once, updates at most thirty times a second.

An update has a key, and of several with one key the newest is sent: a page that draws what is true now has no use for
what was true before. All updates that are unsent go in one round, and a round is a thirtieth of a second after the last
one at the earliest. So the first update after a pause is not held back at all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from threading import Lock

ROUNDS = 30  # a second, at most
FULL = 256  # replies that a page has not taken: until it has, nothing more is read from it


class Outbox:
    """Texts on their way to a page: any thread puts them in, the event loop sends them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = Lock()
        self._replies: list[str] = []
        self._updates: dict[Hashable, str] = {}
        self._woken = self._timed = self._closed = False
        self._something, self._taken = asyncio.Event(), asyncio.Event()

    def reply(self, text: str) -> None:
        """Send a text as soon as may be."""
        with self._lock:
            if not self._closed:
                self._replies.append(text)
                self._wake()

    def update(self, key: Hashable, text: str) -> None:
        """Send a text with the next round, in place of an unsent one with the same key."""
        with self._lock:
            if not self._closed:
                self._updates[key] = text
                if not self._timed:
                    self._wake()

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._loop.call_soon_threadsafe(self._something.set)

    def close(self) -> None:
        """Drop what is unsent, and all that is still to come: there is nobody to send it to."""
        with self._lock:
            self._closed = True
            self._replies.clear()
            self._updates.clear()

    async def until_taken(self) -> None:
        """Wait while the page leaves too many of its replies."""
        while len(self._replies) >= FULL:
            self._taken.clear()
            await self._taken.wait()

    async def send_all(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send what comes, until this is cancelled."""
        due = 0.0  # when the next round may be
        while True:
            await self._something.wait()
            self._something.clear()
            with self._lock:
                self._woken = False
                texts, self._replies = self._replies, []
                now = self._loop.time()
                if now >= due and self._updates:
                    due = now + 1 / ROUNDS
                    texts += self._updates.values()
                    self._updates.clear()
                elif self._updates and not self._timed:
                    self._timed = True
                    self._loop.call_later(due - now, self._round)
            self._taken.set()
            for text in texts:
                await send(text)

    def _round(self) -> None:
        self._timed = False
        self._something.set()
