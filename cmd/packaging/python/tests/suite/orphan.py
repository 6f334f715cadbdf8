"""Starts a server, prints its URL, and waits to be killed."""

import time

from pytest_fakeopenai import start_fake

fake = start_fake()
print(fake.url, flush=True)
time.sleep(60)
