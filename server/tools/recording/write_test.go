package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// exchangeWith returns the exchange of a request that the scenario with this name answers.
func exchangeWith(t *testing.T, fake *server.Server, name, path, body string) *recording.Exchange {
	t.Helper()
	x := &recording.Exchange{Method: http.MethodPost, Path: path, Header: http.Header{}, Body: []byte(body)}
	if name != "" {
		x.Header.Set("X-Fakeopenai-Scenario", name)
	}
	var planned bool
	ctx := server.WithPlan(t.Context(), func(p server.Plan) {
		planned = true
		x.Status, x.AnswerHeader, x.HeaderAt = p.Status, p.Header.Clone(), p.Start
		for _, f := range p.Frames {
			x.Pieces = append(x.Pieces, recording.Piece{At: f.At, Data: f.Bytes})
		}
		x.Ending = map[string]recording.Ending{"cut": recording.EndedCut, "reset": recording.EndedReset, "stall": recording.EndedStall, "linger": recording.EndedStall}[p.End]
		if p.End == "refuse_reset" {
			x.Ending = recording.EndedReset
		}
	})
	answer := httptest.NewRecorder()
	req := httptest.NewRequestWithContext(ctx, x.Method, x.Path, bytes.NewReader(x.Body))
	req.Header = x.Header
	fake.ServeHTTP(answer, req)
	if !planned {
		x.Status, x.AnswerHeader = answer.Code, answer.Header()
		x.Pieces = []recording.Piece{{Data: answer.Body.Bytes()}}
	}
	return x
}

func newFake(t *testing.T, sources ...yamlfile.Source) *server.Server {
	t.Helper()
	return newFakeAt(t, 1, sources...)
}

// newFakeAt starts a server that plays at the given speed.
func newFakeAt(t *testing.T, speed float64, sources ...yamlfile.Source) *server.Server {
	t.Helper()
	return fakeWith(t, server.Config{Speed: speed}, sources...)
}

func fakeWith(t *testing.T, config server.Config, sources ...yamlfile.Source) *server.Server {
	t.Helper()
	set, problems := server.CheckFiles(sources...)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	config.Scenarios = set
	fake, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	return fake
}

func bundled(t *testing.T) *server.Server {
	t.Helper()
	return newFake(t, bundledFiles(t)...)
}

// bundledAtOnce starts a server that plays all bundled scenarios, or those with these names, without pauses.
func bundledAtOnce(t *testing.T, names ...string) *server.Server {
	t.Helper()
	return newFakeAt(t, server.Instant, bundledFiles(t, names...)...)
}

func bundledFiles(t *testing.T, names ...string) []yamlfile.Source {
	t.Helper()
	if len(names) == 0 {
		names = fixtures.Names()
	}
	var files []yamlfile.Source
	for _, name := range names {
		data, err := fixtures.FS.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, yamlfile.Source{Name: name + ".yaml", Data: data})
	}
	return files
}

// requests has a request for each API, streamed and not.
var requests = []struct{ path, body string }{
	{"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hi"}]}`},
	{"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`},
	{"/v1/completions", `{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":"Hi"}`},
	{"/v1/responses", `{"model":"gpt-4o","stream":true,"input":"Hi"}`},
	{"/v1/responses", `{"model":"gpt-4o","input":"Hi"}`},
}

// Every bundled scenario is played from its recording with the same bytes at the same times.
func TestWhatIsRecordedIsPlayedAgain(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	fake := bundled(t)
	for _, name := range fixtures.Names() {
		for _, r := range requests {
			t.Run(name+r.path+" "+map[bool]string{true: "stream"}[strings.Contains(r.body, `"stream":true`)], func(t *testing.T) {
				t.Parallel()
				checkPlayedAgain(t, exchangeWith(t, fake, name, r.path, r.body))
			})
		}
	}
}

// checkPlayedAgain checks the header and the times, too.
func checkPlayedAgain(t *testing.T, x *recording.Exchange) {
	t.Helper()
	text, again := checkBytesAgain(t, "played again", x)
	for name := range x.AnswerHeader {
		if got, want := again.AnswerHeader.Get(name), x.AnswerHeader.Get(name); got != want && !ofTheMoment(name) {
			t.Errorf("header %s: %q, recorded was %q", name, got, want)
		}
	}
	if got, want := arrivals(again), arrivals(x); got != want {
		t.Errorf("events came at %s, recorded were %s\n%s", got, want, text)
	}
}

// ofTheMoment reports whether a header field differs between connections or requests.
func ofTheMoment(name string) bool {
	return strings.HasPrefix(name, "X-Ratelimit-") || slices.Contains([]string{"Connection", "Content-Length", "Date", "Openai-Processing-Ms", "Set-Cookie", "X-Request-Id"}, name)
}

func bodyOf(x *recording.Exchange) string {
	var b strings.Builder
	for _, p := range x.Pieces {
		b.Write(p.Data)
	}
	return b.String()
}

// arrivals are the times at which bytes of the body arrived, with the length of the body by then.
func arrivals(x *recording.Exchange) string {
	var b strings.Builder
	length := 0
	for i, p := range x.Pieces {
		length += len(p.Data)
		at := p.At.Round(time.Millisecond)
		if length > 0 && i == len(x.Pieces)-1 || i < len(x.Pieces)-1 && x.Pieces[i+1].At.Round(time.Millisecond) != at {
			fmt.Fprintf(&b, "%d bytes at %s ", length, at)
		}
	}
	return b.String()
}

// A message has the content type of the recorded answer.
func TestAMessageKeepsItsContentType(t *testing.T) {
	t.Parallel()
	x := exchangeWith(t, bundledAtOnce(t, "plain-text"), "plain-text", requests[1].path, requests[1].body)
	x.AnswerHeader.Set("Content-Type", "application/json; charset=utf-8")
	checkPlayedAgain(t, x)
}

// A stream that ends in order after any of its events is played as far, and no further.
func TestAStreamThatEndsEarlyIsPlayedNoFurther(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, name := range []string{"plain-text", "tool-call", "reasoning"} {
		for _, r := range []int{0, 3} {
			x := exchangeWith(t, bundledAtOnce(t, name), name, requests[r].path, requests[r].body)
			for all := x.Pieces; len(x.Pieces) > 1; {
				x.Pieces = all[:len(x.Pieces)-1]
				checkBytesAgain(t, fmt.Sprintf("%s on %s, %d events", name, x.Path, len(x.Pieces)), x)
			}
		}
	}
}

// An answer of very many events or bytes is refused at once, and neither searched for secrets nor played again
// and again. An answer that nobody records is not called too long.
func TestAnAnswerThatIsTooLongIsRefused(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	events := streamIn(map[int]string{0: strings.Repeat(": x\n\n", 100_001)})
	long := chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, "")
	long.AnswerHeader = http.Header{"Content-Type": {"text/plain"}}
	long.Pieces = []recording.Piece{{Data: []byte(strings.Repeat("a joe@mail.example ", recording.DefaultLimit/19+1))}}
	file := *long
	file.Path = "/v1/files"
	for name, tt := range map[string]struct {
		x    *recording.Exchange
		want error
	}{"events": {events, recording.ErrTooLong}, "bytes": {long, recording.ErrTooLong}, "a file": {&file, recording.ErrTooLong}} {
		var r recording.Redactor
		r.Redact(tt.x)
		if err := new(recording.Collection).Add(tt.x); !errors.Is(err, tt.want) || len(tt.x.Pieces) > 0 || len(r.Summary()) > 0 {
			t.Errorf("%s: the error is %v, %d pieces are kept and %v was searched for", name, err, len(tt.x.Pieces), r.Summary())
		}
		if _, err := recording.Write(tt.x, "x"); !errors.Is(err, recording.ErrTooLong) {
			t.Errorf("%s: the error of Write is %v", name, err)
		}
	}
}
