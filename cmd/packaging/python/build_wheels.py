"""Builds a wheel for each platform, with Python's standard library alone:

    python3 build_wheels.py VERSION BINARIES OUT

BINARIES has the program of each platform as GOOS_GOARCH/fakeopenai, or fakeopenai.exe. A platform
that it lacks gets no wheel. The same files give the same bytes.
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent
NAME = "pytest_fakeopenai"

# The program needs no C library, so that one wheel fits every Linux.
PLATFORMS = {
    "darwin_amd64": "macosx_11_0_x86_64",
    "darwin_arm64": "macosx_11_0_arm64",
    "linux_amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux_arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "windows_amd64": "win_amd64",
    "windows_arm64": "win_arm64",
}

METADATA = """\
Metadata-Version: 2.1
Name: pytest-fakeopenai
Version: {version}
Summary: A fake OpenAI API for tests: every chunk, pause and fault of a stream is a line of YAML
License: MIT
Project-URL: Source, https://github.com/fakeopenai/fakeopenai
Keywords: openai,llm,fake,mock,sse,streaming,testing,pytest
Classifier: Framework :: Pytest
Classifier: License :: OSI Approved :: MIT License
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: pytest>=7
Description-Content-Type: text/markdown

"""

WHEEL = """\
Wheel-Version: 1.0
Generator: build_wheels.py
Root-Is-Purelib: false
"""

ENTRY_POINTS = """\
[pytest11]
fakeopenai = pytest_fakeopenai.plugin

[console_scripts]
fakeopenai = pytest_fakeopenai._command:main
"""


def main(version: str, binaries: Path, out: Path) -> None:
    version = python_version(version)
    out.mkdir(parents=True, exist_ok=True)
    for platform, tags in PLATFORMS.items():
        program = binaries / platform / ("fakeopenai.exe" if platform.startswith("windows") else "fakeopenai")
        if program.exists():
            print(write_wheel(version, program, tags, out))


def python_version(version: str) -> str:
    """Returns a version as Python writes it: 1.0.0-rc.1 as 1.0.0rc1, and 1.0.1-dev-0a1b as 1.0.1.dev0+dev.0a1b."""
    number, _, suffix = version.partition("-")
    candidate = re.fullmatch(r"(alpha|beta|rc)\.?(\d+)", suffix)
    if candidate:
        return number + candidate[1] + candidate[2]
    return f"{number}.dev0+{suffix.replace('-', '.')}" if suffix else number


def write_wheel(version: str, program: Path, tags: str, out: Path) -> Path:
    """Writes the wheel of one platform, and returns its path."""
    info = f"{NAME}-{version}.dist-info"
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted((SOURCE / NAME).iterdir()) if path.suffix in (".py", ".typed")}
    files[f"{NAME}/{program.name}"] = program.read_bytes()
    files[f"{info}/METADATA"] = (METADATA.format(version=version) + (SOURCE / "README.md").read_text(encoding="utf-8")).encode()
    files[f"{info}/WHEEL"] = (WHEEL + "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))).encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    for notice in ("LICENSE", "NOTICES.txt"):
        files[f"{info}/{notice}"] = (SOURCE / "../../.." / notice).read_bytes()
    files[f"{info}/RECORD"] = "".join([*(record(name, data) for name, data in files.items()), f"{info}/RECORD,,\n"]).encode()
    path = out / f"{NAME}-{version}-py3-none-{tags}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # its date is always 1980-01-01
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the permissions count
            entry.external_attr = (0o100755 if name == f"{NAME}/{program.name}" else 0o100644) << 16
            wheel.writestr(entry, data)
    return path


def record(name: str, data: bytes) -> str:
    """Returns the line of a file in RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
