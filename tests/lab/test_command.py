"""`adjoint lab` in real processes, ended by a real Ctrl-C."""

import os
import signal
import subprocess
import sys

import pytest
from serving import TIMEOUT, lab_process
from websockets.exceptions import ConnectionClosed

from adjoint.cli.command_line import main
from adjoint_lab.serve.server import open_listener


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal for Ctrl-C that one process sends to another")
def test_ctrl_c_ends_the_lab_cleanly_while_pages_are_open():
    with lab_process() as (lab, process):
        assert lab.request("/").status in (200, 503)
        with lab.page() as first, lab.page() as second:
            for page in (first, second):
                page.send("not JSON")
                assert "must be JSON" in page.recv(timeout=TIMEOUT)
            process.send_signal(signal.SIGINT)
            with pytest.raises(ConnectionClosed):
                first.recv(timeout=TIMEOUT)
            assert process.wait(TIMEOUT) == 0


def test_a_port_in_use_gives_one_line_and_exit_code_2():
    with open_listener("127.0.0.1", 0) as other:
        port = other.getsockname()[1]
        command = [sys.executable, "-m", "adjoint", "lab", "--no-browser", "--port", str(port)]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"adjoint: port {port} is in use, perhaps by another lab; try --port {port + 1 if port < 65535 else 8731}, "
        "or --port 0 for any free port\n"
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--host", "192.168.1.5"], "--host 192.168.1.5 would let other machines reach this lab; add --allow-remote"),
        (["--host", "0.0.0.0", "--allow-remote"], "--host 0.0.0.0 binds all addresses of this machine"),
        (["--host", "192.0.2.1", "--allow-remote", "--port", "0"], "this machine does not have the address 192.0.2.1"),
        (["--port", "65536"], "expected a port from 0 to 65535, not '65536'"),
        (["--port", "x"], "expected a port from 0 to 65535, not 'x'"),
        (["--prot", "1"], "unrecognized arguments"),
    ],
)
def test_invalid_options_of_the_lab_give_one_line(arguments, problem, capsys):
    assert main(["lab", "--no-browser", *arguments]) == 2
    said = capsys.readouterr()
    assert problem in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_help_explains_allow_remote(capsys):
    assert main(["lab", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "let --host be an address that other machines can reach; the connection is not encrypted" in said
