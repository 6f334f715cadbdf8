package fakeopenai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// FuzzMixtures combines these lines to scenarios. The first line of each list is the simplest.
var (
	mixedSteps = []string{
		"content: Hi", "content: 18 °C", "refusal: 'No.'", "finish: stop", "role: assistant",
		"tool_call: { id: call_1, name: f, arguments: '{\"a\": 1}' }", "wait: 3s", "comment: x", "raw: \"data: x\\n\\n\"", "event: { data: y }",
		"usage: {}", "error: { message: Late. }", "heartbeat: 3", "done: true", "content: { repeat: ö, bytes: 70000 }",
		"content: '{{ .last_user }}'", "content: a, repeat: 40, every: 1s", "finish: length", "chunk: { choices: [] }", "content: b, omit: [choices]",
	}
	mixedDamage = []string{
		"drop: 1", "drop: finish", "drop: [content, comment]", "duplicate: 2", "swap: [1, -1]",
		"rename: { frames: content, from: delta.content, to: text }", "retype: { frames: finish, at: created, to: string }",
		"corrupt: { frames: content, bytes: 2 }", "corrupt: { frames: content, bytes: 2 }, chance: 0.5", "duplicate: -1",
	}
	mixedWire = []string{
		"newline: crlf", "newline: mixed", "space: false", "bom: true", "ids: true", "retry: 3000", "comments_between: ping", "final_blank: false",
		"json_style: pretty", "multiline_data: true", "done: 2", "done: false", "coalesce: 3", "connection: close", "length: close",
		"header_delay: 2s", "drip: 20", "gzip: flush", "gzip: buffer", "gzip: flush, gzip_forced: true", "format: json", "format: ndjson", "format: sse", "split: byte",
		"split: { size: 4, gap: 5ms }", "split: inside_rune", "split: { by: random, seed: 2 }", "status: 203", "status: 204", "event_name: message",
		"on_shutdown: { event: { event: close, data: bye } }", "content_type: text/plain", "split: field", "split: crlf",
	}
	mixedEnds = []string{
		"close", "{ cut: { after: 1 } }", "{ cut: { after: 1, byte: 12 } }", "{ close: { inside: rune } }", "{ cut: { after: all } }",
		"{ close: { byte: 9 } }", "{ cut: { chance: 0.5 } }", "{ stall: { for: 30s, after: 2 } }", "{ linger: 20s }",
		"{ linger: { for: 3s, after: 1, inside: true } }", "{ reset: { after: 1, byte: 12 } }", "refuse", "{ refuse: { reset: true } }", "{ reset: { after: -1 } }",
		"{ close: { byte: 40, chance: 0.5 } }", "{ stall: { for: 3s, inside: true } }",
	}
	mixedPaces = []string{"{ every: 10ms }", "{ every: 1s, jitter: 500ms }", "{ first: 5s }", "{ every: 25ms, distribution: gamma }"}
)

// mixture returns a scenario of at most 24 lines and the body of a request. Two bytes of
// choices select each line: its list, and its position in the list.
func mixture(choices []byte) (yaml, body string) {
	var steps, damage, wire []string
	end, pace := "", ""
	for i := 0; i+1 < len(choices) && i < 48; i += 2 {
		pick := func(of []string) string { return of[int(choices[i+1])%len(of)] }
		switch choices[i] % 8 {
		case 0, 1, 2:
			steps = append(steps, "{ "+pick(mixedSteps)+" }")
		case 3:
			damage = append(damage, "{ "+pick(mixedDamage)+" }")
		case 4, 5:
			if word := pick(mixedWire); !strings.Contains(strings.Join(wire, ","), word[:strings.Index(word, ":")+1]) {
				wire = append(wire, word)
			}
		case 6:
			end = "\nend: " + pick(mixedEnds)
		case 7:
			pace = "\npace: " + pick(mixedPaces)
		}
	}
	stream := "message: Hello there, ö."
	if len(steps) > 0 {
		stream = "stream: [{ role: assistant }, " + strings.Join(steps, ", ") + ", { finish: stop }]"
	}
	yaml = "name: mixed\nwhen: { surface: chat }\n" + stream + end + pace
	if len(damage) > 0 {
		yaml += "\ndamage: [" + strings.Join(damage, ", ") + "]"
	}
	if len(wire) > 0 {
		yaml += "\nwire: { " + strings.Join(wire, ", ") + " }"
	}
	body = `{"model":"gpt-4o","stream":%t,"messages":[{"role":"user","content":"hi"}]}`
	return yaml + "\n", fmt.Sprintf(body, len(choices)%2 == 0)
}

// mixtureSeeds returns choices that select each line at least once, together with others.
func mixtureSeeds() [][]byte {
	seeds := [][]byte{{}, {128, 0, 128, 1, 128, 6}}
	for word := range byte(len(mixedWire)) {
		kind := word % 8
		seeds = append(seeds, []byte{kind, word, 6, word, 3, word + 1, 4, word}, []byte{0, word, 128 + kind, word, 4, word + 3, 5, word, 7}, []byte{0, word}, []byte{0, word, 1, word + 3, 2})
	}
	return seeds
}

// accepted returns the scenario with the quirks that it needs, and whether check accepts that.
func accepted(yaml string) (whole string, ok bool) {
	_, problems := server.CheckFiles(yamlfile.Source{Name: "mixed.yaml", Data: []byte(yaml)})
	if len(problems) == 0 {
		return yaml, true
	}
	var quirks []string
	for _, p := range problems {
		if p.Rule == "" {
			return "", false
		}
		if !slices.Contains(quirks, p.Rule) {
			quirks = append(quirks, p.Rule)
		}
	}
	yaml += "quirks: [" + strings.Join(quirks, ", ") + "]\n"
	_, problems = server.CheckFiles(yamlfile.Source{Name: "mixed.yaml", Data: []byte(yaml)})
	return yaml, len(problems) == 0
}

// Mixtures that check refuses are not played, and would prove nothing.
func TestMostMixturesArePlayed(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	seeds, played := mixtureSeeds(), 0
	for _, seed := range seeds {
		yaml, _ := mixture(seed)
		if _, ok := accepted(yaml); ok {
			played++
		}
	}
	if played < len(seeds)/2 {
		t.Errorf("%d of %d are accepted", played, len(seeds))
	}
}

// Each mixture that check accepts is played without a panic or a failure of the scenario, ends
// within an hour of virtual time, and is in the journal. If the rules of the protocol accept it and it
// has no damage, the answer that is not streamed is valid JSON, and has the same content as the
// stream.
func FuzzMixtures(f *testing.F) {
	for _, seed := range mixtureSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		yaml, body := mixture(choices)
		yaml, ok := accepted(yaml)
		if !ok {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			fake := NewServer(t, YAML(yaml), InMemory(), AllowUnused())
			playMixture(t, fake, yaml, body)
		})
	})
}

func playMixture(t *testing.T, fake *Server, yaml, body string) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), time.Hour)
	defer leave()
	status, got, err := answerOf(ctx, fake, body)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it does not end:\n%s", yaml)
	}
	if n := len(fake.Requests()); n < 1 {
		t.Errorf("the journal has %d requests:\n%s", n, yaml)
	}
	plain := !strings.Contains(yaml, "\nwire") && !strings.Contains(yaml, "\ndamage") && !strings.Contains(yaml, "\nend") && !strings.Contains(yaml, "quirks")
	if !plain || !strings.Contains(body, `"stream":false`) {
		return
	}
	if err != nil || !json.Valid(got) {
		t.Errorf("the answer in one piece is %.300q, %v:\n%s", got, err, yaml)
	}
	_, stream, err := answerOf(ctx, fake, strings.Replace(body, `"stream":false`, `"stream":true`, 1))
	if status != http.StatusOK || err != nil {
		return // the answer is an error, or its stream breaks off
	}
	if whole, folded := saidIn(t, string(got)), saidIn(t, string(stream)); !reflect.DeepEqual(whole, folded) {
		t.Errorf("in one piece it says %.300q, streamed %.300q:\n%s", fmt.Sprint(whole), fmt.Sprint(folded), yaml)
	}
}

// answerOf returns the status and the body of the answer to a request.
func answerOf(ctx context.Context, fake *Server, body string) (status int, got []byte, err error) {
	resp, err := ask(ctx, fake, body)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	got, err = io.ReadAll(resp.Body)
	return resp.StatusCode, got, err
}
