"""A page and its session: real sockets, a real server, and a room that does what it is told."""

import asyncio
import gc
import json
import math
import socket
import threading
import weakref
from collections.abc import Iterator
from typing import ClassVar

import pytest
from mutations import mutations
from serving import Lab, ask, eventually, serving
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from adjoint.errors import ArgumentError
from adjoint.lab.serve import session
from adjoint.lab.serve.messages import one_of, whole
from adjoint.lab.serve.session import LARGEST, MOST_SESSIONS, MOST_WAITING, ROOMS


class Workshop:
    """A room for the tests: it says what it was told, waits, pushes, and fails on demand."""

    NEWEST_WINS = frozenset({"set"})
    entrance = threading.Event()  # whether a workshop may be made
    release = threading.Event()  # what "wait" waits for
    all: ClassVar[weakref.WeakSet["Workshop"]] = weakref.WeakSet()

    def __init__(self, push):
        self.entrance.wait(30)
        self.push, self.done, self.closed = push, [], False
        self.threads: list[threading.Thread] = []
        self.all.add(self)

    def handle(self, do, message):
        one_of({"do": do}, "do", ["echo", "set", "wait", "push", "count", "fail", "nan", "list", "object", "wrong"])
        self.done.append((do, message.get("x")))
        return getattr(self, f"_{do}")(message)

    def _echo(self, message):
        return {"x": message.get("x")}

    _set = _echo

    def _wait(self, message):
        self.release.wait(30)
        return {}

    def _push(self, message):
        count = whole(message, "count", 1, 1000)

        def work():
            for i in range(count):
                self.push({"event": "counted", "i": i}, key="count")

        self.threads.append(threading.Thread(target=work))
        self.threads[-1].start()
        return {}

    def _fail(self, message):
        raise ZeroDivisionError("on demand")

    def _nan(self, message):
        return {"x": math.nan}

    def _list(self, message):
        return [1]

    def _object(self, message):
        return {"x": object()}

    def _wrong(self, message):
        raise ArgumentError("that is not how it is done; do it so")

    def close(self):
        self.closed = True
        for thread in self.threads:
            thread.join()


class Broken(Workshop):
    """A room that cannot even be closed."""

    def close(self):
        raise RuntimeError("it is jammed")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with serving({"workshop": Workshop, "broken": Broken, "nowhere": "adjoint.lab.nowhere:Nowhere"}) as lab:
        yield lab


@pytest.fixture(autouse=True)
def doors():
    Workshop.entrance.set()
    Workshop.release.clear()
    yield
    Workshop.entrance.set()
    Workshop.release.set()


@pytest.fixture
def page(lab):
    with lab.page() as page:
        yield page


def said(page) -> dict:
    return json.loads(page.recv(timeout=30))


def tell(page, id: int, do: str, **fields) -> None:
    page.send(json.dumps({"id": id, "room": "workshop", "do": do, **fields}))


def work_and_wait(page) -> Workshop:
    """Make the workshop and keep it busy; what comes next has to wait."""
    known = set(Workshop.all)
    assert ask(page, room="workshop", do="echo") == {"id": 1, "ok": {"x": None}}
    (room,) = set(Workshop.all) - known
    tell(page, 2, "wait")
    eventually(lambda: room.done[-1] == ("wait", None))
    room.done.clear()
    return room


# --- messages and their answers ------------------------------------------------------------------------------


def test_a_message_is_answered_under_its_number(page):
    assert page.subprotocol == "adjoint"
    for id in (0, 7, 2**53 - 1):
        tell(page, id, "echo", x=["é", 0.1])
        assert said(page) == {"id": id, "ok": {"x": ["é", 0.1]}}


@pytest.mark.parametrize(
    ("message", "id", "problem"),
    [
        ("", None, "a message is a JSON text, and this is none"),
        ("not JSON", None, "a message is a JSON text, and this is none"),
        (b"\x00\x01", None, "a message is a JSON text, and this is binary"),
        (b'{"id": 1, "room": "workshop", "do": "echo"}', None, "this is binary"),
        ("[]", None, "a message is a JSON object, not list []"),
        ('{"id": 1, "x": NaN}', None, "JSON has no NaN"),
        ("[" * 100_000, None, "nested at most 16 deep"),
        ('{"id": ' + "9" * 5000 + "}", None, "an integer of thousands of digits"),
        (" " * (LARGEST + 1), None, "a message has at most 262,144 bytes, and this has 262,145"),
        ("é" * (LARGEST // 2 + 1), None, "a message has at most 262,144 bytes, and this has 262,146"),
        ("{}", None, "id is missing: a whole number from 0"),
        ('{"id": "1"}', None, "id must be a whole number from 0"),
        ('{"id": -1}', None, "id must be a whole number from 0"),
        ('{"id": true}', None, "id must be a whole number from 0"),
        ('{"id": 9007199254740992}', None, "id must be a whole number from 0"),
        ('{"id": 5}', 5, "room is missing"),
        ('{"id": 5, "room": ["workshop"]}', 5, "unknown room list ['workshop']"),
        ('{"id": 5, "room": "workshoop"}', 5, "unknown room 'workshoop' (did you mean 'workshop'?)"),
        ('{"id": 5, "room": "workshop"}', 5, "do is missing"),
        ('{"id": 5, "room": "workshop", "do": 3}', 5, "do must be a text of at most 40 characters, not int 3"),
        ('{"id": 5, "room": "workshop", "do": "ecko"}', 5, "unknown do 'ecko' (did you mean 'echo'?)"),
        ('{"id": 5, "room": "workshop", "do": "push"}', 5, "count is missing: a whole number from 1 to 1000"),
        ('{"id": 5, "room": "workshop", "do": "wrong"}', 5, "that is not how it is done; do it so"),
    ],
)
def test_a_mistake_in_a_message_is_told_and_the_page_goes_on(page, message, id, problem, caplog):
    page.send(message)
    answer = said(page)
    assert list(answer) == ["id", "error"]
    assert answer["id"] == id
    assert problem in answer["error"]
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    assert not caplog.records


@pytest.mark.parametrize(
    ("room", "do", "kind"),
    [
        ("workshop", "fail", "ZeroDivisionError: on demand"),
        ("workshop", "nan", "ValueError"),
        ("workshop", "list", "TypeError: a room answers with a dict, not list"),
        ("workshop", "object", "TypeError"),
        ("nowhere", "open", "ModuleNotFoundError"),
    ],
)
def test_a_defect_in_a_room_is_told_and_logged_once_and_the_page_goes_on(page, room, do, kind, caplog):
    for _ in range(3):
        error = ask(page, room=room, do=do)["error"]
        assert error.startswith(f"the lab failed at {room}.{do} ({kind}")
        assert error.endswith("this is a defect")
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    (record,) = caplog.records
    assert record.getMessage() == f"the lab failed at {room}.{do}; this is a defect of the lab"
    assert record.exc_info


def test_a_defect_in_reading_is_told_and_logged_and_the_page_goes_on(page, caplog, monkeypatch):
    def fail(text):
        raise KeyError("in reading")

    with monkeypatch.context() as broken:
        broken.setattr(session, "read", fail)
        answer = ask(page, room="workshop", do="echo")
    assert answer["id"] is None
    assert answer["error"].startswith("the lab failed at a message that came (KeyError: 'in reading')")
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    assert len(caplog.records) == 1


def test_a_room_that_cannot_be_closed_is_logged_and_its_session_ends(lab, caplog):
    with lab.page() as page:
        assert ask(page, room="broken", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    eventually(lambda: not lab.sessions.open)
    assert [record.getMessage() for record in caplog.records] == [
        "the lab failed to close broken; this is a defect of the lab"
    ]


# --- who waits for whom --------------------------------------------------------------------------------------


def test_the_reader_does_not_wait_for_what_is_carried_out(page):
    work_and_wait(page)
    page.send("not JSON")
    assert said(page)["id"] is None
    Workshop.release.set()
    assert said(page) == {"id": 2, "ok": {}}


def test_of_several_waiting_messages_only_the_newest_is_carried_out_in_the_place_of_the_oldest(page):
    room = work_and_wait(page)
    for id in range(10, 10 + 3 * MOST_WAITING):
        tell(page, id, "set", x=id)
        if id == 10:
            tell(page, 3, "echo", x="between")
    page.send("read so far")
    assert said(page)["id"] is None
    Workshop.release.set()
    answers = [said(page) for _ in range(3)]
    last = 9 + 3 * MOST_WAITING
    assert room.done == [("set", last), ("echo", "between")]
    assert sorted(answers, key=lambda answer: answer["id"]) == [
        {"id": 2, "ok": {}},
        {"id": 3, "ok": {"x": "between"}},
        {"id": last, "ok": {"x": last}},
    ]


def test_the_newest_wins_also_among_messages_that_came_before_the_room_was_made(page):
    Workshop.entrance.clear()
    known = set(Workshop.all)
    for id in range(20):
        tell(page, id, "set", x=id)
    page.send("read so far")
    assert said(page)["id"] is None
    Workshop.entrance.set()
    while said(page)["id"] != 19:
        pass
    (room,) = set(Workshop.all) - known
    assert room.done == [("set", 0), ("set", 19)]


def test_more_messages_than_may_wait_are_refused_and_the_others_carried_out(page):
    room = work_and_wait(page)
    for id in range(100, 100 + MOST_WAITING + 2):
        tell(page, id, "echo", x=id)
    for id in (100 + MOST_WAITING, 101 + MOST_WAITING):
        expected = f"{MOST_WAITING} messages wait already; send more when some are answered"
        assert said(page) == {"id": id, "error": expected}
    Workshop.release.set()
    assert [said(page)["id"] for _ in range(MOST_WAITING + 1)] == [2, *range(100, 100 + MOST_WAITING)]
    assert len(room.done) == MOST_WAITING


def test_events_are_pushed_from_any_thread_and_the_newest_arrives(page):
    tell(page, 1, "push", count=1000)
    seen = [said(page), said(page)]
    while not any(answer.get("i") == 999 for answer in seen):
        seen.append(said(page))
    events = [answer for answer in seen if "event" in answer]
    assert [answer for answer in seen if "event" not in answer] == [{"id": 1, "ok": {}}]
    assert {(event["room"], event["event"]) for event in events} == {("workshop", "counted")}
    numbers = [event["i"] for event in events]
    assert numbers == sorted(set(numbers))


# --- pages that go away ---------------------------------------------------------------------------------------


def vanish(page) -> None:
    """Cut the connection without a word, as a computer does that is switched off."""
    page.socket.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("leave", [lambda page: page.close(), vanish])
def test_a_page_that_is_gone_leaves_nothing_behind(lab, leave):
    def come_and_go() -> tuple[list[weakref.ref], list[threading.Thread]]:
        known = set(Workshop.all)
        with lab.page() as page:
            assert ask(page, room="workshop", do="push", count=1000)
            (left,), (room,) = lab.sessions.open, set(Workshop.all) - known
            leave(page)
        eventually(lambda: not lab.sessions.open)
        assert room.closed
        return [weakref.ref(left), weakref.ref(room)], [left.thread, *room.threads]

    traces, threads = come_and_go()
    eventually(lambda: not any(thread.is_alive() for thread in threads))
    eventually(lambda: gc.collect() >= 0 and not any(trace() for trace in traces))


def test_a_page_that_leaves_while_its_room_works_is_freed_when_the_room_is_done(lab):
    with lab.page() as page:
        room, (left,) = work_and_wait(page), lab.sessions.open
        tell(page, 3, "echo", x="never carried out")
        page.send("read so far")
        assert said(page)["id"] is None
    eventually(lambda: not left.open)
    lab.sessions.join(0.01)  # whoever stops the lab does not wait for it for ever
    assert not room.closed
    Workshop.release.set()
    lab.sessions.join(30)
    assert not lab.sessions.open
    assert room.closed
    assert room.done == []


def exchange(page, message: bytes) -> None:
    page.send(message, text=True)
    page.recv(timeout=30)


@pytest.mark.parametrize("message", [b" " * (17 * LARGEST), b"\xff\xfe"])
def test_a_message_beyond_all_measure_or_of_broken_text_ends_its_own_page_alone(lab, page, message):
    with lab.page() as other, pytest.raises(ConnectionClosed):
        exchange(other, message)
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}


# --- many -----------------------------------------------------------------------------------------------------


def test_fifty_pages_at_once_are_served_each_its_own(lab):
    async def page(number: int) -> list[dict]:
        async with connect(**lab.where()) as socket:
            for id in range(20):
                await socket.send(json.dumps({"id": id, "room": "workshop", "do": "echo", "x": [number, id]}))
            return [json.loads(await socket.recv()) for _ in range(20)]

    async def pages() -> list[list[dict]]:
        return await asyncio.wait_for(asyncio.gather(*map(page, range(50))), 60)

    for number, answers in enumerate(asyncio.run(pages())):
        assert answers == [{"id": id, "ok": {"x": [number, id]}} for id in range(20)]
    eventually(lambda: not lab.sessions.open)


def test_one_page_too_many_is_told_so_and_served_when_another_has_left(lab):
    async def pages() -> None:
        first = [await connect(**lab.where()) for _ in range(MOST_SESSIONS)]
        async with connect(**lab.where()) as refused:
            with pytest.raises(ConnectionClosed) as ended:
                await refused.recv()
        assert ended.value.rcvd.code == 1013
        assert ended.value.rcvd.reason.startswith("64 pages are open already")
        await first.pop().close()
        await asyncio.to_thread(eventually, lambda: len(lab.sessions.open) < MOST_SESSIONS)
        async with connect(**lab.where()) as welcome:
            await welcome.send('{"id": 1, "room": "workshop", "do": "echo", "x": 1}')
            assert json.loads(await welcome.recv()) == {"id": 1, "ok": {"x": 1}}
        for page in first:
            await page.close()

    asyncio.run(asyncio.wait_for(pages(), 60))
    eventually(lambda: not lab.sessions.open)


VALID = [
    {"id": 1, "room": "workshop", "do": "echo", "x": [1, 2.5, "three", None]},
    {"id": 12, "room": "workshop", "do": "set", "x": 1},
    {"id": 13, "room": "workshop", "do": "push", "count": 11},
    {"id": 41, "room": "workshop", "do": "wrong"},
]


def test_ten_thousand_broken_messages_leave_the_server_answering(lab, page, caplog):
    pages, each, last = 5, 2000, 2**53 - 1

    async def flood(seed: int) -> list[dict]:
        answers = []
        async with connect(**lab.where(), max_queue=None) as socket:
            for count, message in enumerate(mutations(VALID, each, seed)):
                await socket.send(message)
                if not count % 25:
                    await asyncio.sleep(0)
            while not answers or answers[-1].get("id") != last or "ok" not in answers[-1]:
                if not answers or answers[-1].get("id") == last:  # those before it may have filled the queue
                    await socket.send(json.dumps({"id": last, "room": "workshop", "do": "echo", "x": seed}))
                answers.append(json.loads(await socket.recv()))
        return answers

    async def floods() -> list[list[dict]]:
        return await asyncio.wait_for(asyncio.gather(*map(flood, range(pages))), 60)

    everything = asyncio.run(floods())
    for seed, answers in enumerate(everything):
        assert answers[-1] == {"id": last, "ok": {"x": seed}}
        for answer in answers:
            assert set(answer) in ({"id", "ok"}, {"id", "error"}, {"room", "event", "i"})
        errors = [answer["error"] for answer in answers if "error" in answer]
        assert len(errors) > each // 2
        assert not [error for error in errors if "defect" in error]
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    assert not caplog.records


def test_the_rooms_of_the_lab_are_named_by_what_loads_them():
    assert list(ROOMS) == ["explore", "train", "mistakes", "quiz"]
    assert all(place.startswith("adjoint.lab.") and place.count(":") == 1 for place in ROOMS.values())
