"""Looks at the files of a release that cmd/packaging/release --snapshot made in dist."""

import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from conftest import ROOT, run

DIST = ROOT / "dist"
PACKAGES = DIST / "packages"
PLATFORMS = [(system, processor) for system in ("darwin", "linux", "windows") for processor in ("amd64", "arm64")]
NODE_NAMES = {"windows": "win32", "amd64": "x64"}
WHEEL_NAMES = {
    ("darwin", "amd64"): "macosx*x86_64", ("darwin", "arm64"): "macosx*arm64", ("linux", "amd64"): "manylinux*x86_64",
    ("linux", "arm64"): "manylinux*aarch64", ("windows", "amd64"): "win_amd64", ("windows", "arm64"): "win_arm64",
}  # fmt: skip
HOST = ("linux" if sys.platform == "linux" else sys.platform, "arm64" if platform.machine() in ("arm64", "aarch64") else "amd64")


@pytest.fixture(scope="module", autouse=True)
def commit():
    """The commit that the release is of, which must be the one that is checked out."""
    metadata = DIST / "metadata.json"
    assert metadata.exists(), "first run: cmd/packaging/release --snapshot"
    commit = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    assert json.loads(metadata.read_text())["commit"] == commit, "dist is of another commit; run: cmd/packaging/release --snapshot"
    return commit


def one(folder, pattern):
    """Returns the only file with such a name."""
    [path] = folder.glob(pattern)
    return path


def unpacked(path):
    """Returns the content of each file of an archive, a package or a wheel."""
    if path.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}


def archive_of(system, processor):
    return one(DIST, f"fakeopenai_*_{system}_{processor}.{'zip' if system == 'windows' else 'tar.gz'}")


def program_name(system):
    return "fakeopenai.exe" if system == "windows" else "fakeopenai"


def released():
    """Returns all files of the release but the list of checksums."""
    archives = [archive_of(*each) for each in PLATFORMS]
    return [*archives, *(Path(f"{archive}.spdx.json") for archive in archives), *PACKAGES.iterdir()]


@pytest.mark.parametrize("system, processor", PLATFORMS)
def test_an_archive_has_program_licence_and_readme(commit, system, processor, tmp_path):
    files = unpacked(archive_of(system, processor))
    assert files.keys() == {program_name(system), "LICENSE", "NOTICES.txt", "README.md"}
    for name in ("LICENSE", "NOTICES.txt", "README.md"):
        assert files[name] == (ROOT / name).read_bytes()
    program = tmp_path / "program"
    program.write_bytes(files[program_name(system)])
    built = run("go", "version", "-m", str(program))
    for setting in (f"GOOS={system}", f"GOARCH={processor}", "CGO_ENABLED=0", "-trimpath=true", f"vcs.revision={commit}"):
        assert f"\tbuild\t{setting}\n" in built
    assert str(ROOT).encode() not in program.read_bytes()


def test_the_program_of_the_archive_says_version_commit_and_date(commit, tmp_path):
    shutil.unpack_archive(archive_of(*HOST), tmp_path)
    date = run("git", "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", cwd=ROOT, TZ="UTC").strip()
    said = run(str(tmp_path / program_name(HOST[0])), "version")
    assert re.match(rf"fakeopenai v\S+ \(commit {commit}( with changes)?, {date}, go", said), said


@pytest.mark.parametrize("system, processor", PLATFORMS)
def test_each_form_has_the_program_of_the_archive(system, processor):
    name = program_name(system)
    program = unpacked(archive_of(system, processor))[name]
    node = f"{NODE_NAMES.get(system, system)}-{NODE_NAMES.get(processor, processor)}"
    assert unpacked(one(PACKAGES, f"fakeopenai-{node}-*.tgz"))[f"package/{name}"] == program
    assert unpacked(one(PACKAGES, f"*-{WHEEL_NAMES[system, processor]}*.whl"))[f"pytest_fakeopenai/{name}"] == program
    if system == "linux":
        assert image_program(processor) == program


def image_program(processor):
    """Returns the program in the image for a processor."""
    files = unpacked(one(PACKAGES, "*.oci.tar"))

    def blob(descriptor):
        return files["./blobs/" + descriptor["digest"].replace(":", "/")]

    [named] = json.loads(files["./index.json"])["manifests"]
    [described] = [each for each in json.loads(blob(named))["manifests"] if each["platform"]["architecture"] == processor]
    [layer] = json.loads(blob(described))["layers"]
    with tarfile.open(fileobj=io.BytesIO(blob(layer)), mode="r:gz") as tar:
        return tar.extractfile("fakeopenai").read()


def test_checksums_are_of_all_files():
    listed = {}
    for line in (DIST / "checksums.txt").read_text().splitlines():
        checksum, name = line.split("  ")
        listed[name] = checksum
    assert listed == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in released()}


@pytest.mark.parametrize("system, processor", PLATFORMS)
def test_each_archive_has_an_sbom(commit, system, processor):
    archive = archive_of(system, processor)
    document = json.loads(Path(f"{archive}.spdx.json").read_text())
    program, *parts = document["packages"]
    assert program["checksums"] == [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(archive.read_bytes()).hexdigest()}]
    assert program["downloadLocation"].endswith(commit)
    [mux] = re.findall(r"github.com/gorilla/mux (\S+)", (ROOT / "go.mod").read_text())
    assert f"pkg:golang/github.com/gorilla/mux@{mux}" in [part["externalRefs"][0]["referenceLocator"] for part in parts]
    identities = {document["SPDXID"], *(each["SPDXID"] for each in document["packages"])}
    assert len(identities) == 1 + len(document["packages"])
    assert {each["relatedSpdxElement"] for each in document["relationships"]} == identities - {document["SPDXID"]}


def test_packages_are_small():
    assert [path.name for path in PACKAGES.iterdir() if path.suffix in (".tgz", ".whl") and path.stat().st_size > 10_000_000] == []


def test_the_page_installs_without_network_and_without_go(tmp_path):
    page = (ROOT / "cmd/packaging/README.md").read_text(encoding="utf-8")
    [npm] = re.findall(r"^(npm install dist/.*)$", page, re.MULTILINE)
    [pip] = re.findall(r"^(pip install dist/.*)$", page, re.MULTILINE)
    if HOST != ("linux", "amd64"):
        pytest.skip("the lines are for Linux on amd64")
    (tmp_path / "dist").symlink_to(DIST)
    (tmp_path / "package.json").write_text("{}")
    run(sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "venv"))
    path = os.pathsep.join([str(tmp_path / "venv/bin"), str(Path(shutil.which("node")).parent), "/usr/bin", "/bin"])
    assert shutil.which("go", path=path) is None
    run("sh", "-c", f"{npm} --offline --no-audit --no-fund", cwd=tmp_path, PATH=path)
    run("sh", "-c", f"{pip} --no-index", cwd=tmp_path, PATH=path)
    said = run(str(tmp_path / "node_modules/.bin/fakeopenai"), "version", PATH=path)
    assert said.startswith("fakeopenai v")
    assert run(str(tmp_path / "venv/bin/fakeopenai"), "version", PATH=path) == said


def test_the_workflow_makes_and_publishes_what_is_tested():
    """The workflow calls the same script, and attests and uploads all files that it makes."""
    workflow = (ROOT / ".github/workflows/release.yml").read_text()
    assert "run: cmd/packaging/release\n" in workflow
    files = {str(path.relative_to(ROOT)) for path in released()} | {"dist/checksums.txt"}
    [attested] = re.findall(r'subject-path: "(.*)"', workflow)
    [uploaded] = re.findall(r"gh release create .*?(dist/.*)$", workflow, re.MULTILINE)
    for patterns in (re.split(r",?\s+", attested), uploaded.split()):
        assert {file for file in files if not any(fnmatch(file, pattern) for pattern in patterns)} == set()
        assert [pattern for pattern in patterns if not any(fnmatch(file, pattern) for file in files)] == []
