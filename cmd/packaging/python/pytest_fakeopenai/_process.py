"""The process of the server."""

import collections
import os
import queue
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path
from typing import Callable, Deque, List, Optional, Sequence

from ._errors import FakeError

__tracebackhide__ = True  # pytest shows where the test called, and not this module

_SHOWN_LINES = 20  # of the server's log, in an error


def binary_path() -> str:
    """Returns the path of the program in this package. FAKEOPENAI_BINARY names another one."""
    named = os.environ.get("FAKEOPENAI_BINARY")
    if named:
        return named
    path = Path(__file__).with_name("fakeopenai.exe" if sys.platform == "win32" else "fakeopenai")
    if not path.exists():
        raise FakeError(
            f"this installation of pytest-fakeopenai has no program for {sysconfig.get_platform()}. There are wheels for "
            "Linux, macOS and Windows on x86-64 and arm64. Elsewhere build the program with Go, and name it in the "
            "variable FAKEOPENAI_BINARY."
        )
    return str(path)


class Process:
    """A server that listens on a free port of this machine, until stop, or until this process ends.

    Errors show its log as ``readable`` writes it.
    """

    def __init__(self, args: Sequence[str], timeout: float, readable: Callable[[str], str]) -> None:
        self._readable = readable
        deadline = time.monotonic() + timeout
        command = [binary_path(), "serve", "--addr", "127.0.0.1:0", "--until-eof", *args]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
            )
        except OSError as e:
            raise FakeError(f"fakeopenai cannot be executed: {e}") from None
        self._log: Deque[str] = collections.deque(maxlen=_SHOWN_LINES)
        first: "queue.Queue[Optional[str]]" = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read_log, daemon=True),
            threading.Thread(target=self._read_output, args=(first,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self.url = self._await_url(first, timeout, deadline)

    def stop(self) -> None:
        """Ends the server. A second call does nothing."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream
            stream.close()

    def _read_log(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._log.append(line.rstrip("\n"))

    def _read_output(self, first: "queue.Queue[Optional[str]]") -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            first.put(line.rstrip("\n"))
        first.put(None)

    def _await_url(self, first: "queue.Queue[Optional[str]]", timeout: float, deadline: float) -> str:
        begin = "listening on "
        left = deadline - time.monotonic()
        try:
            if left <= 0:
                raise queue.Empty
            line = first.get(timeout=left)
        except queue.Empty:
            self._process.kill()
            self.stop()
            raise FakeError(f"fakeopenai did not listen within {timeout} s; start_timeout allows more{self._said()}") from None
        if line is None or not line.startswith(begin):
            self.stop()
            raise FakeError(f"fakeopenai did not start, exit code {self._process.returncode}{self._said()}")
        return line[len(begin) :]

    def _said(self) -> str:
        lines: List[str] = list(self._log)
        return ":\n" + self._readable("\n".join(lines)) if lines else "; it logged nothing"
