"""The plugin: one server for each process of pytest, one API key for each test."""

import contextlib
import os
from typing import Any, Dict, Generator, Iterator, List

import pytest
from _pytest._code.code import ReprFileLocation
from _pytest.outcomes import Failed

from ._errors import FakeError
from ._fake import Fake, connect_fake, start_fake

_fake_of_test = pytest.StashKey[Fake]()


class _Failure(Failed):
    """A failure that is shown by its message alone, without the lines of this package."""

    def __init__(self, message: str) -> None:
        super().__init__(f"fakeopenai: {message}", pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("fakeopenai_scenarios", "scenario files and folders, relative to the ini file", type="paths")
    parser.addini("fakeopenai_args", "further arguments of fakeopenai serve", type="args")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "fakeopenai(yaml=None, scenarios=None): the scenarios that the fixture fakeopenai plays for this test"
    )


@pytest.fixture(scope="session")
def fakeopenai_server(pytestconfig: pytest.Config) -> Iterator[Fake]:
    """The server: the one that FAKEOPENAI_URL names, or else one for this process."""
    paths: List[Any] = pytestconfig.getini("fakeopenai_scenarios")
    with _readable():
        if os.environ.get("FAKEOPENAI_URL"):
            server = connect_fake()
        else:
            server = start_fake(scenarios=[str(path) for path in paths] or None, args=pytestconfig.getini("fakeopenai_args"))
    with server:
        yield server


@pytest.fixture
def fakeopenai(request: pytest.FixtureRequest, fakeopenai_server: Fake, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A fake for this test, with an API key of its own; the scenarios are those of its marker.

    OPENAI_BASE_URL and OPENAI_API_KEY are set for the test. The test fails if it sends a request
    that no scenario answers, or if a reply of its scenarios is not asked for.
    """
    with _readable():
        test = fakeopenai_server.for_test(**_marked(request.node))
    with test as fake:
        monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", fake.api_key)
        request.node.stash[_fake_of_test] = fake
        yield fake


@pytest.fixture(autouse=True)
def _fakeopenai_of_marker(request: pytest.FixtureRequest) -> None:
    """Gives a test with the marker its fake, also if it does not name the fixture."""
    if request.node.get_closest_marker("fakeopenai"):
        request.getfixturevalue("fakeopenai")


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Shows the message of an error alone, without the lines of this package."""
    try:
        yield
    except FakeError as e:
        raise _Failure(str(e)) from None


def _marked(node: pytest.Item) -> Dict[str, Any]:
    """Returns what the nearest marker says."""
    marker = node.get_closest_marker("fakeopenai")
    if marker is None:
        return {}
    if marker.args or not set(marker.kwargs) <= {"yaml", "scenarios"}:
        raise FakeError("the marker fakeopenai takes yaml=… or scenarios=…")
    return dict(marker.kwargs)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fails a test that came to its end with problems."""
    fake = item.stash.get(_fake_of_test, None)
    if fake is not None and (problems := fake.problems()):
        path, line, name = item.location
        raise _Failure(f"{problems}\n\n{path}:{(line or 0) + 1}: in {name}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    """Adds the reason to the short summary, and requests and answers to a test that failed."""
    outcome = yield
    report = outcome.get_result()
    if call.excinfo is not None and isinstance(call.excinfo.value, _Failure) and hasattr(report.longrepr, "chain"):
        path, line, _ = item.location  # the summary has the message of a place alone
        crash = ReprFileLocation(path, (line or 0) + 1, str(call.excinfo.value))
        report.longrepr.reprcrash = crash
        report.longrepr.chain = [(shown, crash, between) for shown, _, between in report.longrepr.chain]
    fake = item.stash.get(_fake_of_test, None)
    if report.when == "call" and report.failed and fake is not None:
        report.sections.append(("fakeopenai: requests and answers", fake.evidence()))
