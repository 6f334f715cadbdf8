package fakeopenai

import (
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// A wording is a word of the language with one of its values, and the words that it needs
// beside it.
type wording struct {
	section, word, value string
	with                 []wording
}

func (w wording) String() string { return w.section + "." + w.word + ": " + w.value }

// wordings have each word that says how an answer is sent.
var wordings = func() (list []wording) {
	for _, line := range strings.Split(strings.TrimSpace(`
wire.newline: crlf
wire.newline: [lf, crlf]
wire.bom: true
wire.space: false
wire.split: 7
wire.split: crlf + wire.newline: crlf
wire.split: inside_rune
wire.split: { at: [9] }
wire.coalesce: 2 + pace.every: 1s
wire.multiline_data: true
wire.comments_between: ping
wire.event_name: message
wire.event_name: null
wire.ids: true
wire.retry: 9
wire.final_blank: false
wire.done: 2
wire.done: false
wire.json_style: spaced
wire.gzip: flush
wire.gzip_forced: true + wire.gzip: flush
wire.connection: close
wire.connection: close_on_reuse
wire.length: close
wire.header_delay: 2s
wire.drip: 50
wire.content_type: a/b
wire.headers: { X-A: b }
wire.status: 203
wire.format: json
wire.format: ndjson
wire.body: fixed
envelope.id: mine
envelope.object: mine
envelope.created: 7
envelope.created: per_chunk + pace.every: 1s
envelope.model: mine
envelope.system_fingerprint: mine
envelope.service_tier: mine
envelope.layout: minimal
envelope.layout: 2025-03
envelope.layout: azure
envelope.obfuscation: false
envelope.obfuscation: [mine]
envelope.usage_null: true
envelope.usage_null: false
envelope.sequence_number: { start: 5 }
envelope.item_ids: [mine]
envelope.order: [model]
envelope.omit: service_tier
envelope.set: { model: set }
envelope.response: incomplete
envelope.extra: { mine: 1 }
pace.first: 3s
pace.every: 1s
pace.jitter: 500ms + pace.every: 1s
pace.distribution: gamma + pace.every: 1s
pace.recorded: [1s, 2s]
pace.per: event + pace.every: 1s
pace.burst: 2 + pace.every: 1s
pace.speed: 2 + pace.every: 1s
pace.speed: instant + pace.every: 1s
damage.drop: 1
damage.duplicate: 1
damage.swap: [1, 3]
damage.swap: [2, 2]
damage.move: { frames: 1, after: 3 }
damage.move: { frames: 2, after: 2 }
damage.rename: { from: id, to: mine }
damage.rename: { from: id, to: id }
damage.retype: { at: created, to: string }
damage.replace: { at: model, to: 3 }
damage.keep: { frames: 2, members: [id] }
damage.corrupt: 1
end.end: close
end.end: cut
end.end: { cut: { after: 1 } }
end.end: { cut: { after: all } }
end.end: reset
end.end: { stall: 5s }
end.end: { linger: 5s }
end.end: refuse
end.end: { refuse: { reset: true } }
`), "\n") {
		var words []wording
		for _, text := range strings.Split(line, " + ") {
			word, value, _ := strings.Cut(text, ": ")
			section, word, _ := strings.Cut(word, ".")
			words = append(words, wording{section: section, word: word, value: value})
		}
		words[0].with = words[1:]
		list = append(list, words[0])
	}
	return list
}()

// grounds are what the words stand beside.
var grounds = map[string]string{
	"message":     "message: Hi, ö",
	"stream":      "stream: [{ role: assistant }, { content: 'Hi, ö' }, { comment: c }, { finish: stop }]",
	"error":       "error: { status: 429 }",
	"streamed":    "when: { stream: true }\nmessage: Hi, ö",
	"one piece":   "when: { stream: false }\nmessage: Hi, ö",
	"chat":        "when: { surface: chat }\nmessage: Hi, ö",
	"completions": "when: { surface: completions }\nmessage: Hi, ö",
	"responses":   "when: { surface: responses }\nmessage: Hi, ö",
	"own done":    "stream: [{ role: assistant }, { content: 'Hi, ö' }, { finish: stop }, { done: true }]",
	"no done":     "stream: [{ role: assistant }, { content: 'Hi, ö' }, { finish: stop }, { done: false }]",
}

// scenarioOf is a scenario with these words on a ground; "" if they cannot stand in one.
func scenarioOf(ground string, words ...wording) string {
	sections := map[string][]string{}
	for i, w := range words {
		same := func(o wording) bool { return o.section == w.section && o.word == w.word && w.section != "damage" }
		if at := slices.IndexFunc(words[:i], same); at >= 0 && words[at].value != w.value {
			return ""
		} else if at < 0 {
			sections[w.section] = append(sections[w.section], w.word+": "+w.value)
		}
	}
	text := "name: x\n" + ground + "\n"
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		switch list := sections[section]; section {
		case "damage":
			text += "damage: [{ " + strings.Join(list, " }, { ") + " }]\n"
		case "end":
			text += list[0] + "\n"
		default:
			text += section + ": { " + strings.Join(list, ", ") + " }\n"
		}
	}
	return text
}

// playable returns the scenario with the quirks that it needs; "" if it is refused.
func playable(yaml string) string {
	for range 3 {
		_, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(yaml)})
		if len(problems) == 0 {
			return yaml
		}
		var quirks []string
		for _, p := range problems {
			if p.Rule == "" || strings.Contains(yaml, "quirks: ") {
				return ""
			}
			if !slices.Contains(quirks, p.Rule) {
				quirks = append(quirks, p.Rule)
			}
		}
		yaml += "quirks: [" + strings.Join(quirks, ", ") + "]\n"
	}
	return ""
}

// asked are requests that together show every effect of a manner.
var asked = func() (list []string) {
	for _, stream := range []string{"true", "false"} {
		for path, body := range map[string]string{
			"chat/completions": `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi!"}]`,
			"completions":      `{"model":"gpt-3.5-turbo-instruct","prompt":"Hi!"`,
			"responses":        `{"model":"gpt-4o","input":"Hi!"`,
		} {
			for _, header := range []string{"Accept-Encoding: gzip", "Last-Event-ID: unknown", "X-Usage: asked"} {
				body := body + `,"stream":` + stream
				if stream == "true" && path != "responses" && header != "Accept-Encoding: gzip" {
					body += `,"stream_options":{"include_usage":true}`
				}
				list = append(list, fmt.Sprintf("POST /v1/%s HTTP/1.1\r\nHost: fake\r\n%s\r\nContent-Length: %d\r\n\r\n%s}", path, header, len(body)+1, body))
			}
		}
	}
	slices.Sort(list)
	return list
}()

// observed returns all that clients can see of the answers to the requests, until enough says
// that the answers so far are: each read with its time, the end of the connection, and a second
// request on it.
func observed(t *testing.T, yaml string, enough func(answers []string) bool) (answers []string) {
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(struct{ testing.TB }{t}, YAML(yaml), InMemory(), AllowUnused(), AllowUnmatched(), WithLogger(slog.New(slog.DiscardHandler)))
		for i := 0; i < len(asked) && !enough(answers); i++ {
			c, err := fake.client.Transport.(*transport).DialContext(t.Context(), "tcp", memHost+":80")
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, text := range []string{asked[i], "GET /v1/models/x HTTP/1.1\r\nHost: fake\r\n\r\n"} {
				if _, err := c.Write([]byte(text)); err != nil {
					fmt.Fprintf(&b, "write: %v\n", err)
				}
				listen(&b, c)
			}
			c.Close()
			answers = append(answers, b.String())
		}
	})
	return answers
}

// listen writes down what arrives within a few minutes.
func listen(b *strings.Builder, c net.Conn) {
	start := time.Now()
	c.SetReadDeadline(start.Add(5 * time.Minute))
	for p := make([]byte, 4096); ; {
		n, err := c.Read(p)
		fmt.Fprintf(b, "%v %q %v\n", time.Since(start), p[:n], err)
		if err != nil {
			return
		}
	}
}

// A new word of these sections is played beside the others. What is sent on shutdown does not
// show in an answer that ends by itself.
func TestEveryWordOfAMannerIsPlayed(t *testing.T) {
	t.Parallel()
	for _, w := range yamlfile.Words() {
		isOf := func(played wording) bool {
			return played.section == w.List && (played.word == w.Name || w.List == "end" && strings.Contains(played.value, w.Name))
		}
		if slices.Contains([]string{"wire", "envelope", "pace", "end"}, w.List) && w.Name != "on_shutdown" && !slices.ContainsFunc(wordings, isOf) {
			t.Errorf("wordings in effects_test.go have no line for %s of %s", w.Name, w.List)
		}
	}
}

// A stage plays words on a ground.
type stage struct {
	t      *testing.T
	ground string
	seen   map[string][]string // seen has the answers to all requests, by scenario.
}

// sees returns the answers to all requests; none if the words are refused.
func (s *stage) sees(words []wording) []string {
	text := scenarioOf(s.ground, words...)
	answers, known := s.seen[text]
	if known {
		return answers
	}
	if yaml := playable(text); text != "" && yaml != "" {
		answers = observed(s.t, yaml, func([]string) bool { return false })
	}
	s.seen[text] = answers
	return answers
}

// same returns the index of other words with which all answers are the same; -1 if the words
// are refused, or an answer differs from that with each of the others.
func (s *stage) same(words []wording, others ...[]wording) int {
	text := scenarioOf(s.ground, words...)
	if text == "" {
		return -1
	}
	yaml := playable(text)
	if yaml == "" {
		return -1
	}
	known := make([][]string, len(others))
	for i, other := range others {
		known[i] = s.sees(other)
	}
	alike := func(answers []string) int {
		return slices.IndexFunc(known, func(sees []string) bool {
			return len(sees) > 0 && slices.Equal(sees[:len(answers)], answers)
		})
	}
	return alike(observed(s.t, yaml, func(answers []string) bool { return alike(answers) < 0 }))
}

// Every word has an effect beside every other word, or is refused there.
func TestEveryWordHasAnEffectOrIsRefused(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for name, ground := range grounds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stage{t: t, ground: ground, seen: map[string][]string{}}
			for i, w := range wordings {
				if w.word == "format" && (name == "streamed" || name == "one piece") {
					continue // it may say again what is asked for
				}
				if s.same(slices.Concat(w.with, []wording{w}), w.with) == 0 {
					t.Errorf("%v does nothing", w)
				}
				if name != "message" && name != "stream" {
					continue
				}
				for _, other := range wordings[:i] {
					with := slices.Concat(other.with, w.with)
					if other.value == "instant" || w.value == "instant" {
						continue // it is there to leave pauses out
					}
					if name == "stream" && other.section != "end" && w.section != "end" {
						continue // as beside a message; only endings have other places in a stream
					}
					if slices.ContainsFunc(with, func(o wording) bool { return o.String() == w.String() || o.String() == other.String() }) {
						continue
					}
					switch s.same(append(slices.Clone(with), other, w), append(slices.Clone(with), w), append(slices.Clone(with), other)) {
					case 0:
						t.Errorf("%v does nothing beside %v", other, w)
					case 1:
						t.Errorf("%v does nothing beside %v", w, other)
					}
				}
			}
		})
	}
}
