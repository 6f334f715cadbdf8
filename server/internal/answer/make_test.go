package answer

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	streamOfHi   = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	templateOf20 = "name: x\nmessage: 'Hi {{ .last_user }} word word word word word word word word word word word word word word word word word'\n"
)

// An answer in reused memory has the same bytes as in new memory.
func TestAnswersInUsedMemoryAreAsInFreshMemory(t *testing.T) {
	t.Parallel()
	const long = "name: x\nmessage: '{{ .last_user }}: é {{ .request.user }}" + " and a text of its own that is long enough to be cut once for all requests" + "'\n"
	asks := []string{
		`{"model":"gpt-4o","user":"Zoë","stream":true,"messages":[{"role":"user","content":"hello"}]}`,
		`{"model":"gpt-4o","user":"u","messages":[{"role":"user","content":"no"}]}`,
		`{"model":"o3","user":"somebody","stream":true,"messages":[{"role":"user","content":"much longer than the others"}]}`,
	}
	set, m := loaded(t, long), NewMaker()
	played := func(ask string, release bool) string {
		req := request(t, ask)
		req.Time = time.Unix(1_790_000_000, 0)
		sel, none := set.Match(t.Context(), req, nil, "", 1)
		if none != nil {
			t.Fatal(none)
		}
		a, err := m.Make(Ask(Surfaces()[0], sel, false))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for f := range a.Program.All() {
			out.Write(f.Append(nil, a.Values))
		}
		if release {
			a.Release()
		}
		return out.String()
	}
	want := map[string]string{}
	for _, ask := range asks {
		want[ask] = played(ask, false)
	}
	for range 3 {
		for _, ask := range asks {
			if got := played(ask, true); got != want[ask] {
				t.Errorf("in used memory:\n%s\nin fresh memory:\n%s", got, want[ask])
			}
		}
	}
}

func TestAnErrorInTheStreamIsTheAnswerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	set := loaded(t, "name: x\nstream: [{ role: assistant }, { content: half }, { error: { status: 503, message: 'broken {{ .request.user }}' } }]\n")
	a, err := NewMaker().Make(matched(t, set, `{"model":"gpt-4o","user":"ada","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	for i := range a.Program.Frames {
		body.Write(a.Program.Frames[i].Append(nil, a.Values))
	}
	if got := body.String(); a.Status != http.StatusServiceUnavailable || !strings.Contains(got, "broken ada") || strings.Contains(got, "half") {
		t.Errorf("answered %d: %s", a.Status, got)
	}
}

// An answer in one piece comes when its stream would have ended, also where pieces of a text that
// depends on the request take time.
func TestAnAnswerInOnePieceTakesTheTimeOfItsPieces(t *testing.T) {
	t.Parallel()
	for _, manner := range []string{"pace: { every: 10ms }", "pace: { recorded: [1ms, 3ms] }", ""} {
		src := templateOf20 + manner
		if manner == "" {
			src = "name: x\nstream: [{ role: assistant }, { text: '{{ .last_user }} a b', every: 1s }, { finish: stop }]"
		}
		var ends []time.Duration
		for _, asked := range []string{`"stream":true,"stream_options":{"include_usage":true}`, `"stream":false`} {
			a, err := NewMaker().Make(matched(t, loaded(t, src), `{"model":"gpt-4o",`+asked+`,"messages":[{"role":"user","content":"hello"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			var last time.Duration
			for _, due := range a.Program.All() {
				last = due
			}
			ends = append(ends, last)
		}
		if ends[0] == 0 || ends[0] != ends[1] {
			t.Errorf("%s: the stream ends after %v, the answer in one piece comes after %v", src, ends[0], ends[1])
		}
	}
}

// The json_style of a step holds for all JSON of its events, also for what only the request tells.
func TestTheStyleOfAStepIsThatOfAllItsJSON(t *testing.T) {
	t.Parallel()
	const chat = `{"model":"gpt-4ö","stream":true,"messages":[{"role":"user","content":"ü"}]}`
	for _, text := range []string{"é {{ .last_user }}", "é ü"} {
		src := "name: x\nstream: [{ role: assistant }, { text: '" + text + "', by: word, wire: { json_style: ascii } }, { finish: stop }]\n"
		set, m := loaded(t, src), NewMaker()
		sel, none := set.Match(t.Context(), request(t, chat), nil, "", 1)
		if none != nil {
			t.Fatal(none)
		}
		a, err := m.Make(Ask(Surfaces()[0], sel, false))
		if err != nil {
			t.Fatal(err)
		}
		var frames []string
		for f := range a.Program.All() {
			frames = append(frames, string(f.Append(nil, a.Values)))
		}
		if len(frames) != 5 {
			t.Fatalf("there are %d frames: %q", len(frames), frames)
		}
		for i, want := range []string{`"model":"gpt-4ö"`, `"content": "\u00e9"`, `"content": " \u00fc"`, `"model":"gpt-4ö"`} {
			if !strings.Contains(frames[i], want) || strings.Contains(frames[i], `\u00f6`) != (i == 1 || i == 2) {
				t.Errorf("frame %d is %s, want %s", i, frames[i], want)
			}
		}
	}
}

// Where all bytes are made before the first is sent, each chunk has the time at which it will be.
func TestTheTimeOfChunksThatAreMadeBefore(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"split: 50", "gzip: flush", "drip: 100000"} {
		src := "name: x\nenvelope: { created: per_chunk }\nwire: { header_delay: 1s, " + wire + " }\nstream: [{ role: assistant }, { wait: 2s }, { content: a, wire: { json_style: spaced } }, { finish: stop }]\n"
		set, m := loaded(t, src), NewMaker()
		req := request(t, streamOfHi)
		req.Time = time.Unix(1_790_000_000, 0)
		sel, none := set.Match(t.Context(), req, nil, "", 1)
		if none != nil {
			t.Fatal(none)
		}
		a, err := m.Make(Ask(Surfaces()[0], sel, false))
		if err != nil {
			t.Fatal(err)
		}
		var sent strings.Builder
		for f := range a.Program.All() {
			sent.Write(f.Append(nil, a.Values))
		}
		if strings.Count(sent.String(), " 1790000003,") != 1 || strings.Count(sent.String(), ":1790000003,") != 1 || strings.Count(sent.String(), ":1790000001,") != 1 {
			t.Errorf("%s: one chunk is sent after 1s and two after 3s:\n%s", wire, sent.String())
		}
	}
}
