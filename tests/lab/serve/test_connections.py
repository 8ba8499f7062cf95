"""A lab whose connections are used up by a program that opens many of them still answers its page."""

import contextlib
import resource
import socket

from serving import TIMEOUT, eventually, lab_process, serving

from adjoint_lab.serve import connections

FILES = 300  # that the process of the lab may open


def silent_connections(place: tuple[str, int], count: int, stack: contextlib.ExitStack) -> list[socket.socket]:
    """Open connections that send nothing."""
    return [stack.enter_context(socket.create_connection(place, timeout=TIMEOUT)) for _ in range(count)]


def test_the_page_answers_beside_more_silent_connections_than_the_lab_may_open():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))  # the process inherits the limit
    try:
        running = lab_process()
        lab, process = running.__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with contextlib.ExitStack() as stack:
        stack.push(running)  # which requires an empty standard error
        with lab.page() as page:
            silent_connections(("127.0.0.1", lab.port), 2 * FILES, stack)
            assert lab.request("/").status in (200, 503)
            page.send("not JSON")  # an open page stays open
            assert "must be JSON" in page.recv(timeout=TIMEOUT)
    assert process.returncode == 0


def test_a_connection_that_sends_no_request_is_closed(monkeypatch):
    monkeypatch.setattr(connections, "SECONDS", 0.1)
    with serving({}) as lab, contextlib.ExitStack() as stack:
        (silent,) = silent_connections(("127.0.0.1", lab.port), 1, stack)
        silent.sendall(b"GET / HT")  # the beginning of a request is not one
        with contextlib.suppress(ConnectionResetError):
            assert silent.recv(1) == b""


def test_the_oldest_connection_gives_way(monkeypatch):
    monkeypatch.setattr(connections, "MOST", 2)
    with serving({}) as lab, contextlib.ExitStack() as stack:
        place = "127.0.0.1", lab.port
        (oldest,) = silent_connections(place, 1, stack)
        silent_connections(place, 2, stack)
        with contextlib.suppress(ConnectionResetError):
            assert oldest.recv(1) == b""
        assert eventually(lambda: lab.request("/").status) in (200, 503)
