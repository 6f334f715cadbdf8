package yamlfile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// intuitive are mistakes of people who have not read the reference. Each has the hint of its
// first problem. The member mended, if there is one, is the file after the hint was followed;
// it has no problems.
var intuitive = []struct{ wrong, hint, mended string }{
	// words in the wrong place
	{"newline: crlf\nmessage: hi", "write wire: { newline: crlf }", "wire: { newline: crlf }\nmessage: hi"},
	{"headers: { A: b }\nmessage: hi", "write wire: { headers: {A: b} }", "wire: { headers: {A: b} }\nmessage: hi"},
	{"id: x\nmessage: hi", "write envelope: { id: x }", "envelope: { id: x }\nmessage: hi"},
	{"model: gpt-4o\nmessage: hi", "write when: { model: gpt-4o } or envelope: { model: gpt-4o }", "when: { model: gpt-4o }\nmessage: hi"},
	{"gzip: true\nmessage: hi", "write wire: { gzip: flush }", "wire: { gzip: flush }\nmessage: hi"},
	{"done: false\nmessage: hi", "write wire: { done: false } or stream: [{ done: false }]", "wire: { done: false }\nmessage: hi"},
	{"rpm: 3\nmessage: hi", "write limits: { rpm: 3 }", "limits: { rpm: 3 }\nmessage: hi"},
	{"limits: 3\nmessage: hi", "write limits: { rpm: 3 }", "limits: { rpm: 3 }\nmessage: hi"},
	{"rate_limit: { rpm: 3 }\nmessage: hi", `did you mean "limits"?`, "limits: { rpm: 3 }\nmessage: hi"},
	{"limits: { requests: 3 }\nmessage: hi", "write rpm: 3", "limits: { rpm: 3 }\nmessage: hi"},
	{"limits: { tokens: 300 }\nmessage: hi", "write tpm: 300", "limits: { tpm: 300 }\nmessage: hi"},
	{"gap: 3ms\nmessage: hi", "write wire: { split: { gap: 3ms } }", ""},
	{"user: hi\nmessage: hi", "write when: { user: hi }", "when: { user: hi }\nmessage: hi"},
	{"stall: 3s\nmessage: hi", "write end: { stall: 3s }", "end: { stall: 3s }\nmessage: hi"},
	{"status: 429", "write error: { status: 429 }", "error: { status: 429 }"},
	{"error: { status: 500 }\nomit: [error.param]", "write error: { status: 500, omit: [error.param] } in place of both", "error: { status: 500, omit: [error.param] }"},
	{"stream:\n  - role: assistant\n  - error: { message: x }\n    omit: [param]", "write error: {message: x, omit: [param] }, which is about the error", "stream:\n  - role: assistant\n  - error: { message: x, omit: [param] }"},
	{"when: { last: tool }\nmessage: hi", `write body: { "messages[-1].role": tool }`, "when: { body: { \"messages[-1].role\": tool } }\nmessage: hi"},
	{"when: { last: weather }\nmessage: hi", "write user: { contains: weather }", "when: { user: { contains: weather } }\nmessage: hi"},
	{"content: Hi", "write message: { content: Hi } or stream: [{ content: Hi }]", "message: { content: Hi }"},
	{"message: { content: Hi, envelope: { id: x } }", "write envelope: {id: x} in scenario, beside message", "message: { content: Hi }\nenvelope: { id: x }"},
	{"replies: [{ content: Hi }]", "write message: Hi", "replies: [{ message: { content: Hi } }]"},
	{"replies: [{ newline: lf, message: a }]", "write wire: { newline: lf }", "replies: [{ wire: { newline: lf }, message: a }]"},
	{"stream: [{ newline: crlf, content: a }]", "write wire: { newline: crlf }", "stream: [{ wire: { newline: crlf }, content: a }]"},
	{"stream: [{ choice: 1, content: a, end: cut }]", "write end: cut in scenario, beside stream", "end: cut\nstream: [{ choice: 1, content: a }]"},
	{"message: { content: a, choice: 1 }", `did you mean "choices"?`, ""},
	{"message: { content: a, wait: 3s }", "write stream: [{ wait: 3s }] in scenario", ""},
	{"wire: { end: cut }\nmessage: hi", "write end: cut in scenario, beside wire", "end: cut\nmessage: hi"},
	{"end: { cut: { for: 3s } }\nmessage: hi", "write stall: { for: 3s } or linger: { for: 3s } in end", "end: { stall: { for: 3s } }\nmessage: hi"},
	{"embeddings: {}", "write [] for an answer without rules", "embeddings: []"},
	{"colour: blue\nmessage: hi", "the answer is message: Hello there., stream: [{ role: assistant }, { content: Hi }, { finish: stop }] or error: 429; what it is for, when: { user: { contains: weather } }; fakeopenai docs scenario has all keys", ""},
	{"when: { url: /v1 }\nmessage: hi", "write path: /v1", ""},

	// other paths
	{"when: { path: v1/files }\nwire: { body: OK }", "write path: /v1/files", "when: { path: /v1/files }\nwire: { body: OK }"},
	{"when: { path: GET /v1/files }\nwire: { body: OK }", "write path: /v1/files, method: GET", "when: { path: /v1/files, method: GET }\nwire: { body: OK }"},
	{"when: { path: http://localhost:8080/v1/files }\nwire: { body: OK }", "write path: /v1/files", "when: { path: /v1/files }\nwire: { body: OK }"},
	{"when: { path: \"/v1/files?after=a\" }\nwire: { body: OK }", "write path: /v1/files, body: { after: a }", "when: { path: /v1/files, body: { after: a } }\nwire: { body: OK }"},
	{"when: { path: /v1/files/:id }\nwire: { body: OK }", `write path: "/v1/files/{id}"`, "when: { path: \"/v1/files/{id}\" }\nwire: { body: OK }"},
	{"when: { path: /v1/files/<id>/content }\nwire: { body: OK }", `write path: "/v1/files/{id}/content"`, "when: { path: \"/v1/files/{id}/content\" }\nwire: { body: OK }"},
	{"when: { path: /v1/files, method: get }\nwire: { body: OK }", `did you mean "GET"?`, "when: { path: /v1/files, method: GET }\nwire: { body: OK }"},
	{"when: { path: /v1/files }\nbody: { id: a }", "write when: { body: {id: a} } or wire: { body: {id: a} }", "when: { path: /v1/files }\nwire: { body: { id: a } }"},
	{"when: { path: /v1/files }\nwire: { file: a.mp3 }", "write body: { file: a.mp3 }", "when: { path: /v1/files }\nwire: { body: { file: a.mp3 } }"},
	{"when: { path: /v1/files }\nwire: { body: { file: ../a.mp3 } }", "write the path with slashes, and without . and .., as in file: audio/speech.mp3", ""},

	// steps that are not mappings
	{"stream: [{ role: assistant }, Hello]", "write content: Hello", "stream: [{ role: assistant }, { content: Hello }]"},
	{"stream: [{ role: assistant }, cut]", "write end: cut in scenario, beside stream", "end: cut\nstream: [{ role: assistant }]"},
	{"stream: [{ role: assistant }, hang]", "write end: stall in scenario, beside stream", "end: stall\nstream: [{ role: assistant }]"},
	{"stream: [{ role: assistant }, stop]", "write finish: stop", "stream: [{ role: assistant }, { finish: stop }]"},
	{"stream: [assistant]", "write stream: [{ role: assistant }, { finish: stop }]", "stream: [{ role: assistant }, { finish: stop }]"},
	{"stream: [{ role: assistant }, 3s]", "write wait: 3s", "stream: [{ role: assistant }, { wait: 3s }]"},
	{"stream: [{ role: assistant }, wait 300ms]", "write wait: 300ms", "stream: [{ role: assistant }, { wait: 300ms }]"},
	{"stream: [{ role: assistant }, finish stop]", "write finish: stop", "stream: [{ role: assistant }, { finish: stop }]"},
	{"stream:\n- role: assistant\n- [DONE]", "write done: true", "stream:\n- role: assistant\n- done: true"},
	{"stream:\n- role: assistant\n- done", "write done: true", "stream:\n- role: assistant\n- done: true"},

	// words of OpenAI's API
	{"created: 5\nmessage: hi", "write envelope: { created: 5 }", "envelope: { created: 5 }\nmessage: hi"},
	{"stream: [{ id: x, content: a }]", "write envelope: { id: x } in scenario, or wire: { id: x } for the id of the event", "envelope: { id: x }\nstream: [{ content: a }]"},
	{"stream: [{ model: gpt-4o, content: a }]", "write envelope: { model: gpt-4o } in scenario", "envelope: { model: gpt-4o }\nstream: [{ content: a }]"},
	{"stream: [{ system_fingerprint: fp_1, content: a }]", "write envelope: { system_fingerprint: fp_1 } in scenario", "envelope: { system_fingerprint: fp_1 }\nstream: [{ content: a }]"},
	{"message: { content: a, id: x }", "write envelope: { id: x } in scenario", "envelope: { id: x }\nmessage: { content: a }"},
	{"stream: [{ index: 0, content: a }]", `did you mean "choice"?`, "stream: [{ choice: 0, content: a }]"},
	{"response_format: { type: json_object }\nmessage: '{}'", "write when: { body: { response_format.type: json_object } }; response_format is a member of the request",
		"when: { body: { response_format.type: json_object } }\nmessage: '{}'"},
	{"when: { temperature: 0 }\nmessage: hi", "write body: { temperature: 0 }; temperature is a member of the request", "when: { body: { temperature: 0 } }\nmessage: hi"},
	{"prompt_filter_results: []\nmessage: hi", "write envelope: { layout: azure }", "envelope: { layout: azure }\nmessage: hi"},
	{"stream: [{ content_filter_results: {}, content: a }]", "write envelope: { layout: azure } in scenario", "envelope: { layout: azure }\nstream: [{ content: a }]"},

	// synonyms
	{"turns: [{ message: a }]", "write replies: [{ message: a }]", "replies: [{ message: a }]"},
	{"chunks: [{ content: a }]", `did you mean "stream"?`, "stream: [{ content: a }]"},
	{"response: hi", "write message: hi", "message: hi"},
	{"match: { user: hi }\nmessage: hi", "write when: {user: hi}", "when: { user: hi }\nmessage: hi"},
	{"prompt: hi\nmessage: hi", "write when: { user: { contains: hi } }", "when: { user: { contains: hi } }\nmessage: hi"},
	{"pause: 500ms\nmessage: hi", "write pace: { every: 500ms } or stream: [{ wait: 500ms }]", "pace: { every: 500ms }\nmessage: hi"},
	{"delay: 500ms\nmessage: hi", "write pace: { first: 500ms } or pace: { every: 500ms } or stream: [{ wait: 500ms }]", "pace: { first: 500ms }\nmessage: hi"},
	{"ttft: 300ms\nmessage: hi", "write pace: { first: 300ms }", "pace: { first: 300ms }\nmessage: hi"},
	{"keepalive: 15s", "write stream: [{ comment: keep-alive }]", "stream: [{ comment: keep-alive }]"},
	{"pace: { ttft: 300ms }\nmessage: hi", "write first: 300ms", "pace: { first: 300ms }\nmessage: hi"},
	{"stream: [{ stall: 3s }]", `did you mean "wait"?`, "stream: [{ wait: 3s }]"},
	{"stream: [{ ping: hi }]", `did you mean "comment"?`, "stream: [{ comment: hi }]"},
	{"when: { tool: f }\nmessage: hi", "write tools: f or tool_result: f", "when: { tool_result: f }\nmessage: hi"},
	{"when: { times: 2 }\nmessage: hi", `did you mean "turn" or "attempt"?`, "when: { turn: 2 }\nmessage: hi"},
	{"when: { user: { regex: a } }\nmessage: hi", "write matches: a", "when: { user: { matches: a } }\nmessage: hi"},
	{"error: { status_code: 429 }", "write status: 429; to send it as it is, write extra: { status_code: 429 }", "error: { status: 429 }"},
	{"end: abort\nmessage: hi", "write end: reset", "end: reset\nmessage: hi"},
	{"end: { cut: { frames: 3 } }\nmessage: hi", "write after: 3", "end: { cut: { after: 3 } }\nmessage: hi"},

	{"when: { response_format: json_object }\nmessage: '{}'", "write body: { response_format.type: json_object }; response_format is a member of the request",
		"when: { body: { response_format.type: json_object } }\nmessage: '{}'"},
	{"message: { lorem: { words: 20 } }", "write fake: {words: 20}", "message: { fake: { words: 20 } }"},
	{"stream: [{ content: a }, { no_done: true }]", "write done: false", "stream: [{ content: a }, { done: false }]"},
	{"no_done: true\nmessage: hi", "write wire: { done: false } or stream: [{ done: false }]", "wire: { done: false }\nmessage: hi"},
	{"stream: [{ tool_call_delta: { index: 0, arguments: a } }]", `did you mean "fragment"?`, "stream: [{ fragment: { index: 0, arguments: a } }]"},
	{"stream: [{ tool_call: { index: 0, arguments: '{\"a\":1}' } }]", `write fragment: {index: 0, arguments: '{"a":1}'} for a part of a call, or give the call a name`,
		`stream: [{ fragment: {index: 0, arguments: '{"a":1}'} }]`},
	{"stream: [{ tool_call: {} }]", "give the call a name, as in tool_call: { name: get_weather }", ""},

	// values where a mapping or a word is expected
	{"end: { cut: { after: 3 chunks } }\nmessage: hi", "write 3", "end: { cut: { after: 3 } }\nmessage: hi"},
	{"pace: 20ms\nmessage: hi", "write pace: { every: 20ms }", "pace: { every: 20ms }\nmessage: hi"},
	{"wire: crlf\nmessage: hi", "write wire: { newline: crlf }", "wire: { newline: crlf }\nmessage: hi"},
	{"when: hello\nmessage: hi", "write when: { user: { contains: hello } } or when: { user: hello } for exactly this text", "when: { user: hello }\nmessage: hi"},
	{"envelope: azure\nmessage: hi", "write envelope: { layout: azure }", "envelope: { layout: azure }\nmessage: hi"},
	{"wire: { event_name: \"a\\r\\nb\" }\nmessage: hi", "write it in one line", "wire: { event_name: a }\nmessage: hi"},
	{"wire: { gzip: true }\nmessage: hi", "write gzip: flush", "wire: { gzip: flush }\nmessage: hi"},
	{"message: { content: { repeat: a, bytes: 1MiB } }", "write 1048576", "message: { content: { repeat: a, bytes: 1048576 } }"},
	{"stream: [{ content: a }, done]", "write done: true", "stream: [{ content: a }, done: true]"},
	{"stream: [role, { content: a }]", "write role: assistant", "stream: [role: assistant, { content: a }]"},
	{"stream: [Hello there]", "write stream: [{ role: assistant }, { content: Hello there }, { finish: stop }]", "stream: [{ role: assistant }, { content: Hello there }, { finish: stop }]"},
	{"wire: { coalesce: true }\nmessage: hi", "write coalesce: 2", "wire: { coalesce: 2 }\nmessage: hi"},
	{"error: timeout", "write message: Hello, end: { stall: { after: 0 } } for silence, or error: { status: 504 }, or error: { message: timeout } if this text is meant", "message: Hello\nend: { stall: { after: 0 } }"},
	{"error: rate_limit_exceeded", "write error: { code: rate_limit_exceeded }, or error: { message: rate_limit_exceeded } if this text is meant", "error: { code: rate_limit_exceeded }"},
	{"error: server_error", "write error: { type: server_error }, or error: { message: server_error } if this text is meant", "error: { type: server_error }"},
	{"error: not found", "write error: { status: 404 }, or error: { message: not found } if this text is meant", "error: { status: 404 }"},
	{"stream: [{ content: a }, { error: overloaded }]", "write error: { status: 503 }, or error: { message: overloaded } if this text is meant", "stream: [{ content: a }, { error: { status: 503 } }]"},
	{"stream: [{ content: a }, { error: timeout }]", "write wait: 60s for silence, or error: { status: 504 }, or error: { message: timeout } if this text is meant", "stream: [{ content: a }, { wait: 60s }]"},
	{"stream: [{ content: a }, { error: connection reset }]", "write end: reset in scenario, beside stream, or error: { message: connection reset } if this text is meant", "end: reset\nstream: [{ content: a }]"},
	{"error: connection reset", "write message: Hello, end: reset, or error: { message: connection reset } if this text is meant", "message: Hello\nend: reset"},
	{"stream: [{ content: a, choice: 128 }]", "", "stream: [{ content: a, choice: 127 }]"},
	{"stream: hello", "write stream: [{ text: hello }]", "stream: [{ text: hello }]"},
	{"replies: [{ message: hi }, { stream: true }]", "write when: { stream: true }", ""},
	{"stream: [{ heartbeat: 15s }]", "write { heartbeat: 4, every: 15s }", "stream: [{ heartbeat: 4, every: 15s }]"},
	{"when: { user: /weather/i }\nmessage: hi", "write { matches: '(?i)weather' }, or { equals: '/weather/i' } if exactly this is meant", "when: { user: { matches: '(?i)weather' } }\nmessage: hi"},
	{"when: { user: '/it''s/' }\nmessage: hi", "write { matches: 'it''s' }, or { equals: '/it''s/' } if exactly this is meant", "when: { user: { equals: '/it''s/' } }\nmessage: hi"},
	{"when: { user: 'in \\w+' }\nmessage: hi", `write { matches: 'in \w+' }, or { equals: 'in \w+' } if exactly this is meant`, "when: { user: { matches: 'in \\w+' } }\nmessage: hi"},
	{"pace: { every: 5ms, jitter: 10ms }\nmessage: hi", "write jitter: 5ms or less", "pace: { every: 5ms, jitter: 5ms }\nmessage: hi"},
	{"stream: [{ content: a, after: 5ms, jitter: 10ms }]", "write jitter: 5ms or less", "stream: [{ content: a, after: 5ms, jitter: 5ms }]"},
	{"stream: [{ text: a b, after: 1s, every: 5ms, jitter: 10ms }]", "write jitter: 5ms or less", "stream: [{ text: a b, after: 1s, every: 5ms, jitter: 5ms }]"},
	{"stream: [{ wait: 5ms, jitter: 10ms }]", "write jitter: 5ms or less", "stream: [{ wait: 5ms, jitter: 5ms }]"},
	{"stream: [{ text: a b, after: 0s, every: 5ms, jitter: 10ms }]", "write jitter: 5ms or less", "stream: [{ text: a b, after: 0s, every: 5ms, jitter: 5ms }]"},

	{"stream: [{ raw: !!binary hi! }]", "write the bytes in base64, or the text itself, in quotes", "stream: [{ raw: !!binary aGkh }]"},
	{`stream: [{ content: !json "\\ud83d" }]`, `write it in both kinds of quotes: !json '"\ud83d"'`, `stream: [{ content: !json '"\ud83d"' }]`},

	// pasted JSON
	{`message: { choices: [{ index: 0, delta: { content: Hi }, finish_reason: null }] }`,
		`write stream: [{ choices: [{index: 0, delta: {content: Hi}, finish_reason: null}] }] in scenario`, `stream: [{ delta: { content: Hi } }]`},

	// words that lead elsewhere
	{"stream: [{ content: a }, disconnect]", "write end: { cut: { inside: false } } in scenario, beside stream", "end: { cut: { inside: false } }\nstream: [{ content: a }]"},
	{"stream: [{ content: a, reset: true }]", "write end: reset in scenario, beside stream", "end: reset\nstream: [{ content: a }]"},
	{"stream: [{ content: a, times: 3 }]", "write repeat: 3", "stream: [{ content: a, repeat: 3 }]"},
	{"stream: [{ content: a, duplicate: true }]", "write repeat: 2", "stream: [{ content: a, repeat: 2 }]"},
	{"stream: [{ content: a, id: 5 }]", "write envelope: { id: 5 } in scenario, or wire: { id: 5 } for the id of the event", "stream: [{ content: a, wire: { id: 5 } }]"},
	{"stream: [{ content: a, event: foo }]", "write event: { event: foo }, or wire: { event: foo } to name the event of a chunk", "stream: [{ content: a, wire: { event: foo } }]"},
	{"stream: [{ event: ping }]", "write event: { event: ping }, or wire: { event: ping } to name the event of a chunk", "stream: [{ event: { event: ping } }]"},
	{"stream: [{ event: { type: ping } }]", "write event: ping", "stream: [{ event: { event: ping } }]"},
	{"stream: [{ tool_call: f }]", "write tool_call: { name: f }", "stream: [{ tool_call: { name: f } }]"},
	{"stream: [{ bytes: 100 }]", "write content: { repeat: a, bytes: 100 }", "stream: [{ content: { repeat: a, bytes: 100 } }]"},
	{"stream: [{ chunks: 5 }]", "write pieces: 5 for a call, or by: 5 for a text", ""},
	{"stream: [response.created]", "write stream: [{ role: assistant }, { content: response.created }, { finish: stop }]", ""},
	{"stream: [{ content: a, repeat: forever }]", "write 1000000, which is the most", "stream: [{ content: a, repeat: 1000000 }]"},
	{"wire: { by: byte }\nmessage: hi", "write split: { by: byte }", "wire: { split: { by: byte } }\nmessage: hi"},
	{"wire: { chunk_size: 3 }\nmessage: hi", "write split: 3", "wire: { split: 3 }\nmessage: hi"},
	{"wire: { crlf: true }\nmessage: hi", "write newline: crlf", "wire: { newline: crlf }\nmessage: hi"},
	{"wire: { delay: 1s }\nmessage: hi", "write header_delay: 1s", "wire: { header_delay: 1s }\nmessage: hi"},
	{"message: { content: a, tools: [f] }", "write tool_calls for calls that the model makes; when: { tools: f } is a condition on the tools of a request", ""},
	{"message: { tool_calls: { name: f } }", "write [{name: f}]", "message: { tool_calls: [{ name: f }] }"},
	{"message: { content: a, status: incomplete }", "write finish: length", "message: { content: a, finish: length }"},
	{"message: [a, b]", "write message: { choices: [a, b] } for several choices; answers one after another are replies", "message: { choices: [a, b] }"},
	{"replies: [a, b]", "write replies: [{ times: 1, message: a }, { message: b }]", ""},
	{"message: { fake: { lorem: 200 } }", "write words: 200", "message: { fake: { words: 200 } }"},
	{"chunk_size: 1024\nmessage: Hello", "write message: { content: Hello, by: 1024 }", "message: { content: Hello, by: { size: 1024 } }"},
	{"when: { contains: hi }\nmessage: hi", "write user: { contains: hi }", "when: { user: { contains: hi } }\nmessage: hi"},
	{"when: { regex: hi }\nmessage: hi", "write user: { matches: hi }", "when: { user: { matches: hi } }\nmessage: hi"},
	{"when: { request: 2 }\nmessage: hi", `did you mean "turn" or "attempt"?`, "when: { attempt: 2 }\nmessage: hi"},
	{"when: { api: responses }\nmessage: hi", "write surface: responses", "when: { surface: responses }\nmessage: hi"},
	{"when: { endpoint: responses }\nmessage: hi", "write surface: responses", "when: { surface: responses }\nmessage: hi"},
	{"when: { tools: true }\nmessage: hi", "write body: { tools: { exists: true } } for any tools", "when: { body: { tools: { exists: true } } }\nmessage: hi"},
	{"when: { tool_result: { name: get_weather } }\nmessage: hi", "a result has the id of its call, as in tool_result: { id: call_1 }, and no name", ""},
	{"when: { message: hi }\nmessage: hi", "write user: { contains: hi }", "when: { user: { contains: hi } }\nmessage: hi"},
	{"when: { models: [a, b] }\nmessage: hi", "write model: [a, b]", "when: { model: [a, b] }\nmessage: hi"},
	{"when: { tokens: { min: 9 } }\nmessage: hi", `did you mean "prompt_tokens"?`, "when: { prompt_tokens: { min: 9 } }\nmessage: hi"},
	{"when: { tokens: '> 1000' }\nmessage: hi", `did you mean "prompt_tokens"?`, ""},
	{"when: { context_length: { max: 9 } }\nmessage: hi", "write prompt_tokens: {max: 9}", "when: { prompt_tokens: { max: 9 } }\nmessage: hi"},
	{"when: { prompt_tokens: '> 1000' }\nmessage: hi", "write { min: 1001 }", "when: { prompt_tokens: { min: 1001 } }\nmessage: hi"},
	{"when: { prompt_tokens: '>=1000' }\nmessage: hi", "write { min: 1000 }", "when: { prompt_tokens: { min: 1000 } }\nmessage: hi"},
	{"when: { prompt_tokens: '< 1000' }\nmessage: hi", "write { max: 999 }", "when: { prompt_tokens: { max: 999 } }\nmessage: hi"},
	{"when: { prompt_tokens: <= 1000 }\nmessage: hi", "write { max: 1000 }", "when: { prompt_tokens: { max: 1000 } }\nmessage: hi"},
	{"when: { prompt_tokens: 1000 }\nmessage: hi", "write { min: 1000 } or { max: 1000 }", "when: { prompt_tokens: { max: 1000 } }\nmessage: hi"},
	{"when: { prompt_tokens: {} }\nmessage: hi", "write { min: 1000 } or { max: 1000 }", ""},
	{"when: { user: { contains: [a b, c.] } }\nmessage: hi", `write matches: 'a b|c\.'`, "when: { user: { matches: 'a b|c\\.' } }\nmessage: hi"},
	{"when: { user: { equals: [a, b] } }\nmessage: hi", "write matches: '^(a|b)$'", "when: { user: { matches: '^(a|b)$' } }\nmessage: hi"},
	{"when: { random: 0.1 }\nreplies: [{ message: hi }]", "write replies: [{ chance: 0.1 }] in scenario", ""},
	{"replies: [{ when: { random: 0.1 }, error: 429 }, { message: hi }]", "write chance: 0.1 in reply, beside when", "replies: [{ chance: 0.1, error: 429 }, { message: hi }]"},
	{"replies: [{ when: { chance: 0.1 }, error: 429 }, { message: hi }]", "write chance: 0.1 in reply, beside when", "replies: [{ chance: 0.1, error: 429 }, { message: hi }]"},
	{"replies: [{ probability: 0.1, error: 429 }, { message: hi }]", "write chance: 0.1", "replies: [{ chance: 0.1, error: 429 }, { message: hi }]"},
	{"replies: [{ chance: 110%, error: 429 }, { message: hi }]", "write at most 100%", ""},
	{"replies: [{ chance: 1, error: 429 }]", "leave it out", ""},
	{"replies: [{ chance: 0, error: 429 }, { message: hi }]", "leave out what it stands beside", ""},
	{"chance: 0.1\nerror: 429", "chance belongs to a reply, under replies", ""},
	{"limits: { rps: 1 }\nmessage: hi", "write rpm: 1, window: 1s", "limits: { rpm: 1, window: 1s }\nmessage: hi"},
	{"limits: { rpd: 100 }\nmessage: hi", "write rpm: 100, window: 24h", "limits: { rpm: 100, window: 24h }\nmessage: hi"},
	{"end: { after: 3 }\nmessage: hi", "write cut: { after: 3 }", "end: { cut: { after: 3 } }\nmessage: hi"},
	{"end: cut after 3\nmessage: hi", "write { cut: { after: 3 } }", "end: { cut: { after: 3 } }\nmessage: hi"},
	{"message: { parts: [a, b] }", "write content: [a, b]", "message: { content: [a, b] }"},
	{"message: { content: [{ text: a }, b] }", "write a in place of the mapping", ""},
	{"stream: [{ content: a }, { content: b, new_part: true }]", "write next: part", "stream: [{ content: a }, { content: b, next: part }]"},
	{"stream: [{ content: a, wire: { on: content, id: x } }]", `did you mean "frames"?`, "stream: [{ content: a, wire: { frames: content, id: x } }]"},
	{"stream: [{ content: a, wire: { frames: delta, id: x } }]", `did you mean "content"?`, "stream: [{ content: a, wire: { frames: content, id: x } }]"},
	{"stream: [{ content: a, json_style: spaced }]", "write wire: { json_style: spaced }", "stream: [{ content: a, wire: { json_style: spaced } }]"},
	{"end: hang\nmessage: hi", "write end: { stall: { after: 0 } } for silence from the start, or end: stall for silence behind the answer", "end: { stall: { after: 0 } }\nmessage: hi"},
	{"end: timeout\nmessage: hi", "write end: { stall: { after: 0 } } for silence from the start, or end: stall for silence behind the answer", "end: { stall: { after: 0 } }\nmessage: hi"},
	{"cut: 3\nmessage: hi", "write end: { cut: 3 }", "end: { cut: { after: 3, inside: false } }\nmessage: hi"},
	{"reset: true\nmessage: hi", "write end: reset", "end: reset\nmessage: hi"},
	{"code: 429", "write error: { status: 429 }", "error: { status: 429 }"},
	{"hang: true\nmessage: hi", "write end: { stall: { after: 0 } } for silence from the start, or end: stall for silence behind the answer", "end: { stall: { after: 0 } }\nmessage: hi"},
	{"pace: { min: 50ms, max: 500ms }\nmessage: hi", pauseHint, ""},
	{"pace: { every: 50ms-500ms }\nmessage: hi", "write every: 275ms, jitter: 225ms", "pace: { every: 275ms, jitter: 225ms }\nmessage: hi"},

	// words that are gone
	{"wire: { newline: { data: lf, blank: crlf } }\nmessage: hi", "write newline: [lf, crlf]", "wire: { newline: [lf, crlf] }\nmessage: hi"},
	{"wire: { ids: { by: hash, prefix: e } }\nmessage: hi", "write ids: hash", "wire: { ids: hash }\nmessage: hi"},
	{"wire: { json_style: { indent: 2 } }\nmessage: hi", "write json_style: pretty", "wire: { json_style: pretty }\nmessage: hi"},
	{"wire: { final_newline: false }\nmessage: hi", "leave it out, and end the answer before its last line end, as in when: { surface: chat, stream: true } with end: { close: { after: -1, byte: 12 } } in scenario", "when: { surface: chat, stream: true }\nend: { close: { after: -1, byte: 12 } }\nmessage: hi"},
	{"end: { cut: { byte: 9, final_chunk: true } }\nmessage: hi", "leave it out, and write close in place of cut", ""},

	// members of errors, envelopes and usage
	{"error: { error: { message: x, code: y } }", "write message: x, code: y; to send it as it is, write extra: { error: {message: x, code: y} }", "error: { message: x, code: y }"},
	{"error: { text: boom }", "write message: boom; to send it as it is, write extra: { text: boom }", "error: { message: boom }"},
	{"error: { code: 429 }", "write status: 429", "error: { status: 429 }"},
	{"error: { status: 429, delay: 3s }", "write wire: { header_delay: 3s } in scenario, beside error; to send it as it is, write extra: { delay: 3s }", "wire: { header_delay: 3s }\nerror: { status: 429 }"},
	{"error: { html: <b>no</b> }", "write body: <b>no</b>; to send it as it is, write extra: { html: <b>no</b> }", "error: { body: <b>no</b> }"},
	{"error: { status: 429, request: r-1 }", "write extra: { request: r-1 } to send it as it is, or let fakeopenai fmt do it", ""},
	{"error: { message: a, extra: { message: b } }", "leave one of them out", ""},
	{"message: { content: a, usage: { total_tokens: 1, extra: { total_tokens: 2 } } }", "leave one of them out", ""},
	{"error: { status: 429, acme: 3 }", "write extra: { acme: 3 } to send it as it is, or let fakeopenai fmt do it", ""},
	{"stream: [{ error: { message: a, delay: 3s } }]", "write after: 3s in step, beside error; to send it as it is, write extra: { delay: 3s }", "stream: [{ error: { message: a }, after: 3s }]"},
	{"envelope: { headers: { A: b } }\nmessage: hi", "write wire: { headers: {A: b} } beside envelope; to send it as it is, write extra: { headers: {A: b} }", "wire: { headers: { A: b } }\nmessage: hi"},
	{"envelope: { every: 5ms }\nmessage: hi", "write pace: { every: 5ms } in scenario; to send it as it is, write extra: { every: 5ms }", "pace: { every: 5ms }\nmessage: hi"},
	{"envelope: { newline: crlf }\nmessage: hi", "write wire: { newline: crlf } in scenario; to send it as it is, write extra: { newline: crlf }", "wire: { newline: crlf }\nmessage: hi"},
	{"message: { content: a, usage: { prompt: 3, completion_tokens: 4 } }", "write prompt_tokens: 3; to send it as it is, write extra: { prompt: 3 }", "message: { content: a, usage: { completion_tokens: 4, prompt_tokens: 3 } }"},
}

const pauseHint = "pauses from 50ms to 500ms are every: 275ms, jitter: 225ms, distribution: uniform"

// A text that only resembles a regular expression is a text.
func TestTextsWithSlashesAreTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"/v1/models", "/", "and/or", `C:\docs`, "/home/me/", "is it 5 / 3?"} {
		if _, problems := yamlfile.Parse("a.yaml", []byte("name: a\nwhen: { user: '"+text+"' }\nmessage: hi\n")); len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

func TestAMessageHasNoMoreChoicesThanCanBeAskedFor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		128: "",
		129: "a.yaml:2:10: the message has 129 choices; a request can ask for at most 128 with n (leave out the others)",
	} {
		got := ""
		_, problems := yamlfile.Parse("a.yaml", []byte("name: a\nmessage: { choices: ["+strings.Repeat("a, ", n)+"] }\n"))
		if len(problems) > 0 {
			got = problems.Error()
		}
		if got != want {
			t.Errorf("%d choices: got %q, want %q", n, got, want)
		}
	}
}

func TestIntuitiveMistakesAreLedToTheirMend(t *testing.T) {
	t.Parallel()
	for _, c := range intuitive {
		wrong := "name: a\n" + c.wrong + "\n"
		_, problems := yamlfile.Parse("a.yaml", []byte(wrong))
		if len(problems) == 0 {
			t.Errorf("%s\nis accepted", c.wrong)
			continue
		}
		if problems[0].Hint != c.hint {
			t.Errorf("%s\n%s\ngot the hint  %s\nwant the hint %s", c.wrong, problems[0].Message, problems[0].Hint, c.hint)
		}
		if c.mended == "" {
			continue
		}
		want := formatted("name: a\n" + c.mended + "\n")
		if waysIn(problems[0].Hint) == nil {
			if strings.HasPrefix(want, "a.yaml") {
				t.Errorf("%s\nwhat is meant is %s", c.wrong, want)
			}
			continue
		}
		var got []string
		for _, text := range follow(t, wrong, problems[0]) {
			got = append(got, formatted(text))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s\nfollowing the hint %s\ngives  %s\nmeant is %s", c.wrong, problems[0].Hint, strings.Join(got, "\nor     "), want)
		}
	}
}

// formatted returns the scenario in a text in one line, or its problems.
func formatted(text string) string {
	list, problems := yamlfile.Parse("a.yaml", []byte(text))
	if len(problems) > 0 || len(list) != 1 {
		return problems.Error() + " in " + text
	}
	line, err := yamlfile.FormatLine(list[0])
	if err != nil {
		return err.Error()
	}
	return string(line)
}

// count returns how many of the problems say the same as p.
func count(problems diag.List, p diag.Problem) (n int) {
	for _, other := range problems {
		if other.Message == p.Message && other.Hint == p.Hint {
			n++
		}
	}
	return n
}

// What a hint says to write can be written: it mends the problem.
func TestHintsOfErrorsCanBeFollowed(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	followed := 0
	for _, file := range filesLike(t, "../testdata/err/*.yaml") {
		src := string(mustRead(t, file))
		_, problems := server.CheckFiles(yamlfile.Source{Name: file, Data: []byte(src)})
		for _, p := range problems {
			if strings.Contains(p.Hint, "…") {
				t.Errorf("%v: the hint %q cannot be pasted", p, p.Hint)
			}
			for _, text := range follow(t, src, p) {
				followed++
				_, left := server.CheckFiles(yamlfile.Source{Name: file, Data: []byte(text)})
				if count(left, p) >= count(problems, p) {
					t.Errorf("%v\nfollowing the hint %s leaves\n%v", p, p.Hint, text)
				}
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d hints were followed", followed)
	}
}

// A value that could not be read is left out, so that no further problems are reported for it.
func TestASingleItemThatCannotBeReadIsNone(t *testing.T) {
	t.Parallel()
	list, problems := yamlfile.Parse("a.yaml", []byte("name: a\ndamage: { rename: x }\nmessage: hi\n"))
	if len(problems) != 1 || len(list) != 1 || len(list[0].Damage) > 0 {
		t.Errorf("got %d problems and the damage %+v, want one problem and no damage", len(problems), list[0].Damage)
	}
}

func TestLoadingNothingIsAnError(t *testing.T) {
	t.Parallel()
	if set, err := yamlfile.Load(testFiles()); err == nil {
		t.Errorf("got %v and no error", set)
	}
}
