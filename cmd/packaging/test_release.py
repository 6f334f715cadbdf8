"""Looks at the files of a release that cmd/packaging/release --rehearse made in dist."""

import hashlib
import http.server
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import threading
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
    assert metadata.exists(), "first run: cmd/packaging/release --rehearse"
    commit = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    assert json.loads(metadata.read_text())["commit"] == commit, "dist is of another commit; run: cmd/packaging/release --rehearse"
    return commit


VERSION = json.loads((DIST / "metadata.json").read_text())["version"] if (DIST / "metadata.json").exists() else ""


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


def owner_command(step):
    """Returns the command of a step of the page that says how a version is published, for the version in dist."""
    page = (ROOT / "cmd/packaging/README.md").read_text(encoding="utf-8")
    [command] = re.findall(rf"^\| {step}[^|]* \|[^|`]*`([^`]+)`", page, re.MULTILINE)
    return command.replace("0.1.0", VERSION)


def test_the_files_that_the_owner_loads_are_whole(tmp_path):
    _, check = owner_command("its files").split(" && ", 1)
    (tmp_path / "dist").mkdir()
    for path in [*released(), DIST / "checksums.txt"]:
        shutil.copy(path, tmp_path / "dist")
    assert run("sh", "-c", check, cwd=tmp_path).count(": OK\n") == len(released())


def test_go_runs_the_version(tmp_path):
    """Go loads the tagged version from a proxy that has this commit, and the other modules from its cache."""
    versions = tmp_path / "proxy/github.com/fakeopenai/fakeopenai/@v"
    versions.mkdir(parents=True)
    (versions / "list").write_text(f"v{VERSION}\n")
    (versions / f"v{VERSION}.info").write_text(json.dumps({"Version": f"v{VERSION}"}))
    (versions / f"v{VERSION}.mod").write_bytes((ROOT / "go.mod").read_bytes())
    files = run("git", "ls-files", cwd=ROOT).splitlines()
    nested = tuple(f"{Path(file).parent}/" for file in files if file.endswith("/go.mod"))
    with zipfile.ZipFile(versions / f"v{VERSION}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if not file.startswith(nested):
                archive.write(ROOT / file, f"github.com/fakeopenai/fakeopenai@v{VERSION}/{file}")
    known = Path(run("go", "env", "GOMODCACHE").strip()) / "cache/download"
    proxies = f"{(tmp_path / 'proxy').as_uri()},{known.as_uri()}"
    alone = {"GOPROXY": proxies, "GOSUMDB": "off", "GOWORK": "off", "GOFLAGS": "-modcacherw -trimpath", "GOMODCACHE": str(tmp_path / "cache")}
    said = run("sh", "-c", owner_command("Go"), cwd=tmp_path, **alone)
    assert f"fakeopenai v{VERSION} " in said


def test_npm_publishes_the_platforms_first(tmp_path):
    """npm publishes to a server of this test, up to which the steps are those that need an account."""
    published = []

    class Registry(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer(404)

        def do_PUT(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            published.append((body["name"], body["dist-tags"], body["access"]))
            self.answer(201)

        def answer(self, status):
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

    (tmp_path / "dist").symlink_to(PACKAGES)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{server.server_port}"
        (tmp_path / ".npmrc").write_text(f"registry=http://{address}/\n//{address}/:_authToken=none\n")
        run("sh", "-ec", owner_command("npm"), cwd=tmp_path)
        server.shutdown()
    platforms = sorted(f"@fakeopenai/{NODE_NAMES.get(system, system)}-{NODE_NAMES.get(processor, processor)}" for system, processor in PLATFORMS)
    assert published == [(name, {"latest": VERSION}, "public") for name in [*platforms, "fakeopenai"]]


def test_the_wheels_and_the_image_are_where_the_owner_looks(tmp_path):
    (tmp_path / "dist").symlink_to(PACKAGES)
    wheels = owner_command("PyPI").removeprefix("twine upload ")
    assert len(list(tmp_path.glob(wheels))) == len(PLATFORMS)
    [image] = re.findall(r"oci-archive:(\S+)", owner_command("the image"))
    assert (tmp_path / image).is_file()


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
