"""The command fakeopenai: the program in this package, with the same arguments and exit code."""

import os
import subprocess
import sys

from ._errors import FakeError
from ._process import binary_path


def main() -> int:
    try:
        program = binary_path()
    except FakeError as e:
        return _failed(str(e))
    try:
        if sys.platform == "win32":
            return subprocess.run([program, *sys.argv[1:]]).returncode
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as e:
        return _failed(f"{program} cannot be executed: {e}")


def _failed(problem: str) -> int:
    print(f"fakeopenai: {problem}", file=sys.stderr)
    return 1
