package scenarios_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// An exchange is a request of an example, or nil for the usual request, and the answer that the
// page shows.
type exchange struct {
	request, response *block
}

// play sends the requests of the example in virtual time, to a server for this example alone.
func (ex *example) play(t *testing.T) {
	if len(ex.exchanges) == 0 {
		return
	}
	synctest.Test(t, func(t *testing.T) {
		withoutDeadline := struct{ testing.TB }{t} // in a bubble a test must not call Deadline
		files := maps.Clone(beside)
		files["example.yaml"] = &fstest.MapFile{Data: []byte(ex.source)}
		fake := fakeopenai.NewServer(withoutDeadline, fakeopenai.InMemory(), fakeopenai.FS(files, "example.yaml"),
			fakeopenai.WithCreated(1790000000), fakeopenai.AllowUnmatched(), fakeopenai.AllowUnused(), fakeopenai.AllowBadHistory())
		for _, x := range ex.exchanges {
			x.check(t, fake)
		}
	})
}

// check compares one answer with the page.
func (x exchange) check(t *testing.T, fake *fakeopenai.Server) {
	t.Helper()
	want := strings.Split(x.response.text, "[hold: ")
	got := x.fetch(t, fake, want[1:])
	if !strings.Contains(x.response.text, "ms]") && !strings.Contains(x.response.text, "s]") {
		got = pauses.ReplaceAllString(got, "")
	}
	if x.response.info == "http" && !strings.Contains(x.response.text, "\n\n") {
		got, _, _ = strings.Cut(got, "\n\n") // the page does not show the body
		got += "\n"
	}
	if !strings.HasSuffix(got, "\n") {
		got += "\n" // a block always ends with a line
	}
	if !pattern(x.response.text).MatchString(got) {
		t.Errorf("%v: the answer is\n%s\nbut the page shows\n%s", x.response, got, x.response.text)
	}
}

// pauses are the marks for time that passes between bytes.
var pauses = regexp.MustCompile(`\[[0-9.]+[hmsµn][0-9.hmsµn]*\]`)

// pattern returns the answer on the page as a regular expression. A … stands for any text in a
// line or, if it is the whole line, for any number of lines.
func pattern(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^`)
	text = strings.NewReplacer("␍", "\r", "[BOM]", "\ufeff").Replace(text)
	for line := range strings.Lines(text) {
		if line == "…\n" {
			b.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*?`))
	}
	return regexp.MustCompile(b.String() + `$`)
}

// fetch sends the request and returns the answer, with marks like those on the page. It releases
// the holds in the order in which the page shows them.
func (x exchange) fetch(t *testing.T, fake *fakeopenai.Server, holds []string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rec := &recorder{last: time.Now()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		resp, err := fake.Client().Do(x.newRequest(t, ctx, fake))
		if err != nil {
			rec.ended(err)
			return
		}
		defer resp.Body.Close()
		if x.response.info == "http" {
			rec.head(resp, x.response.text)
		}
		rec.body(resp.Body)
	}()
	for _, hold := range holds {
		name, _, _ := strings.Cut(hold, "]")
		fake.Await(name)
		synctest.Wait() // the client has read all bytes that were sent
		rec.add("[hold: " + name + "]")
		fake.Release(name)
	}
	<-done
	return rec.text.String()
}

const usualRequest = `{"model":"gpt-4o","stream":true,"stream_options":{"include_obfuscation":false},"messages":[{"role":"user","content":"Hello"}]}`

// newRequest returns the request that the page shows, or the usual one.
func (x exchange) newRequest(t *testing.T, ctx context.Context, fake *fakeopenai.Server) *http.Request {
	line, header, body := "POST /v1/chat/completions", textproto.MIMEHeader{}, usualRequest
	if x.response.info == "json" {
		body = strings.Replace(body, `"stream":true,"stream_options":{"include_obfuscation":false},`, "", 1)
	}
	if x.request != nil {
		r := textproto.NewReader(bufio.NewReader(strings.NewReader(x.request.text + "\n")))
		var err error
		if line, err = r.ReadLine(); err == nil {
			header, err = r.ReadMIMEHeader()
		}
		rest, _ := io.ReadAll(r.R)
		if body = strings.TrimSpace(string(rest)); err != nil {
			t.Errorf("%v: this is no request: %v", x.request, err)
		}
	}
	method, path, _ := strings.Cut(line, " ")
	req, err := http.NewRequestWithContext(ctx, method, fake.URL+path, strings.NewReader(body))
	if err != nil {
		t.Errorf("%v: %v", x.response, err)
	}
	req.Header = http.Header(header)
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+fake.APIKey)
	}
	if req.Header.Get("Accept-Encoding") == "" {
		req.Header.Set("Accept-Encoding", "identity")
	}
	return req
}

// A recorder writes an answer in the form in which pages show it.
type recorder struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
	last time.Time // last is when the last bytes arrived
}

func (r *recorder) add(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(text)
}

// pause writes the mark for the time since the last bytes arrived.
func (r *recorder) pause() {
	if d := time.Since(r.last); d > 0 {
		text := d.String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		r.add("[" + text + "]")
	}
	r.last = time.Now()
}

// head writes the status line, and the header fields that the page shows, in the order of the
// page.
func (r *recorder) head(resp *http.Response, shown string) {
	r.add(resp.Proto + " " + resp.Status + "\n")
	head, _, _ := strings.Cut(shown, "\n\n")
	for i, line := range strings.Split(strings.TrimSpace(head), "\n") {
		if name, _, ok := strings.Cut(line, ":"); ok && i > 0 {
			r.add(name + ": " + strings.Join(resp.Header.Values(name), ", ") + "\n")
		}
	}
	r.add("\n")
}

func (r *recorder) body(body io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 || err != nil {
			r.pause()
		}
		r.add(string(buf[:n]))
		if err != nil {
			r.ended(err)
			return
		}
	}
}

// ended writes the mark for an end that is not orderly.
func (r *recorder) ended(err error) {
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && r.text.Len() > 0:
	case errors.Is(err, syscall.ECONNRESET):
		r.add("[reset]")
	default:
		r.add("[broken off]")
	}
}
