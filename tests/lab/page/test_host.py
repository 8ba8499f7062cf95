"""The rooms of a page without a server: messages are carried out on an event loop, without threads."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from clockwork import Clockwork

from adjoint.errors import ArgumentError
from adjoint_lab.page.host import Host, rooms_in_page
from adjoint_lab.serve.dispatcher import MAX_BYTES, MAX_WAITING
from adjoint_lab.serve.outbox import ROUNDS
from adjoint_lab.serve.workers import LoopWorker


class Workshop:
    """A room for the tests: it echoes, works in pieces of a millisecond, pushes events, and fails on demand."""

    NEWEST_WINS = frozenset({"set"})

    def __init__(self, push):
        self.push, self.done, self.pieces, self.is_working = push, [], 0, False
        self.worker = LoopWorker("workshop", self._work)

    def handle(self, do, message):
        self.done.append((do, message.get("x")))
        return self.worker.ask(getattr(self, f"_{do}"), message)

    def _echo(self, message):
        return {"x": message.get("x")}

    _set = _echo

    def _start(self, message):
        self.is_working = True
        return {}

    def _stop(self, message):
        self.is_working = False
        return {"pieces": self.pieces}

    def _fail(self, message):
        raise ZeroDivisionError("on demand")

    def _wrong(self, message):
        raise ArgumentError("this is wrong; do it differently")

    def _work(self):
        if not self.is_working:
            return None
        self.pieces += 1
        self.push({"event": "piece", "count": self.pieces}, "piece")
        return 0.001

    def close(self):
        self.worker.close()


class Page:
    """A page with a host, and what it receives."""

    def __init__(self, rooms):
        self.received: list[dict[str, Any]] = []
        self.host = Host(self._receive, rooms)

    def _receive(self, text: str) -> None:
        self.received.append(json.loads(text))

    def send(self, id: int, do: str, room: str = "workshop", **fields: object) -> None:
        self.host.receive(json.dumps({"id": id, "room": room, "do": do, **fields}))

    async def answer(self, id: int) -> dict[str, Any]:
        """Wait for the answer to a message."""
        while True:
            if found := [x for x in self.received if x.get("id") == id]:
                return found[0]
            await asyncio.sleep(0.001)

    def events(self, name: str) -> list[dict[str, Any]]:
        return [x for x in self.received if x.get("event") == name]


def play(script: Callable[[Page], Coroutine[Any, Any, None]], rooms: Any = None, loop: Any = Clockwork) -> Page:
    async def run() -> Page:
        page = Page(rooms or {"workshop": Workshop})
        await script(page)
        page.host.close()
        return page

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(run())


def test_answers_and_errors_are_those_of_the_served_lab(caplog):
    async def script(page):
        page.send(1, "echo", x=["é", 0.1])
        assert await page.answer(1) == {"id": 1, "ok": {"x": ["é", 0.1]}}
        page.send(2, "wrong")
        assert await page.answer(2) == {"id": 2, "error": "this is wrong; do it differently"}
        page.send(3, "echo", room="workshoop")
        assert (await page.answer(3))["error"].startswith("unknown room 'workshoop' (did you mean 'workshop'?)")
        page.host.receive("not JSON")
        page.host.receive(" " * (MAX_BYTES + 1))
        page.send(4, "fail")
        error = (await page.answer(4))["error"]
        assert error == "the lab failed at workshop.fail (ZeroDivisionError: on demand); this is a bug"
        page.send(5, "echo", x=1)
        assert await page.answer(5) == {"id": 5, "ok": {"x": 1}}

    page = play(script)
    assert [x["error"][:30] for x in page.received if x["id"] is None] == [
        "a message must be JSON, and th",
        "a message may have at most 262",
    ]
    assert [record.getMessage() for record in caplog.records] == [
        "the lab failed at workshop.fail; this is a bug in the lab"
    ]


def test_of_several_waiting_messages_only_the_newest_is_carried_out():
    rooms: list[Workshop] = []

    async def script(page):
        page.send(1, "echo")
        await page.answer(1)
        for id in range(10, 10 + 2 * MAX_WAITING):
            page.send(id, "set", x=id)
        page.send(3, "echo", x="after")
        await page.answer(3)
        await asyncio.sleep(1)

    page = play(script, {"workshop": lambda push: rooms.append(Workshop(push)) or rooms[0]})
    last = 9 + 2 * MAX_WAITING
    assert rooms[0].done == [("echo", None), ("set", last), ("echo", "after")]
    assert [x["id"] for x in page.received] == [1, 3, last]


def test_messages_are_carried_out_between_two_pieces_of_work_and_events_arrive_thirty_times_per_second():
    async def script(page):
        page.send(1, "start")
        await asyncio.sleep(2)
        page.send(2, "stop")
        page.send(3, "echo")
        answer = await page.answer(3)
        assert answer == {"id": 3, "ok": {"x": None}}
        pieces = (await page.answer(2))["ok"]["pieces"]
        await asyncio.sleep(1)
        assert page.events("piece")[-1]["count"] == pieces  # no piece after the message

    page = play(script)
    counts = [event["count"] for event in page.events("piece")]
    assert counts == sorted(set(counts))
    assert 1900 < counts[-1] <= 2001
    assert len(counts) <= 2 * ROUNDS + 2


def test_closing_ends_the_work_and_nothing_is_sent_afterwards():
    async def script(page):
        page.send(1, "start")
        await asyncio.sleep(0.1)
        page.host.close()
        count = len(page.received)
        page.send(2, "echo")
        await asyncio.sleep(1)
        assert len(page.received) == count

    assert play(script).events("piece")


class NoChecks:
    """Stands for the worker that checks programs."""

    def prepare(self):
        pass

    async def run(self, request, seconds):
        return json.dumps({"report": None, "printed": ""})

    def kill(self):
        pass


def test_every_room_works_without_threads():
    threads = threading.active_count()

    async def script(page):
        requests = {"explore": "presets", "train": "choices", "mistakes": "list", "quiz": "list", "learn": "course"}
        for id, (room, do) in enumerate(requests.items()):
            page.send(id, do, room)
            assert "ok" in await page.answer(id), page.received[-1]
        page.send(10, "play", "train")
        assert (await page.answer(10))["ok"] == {"playing": True}
        while not page.events("snapshot"):
            await asyncio.sleep(0.001)
        page.send(11, "pause", "train")
        assert (await page.answer(11))["ok"] == {"playing": False}
        assert threading.active_count() == threads

    page = play(script, rooms_in_page(NoChecks()), loop=None)
    assert page.events("snapshot")[-1]["step"] > 0
