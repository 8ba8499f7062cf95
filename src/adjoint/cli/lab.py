"""The command `adjoint lab`: its options, and what they start."""

import argparse

_OK = 0


def options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint lab`."""
    command.add_argument("--port", type=_port, metavar="N", help="8731 (default); 0 takes any that is free")
    command.add_argument("--no-browser", action="store_true", help="print the address only")
    command.add_argument("--host", metavar="ADDRESS", help="of this machine: 127.0.0.1 (default), ::1, localhost")
    command.add_argument(
        "--allow-remote",
        action="store_true",
        help="let --host be an address that other machines reach; what is sent is not encrypted",
    )


def lab(asked: argparse.Namespace) -> int:
    """Start the lab, and serve it until Ctrl-C."""
    from adjoint.lab.serve import server

    host = server.HOST if asked.host is None else asked.host
    port = server.PORT if asked.port is None else asked.port
    server.run(host, port, not asked.no_browser, asked.allow_remote)
    return _OK


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port from 0 to 65535 is needed, not {text!r}")
    return port
