import threading
import urllib.error

import pytest
from client import ask
from pytest_fakeopenai import FakeError, start_fake

SUNNY = {"name": "weather", "message": "The sun shines."}


@pytest.mark.fakeopenai(yaml="{ name: weather, message: It snows. }")
def test_yaml(fakeopenai):
    assert ask("How is the weather?") == "It snows."
    [request] = fakeopenai.await_end()
    assert (request["scenario"], request["status"]) == ("weather", 200)
    assert fakeopenai.transcript(request["id"]).endswith(b"data: [DONE]\n\n")
    assert fakeopenai.unmatched() == fakeopenai.unused() == []


@pytest.mark.fakeopenai(scenarios=SUNNY)
@pytest.mark.parametrize("number", range(20))
def test_each_test_has_its_own_scenarios_and_requests(fakeopenai, number):
    assert ask(f"How is the weather, {number}?", fakeopenai.base_url, fakeopenai.api_key) == "The sun shines."
    assert [request["body"]["messages"][0]["content"] for request in fakeopenai.requests()] == [f"How is the weather, {number}?"]


def test_a_stream_waits_at_a_hold_until_the_test_releases_it(fakeopenai):
    answers = []
    asking = threading.Thread(target=lambda: answers.append(ask("How is the weather?")))
    asking.start()
    assert len(fakeopenai.hold("middle").wait()["waiting"]) == 1
    assert answers == []
    fakeopenai.hold("middle").release()
    asking.join()
    assert answers == ["It is raining."]
    assert fakeopenai.await_request()["scenario"] == "weather"


def test_retries(fakeopenai):
    fakeopenai.play(yaml="name: flaky\nreplies:\n  - { times: 1, error: { status: 429, retry_after: 10ms } }\n  - message: At last.")
    with pytest.raises(urllib.error.HTTPError):
        ask("Hi")
    assert ask("Hi") == "At last."
    [call] = fakeopenai.calls()
    assert [attempt["status"] for attempt in call["attempts"]] == [429, 200]


def test_a_server_of_its_own(tmp_path):
    folder = tmp_path / "Ordner für Prüfungen"
    folder.mkdir()
    (folder / "rain.yaml").write_text("name: rain\nmessage: It is raining.")
    with start_fake(scenarios=folder, args=["--speed", "instant"]) as fake:
        assert ask("Hi", fake.base_url, fake.api_key) == "It is raining."
        with fake.for_test(scenarios=[folder / "rain.yaml", {**SUNNY, "when": {"user": "sun"}}]) as test:
            assert ask("Hi", test.base_url, test.api_key) == "It is raining."
            assert [str(reply) for reply in test.unused()] == [
                'reply 1 of scenario "weather" (scenarios[1]), when the last user message is "sun"'
            ]
        assert len(fake.requests()) == 2
    fake.close()
    with pytest.raises(FakeError, match=r"does not answer at http://127.0.0.1:\d+: "):
        fake.requests()
