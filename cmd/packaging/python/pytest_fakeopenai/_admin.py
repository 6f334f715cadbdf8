"""The endpoints below /_fake/."""

import json
import re
import secrets
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from ._errors import FakeError

__tracebackhide__ = True  # pytest shows where the test called, and not this module

# The server is on this machine or in this network: a proxy for the internet must not be asked.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class File(NamedTuple):
    """A text with scenarios, and the name by which messages call it."""

    name: str
    text: str
    is_mapping: bool = False
    """Whether the text is a mapping as JSON, which the author of the mapping never saw."""
    path: Optional[str] = None
    """Where the text is as a file of its own, which is there while the server starts."""


def with_paths(text: str, files: Iterable[File]) -> str:
    """Writes places in mappings, such as ``scenarios[1]:4:7``, as paths, such as ``scenarios[1].replies[0].when``.

    The names of files that were made for the server become those that the author knows.
    """
    for file in files:
        known = file.path or file.name
        if file.is_mapping:
            name, json_text = file.name, file.text
            text = re.sub(re.escape(known) + r":(\d+)(:\d+)?", lambda m: name + _path_at(json_text, int(m[1])), text)
        text = text.replace(known, file.name)
    return text


def _path_at(text: str, line: int) -> str:
    """Returns the path of what stands on a line of JSON that is indented by two spaces."""
    path: List[Union[str, int]] = []
    for row in text.split("\n")[:line]:
        depth = (len(row) - len(row.lstrip())) // 2
        found = re.fullmatch(r' *(?:("(?:\\.|[^"\\])*"): )?(.*)', row)
        if depth > 0 and found and found[2][0] not in "}]":
            before = path[depth - 1] if len(path) >= depth else None
            key = json.loads(found[1]) if found[1] else before + 1 if isinstance(before, int) else 0
            path[depth - 1 :] = [key]
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" if key.isidentifier() else f"[{json.dumps(key)}]" for key in path)


class Admin:
    """The endpoints below /_fake/, of one API key or of all."""

    def __init__(self, url: str, token: Optional[str] = None, api_key: Optional[str] = None, files: Sequence[File] = ()) -> None:
        self.files = list(files)
        """The scenarios that were mappings, whose places in messages are paths."""
        self.url = url
        self._token = token
        self._api_key = api_key

    def for_key(self, api_key: str) -> "Admin":
        """Returns the endpoints for one API key."""
        return Admin(self.url, self._token, api_key, self.files)

    def said(self, message: str) -> str:
        """Writes the places in a message as the author of the scenarios knows them."""
        return with_paths(message, self.files)

    def ask(self, method: str, path: str, query: Optional[Dict[str, str]] = None, files: Optional[List[File]] = None) -> Any:
        """Asks an endpoint, and returns its JSON, or None where it answers with nothing."""
        answer = self.bytes(method, path, query, files)
        return json.loads(answer) if answer else None

    def bytes(self, method: str, path: str, query: Optional[Dict[str, str]] = None, files: Optional[List[File]] = None) -> bytes:
        """Asks an endpoint, and returns the bytes of its answer."""
        parameters = dict(query or {})
        if self._api_key is not None:
            parameters["api_key"] = self._api_key
        url = f"{self.url}/_fake/{path}?{urllib.parse.urlencode(parameters)}"
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        body = None
        if files is not None:
            boundary = f"fakeopenai-{secrets.token_hex(16)}"
            headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
            body = _form(files, boundary)
        request = urllib.request.Request(url, body, headers, method=method)
        try:
            with _opener.open(request) as answer:
                data: bytes = answer.read()
                return data
        except urllib.error.HTTPError as e:
            raise FakeError(self.said(_problem(e))) from None
        except OSError as e:
            raise FakeError(f"fakeopenai does not answer at {self.url}: {e}") from None


def _form(files: List[File], boundary: str) -> bytes:
    """Returns the body of a form with these files."""
    parts = []
    for name, text, *_ in files:
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n{text}\r\n')
    return "".join([*parts, f"--{boundary}--\r\n"]).encode()


def _problem(answer: urllib.error.HTTPError) -> str:
    """Says what an answer that is an error says, each mistake of a scenario on a line of its own."""
    text = answer.read().decode(errors="replace")
    try:
        body = json.loads(text)
        diagnostics = body.get("diagnostics")
        if not diagnostics:
            return str(body["error"]["message"])
    except (ValueError, KeyError, AttributeError):
        return f"{answer.code} {text}"
    lines = []
    for d in diagnostics:
        place = ":".join(str(d[key]) for key in ("file", "line", "column") if key in d)
        hint = f" ({d['hint']})" if d.get("hint") else ""
        lines.append(f"\n{place}: {d['message']}{hint}" if place else f"\n{d['message']}{hint}")
    return lines[0].strip() if len(lines) == 1 else f"{len(lines)} mistakes in the scenarios:" + "".join(lines)
