"""What waits to be sent to one page: replies at once, updates at most thirty times per second.

An update has a key. Of several unsent updates with the same key, only the newest is sent, because a page draws the
current state. All unsent updates are sent in one round. Two rounds are at least a thirtieth of a second apart, so the
first update after a pause is sent immediately.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from threading import Lock

ROUNDS = 30  # per second, at most
FULL = 256  # the limit of unsent replies of a page; above it, reading pauses


class Outbox:
    """Texts on their way to a page: any thread adds them, the event loop sends them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = Lock()
        self._replies: list[str] = []
        self._updates: dict[Hashable, str] = {}
        self._is_awake = self._has_timer = self._is_closed = False
        self._has_texts, self._is_sent = asyncio.Event(), asyncio.Event()

    def reply(self, text: str) -> None:
        """Send a text as soon as possible."""
        with self._lock:
            if not self._is_closed:
                self._replies.append(text)
                self._wake()

    def update(self, key: Hashable, text: str) -> None:
        """Send a text with the next round; it replaces an unsent one with the same key."""
        with self._lock:
            if not self._is_closed:
                self._updates[key] = text
                if not self._has_timer:
                    self._wake()

    def _wake(self) -> None:
        if not self._is_awake:
            self._is_awake = True
            self._loop.call_soon_threadsafe(self._has_texts.set)

    def close(self) -> None:
        """Drop all unsent texts, and ignore later ones: the page is gone."""
        with self._lock:
            self._is_closed = True
            self._replies.clear()
            self._updates.clear()

    async def wait_for_room(self) -> None:
        """Wait while too many replies are unsent."""
        while len(self._replies) >= FULL:
            self._is_sent.clear()
            await self._is_sent.wait()

    async def send_all(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send texts as they are added, until this is canceled."""
        due = 0.0  # the earliest time of the next round
        while True:
            await self._has_texts.wait()
            self._has_texts.clear()
            with self._lock:
                self._is_awake = False
                texts, self._replies = self._replies, []
                now = self._loop.time()
                if now >= due and self._updates:
                    due = now + 1 / ROUNDS
                    texts += self._updates.values()
                    self._updates.clear()
                elif self._updates and not self._has_timer:
                    self._has_timer = True
                    self._loop.call_later(due - now, self._round)
            self._is_sent.set()
            for text in texts:
                await send(text)

    def _round(self) -> None:
        self._has_timer = False
        self._has_texts.set()
