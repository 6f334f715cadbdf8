class FakeError(Exception):
    """The server did not start, refused something, or does not answer. The message says why."""
