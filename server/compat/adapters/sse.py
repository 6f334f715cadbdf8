import json
import re
import sys
from urllib.request import Request, urlopen


def events(body):
    data = []
    for line in re.split("\r\n|\n|\r", body.read().decode("utf-8-sig")):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def ask(q):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + q["api_key"]}
    outcome, calls = {"text": "", "refusal": "", "finish": ""}, {}
    with urlopen(Request(q["base_url"] + "/chat/completions", json.dumps(q["request"]).encode(), headers), timeout=5) as body:
        for chunk in (json.loads(e) for e in events(body) if e != "[DONE]"):
            outcome["usage"] = chunk.get("usage") or outcome.get("usage", {})
            for choice in (c for c in chunk["choices"] if c["index"] == 0):
                delta = choice["delta"]
                outcome["text"] += delta.get("content") or ""
                outcome["refusal"] += delta.get("refusal") or ""
                outcome["finish"] = choice["finish_reason"] or outcome["finish"]
                for part in delta.get("tool_calls") or []:
                    call = calls.setdefault(part["index"], {"id": part.get("id"), "name": "", "arguments": ""})
                    call["name"] += part["function"].get("name", "")
                    call["arguments"] += part["function"].get("arguments", "")
    return {**outcome, "calls": list(calls.values())}


for q in map(json.loads, sys.stdin):
    try:
        print(json.dumps(ask(q) if q["surface"] == "chat" else {"skip": "chat alone"}), flush=True)
    except Exception as e:
        print(json.dumps({"error": repr(e)}), flush=True)
