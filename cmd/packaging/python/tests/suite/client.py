"""Code under test: a client that reads a stream of server-sent events.

It stands for openai-python, which the distribution does not have.
"""

import json
import os
import urllib.request


def ask(question, base_url=None, api_key=None):
    url = f"{base_url or os.environ['OPENAI_BASE_URL']}/chat/completions"
    body = {"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": question}]}
    headers = {"Authorization": f"Bearer {api_key or os.environ['OPENAI_API_KEY']}", "Content-Type": "application/json"}
    text = ""
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        for line in answer:
            data = line.decode().removeprefix("data: ").strip()
            if data in ("", "[DONE]"):
                continue
            for choice in json.loads(data)["choices"]:
                text += choice["delta"].get("content") or ""
    return text
