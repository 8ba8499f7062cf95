"""Run a lab on a real port, in a thread or in a separate process, and connect to it as a page does."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlencode

from websockets.sync.client import ClientConnection, connect

from adjoint_lab.serve.dispatcher import Rooms
from adjoint_lab.serve.gate import Gate
from adjoint_lab.serve.server import create_application, create_server, open_listener
from adjoint_lab.serve.session import Sessions

TOKEN = "the-token-of-the-tests"
TIMEOUT = 180  # seconds; only a defect reaches it, even on a busy machine with Python in the page

Found = TypeVar("Found")


@dataclass
class Lab:
    """A running lab."""

    port: int
    gate: Gate | None
    token: str = TOKEN
    place: str = field(init=False)
    has_arrays: ClassVar[bool] = True  # whether Python has NumPy there

    def __post_init__(self):
        self.place = f"127.0.0.1:{self.port}"

    @property
    def sessions(self) -> Sessions:
        assert self.gate, "the sessions of another process are out of reach"
        return self.gate.application.state.sessions

    def address(self, room: str = "", **state: object) -> str:
        """Return the address of a room, with the token and the given state."""
        return f"http://{self.place}/#{room}?{urlencode({**state, 'token': self.token})}"

    def page(self) -> ClientConnection:
        """Connect a page; a context manager."""
        return connect(**self.where())

    def where(self) -> dict[str, Any]:
        """Return the arguments with which a websockets client connects as a page does."""
        protocols = ["adjoint", self.token]
        return {
            "uri": f"ws://{self.place}/socket",
            "origin": f"http://{self.place}",
            "subprotocols": protocols,
            "proxy": None,
        }

    def request(self, path: str, headers: list[tuple[str, str]] | None = None, method: str = "GET") -> HTTPResponse:
        """Send a request with exactly these headers; by default with the correct Host only."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
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
def serving(rooms: Rooms, assets: Path = Path("no such folder")) -> Iterator[Lab]:
    """Run a lab with these rooms on a free port until the block ends."""
    with open_listener("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        gate = create_application(TOKEN, port, rooms=rooms, assets=assets)
        running = create_server(gate)
        thread = Thread(target=running.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield Lab(port, gate)
        finally:
            running.should_exit = True
            thread.join(TIMEOUT)
            assert not thread.is_alive()


@contextmanager
def lab_process(*arguments: str) -> Iterator[tuple[Lab, subprocess.Popen[str]]]:
    """Run `adjoint lab` in a separate process until the block ends; it must exit cleanly and print no errors."""
    command = [sys.executable, "-m", "adjoint", "lab", "--no-browser", "--port", "0", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout
        assert process.stderr
        try:
            printed = process.stdout.readline() + process.stdout.readline()
            found = re.fullmatch(
                r"adjoint lab: http://127\.0\.0\.1:(\d+)/#token=(\S+)\nPress Ctrl-C to stop\.\n", printed
            )
            assert found, printed + process.stderr.read()
            yield Lab(int(found[1]), None, found[2]), process
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=TIMEOUT) == ("", "")
            assert process.returncode == 0
        finally:
            process.kill()


def ask(page: ClientConnection, **message: object) -> dict[str, Any]:
    """Send a message and return the next text that arrives."""
    page.send(json.dumps({"id": 1, **message}))
    return json.loads(page.recv(timeout=TIMEOUT))


def eventually(condition: Callable[[], Found], problem: Callable[[], str] = lambda: "it never came true") -> Found:
    """Wait until a condition holds that another thread or process brings about, and return its value."""
    end = time.monotonic() + TIMEOUT
    while not (found := condition()):
        assert time.monotonic() < end, problem()
        time.sleep(0.005)
    return found
