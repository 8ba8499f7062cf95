"""A lab on a real port, served from a thread or by a process of its own, and pages that connect to it."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

from websockets.sync.client import connect

from adjoint.lab.serve.gate import Gate
from adjoint.lab.serve.server import application, listening, server

TOKEN = "the-token-of-the-tests"


@dataclass
class Lab:
    """A lab that is running, and how it is reached."""

    port: int
    gate: Gate | None
    token: str = TOKEN
    place: str = field(init=False)

    def __post_init__(self):
        self.place = f"127.0.0.1:{self.port}"

    @property
    def sessions(self):
        assert self.gate, "the sessions of another process are out of reach"
        return self.gate.application.state.sessions

    def address(self, room: str = "", **state: Any) -> str:
        """What a person types to come into a room, with the token and the state that the room is to have."""
        return f"http://{self.place}/#{room}?{urlencode({**state, 'token': self.token})}"

    def page(self):
        """A page that is connected; a context manager."""
        return connect(**self.where())

    def where(self) -> dict[str, Any]:
        """What a client of websockets needs to connect as a page does."""
        protocols = ["adjoint", self.token]
        return {
            "uri": f"ws://{self.place}/socket",
            "origin": f"http://{self.place}",
            "subprotocols": protocols,
            "proxy": None,
        }

    def request(self, path: str, headers: list[tuple[str, str]] | None = None, method: str = "GET") -> HTTPResponse:
        """The answer to a request with exactly these headers, by default with the right Host alone."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in [("Host", self.place)] if headers is None else headers:
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            answer.content = answer.read() if answer.status != 101 else b""
            return answer
        finally:
            connection.close()


@contextmanager
def serving(rooms: dict[str, Any], assets: Path = Path("no such folder")):
    """A lab with these rooms on a free port, until the block ends."""
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        gate = application(TOKEN, port, rooms=rooms, assets=assets)
        running = server(gate)
        thread = Thread(target=running.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield Lab(port, gate)
        finally:
            running.should_exit = True
            thread.join(30)
            assert not thread.is_alive()


@contextmanager
def lab_process(*arguments: str):
    """`adjoint lab` in a process of its own, until the block ends; it ends well and has nothing to complain about."""
    command = [sys.executable, "-m", "adjoint", "lab", "--no-browser", "--port", "0", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            said = process.stdout.readline() + process.stdout.readline()
            found = re.fullmatch(r"adjoint lab: http://127\.0\.0\.1:(\d+)/#token=(\S+)\nCtrl-C stops it\.\n", said)
            assert found, said + process.stderr.read()
            yield Lab(int(found[1]), None, found[2]), process
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=30) == ("", "")
            assert process.returncode == 0
        finally:
            process.kill()


def ask(page, **message) -> dict[str, Any]:
    """Send a message and return the next text that comes."""
    page.send(json.dumps({"id": 1, **message}))
    return json.loads(page.recv(timeout=30))


def eventually(condition: Callable[[], Any]) -> Any:
    """Wait for what another thread is about to bring about, and return it."""
    end = time.monotonic() + 30
    while not (found := condition()):
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)
    return found
