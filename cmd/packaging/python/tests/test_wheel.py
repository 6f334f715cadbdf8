"""Builds the wheel, installs it without network, and runs the suites with pytest and xdist."""

import re
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest
from conftest import run

SOURCE = Path(__file__).parent.parent

sys.path.insert(0, str(SOURCE))
import build_wheels  # noqa: E402

@pytest.fixture(scope="session")
def wheels(binaries, tmp_path_factory):
    """Builds the wheel of this machine in two folders, one after the other."""
    work = tmp_path_factory.mktemp("wheels")
    for out in ("first", "second"):
        build_wheels.main("0.0.1", binaries, work / out)
    return [next((work / out).iterdir()) for out in ("first", "second")]


@pytest.fixture(scope="session")
def python(wheels, tmp_path_factory):
    """Installs the wheel beside the distribution's packages, and returns the interpreter."""
    venv = tmp_path_factory.mktemp("install") / "mit Umlauten äöü"
    run(sys.executable, "-m", "venv", "--system-site-packages", str(venv))
    python = venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(str(python), "-m", "pip", "install", "--no-index", str(wheels[0]))
    return str(python)


@pytest.fixture
def suite(tmp_path):
    return shutil.copytree(SOURCE / "tests" / "suite", tmp_path / "suite")


def test_the_same_files_give_the_same_wheel(wheels):
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
    assert wheels[0].stat().st_size <= 10_000_000


def test_the_notices_of_licences_are_in_the_wheel(wheels):
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name in ("LICENSE", "NOTICES.txt"):
            assert wheel.read(f"pytest_fakeopenai-0.0.1.dist-info/{name}") == (SOURCE / "../../.." / name).read_bytes()


@pytest.mark.parametrize(
    "version, expected",
    [("1.2.3", "1.2.3"), ("1.2.3-rc.1", "1.2.3rc1"), ("1.2.3-alpha2", "1.2.3alpha2"), ("1.2.4-dev-0a1b", "1.2.4.dev0+dev.0a1b")],
)
def test_a_version_is_one_of_python(version, expected):
    assert build_wheels.python_version(version) == expected


def test_the_suite_passes(python, suite):
    assert re.search(r"\b24 passed\b", run(python, "-m", "pytest", "-q", cwd=suite))


def test_the_suite_passes_with_xdist(python, suite):
    assert re.search(r"\b24 passed\b", run(python, "-m", "pytest", "-q", "-n", "3", cwd=suite))


def test_the_suite_passes_on_a_shared_server(python, suite):
    command = Path(python).with_name("fakeopenai")
    out = run(str(command), "exec", "--transcripts", "weather.yaml", "--", python, "-m", "pytest", "-q", "-n", "3", cwd=suite)
    assert re.search(r"\b24 passed\b", out)


def test_what_fails_says_why(python, suite):
    out = run(python, "-m", "pytest", "-q", "failing.py", cwd=suite, status=1, COLUMNS="200")
    assert "1 xfailed" in out
    for internal in ("site-packages", "During handling"):  # say nothing to a user
        assert internal not in out
    parts = re.split(r"_{3,} (?:ERROR at setup of )?(test_\w+) _{3,}", out)
    shown = dict(zip(parts[1::2], parts[2::2]))
    expected = {
        "test_an_unexpected_request": [
            r"^fakeopenai: unexpected request \d+: POST /v1/chat/completions, answered with 404: .*which does not match weather.*\n\n  body: ",
            r'"content": "What is the time\?"',
            r"\nfailing.py:\d+: in test_an_unexpected_request\n",
        ],
        "test_an_unused_reply": [
            r'no request asked for reply 1 of scenario "snow" \(yaml:1\), when the last user message is "snow"',
            r"requests and answers -+\nno request was sent",
        ],
        "test_the_fixture_is_not_named": [r'no request asked for reply 1 of scenario "snow"'],
        "test_an_unused_reply_beside_a_request": [
            r'reply 1 of scenario "snow" \(/.*/suite/snow.txt:1\)',
            r'requests and answers -+\nrequest \d+: POST .* by "rain"\n  body: .*"How is the weather\?".*\n  answer:\n(  data: .*\n){5}',
        ],
        "test_a_fake_in_a_test": [r"unexpected request \d+: [\s\S]*the nearest is", r"no request asked for reply 1"],
        "test_an_unexpected_request_where_the_server_has_the_bundled_scenarios": [r'unexpected request 1: [\s\S]*the nearest is "snow"'],
        "test_a_hold_that_no_stream_reaches": [r'FakeError: no stream reached hold "middle": waited 10ms'],
        "test_requests_that_do_not_come": [r"0 of 99 requests have ended: waited 10ms"],
        "test_a_mistake_in_a_file": [r"^fakeopenai: /.*/suite/sun.txt:3:1: unknown key"],
        "test_a_mistake_in_a_dictionary": [r"^fakeopenai: scenarios\[1\].mesage: unknown key"],
        "test_a_mistake_deep_in_a_dictionary": [r"2 mistakes in the scenarios:\nscenarios.replies\[1\].when.last: .*\nscenarios.replies\[1\].pace\[\"x-y\"\]: "],
        "test_a_mistake_in_a_dictionary_at_the_start": [r"did not start[\s\S]*\bscenarios\[0\].message.contents: unknown key"],
        "test_a_number_for_a_scenario": [r"scenarios cannot be 3; write a path, or a scenario as a dictionary"],
        "test_a_file_of_a_marker_that_is_not_there": [r"there is no file and no folder /.*/suite/missing.yaml"],
        "test_requests_are_shown": [r"fakeopenai: requests and answers", r"request \d+: POST", r"answer:\n  data: "],
        "test_a_mistake_in_a_scenario": [r'^fakeopenai: yaml:2:1: unknown key "mesage" in scenario \(did you mean "message"\?\)'],
        "test_a_mistake_in_the_marker": [r"the marker fakeopenai takes yaml=… or scenarios=…"],
        "test_a_mistake_at_the_start": [r'did not start, exit code 1:', r'\byaml:2:1: unknown key "mesage"'],
        "test_a_file_that_is_not_there": [r"missing.yaml"],
        "test_too_little_time": [r"did not listen within 0.0001 s; start_timeout allows more"],
        "test_no_server": [r"connect_fake needs the address of a server"],
        "test_an_address_without_a_scheme": [r'"127.0.0.1:8080" is not an address such as http://127.0.0.1:8080'],
    }
    assert shown.keys() == expected.keys()
    for test, patterns in expected.items():
        for pattern in patterns:
            assert re.search(pattern, shown[test], re.MULTILINE), (test, pattern, shown[test])
    summary = out[out.index("short test summary") :]
    for line in (
        "FAILED failing.py::test_an_unexpected_request - fakeopenai: unexpected request",
        "FAILED failing.py::test_an_unused_reply - fakeopenai: no request asked for",
        "ERROR failing.py::test_a_mistake_in_a_dictionary - fakeopenai: scenarios[1].mesage",
    ):
        assert f"\n{line}" in summary, summary


def test_types():
    run("/usr/bin/python3", "-m", "mypy", "--strict", "--allow-untyped-decorators", "--python-version", "3.9", "--cache-dir", "/dev/null",
        "-p", "pytest_fakeopenai", cwd=SOURCE)  # fmt: skip


def test_the_command(python, suite):
    command = str(Path(python).with_name("fakeopenai"))
    assert run(command, "check", "--quiet", "weather.yaml", cwd=suite) == "1 scenario in 1 file\n"
    run(command, "check", "missing.yaml", cwd=suite, status=3)


def test_a_program_that_is_missing_or_cannot_be_executed(python, suite):
    script = "import pytest_fakeopenai as p\ntry: p.start_fake()\nexcept p.FakeError as e: print(e)"
    assert "cannot be executed" in run(python, "-c", script, cwd=suite, FAKEOPENAI_BINARY=str(suite / "weather.yaml"))
    missing = "import pytest_fakeopenai._process as p, pathlib\np.__file__ = '/nowhere/x.py'\n" + script
    assert re.search(r"no program for \S+. There are wheels for Linux, macOS and Windows", run(python, "-c", missing, cwd=suite))


def test_the_server_ends_with_the_process_that_started_it(python, suite):
    orphan = subprocess.Popen([python, "orphan.py"], cwd=suite, stdout=subprocess.PIPE, text=True)
    url = orphan.stdout.readline().strip()
    urllib.request.urlopen(f"{url}/_fake/healthz").close()
    orphan.kill()
    orphan.wait()
    with pytest.raises(OSError):  # the time limit of CI ends a server that does not
        while True:
            urllib.request.urlopen(f"{url}/_fake/healthz").close()


def test_the_page(python, tmp_path):
    page = (SOURCE / "README.md").read_text(encoding="utf-8")
    blocks = {name: text for text, name in re.findall(r"^```\w+\n(# (\S+)\n.*?)^```", page, re.MULTILINE | re.DOTALL)}
    assert list(blocks) == ["test_weather.py", "pytest.ini", "ask_rain.py"]
    for name, text in blocks.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "other.yaml").write_text("{ name: other, when: { user: other }, message: other }")
    assert re.search(r"\b1 passed\b", run(python, "-m", "pytest", "-q", cwd=tmp_path))
    assert re.match(r"http://127.0.0.1:\d+/v1 sk-test-\w+\n", run(python, "ask_rain.py", cwd=tmp_path))


def test_the_first_page(python, tmp_path):
    page = (SOURCE.parents[2] / "README.md").read_text(encoding="utf-8")
    for name in "weather.yaml", "test_forecast.py":
        (tmp_path / name).write_text(re.search(rf"^```\w+\n(# {name}\n.*?)^```", page, re.MULTILINE | re.DOTALL)[1], encoding="utf-8")
    (tmp_path / "yourapp.py").write_text(YOUR_APP)
    assert re.search(r"\b1 passed\b", run(python, "-m", "pytest", "-q", cwd=tmp_path))


YOUR_APP = """
import json, urllib.request

def ask(base_url, api_key, question):
    body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": question}]}).encode()
    headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(base_url + "/chat/completions", body, headers)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]
"""
