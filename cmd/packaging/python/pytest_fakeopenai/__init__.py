"""A fake OpenAI API for tests: every chunk, pause and fault of a stream is a line of YAML.

In a test of pytest, ask for the fixture ``fakeopenai``. Elsewhere, ``start_fake`` starts a server:

    with start_fake(yaml="{ name: rain, message: It is raining. }") as fake:
        ask(fake.base_url, fake.api_key, "How is the weather?")
"""

from ._errors import FakeError
from ._fake import Fake, Hold, Reply, connect_fake, start_fake

__all__ = ["Fake", "FakeError", "Hold", "Reply", "connect_fake", "start_fake"]
