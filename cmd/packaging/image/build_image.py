"""Builds the container image as an OCI layout, without a daemon, with Python's standard library alone:

    python3 build_image.py VERSION BINARIES OUT

BINARIES has the programs for Linux as linux_amd64/fakeopenai and linux_arm64/fakeopenai. OUT becomes a
folder that skopeo, podman, crane and docker can read. The same files give the same bytes.
"""

import gzip
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any, Dict

ROOT = Path(__file__).parent.parent.parent.parent
NOBODY = 65534

LABELS = {
    "org.opencontainers.image.title": "fakeopenai",
    "org.opencontainers.image.description": "A fake OpenAI API for tests",
    "org.opencontainers.image.source": "https://github.com/fakeopenai/fakeopenai",
    "org.opencontainers.image.licenses": "MIT",
}

# The server listens on all interfaces, because the host cannot reach the container's loopback.
ENVIRONMENT = ["FAKEOPENAI_ADDR=0.0.0.0:8080"]

SECOND = 10**9


def main(version: str, binaries: Path, out: Path) -> None:
    layout = Layout(out)
    images = []
    for processor in ("amd64", "arm64"):
        program = binaries / f"linux_{processor}" / "fakeopenai"
        if program.exists():
            images.append(image(layout, version, processor, program))
    if not images:
        sys.exit(f"{binaries} has no linux_amd64/fakeopenai and no linux_arm64/fakeopenai")
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": images}
    named = {**layout.add_json(index, index["mediaType"]), "annotations": {"org.opencontainers.image.ref.name": version}}
    layout.write("index.json", encode({**index, "manifests": [named]}))
    layout.write("oci-layout", encode({"imageLayoutVersion": "1.0.0"}))


def image(layout: "Layout", version: str, processor: str, program: Path) -> Dict[str, Any]:
    """Adds the image of one processor, and returns its descriptor."""
    files = layer(program)
    config = {
        "architecture": processor,
        "os": "linux",
        "config": {
            "User": f"{NOBODY}:{NOBODY}",
            "ExposedPorts": {"8080/tcp": {}},
            "Env": ENVIRONMENT,
            "Entrypoint": ["/fakeopenai"],
            "Cmd": ["serve"],
            "WorkingDir": "/",
            "Labels": {**LABELS, "org.opencontainers.image.version": version},
            # Not in OCI's specification; docker and podman read it.
            "Healthcheck": {
                "Test": ["CMD", "/fakeopenai", "healthcheck", "--timeout", "2s"],
                "Interval": 5 * SECOND,
                "Timeout": 3 * SECOND,
                "StartPeriod": 10 * SECOND,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(files)]},
        "history": [{"created_by": "cmd/packaging/image/build_image.py"}],
    }
    media = "application/vnd.oci.image."
    manifest = {
        "schemaVersion": 2,
        "mediaType": media + "manifest.v1+json",
        "config": layout.add_json(config, media + "config.v1+json"),
        "layers": [layout.add(gzip.compress(files, 6, mtime=0), media + "layer.v1.tar+gzip")],
    }
    return {**layout.add_json(manifest, manifest["mediaType"]), "platform": {"architecture": processor, "os": "linux"}}


def layer(program: Path) -> bytes:
    """Returns the tar archive with all files of the image."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, mode, content in [
            ("fakeopenai", 0o755, program.read_bytes()),
            ("LICENSE", 0o644, (ROOT / "LICENSE").read_bytes()),
            ("NOTICES.txt", 0o644, (ROOT / "NOTICES.txt").read_bytes()),
            ("scenarios", 0o755, None),
            ("tmp", 0o1777, None),
        ]:
            entry = tarfile.TarInfo(name)  # of root, from 1970
            entry.mode = mode
            if content is None:
                entry.type = tarfile.DIRTYPE
            else:
                entry.size = len(content)
            tar.addfile(entry, None if content is None else io.BytesIO(content))
    return data.getvalue()


class Layout:
    """An OCI image layout in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add_json(self, value: Any, media_type: str) -> Dict[str, Any]:
        return self.add(encode(value), media_type)

    def add(self, data: bytes, media_type: str) -> Dict[str, Any]:
        """Writes a blob, and returns its descriptor."""
        name = digest(data)
        self.write("blobs/" + name.replace(":", "/"), data)
        return {"mediaType": media_type, "digest": name, "size": len(data)}

    def write(self, name: str, data: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
