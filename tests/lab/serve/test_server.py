"""The addresses of the lab, how it starts, and the errors when it cannot."""

import errno
import re
import socket
import sys
import threading
import webbrowser

import pytest
from closeness import require_close
from serving import TIMEOUT, Lab, ask, eventually, serving

from adjoint.errors import LabError, MissingExtraError
from adjoint_lab.serve import server
from adjoint_lab.serve.gate import LOOPBACK
from adjoint_lab.serve.server import ASSETS, hosts_for, open_listener, run


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_loopback_address_allows_all_three_names(host):
    assert hosts_for(host) == LOOPBACK


@pytest.mark.parametrize("host", ["192.168.1.5", "10.0.0.1", "2001:db8::1", "machine.lan", "127.0.0.1.evil.example"])
def test_a_remote_address_must_be_allowed(host):
    with pytest.raises(LabError, match=f"--host {host} would let other machines reach this lab; add --allow-remote"):
        hosts_for(host)
    name = f"[{host}]" if ":" in host else host
    assert hosts_for(host, allow_remote=True) == (name, *LOOPBACK)


def test_another_loopback_address_is_an_additional_name():
    assert hosts_for("127.0.0.2") == ("127.0.0.2", *LOOPBACK)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
@pytest.mark.parametrize("allow_remote", [False, True])
def test_the_unspecified_address_is_always_refused(host, allow_remote):
    with pytest.raises(
        LabError, match=r"binds all addresses of this machine.*give an address such as --host 192\.168\.1\.5"
    ):
        hosts_for(host, allow_remote)


def test_port_0_takes_a_free_port_and_a_port_in_use_is_an_error():
    with open_listener("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        expected = rf"port {port} is in use, perhaps by another lab; try --port {port + 1}, or --port 0 for any"
        with pytest.raises(LabError, match=expected):
            open_listener("127.0.0.1", port)
    with open_listener("127.0.0.1", port) as again:  # immediately, without waiting for old connections
        assert again.getsockname()[1] == port


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (OSError(errno.EACCES, "Permission denied"), "you do not have permission to open port 80; try --port 8731"),
        (
            OSError(errno.EADDRNOTAVAIL, "Cannot assign"),
            "does not have the address 192.0.2.1; omit --host",
        ),
        (socket.gaierror(-2, "Name or service not known"), "this machine does not have the address 192.0.2.1"),
        (OSError(errno.EMFILE, "Too many open files"), "cannot listen at 192.0.2.1, port 80: Too many open files"),
    ],
)
def test_an_unavailable_address_is_a_readable_error(monkeypatch, error, problem):
    def refuse(*arguments, **options):
        raise error

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(LabError, match=problem):
        open_listener("192.0.2.1", 80)


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "websockets"])
def test_a_missing_library_names_the_extra(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"adjoint lab needs {name}.*pip install 'adjoint-autograd\[lab\]'"):
        run(port=0)


def test_a_missing_page_says_how_to_build_it():
    with serving({}) as lab:
        answer = lab.request("/")
        assert (answer.status, answer.content) == (503, b"the page is not built; run `make web`\n")
        assert lab.request("/assets/main.js").status == 404


@pytest.mark.skipif(not ASSETS.is_dir(), reason="the page is not built; run `make web`")
def test_all_files_of_the_page_are_served_with_their_media_type():
    kinds = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    with serving({}, ASSETS) as lab:
        for path in ASSETS.iterdir():
            answer = lab.request(f"/assets/{path.name}")
            assert answer.content == path.read_bytes()
            assert answer.getheader("Content-Type").startswith(kinds.get(path.suffix, "text/plain"))


@pytest.fixture
def started(monkeypatch, capsys):
    """Start a lab in a thread; return it with its address and the list of addresses opened in a browser."""
    made, opened, threads = [], [], []
    real = server.create_server
    monkeypatch.setattr(server, "create_server", lambda gate: made.append((real(gate), gate)) or made[-1][0])
    monkeypatch.setattr(webbrowser, "open", opened.append)

    def start(**options):
        before = len(made)
        threads.append(threading.Thread(target=run, kwargs={"port": 0, **options}, daemon=True))
        threads[-1].start()
        eventually(lambda: len(made) > before and made[-1][0].started)
        printed = re.match(
            r"adjoint lab: (http://.*:(\d+)/#token=(\S+))\nPress Ctrl-C to stop\.\n$", capsys.readouterr().out
        )
        address, port, token = printed.groups()
        return Lab(int(port), made[-1][1], token), address, opened

    yield start
    for running, _ in made:
        running.should_exit = True
    for thread in threads:
        thread.join(TIMEOUT)
        assert not thread.is_alive()


def test_the_address_is_printed_and_opened_in_the_browser(monkeypatch, started):
    monkeypatch.setenv("DISPLAY", ":0")
    lab, address, opened = started()
    assert address == f"http://127.0.0.1:{lab.port}/#token={lab.token}"
    assert len(lab.token) == 43  # 32 random bytes
    eventually(lambda: opened == [address])
    with lab.page() as page:
        assert ask(page, room="nowhere", do="x")["error"].startswith("unknown room 'nowhere'")


def test_no_browser_opens_without_a_display_or_with_open_browser_false(monkeypatch, started):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    assert started()[2] == []
    monkeypatch.setenv("DISPLAY", ":0")
    assert started(open_browser=False)[2] == []


def test_every_lab_has_its_own_token(started):
    (first, *_), (second, *_) = started(open_browser=False), started(open_browser=False)
    assert first.token != second.token


def test_the_switch_interval_of_the_process_is_restored_when_the_lab_stops(monkeypatch, capsys):
    seen = []

    class Stopped:
        def run(self, sockets):
            seen.append(sys.getswitchinterval())

    monkeypatch.setattr(server, "create_server", lambda gate: Stopped())
    before = sys.getswitchinterval()
    run(port=0, open_browser=False)
    require_close(seen, [0.001])
    assert sys.getswitchinterval() == before
