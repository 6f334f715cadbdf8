"""Writes what is in the program of an archive, as Go wrote it into the program, in SPDX 2.3:

    python3 sbom.py ARCHIVE OUT

It needs Go, and Python's standard library alone. The same archive gives the same bytes.
"""

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Dict

SOURCE = "https://github.com/fakeopenai/fakeopenai"


def main(archive: Path, out: Path) -> None:
    build = build_info(archive)
    settings = {setting["Key"]: setting.get("Value", "") for setting in build["Settings"]}
    if "vcs.revision" not in settings:
        sys.exit(f"{archive}: the program does not say its commit. Go writes it in a clone, and not in a linked worktree of git")
    checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    program = {
        **package("SPDXRef-fakeopenai", build["Main"]["Path"], build["Main"]["Version"]),
        "downloadLocation": f"git+{SOURCE}@{settings['vcs.revision']}",
        "packageFileName": archive.name,
        "checksums": [{"algorithm": "SHA256", "checksumValue": checksum}],
        "licenseDeclared": "MIT",
    }
    parts = [package("SPDXRef-stdlib", "stdlib", build["GoVersion"].removeprefix("go"))]
    parts += [package(f"SPDXRef-module-{number}", module["Path"], module["Version"]) for number, module in enumerate(build["Deps"], 1)]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": archive.name,
        "documentNamespace": f"{SOURCE}/sbom/{archive.name}-{checksum}",
        "creationInfo": {"created": settings["vcs.time"], "creators": ["Tool: fakeopenai-cmd-packaging-sbom.py"]},
        "packages": [program, *parts],
        "relationships": [
            relationship("SPDXRef-DOCUMENT", "DESCRIBES", program["SPDXID"]),
            *(relationship(program["SPDXID"], "DEPENDS_ON", part["SPDXID"]) for part in parts),
        ],
    }
    out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def build_info(archive: Path) -> Any:
    """Returns what `go version -m` reads in the program of an archive."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "fakeopenai")
        if archive.suffix == ".zip":
            with zipfile.ZipFile(archive) as zipped:
                program.write_bytes(zipped.read("fakeopenai.exe"))
        else:
            with tarfile.open(archive) as tar:
                entry = tar.extractfile("fakeopenai")
                assert entry
                program.write_bytes(entry.read())
        return json.loads(subprocess.run(["go", "version", "-m", "-json", program], check=True, stdout=subprocess.PIPE).stdout)


def package(identity: str, name: str, version: str) -> Dict[str, Any]:
    """Returns the description of a Go module."""
    locator = f"pkg:golang/{name}@{version}"
    return {
        "SPDXID": identity,
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}],
    }


def relationship(element: str, kind: str, related: str) -> Dict[str, str]:
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
