"""Builds the image, and runs its program in what its layers unpack to, as a container does."""

import gzip
import hashlib
import io
import json
import socket
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from conftest import run

sys.path.insert(0, str(Path(__file__).parent))
import build_image  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the image is for Linux")


@pytest.fixture(scope="module")
def layouts(binaries, tmp_path_factory):
    """Builds the image twice."""
    folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
    for folder in folders:
        build_image.main("0.0.1", binaries, folder)
    return folders


def blob(layout, descriptor):
    """Returns a blob of a layout, and checks that it is what its descriptor says."""
    data = (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    assert len(data) == descriptor["size"]
    assert "sha256:" + hashlib.sha256(data).hexdigest() == descriptor["digest"]
    return data


@pytest.fixture(scope="module")
def image(layouts):
    """The config of the image, and the bytes of its layer."""
    layout = layouts[0]
    [named] = json.loads((layout / "index.json").read_bytes())["manifests"]
    assert named["annotations"] == {"org.opencontainers.image.ref.name": "0.0.1"}
    [described] = json.loads(blob(layout, named))["manifests"]
    manifest = json.loads(blob(layout, described))
    config = json.loads(blob(layout, manifest["config"]))
    [layer] = [gzip.decompress(blob(layout, each)) for each in manifest["layers"]]
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()]
    assert described["platform"] == {"architecture": config["architecture"], "os": "linux"}
    return config["config"], layer


def test_the_same_files_give_the_same_image(layouts):
    first, second = ({path.relative_to(layout): path.read_bytes() for path in layout.rglob("*") if path.is_file()} for layout in layouts)
    assert first == second


def test_the_program_runs_in_the_image(image, tmp_path):
    config, layer = image
    archive = tmp_path / "layer.tar"
    archive.write_bytes(layer)
    root = tmp_path / "root"
    with tarfile.open(archive) as tar:
        tar.extractall(root)
    tmp_path.chmod(0o755)
    (root / "scenarios" / "rain.yaml").write_text("name: rain\nmessage: It is raining.\n")

    def command(*arguments, **environment):
        inside = ["env", "-i", *config["Env"], *(f"{name}={value}" for name, value in environment.items())]
        return [*inside, "chroot", f"--userspec={config['User']}", str(root), *arguments]

    with socket.create_server(("127.0.0.1", 0)) as free:
        listens = f"127.0.0.1:{free.getsockname()[1]}"
    address = {"FAKEOPENAI_ADDR": listens, "FAKEOPENAI_SCENARIOS": "/scenarios", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    server = subprocess.Popen(command(*config["Entrypoint"], *config["Cmd"], **address), stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout.readline() == f"listening on http://{listens}\n"
        check = config["Healthcheck"]["Test"]
        assert check[0] == "CMD"
        assert "is ready" in run(*command(*check[1:], **address))
        assert run(*command("/fakeopenai", "list", "/scenarios", **address)).startswith("rain")
    finally:
        server.terminate()
        assert server.wait(timeout=30) == 0


def test_the_notices_of_licences_are_in_the_image(image):
    with tarfile.open(fileobj=io.BytesIO(image[1])) as tar:
        for name in ("LICENSE", "NOTICES.txt"):
            assert tar.extractfile(name).read() == (build_image.ROOT / name).read_bytes()


def test_the_image_is_described(image):
    config, layer = image
    assert config["Labels"]["org.opencontainers.image.version"] == "0.0.1"
    assert config["ExposedPorts"] == {"8080/tcp": {}}
    assert config["Env"] == ["FAKEOPENAI_ADDR=0.0.0.0:8080"]
