"""What the tests of the packages share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def run(*command, cwd=None, status=0, **env):
    """Runs a command, and returns what it wrote; it must end with this status."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    assert done.returncode == status, f"{command} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="session")
def binaries(tmp_path_factory):
    """Builds the program for this machine, as a release does, and returns the folder above GOOS_GOARCH/fakeopenai."""
    folder = tmp_path_factory.mktemp("binaries")
    platform = "_".join(run("go", "env", "GOOS", "GOARCH", cwd=ROOT).split())
    program = folder / platform / ("fakeopenai.exe" if sys.platform == "win32" else "fakeopenai")
    run("go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(program), "./cmd/fakeopenai", cwd=ROOT, CGO_ENABLED="0")
    return folder
