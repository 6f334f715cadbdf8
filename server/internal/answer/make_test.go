package answer

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
)

const (
	plainReply   = "name: x\nstream: [{ role: assistant }, { text: 'a b c d e f' }, { finish: stop }]\n"
	streamOfHi   = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	templateOf20 = "name: x\nmessage: 'Hi {{ .last_user }} word word word word word word word word word word word word word word word word word'\n"
)

// makings are requests for the common kinds of answers.
var makings = []struct {
	name, src, ask string
	// most is how many allocations making the answer may take after selection.
	most float64
}{
	{"streamed", plainReply, streamOfHi, 0},
	{"whole", plainReply, `{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}]}`, 0},
	{"authored", "envelope: { id: mine, model: m, created: 1, system_fingerprint: fp_1 }\n" + plainReply, streamOfHi, 0},
	{"metadata", "name: x\nmessage: Hi\n", `{"model":"gpt-4o","store":true,"metadata":{"a":"b"},"messages":[{"role":"user","content":"hello"}]}`, 40},
	{"a template", templateOf20, streamOfHi, 37},
}

// What does not depend on the request is made once, and memory is reused.
func TestMakingAnAnswerTakesFewAllocations(t *testing.T) { // not parallel: it counts the allocations of the process
	testflag.NoRace(t)
	for _, tt := range makings {
		if got := testing.AllocsPerRun(100, making(t, tt.src, tt.ask)); got > tt.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", tt.name, got, tt.most)
		}
	}
}

// An answer in reused memory has the same bytes as in new memory.
func TestAnswersInUsedMemoryAreAsInFreshMemory(t *testing.T) {
	t.Parallel()
	const long = "name: x\nmessage: '{{ .last_user }}: é {{ .request.user }}" + " and a text of its own that is long enough to be cut once for all requests" + "'\n"
	asks := []string{
		`{"model":"gpt-4o","user":"Zoë","stream":true,"messages":[{"role":"user","content":"hello"}]}`,
		`{"model":"gpt-4o","user":"u","messages":[{"role":"user","content":"no"}]}`,
		`{"model":"o3","user":"somebody","stream":true,"messages":[{"role":"user","content":"much longer than the others"}]}`,
	}
	set, m := loaded(t, long), NewMaker(0)
	m.Created = 1_790_000_000
	played := func(ask string, release bool) string {
		sel, none := set.Match(request(t, ask), limits.NewCounters(nil), "", 1)
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

// making returns a function that makes the answer of a request whose program is ready.
func making(t testing.TB, src, ask string) func() {
	t.Helper()
	set, req := loaded(t, src), request(t, ask)
	sel, none := set.Match(req, limits.NewCounters(nil), "", 1)
	if none != nil {
		t.Fatal(none)
	}
	m, asked := NewMaker(0), Ask(Surfaces()[0], sel, false)
	return func() {
		if err := m.Sayable(asked); err != nil {
			t.Fatal(err)
		}
		a, err := m.Make(asked)
		if err != nil {
			t.Fatal(err)
		}
		a.Release()
	}
}

func TestAnErrorInTheStreamIsTheAnswerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	set := loaded(t, "name: x\nstream: [{ role: assistant }, { content: half }, { error: { status: 503, message: 'broken {{ .request.user }}' } }]\n")
	a, err := NewMaker(0).Make(matched(t, set, `{"model":"gpt-4o","user":"ada","messages":[]}`))
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
