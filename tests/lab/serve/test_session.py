"""A page and its session: real sockets, a real server, and a room that the tests control."""

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
from serving import TIMEOUT, Lab, ask, eventually, serving
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from adjoint.errors import ArgumentError
from adjoint_lab.serve import dispatcher
from adjoint_lab.serve.dispatcher import MAX_BYTES, MAX_WAITING, ROOMS
from adjoint_lab.serve.messages import one_of, whole
from adjoint_lab.serve.session import MAX_SESSIONS


class Workshop:
    """A room for the tests: it echoes, waits, pushes events, and fails on demand."""

    NEWEST_WINS = frozenset({"set"})
    entrance = threading.Event()  # set while a workshop may be created
    release = threading.Event()  # ends the command "wait"
    all: ClassVar[weakref.WeakSet["Workshop"]] = weakref.WeakSet()

    def __init__(self, push):
        self.entrance.wait(TIMEOUT)
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
        self.release.wait(TIMEOUT)
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
        raise ArgumentError("this is wrong; do it differently")

    def close(self):
        self.closed = True
        for thread in self.threads:
            thread.join()


class Broken(Workshop):
    """A room that cannot be closed."""

    def close(self):
        raise RuntimeError("it is jammed")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with serving({"workshop": Workshop, "broken": Broken, "nowhere": "adjoint_lab.nowhere:Nowhere"}) as lab:
        yield lab


@pytest.fixture(autouse=True)
def reset_events():
    Workshop.entrance.set()
    Workshop.release.clear()
    yield
    Workshop.entrance.set()
    Workshop.release.set()


@pytest.fixture
def page(lab):
    with lab.page() as page:
        yield page


def receive(page) -> dict:
    return json.loads(page.recv(timeout=TIMEOUT))


def send(page, id: int, do: str, **fields) -> None:
    page.send(json.dumps({"id": id, "room": "workshop", "do": do, **fields}))


def work_and_wait(page) -> Workshop:
    """Create the workshop and keep it busy, so that later messages wait."""
    known = set(Workshop.all)
    assert ask(page, room="workshop", do="echo") == {"id": 1, "ok": {"x": None}}
    (room,) = set(Workshop.all) - known
    send(page, 2, "wait")
    eventually(lambda: room.done[-1] == ("wait", None))
    room.done.clear()
    return room


# --- messages and answers ------------------------------------------------------------------------------------


def test_an_answer_has_the_id_of_its_message(page):
    assert page.subprotocol == "adjoint"
    for id in (0, 7, 2**53 - 1):
        send(page, id, "echo", x=["é", 0.1])
        assert receive(page) == {"id": id, "ok": {"x": ["é", 0.1]}}


@pytest.mark.parametrize(
    ("message", "id", "problem"),
    [
        ("", None, "a message must be JSON, and this is not"),
        ("not JSON", None, "a message must be JSON, and this is not"),
        (b"\x00\x01", None, "a message must be JSON text, and this is binary"),
        (b'{"id": 1, "room": "workshop", "do": "echo"}', None, "this is binary"),
        ("[]", None, "a message must be a JSON object, not list []"),
        ('{"id": 1, "x": NaN}', None, "JSON has no NaN"),
        ("[" * 100_000, None, "nested at most 16 deep"),
        ('{"id": ' + "9" * 5000 + "}", None, "an integer with thousands of digits"),
        (" " * (MAX_BYTES + 1), None, "a message may have at most 262,144 bytes, and this one has 262,145"),
        ("é" * (MAX_BYTES // 2 + 1), None, "a message may have at most 262,144 bytes, and this one has 262,146"),
        ("{}", None, "id is missing; send a whole number from 0"),
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
        ('{"id": 5, "room": "workshop", "do": "push"}', 5, "count is missing; send a whole number from 1 to 1000"),
        ('{"id": 5, "room": "workshop", "do": "wrong"}', 5, "this is wrong; do it differently"),
    ],
)
def test_a_mistake_in_a_message_is_an_error_and_the_session_continues(page, message, id, problem, caplog):
    page.send(message)
    answer = receive(page)
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
        ("workshop", "list", "TypeError: a room must answer with a dict, not list"),
        ("workshop", "object", "TypeError"),
        ("nowhere", "open", "ModuleNotFoundError"),
    ],
)
def test_a_bug_in_a_room_is_reported_and_logged_once_and_the_session_continues(page, room, do, kind, caplog):
    for _ in range(3):
        error = ask(page, room=room, do=do)["error"]
        assert error.startswith(f"the lab failed at {room}.{do} ({kind}")
        assert error.endswith("this is a bug")
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    (record,) = caplog.records
    assert record.getMessage() == f"the lab failed at {room}.{do}; this is a bug in the lab"
    assert record.exc_info


def test_a_bug_in_reading_is_reported_and_logged_and_the_session_continues(page, caplog, monkeypatch):
    def fail(text):
        raise KeyError("in reading")

    with monkeypatch.context() as broken:
        broken.setattr(dispatcher, "read", fail)
        answer = ask(page, room="workshop", do="echo")
    assert answer["id"] is None
    assert answer["error"].startswith("the lab failed at reading a message (KeyError: 'in reading')")
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    assert len(caplog.records) == 1


def test_a_failure_to_close_a_room_is_logged_and_the_session_ends(lab, caplog):
    with lab.page() as page:
        assert ask(page, room="broken", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    eventually(lambda: not lab.sessions.open)
    assert [record.getMessage() for record in caplog.records] == [
        "the lab failed to close broken; this is a bug in the lab"
    ]


# --- waiting -------------------------------------------------------------------------------------------------


def test_reading_does_not_wait_for_a_busy_room(page):
    work_and_wait(page)
    page.send("not JSON")
    assert receive(page)["id"] is None
    Workshop.release.set()
    assert receive(page) == {"id": 2, "ok": {}}


def test_of_several_waiting_messages_only_the_newest_is_carried_out_at_the_position_of_the_oldest(page):
    room = work_and_wait(page)
    for id in range(10, 10 + 3 * MAX_WAITING):
        send(page, id, "set", x=id)
        if id == 10:
            send(page, 3, "echo", x="between")
    page.send("read so far")
    assert receive(page)["id"] is None
    Workshop.release.set()
    answers = [receive(page) for _ in range(3)]
    last = 9 + 3 * MAX_WAITING
    assert room.done == [("set", last), ("echo", "between")]
    assert sorted(answers, key=lambda answer: answer["id"]) == [
        {"id": 2, "ok": {}},
        {"id": 3, "ok": {"x": "between"}},
        {"id": last, "ok": {"x": last}},
    ]


def test_the_newest_also_wins_among_messages_that_arrive_before_the_room_is_created(page):
    Workshop.entrance.clear()
    known = set(Workshop.all)
    for id in range(20):
        send(page, id, "set", x=id)
    page.send("read so far")
    assert receive(page)["id"] is None
    Workshop.entrance.set()
    while receive(page)["id"] != 19:
        pass
    (room,) = set(Workshop.all) - known
    assert room.done == [("set", 0), ("set", 19)]


def test_messages_beyond_the_limit_are_refused_and_the_others_carried_out(page):
    room = work_and_wait(page)
    for id in range(100, 100 + MAX_WAITING + 2):
        send(page, id, "echo", x=id)
    for id in (100 + MAX_WAITING, 101 + MAX_WAITING):
        expected = f"{MAX_WAITING} messages are waiting already; wait for some answers first"
        assert receive(page) == {"id": id, "error": expected}
    Workshop.release.set()
    assert [receive(page)["id"] for _ in range(MAX_WAITING + 1)] == [2, *range(100, 100 + MAX_WAITING)]
    assert len(room.done) == MAX_WAITING


def test_events_can_be_pushed_from_any_thread_and_the_newest_arrives(page):
    send(page, 1, "push", count=1000)
    seen = [receive(page), receive(page)]
    while not any(answer.get("i") == 999 for answer in seen):
        seen.append(receive(page))
    events = [answer for answer in seen if "event" in answer]
    assert [answer for answer in seen if "event" not in answer] == [{"id": 1, "ok": {}}]
    assert {(event["room"], event["event"]) for event in events} == {("workshop", "counted")}
    numbers = [event["i"] for event in events]
    assert numbers == sorted(set(numbers))


# --- pages that disconnect --------------------------------------------------------------------------------------


def vanish(page) -> None:
    """Cut the connection without closing it, like a computer that loses power."""
    page.socket.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("leave", [lambda page: page.close(), vanish])
def test_a_disconnected_page_leaves_nothing_behind(lab, leave):
    def connect_and_leave() -> tuple[list[weakref.ref], list[threading.Thread]]:
        known = set(Workshop.all)
        with lab.page() as page:
            assert ask(page, room="workshop", do="push", count=1000)
            (left,), (room,) = lab.sessions.open, set(Workshop.all) - known
            leave(page)
        eventually(lambda: not lab.sessions.open)
        assert room.closed
        return [weakref.ref(left), weakref.ref(room)], [left.thread, *room.threads]

    traces, threads = connect_and_leave()
    eventually(lambda: not any(thread.is_alive() for thread in threads))
    eventually(lambda: gc.collect() >= 0 and not any(trace() for trace in traces))


def test_a_page_that_disconnects_from_a_busy_room_is_freed_when_the_room_is_done(lab):
    with lab.page() as page:
        room, (left,) = work_and_wait(page), lab.sessions.open
        send(page, 3, "echo", x="never carried out")
        page.send("read so far")
        assert receive(page)["id"] is None
    eventually(lambda: not left.open)
    lab.sessions.join(0.01)  # stopping the lab does not wait indefinitely
    assert not room.closed
    Workshop.release.set()
    lab.sessions.join(TIMEOUT)
    assert not lab.sessions.open
    assert room.closed
    assert room.done == []


def exchange(page, message: bytes) -> None:
    page.send(message, text=True)
    page.recv(timeout=TIMEOUT)


@pytest.mark.parametrize("message", [b" " * (17 * MAX_BYTES), b"\xff\xfe"])
def test_a_huge_or_undecodable_message_ends_only_its_own_session(lab, page, message):
    with lab.page() as other, pytest.raises(ConnectionClosed):
        exchange(other, message)
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}


# --- many pages and messages ------------------------------------------------------------------------------------


def test_fifty_concurrent_pages_get_their_own_answers(lab):
    async def page(number: int) -> list[dict]:
        async with connect(**lab.where()) as socket:
            for id in range(20):
                await socket.send(json.dumps({"id": id, "room": "workshop", "do": "echo", "x": [number, id]}))
            return [json.loads(await socket.recv()) for _ in range(20)]

    async def pages() -> list[list[dict]]:
        return await asyncio.wait_for(asyncio.gather(*map(page, range(50))), 4 * TIMEOUT)

    for number, answers in enumerate(asyncio.run(pages())):
        assert answers == [{"id": id, "ok": {"x": [number, id]}} for id in range(20)]
    eventually(lambda: not lab.sessions.open)


def test_a_page_beyond_the_limit_is_refused_until_another_disconnects(lab):
    async def pages() -> None:
        first = [await connect(**lab.where()) for _ in range(MAX_SESSIONS)]
        async with connect(**lab.where()) as refused:
            with pytest.raises(ConnectionClosed) as ended:
                await refused.recv()
        assert ended.value.rcvd.code == 1013
        assert ended.value.rcvd.reason.startswith("64 pages of this lab are open")
        await first.pop().close()
        await asyncio.to_thread(eventually, lambda: len(lab.sessions.open) < MAX_SESSIONS)
        async with connect(**lab.where()) as welcome:
            await welcome.send('{"id": 1, "room": "workshop", "do": "echo", "x": 1}')
            assert json.loads(await welcome.recv()) == {"id": 1, "ok": {"x": 1}}
        for page in first:
            await page.close()

    asyncio.run(asyncio.wait_for(pages(), 4 * TIMEOUT))
    eventually(lambda: not lab.sessions.open)


VALID = [
    {"id": 1, "room": "workshop", "do": "echo", "x": [1, 2.5, "three", None]},
    {"id": 12, "room": "workshop", "do": "set", "x": 1},
    {"id": 13, "room": "workshop", "do": "push", "count": 11},
    {"id": 41, "room": "workshop", "do": "wrong"},
]


def test_the_server_survives_ten_thousand_broken_messages(lab, page, caplog):
    pages, each, last = 5, 2000, 2**53 - 1

    async def flood(seed: int) -> list[dict]:
        answers = []
        async with connect(**lab.where(), max_queue=None) as socket:
            for count, message in enumerate(mutations(VALID, each, seed)):
                await socket.send(message)
                if not count % 25:
                    await asyncio.sleep(0)
            while not answers or answers[-1].get("id") != last or "ok" not in answers[-1]:
                if not answers or answers[-1].get("id") == last:  # the queue may have been full
                    await socket.send(json.dumps({"id": last, "room": "workshop", "do": "echo", "x": seed}))
                answers.append(json.loads(await socket.recv()))
        return answers

    async def floods() -> list[list[dict]]:
        return await asyncio.wait_for(asyncio.gather(*map(flood, range(pages))), 4 * TIMEOUT)

    everything = asyncio.run(floods())
    for seed, answers in enumerate(everything):
        assert answers[-1] == {"id": last, "ok": {"x": seed}}
        for answer in answers:
            assert set(answer) in ({"id", "ok"}, {"id", "error"}, {"room", "event", "i"})
        errors = [answer["error"] for answer in answers if "error" in answer]
        assert len(errors) > each // 2
        assert not [error for error in errors if "this is a bug" in error]
    assert ask(page, room="workshop", do="echo", x=1) == {"id": 1, "ok": {"x": 1}}
    assert not caplog.records


def test_the_rooms_of_the_lab_are_given_as_module_and_class():
    assert list(ROOMS) == ["explore", "train", "mistakes", "quiz", "learn"]
    assert all(place.startswith("adjoint_lab.") and place.count(":") == 1 for place in ROOMS.values())
