# SPDX-License-Identifier: Apache-2.0
"""A terminal of a given size with a program on it: what it shows, keys, signals."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte


class Screen:
    def __init__(self, argv, rows=24, columns=80, env=None):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            for number in (signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(argv[0], argv, dict(os.environ, **(env or {})))
        self.before = termios.tcgetattr(self.fd)

    def read(self):
        """What has come within a moment. False: the program has closed the terminal."""
        if not select.select([self.fd], [], [], 0.1)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def until(self, condition, what, seconds=60):
        """Reads until the condition holds, of the lines on the screen."""
        end = time.monotonic() + seconds
        while not condition(self.screen.display):
            if not self.read() or time.monotonic() > end:
                raise AssertionError(f"{what} is not on the screen:\n" + "\n".join(self.screen.display))

    def shows(self, text, seconds=60):
        self.until(lambda lines: any(text in line for line in lines), f"'{text}'", seconds)

    def press(self, keys):
        os.write(self.fd, keys)

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self):
        """Reads to the end. Return: the exit status, negative for a signal."""
        while self.read():
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return self.status
