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
