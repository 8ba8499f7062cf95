"""Open the lab in the browser: type an expression, move a slider, watch gradients flow.

examples:
  adjoint lab
  adjoint lab --port 0 --no-browser              any free port; the address is printed
"""

import argparse


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `adjoint lab`."""
    command.add_argument("--port", type=_port, metavar="N", help="8731 (default); 0 for any free port")
    command.add_argument("--no-browser", action="store_true", help="only print the address")
    command.add_argument(
        "--host", metavar="ADDRESS", help="an address of this machine: 127.0.0.1 (default), ::1, localhost"
    )
    command.add_argument(
        "--allow-remote",
        action="store_true",
        help="let --host be an address that other machines can reach; the connection is not encrypted",
    )
    command.add_argument(
        "--allow-code",
        action="store_true",
        help="with --allow-remote: also run the programs of learners, with your rights",
    )


def run(asked: argparse.Namespace) -> int:
    """Start the lab, and serve it until Ctrl-C."""
    from adjoint_lab.serve import server

    host = server.HOST if asked.host is None else asked.host
    port = server.PORT if asked.port is None else asked.port
    server.run(host, port, not asked.no_browser, asked.allow_remote, asked.allow_code)
    return 0


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, not {text!r}")
    return port
