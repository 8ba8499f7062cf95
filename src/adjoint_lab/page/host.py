"""Carry out the messages of one page on the event loop: the counterpart of `serve/session.py` without threads.

The event loop gets control back after each message and after each piece of training, so messages that arrive meanwhile
are accepted within one step, and of several positions of a slider only the newest is computed.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from adjoint_lab.serve.dispatcher import ROOMS, Dispatcher, Push, Room, Rooms
from adjoint_lab.serve.outbox import Outbox
from adjoint_lab.serve.workers import LoopWorker

if TYPE_CHECKING:
    from adjoint_lab.page.learn import Checks


def _train(push: Push) -> Room:
    from adjoint_lab.rooms.train import Train

    return Train(push, LoopWorker)


def _mistakes(push: Push) -> Room:
    from adjoint_lab.rooms.mistakes import Mistakes

    return Mistakes(push, LoopWorker)


def rooms_in_page(checks: "Checks") -> Rooms:
    """Return the rooms of a page; `checks` runs the programs of Learn."""

    def learn(push: Push) -> Room:
        from adjoint_lab.page.learn import LearnInPage

        return LearnInPage(push, checks)

    return {**ROOMS, "train": _train, "mistakes": _mistakes, "learn": learn}


class Host:
    """The rooms of one page. `send` receives each reply and event as text. Create it on a running event loop."""

    def __init__(self, send: Callable[[str], object], rooms: Rooms) -> None:
        self._outbox = Outbox()
        self._dispatcher = Dispatcher(rooms, self._outbox)
        self._has_messages = asyncio.Event()

        async def send_text(text: str) -> None:
            send(text)

        self._tasks = [
            asyncio.create_task(self._outbox.send_all(send_text)),
            asyncio.create_task(self._carry_out_all()),
        ]

    def receive(self, text: str) -> None:
        """Accept a message; it is carried out soon."""
        self._dispatcher.accept(text)
        self._has_messages.set()

    async def _carry_out_all(self) -> None:
        while True:
            await self._has_messages.wait()
            self._has_messages.clear()
            while letter := self._dispatcher.take():
                self._dispatcher.carry_out(letter)
                await asyncio.sleep(0)  # accept what has arrived, and let the rooms work

    def close(self) -> None:
        """Close all rooms."""
        for task in self._tasks:
            task.cancel()
        self._outbox.close()
        self._dispatcher.close()


def start(send: Callable[[str], object], checks: "Checks") -> Host:
    """Start the rooms of a page. Called from web/src/page/engine.worker.ts."""
    return Host(send, rooms_in_page(checks))
