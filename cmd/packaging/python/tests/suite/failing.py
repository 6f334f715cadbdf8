"""Each of these tests must fail, with a message that says why."""

import urllib.error

import pytest
from client import ask
from pytest_fakeopenai import connect_fake, start_fake


def test_an_unexpected_request(fakeopenai):
    with pytest.raises(urllib.error.HTTPError):
        ask("What is the time?")


@pytest.mark.fakeopenai(yaml="{ name: snow, when: { user: snow }, message: It snows. }")
def test_an_unused_reply(fakeopenai):
    pass


@pytest.mark.fakeopenai(yaml="{ name: snow, when: { user: snow }, message: It snows. }")
def test_the_fixture_is_not_named():
    pass


@pytest.mark.fakeopenai(yaml="{ name: weather, message: It snows. }")
@pytest.mark.fakeopenai(scenarios=["snow.txt", {"name": "rain", "message": "It rains."}])
def test_an_unused_reply_beside_a_request(fakeopenai):
    ask("How is the weather?")


def test_a_fake_in_a_test(fakeopenai):
    with fakeopenai.for_test(scenarios="snow.txt") as fake:
        with pytest.raises(urllib.error.HTTPError):
            ask("What is the time?", fake.base_url, fake.api_key)


def test_an_unexpected_request_where_the_server_has_the_bundled_scenarios():
    with start_fake() as fake, fake.for_test(scenarios="snow.txt") as test:
        with pytest.raises(urllib.error.HTTPError):
            ask("What is the time?", test.base_url, test.api_key)
    assert test.problems() == ""


def test_a_hold_that_no_stream_reaches(fakeopenai):
    fakeopenai.hold("middle").wait(0.01)


def test_requests_that_do_not_come(fakeopenai):
    fakeopenai.await_request(99, 0.01)


@pytest.mark.fakeopenai(scenarios=["snow.txt", "sun.txt"])
def test_a_mistake_in_a_file(fakeopenai):
    pass


@pytest.mark.fakeopenai(scenarios=["snow.txt", {"name": "sun", "mesage": "The sun shines."}])
def test_a_mistake_in_a_dictionary(fakeopenai):
    pass


@pytest.mark.fakeopenai(scenarios={"name": "sun", "replies": ["One.", {"when": {"last": "x"}, "message": "Two.", "pace": {"x-y": 1}}]})
def test_a_mistake_deep_in_a_dictionary(fakeopenai):
    pass


def test_a_mistake_in_a_dictionary_at_the_start():
    start_fake(scenarios=[{"name": "sun", "message": {"contents": "The sun shines."}}])


@pytest.mark.fakeopenai(scenarios=3)
def test_a_number_for_a_scenario(fakeopenai):
    pass


@pytest.mark.fakeopenai(scenarios="missing.yaml")
def test_a_file_of_a_marker_that_is_not_there(fakeopenai):
    pass


@pytest.mark.fakeopenai(yaml="{ name: weather, message: It snows. }")
def test_requests_are_shown(fakeopenai):
    assert ask("How is the weather?") == "It rains."


@pytest.mark.fakeopenai(yaml="name: snow\nmesage: It snows.")
def test_a_mistake_in_a_scenario(fakeopenai):
    pass


@pytest.mark.fakeopenai("snow.yaml")
def test_a_mistake_in_the_marker(fakeopenai):
    pass


def test_a_mistake_at_the_start():
    start_fake(yaml="name: snow\nmesage: It snows.")


def test_a_file_that_is_not_there():
    start_fake(scenarios="missing.yaml")


def test_too_little_time():
    start_fake(start_timeout=0.0001)


def test_no_server():
    connect_fake()


def test_an_address_without_a_scheme():
    connect_fake("127.0.0.1:8080")


@pytest.mark.xfail(reason="a problem is a failure")
@pytest.mark.fakeopenai(scenarios="snow.txt")
def test_that_is_meant_to_fail(fakeopenai):
    pass
