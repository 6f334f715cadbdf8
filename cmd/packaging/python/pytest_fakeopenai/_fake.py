"""The fake as tests see it."""

import itertools
import json
import os
import re
import secrets
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ._admin import Admin, File, with_paths
from ._errors import FakeError
from ._process import Process

__tracebackhide__ = True  # pytest shows where the test called, and not this module

Scenarios = Union[str, "os.PathLike[str]", Mapping[str, Any], Sequence[Union[str, "os.PathLike[str]", Mapping[str, Any]]]]
"""Paths of scenario files and of folders with them, or scenarios as mappings."""

_SHOWN = 500  # characters of a body or of a line of an answer, in an error
_SHOWN_LINES = 12  # lines of an answer


class Reply(NamedTuple):
    """A reply of a scenario."""

    scenario: str
    number: int
    """The number of the reply in its scenario, from 0."""
    source: str
    """File and line of the scenario."""
    when: Tuple[str, ...]
    """The conditions of scenario and reply, in words."""

    def __str__(self) -> str:
        when = f", when {' and '.join(self.when)}" if self.when else ""
        return f'reply {self.number + 1} of scenario "{self.scenario}" ({self.source}){when}'


class Hold:
    """A named place where streams wait until the test releases them."""

    def __init__(self, admin: Admin, name: str) -> None:
        self._admin = admin
        self._path = f"holds/{name}"

    def wait(self, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Waits until a stream has reached the hold, 10 seconds by default."""
        hold: Dict[str, Any] = self._admin.ask("GET", f"{self._path}/wait", _duration(timeout))
        return hold

    def release(self) -> None:
        """Lets the streams that wait at the hold go on, or the next one that reaches it."""
        self._admin.ask("POST", f"{self._path}/release")


class Fake:
    """A fake OpenAI API: an API key, the scenarios that are played for it, and its requests.

    What ``start_fake`` returns sees the requests of all keys. The requests and calls are the
    objects that the server's endpoints ``/_fake/requests`` and ``/_fake/calls`` describe.
    """

    def __init__(self, admin: Admin, api_key: str, end: Callable[[], object]) -> None:
        self._admin = admin
        self._end: Optional[Callable[[], object]] = end
        self._server_files = admin.files
        self._before: Set[Tuple[str, str]] = set()
        self._tests: List[Fake] = []
        self._numbers = itertools.count(1)
        self._problems_at_end: Optional[List[Tuple[str, str]]] = None
        self.url = admin.url
        """The address of the server, without a path."""
        self.base_url = f"{admin.url}/v1"
        """The base URL for clients."""
        self.realtime_url = f"{self.base_url.replace('http', 'ws', 1)}/realtime"
        """Where realtime sessions begin."""
        self.api_key = api_key
        """The API key for clients."""

    def for_test(self, *, yaml: Optional[str] = None, scenarios: Optional[Scenarios] = None) -> "Fake":
        """Returns a fake for one test, with an API key of its own.

        These scenarios are played for the key before those of the server. Tests can therefore
        run side by side. The keys of a server that ``start_fake`` started are numbered, so that
        each test meets the same faults in every run.
        """
        api_key = f"{self.api_key}-{next(self._numbers)}"
        admin = self._admin.for_key(api_key)

        def end() -> None:
            fake._problems_at_end = fake._problems()
            admin.ask("DELETE", "scenarios")

        fake = Fake(admin, api_key, end)
        fake._before = set(map(_identity, admin.ask("GET", "scenarios")["scenarios"]))
        fake.play(yaml=yaml, scenarios=scenarios)
        self._tests.append(fake)
        return fake

    def play(self, *, yaml: Optional[str] = None, scenarios: Optional[Scenarios] = None) -> None:
        """Plays these scenarios in place of those that were played for this fake before."""
        if yaml is not None or scenarios is not None:
            files = _read_all(yaml, scenarios)
            self._admin.files = [*files, *self._server_files]
            self._admin.ask("PUT", "scenarios", files=files)

    def requests(self) -> List[Dict[str, Any]]:
        """Returns the requests so far, the oldest first."""
        requests: List[Dict[str, Any]] = self._admin.ask("GET", "requests")["requests"]
        return requests

    def calls(self) -> List[Dict[str, Any]]:
        """Returns the requests so far, each with its retries."""
        calls: List[Dict[str, Any]] = self._admin.ask("GET", "calls")["calls"]
        return calls

    def findings(self) -> List[Dict[str, Any]]:
        """Returns what the client did wrong so far.

        These are retries that came too early, in vain or not yet, and broken answers that it took for whole.
        """
        findings: List[Dict[str, Any]] = self._admin.ask("GET", "calls")["findings"]
        return findings

    def await_request(self, count: int = 1, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Waits until so many requests have ended, and returns the last of them."""
        answer = self._admin.ask("GET", "requests/wait", {"count": str(count), **_duration(timeout)})
        request: Dict[str, Any] = answer["requests"][-1]
        return request

    def await_end(self, timeout: Optional[float] = None) -> List[Dict[str, Any]]:
        """Waits until no request is open, and returns all requests."""
        for request in self.requests():
            if request["delivery"]["ended"] == "open":
                self._admin.ask("GET", f"requests/{request['id']}/wait", _duration(timeout))
        return self.requests()

    def hold(self, name: str) -> Hold:
        """Returns the hold with this name."""
        return Hold(self._admin, name)

    def transcript(self, request_id: int) -> bytes:
        """Returns the bytes that answered the request with this id, up to 1 MiB."""
        return self._admin.bytes("GET", f"requests/{request_id}/transcript")

    def unmatched(self) -> List[Dict[str, Any]]:
        """Returns the requests that no scenario answered."""
        return [request for request in self.requests() if request.get("unmatched")]

    def unused(self) -> List[Reply]:
        """Returns the replies that no request was answered with, but for those that are left to chance."""
        used = {(request.get("scenario"), request["reply"]) for request in self.requests()}
        listed = self._admin.ask("GET", "scenarios")["scenarios"]
        replies = [reply for scenario in listed if _identity(scenario) not in self._before for reply in self._replies(scenario)]
        return [reply for reply in replies if (reply.scenario, reply.number) not in used]

    def _replies(self, scenario: Dict[str, Any]) -> List[Reply]:
        """Returns the replies of a scenario without a chance, as the server describes it."""
        name, source, when = scenario["name"], self._admin.said(scenario.get("source", "")), scenario.get("when", [])
        replies = enumerate(scenario["replies"])
        return [Reply(name, number, source, (*when, *reply.get("when", []))) for number, reply in replies if "chance" not in reply]

    def reset(self) -> None:
        """Forgets the requests, the counters, and the scenarios that came after the start."""
        self._admin.ask("POST", "reset")

    def problems(self) -> str:
        """Says in a line each which requests no scenario answered and which replies no request asked for, and then the bodies; "" if none.

        Those of the fakes that ``for_test`` returned are among them.
        """
        problems = self._problems()
        lines = "\n".join(dict.fromkeys(line for line, _ in problems))
        return "\n\n".join([lines, *dict.fromkeys(detail for _, detail in problems if detail)])

    def _problems(self) -> List[Tuple[str, str]]:
        if self._problems_at_end is not None:
            return self._problems_at_end
        unexpected = [(f"unexpected {_line_of(request)}", _body_of(request)) for request in self.unmatched()]
        unused = [(f"no request asked for {reply}", "") for reply in self.unused()]
        return [*unexpected, *unused, *(problem for test in self._tests for problem in test._problems())]

    def evidence(self) -> str:
        """Describes all requests and their answers."""
        return "\n\n".join(map(self._describe, self.requests())) or "no request was sent with this API key"

    def close(self) -> None:
        """Ends the server, or removes the scenarios of a test. A second call does nothing."""
        end, self._end = self._end, None
        if end is not None:
            end()

    def __enter__(self) -> "Fake":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _describe(self, request: Dict[str, Any]) -> str:
        lines = [_line_of(request), _body_of(request)]
        if "transcript" in request:
            answer = self.transcript(request["id"]).decode(errors="replace").split("\n")
            answer = [f"  {_cut(line)}" for line in answer if line.strip()]
            lines += ["  answer:", *answer[:_SHOWN_LINES]]
            lines += [f"  … ({len(answer) - _SHOWN_LINES} more lines)"] if len(answer) > _SHOWN_LINES else []
        return "\n".join(filter(None, lines))


def start_fake(
    *,
    yaml: Optional[str] = None,
    scenarios: Optional[Scenarios] = None,
    args: Iterable[str] = (),
    start_timeout: float = 10,
) -> Fake:
    """Starts a server on a free port of this machine. Without scenarios it plays the bundled ones.

    ``args`` are further arguments of ``fakeopenai serve``. The server ends with ``close``, at the
    end of a ``with``, and when this process ends, however it ends.
    """
    paths, texts = _divide(yaml, scenarios)
    files: List[File] = []
    with tempfile.TemporaryDirectory(prefix="fakeopenai-") as folder:
        for text in texts:
            path = Path(folder, re.sub(r"\W", ".", text.name) + ".yaml")  # brackets are for globs
            path.write_text(text.text, encoding="utf-8")
            files.append(text._replace(path=str(path)))
        flags = ["--transcripts", "--no-watch", "--drain-timeout", "0s", "--log-level", "warn"]
        args = [*paths, *(str(file.path) for file in files), *flags, *args]
        process = Process(args, start_timeout, lambda log: with_paths(log, files))
    return Fake(Admin(process.url, files=files), "sk-test-own", process.stop)


def connect_fake(url: Optional[str] = None, token: Optional[str] = None) -> Fake:
    """Returns a fake on a server that runs already, as below ``fakeopenai exec`` or in a container.

    It has an API key of its own, and sees the requests of that key alone. The address and the
    admin token are those of FAKEOPENAI_URL and FAKEOPENAI_ADMIN_TOKEN by default.
    """
    url = url or os.environ.get("FAKEOPENAI_URL")
    if not url:
        raise FakeError("connect_fake needs the address of a server, as url or in the variable FAKEOPENAI_URL")
    if not url.startswith(("http://", "https://")):
        raise FakeError(f'"{url}" is not an address such as http://127.0.0.1:8080')
    api_key = _new_key()
    admin = Admin(url, token or os.environ.get("FAKEOPENAI_ADMIN_TOKEN"), api_key)
    return Fake(admin, api_key, lambda: admin.ask("POST", "reset"))


def _new_key() -> str:
    """Returns an API key that no other test has."""
    return f"sk-test-{secrets.token_hex(12)}"


def _identity(scenario: Dict[str, Any]) -> Tuple[str, str]:
    """Returns what tells a scenario from others with its name."""
    return scenario["name"], scenario.get("source", "")


def _divide(yaml: Optional[str], scenarios: Optional[Scenarios]) -> Tuple[List[str], List[File]]:
    """Splits scenarios into paths, and texts that are not in files."""
    texts: List[File] = []
    if yaml is not None:
        if not isinstance(yaml, str):
            raise FakeError(f"yaml cannot be {yaml!r}; write YAML")
        texts.append(File("yaml", yaml))
    several = isinstance(scenarios, Sequence) and not isinstance(scenarios, str)
    given: Any = scenarios if several else () if scenarios is None else (scenarios,)
    paths: List[str] = []
    for number, each in enumerate(given):
        name = f"scenarios[{number}]" if several else "scenarios"
        if isinstance(each, Mapping):
            texts.append(File(name, json.dumps(each, indent=2), is_mapping=True))
        elif isinstance(each, (str, os.PathLike)):
            paths.append(os.path.abspath(each))
        else:
            raise FakeError(f"{name} cannot be {each!r}; write a path, or a scenario as a dictionary")
    return paths, texts


def _read_all(yaml: Optional[str], scenarios: Optional[Scenarios]) -> List[File]:
    """Reads all scenarios."""
    paths, texts = _divide(yaml, scenarios)
    return [File(str(file), file.read_text(encoding="utf-8")) for path in paths for file in _files(Path(path))] + texts


def _files(path: Path) -> List[Path]:
    """Returns a file, or all scenario files of a folder and the folders below it."""
    if path.is_file():
        return [path]
    if not path.exists():
        raise FakeError(f"there is no file and no folder {path}")
    files = sorted(file for file in path.rglob("*") if file.suffix in (".yaml", ".yml"))
    if not files:
        raise FakeError(f"{path} has no file that ends in .yaml or .yml")
    return files


def _duration(timeout: Optional[float]) -> Dict[str, str]:
    """Returns the query parameter for a time limit in seconds."""
    return {} if timeout is None else {"timeout": f"{timeout}s"}


def _line_of(request: Dict[str, Any]) -> str:
    by = f' by "{request["scenario"]}"' if "scenario" in request else ""
    problem = f": {request['problem']}" if "problem" in request else ""
    return f"request {request['id']}: {request['method']} {request['path']}, answered with {request['status']}{by}{problem}"


def _body_of(request: Dict[str, Any]) -> str:
    return f"  body: {_cut(json.dumps(request['body'], ensure_ascii=False))}" if "body" in request else ""


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text) - _SHOWN} more characters)"
