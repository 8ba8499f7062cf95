"""A terminal of its own for a program: what it shows, and the keys that are typed into it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
# The program controls its terminal, so that Ctrl-C reaches it, and ignores no signal, whatever started the tests.
# A fork in this process would disturb JAX.
START = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "[signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)]; "
    "os.execv(sys.executable, [sys.executable, '-m', 'adjoint', *sys.argv[1:]])"
)
PATIENCE = 120.0  # seconds; the machine may be busy


class Terminal:
    """A program in a pseudo-terminal. `text` is all that it has shown, without colors."""

    def __init__(self, *arguments, folder, columns=80, env=None):
        self.file, inner = pty.openpty()
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm", **(env or {})}
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments],
            stdin=inner, stdout=inner, stderr=inner, cwd=folder, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(inner)
        self._bytes = b""
        self._mark = 0  # what is shown after this place is new

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.file)

    @property
    def text(self):
        return CODES.sub("", self._bytes.decode("utf-8", "replace")).replace("\r", "")

    @property
    def new_text(self):
        """Return what was shown since the last key or `forget`."""
        return self.text[self._mark :]

    def forget(self):
        """Let `wait_for` look only at what is shown from now on."""
        self._read(0.0)
        self._mark = len(self.text)

    def press(self, key):
        self.forget()
        os.write(self.file, key.encode())

    def wait_for(self, words):
        """Wait until the program shows words."""
        end = time.monotonic() + PATIENCE
        while words not in self.new_text:
            alive = self._read(0.1)
            assert words in self.new_text or (alive and time.monotonic() < end), f"no {words!r} in:\n{self.new_text}"

    def wait_for_end(self):
        """Wait until the program ends, and return its exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.1)
        self._read(0.1)
        return self.process.wait(1)

    def _read(self, seconds):
        """Read what there is; return False if the program has closed its terminal."""
        while select.select([self.file], [], [], seconds)[0]:
            try:
                piece = os.read(self.file, 65536)
            except OSError:
                return False
            if not piece:
                return False
            self._bytes += piece
            seconds = 0.0
        return True
