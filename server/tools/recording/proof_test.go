package recording_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// checkBytesAgain checks that the recorded scenario plays the same status, bytes and ending, and
// returns the scenario and what it plays.
func checkBytesAgain(t *testing.T, what string, x *recording.Exchange) (text string, again *recording.Exchange) {
	t.Helper()
	text = written(t, x)
	again = exchangeWith(t, newFake(t, yamlfile.Source{Name: "recorded.yaml", Data: []byte(text)}), "recorded", x.Path, string(x.Body))
	if bodyOf(again) != bodyOf(x) || again.Status != x.Status || again.Ending != x.Ending {
		t.Errorf("%s: got %d %q\n%s\nrecorded was %d %q\n%s\n%.2000s", what, again.Status, again.Ending, bodyOf(again), x.Status, x.Ending, bodyOf(x), text)
	}
	return text, again
}

// Each stream that passed the proxy is played again with the same bytes, in every layout that
// HTTP passes on.
func TestEveryLayoutOfTheWireIsPlayedAgain(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	var files []yamlfile.Source
	variants := sweep.Variants()
	for _, v := range variants {
		text := "{name: " + v.Name + `, message: {content: "Grüße, 世界 👋 from Oslo", usage: {total_tokens: 7}}`
		if v.YAML != "" {
			text += ", " + v.YAML
		}
		files = append(files, yamlfile.Source{Name: v.Name + ".yaml", Data: []byte(text + ", quirks: [" + quirksOf(t, text+"}") + "]}")})
	}
	fake := newFakeAt(t, server.Instant, files...)
	upstream := serve(t, fake)
	for _, v := range variants {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			base, kept := newRecorder(t, upstream)
			_, got, err := post(t, base+requests[0].path, v.Name, requests[0].body)
			x := testflag.Receive(t, kept)
			if err != nil {
				t.Fatalf("%v after %q; kept is %q with the ending %q", err, got, bodyOf(x), x.Ending)
			}
			if bodyOf(x) != string(got) || len(got) == 0 {
				t.Errorf("kept is %q, passed on was %q", bodyOf(x), got)
			}
			checkBytesAgain(t, "the recording", x)
		})
	}
}

// quirksOf returns the rules that a scenario breaks.
func quirksOf(t *testing.T, text string) string {
	t.Helper()
	_, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(text)})
	var names []string
	for _, p := range problems {
		names = append(names, p.Rule)
	}
	return strings.Join(names, ", ")
}

// On every API, each bundled scenario passes the proxy unchanged. Answers without an orderly end
// are played again with the same bytes and the same ending.
func TestEveryAPIPassesThrough(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	upstream := serve(t, bundledAtOnce(t))
	for _, r := range requests {
		t.Run(r.path+r.body, func(t *testing.T) {
			t.Parallel()
			base, kept := newRecorder(t, upstream)
			for _, name := range fixtures.Names() {
				if name == "split-bytes" && r.path != requests[0].path {
					continue // it pauses after each byte, and bytes pass through in the same way on every API
				}
				status, got, err := post(t, base+r.path, name, r.body)
				if status == 0 {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if bytes.HasPrefix(got, []byte("the upstream gave no answer")) {
					continue // nothing is recorded
				}
				x := testflag.Receive(t, kept)
				want := &recording.Exchange{Pieces: []recording.Piece{{Data: got}}}
				new(recording.Redactor).Redact(want) // some errors show a key
				if x.Status != status || bodyOf(x) != bodyOf(want) || string(x.Body) != r.body || (x.Ending == recording.EndedComplete) != (err == nil) {
					t.Errorf("%s: %d %q and %v were passed on, %d %q and %q kept", name, status, got, err, x.Status, bodyOf(x), x.Ending)
				}
				if r.path == "/v1/chat/completions" && (x.Ending != recording.EndedComplete || x.Status != http.StatusOK) {
					checkBytesAgain(t, name, x)
				}
			}
		})
	}
}

// endpoint starts a server that answers with a handler.
func endpoint(t *testing.T, answer http.HandlerFunc) *url.URL {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return &url.URL{Scheme: "http", Host: s.Listener.Addr().String()}
}

// upstreamOf starts an endpoint that answers with a handler, and a recorder before it.
func upstreamOf(t *testing.T, answer http.HandlerFunc) (base string, kept <-chan *recording.Exchange) {
	t.Helper()
	return newRecorder(t, endpoint(t, answer))
}

// Answers that no API gives are recorded with the same bytes.
func TestAnswersThatNoAPIGivesAreRecorded(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"HTML instead of a stream": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html><body>It works!</body></html>\n")
		},
		"HTML as an error": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=UTF-8")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, "<h1>503</h1>{{ not a template }}")
		},
		"nothing": func(w http.ResponseWriter, _ *http.Request) { w.Header()["Content-Type"] = nil },
		"death within a chunk": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[]}\n\ndata: {\"cho")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
		"death before the first event": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		base, kept := upstreamOf(t, answer)
		status, got, _ := post(t, base+requests[0].path, "", requests[0].body)
		x := testflag.Receive(t, kept)
		if status != x.Status || bodyOf(x) != string(got) {
			t.Errorf("%s: %d %q was passed on, %d %q kept", name, status, got, x.Status, bodyOf(x))
		}
		checkBytesAgain(t, name, x)
	}
}

// The header of an answer reaches the client before the upstream has sent a body.
func TestTheHeaderPassesAtOnce(t *testing.T) {
	t.Parallel()
	there := make(chan struct{})
	base, kept := upstreamOf(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-there:
		case <-r.Context().Done():
		}
	})
	resp, err := http.Post(base+requests[0].path, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	close(there) // only now does the upstream go on
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Error(err)
	}
	testflag.Receive(t, kept)
}

// An answer may begin before its request has ended, and both are recorded as a whole.
func TestAnAnswerBeforeTheRequestsEnd(t *testing.T) {
	t.Parallel()
	base, kept := upstreamOf(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		_ = c.EnableFullDuplex()
		first := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, first)
		_, _ = w.Write(first)
		_ = c.Flush()
		_, _ = io.Copy(w, r.Body)
	})
	body, send := io.Pipe()
	go func() { _, _ = io.WriteString(send, "first") }()
	resp, err := http.Post(base+requests[0].path, "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(send, "second") // after the answer began
	send.Close()
	rest, err := io.ReadAll(resp.Body)
	x := testflag.Receive(t, kept)
	if err != nil || string(rest) != "second" || string(x.Body) != "firstsecond" || bodyOf(x) != "firstsecond" {
		t.Errorf("got %q, %v; kept are %q and %q", rest, err, x.Body, bodyOf(x))
	}
}

// A connection that ends without an answer is reported, and not recorded.
func TestAnUpstreamWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	session := passingOn(endpoint(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), func(x *recording.Exchange) { t.Errorf("kept is %+v", x) })
	session.Failed = func(_ *http.Request, err error) { failed <- err }
	rec := httptest.NewServer(session)
	t.Cleanup(rec.Close)
	if status, _, _ := post(t, rec.URL+requests[0].path, "", requests[0].body); status != http.StatusBadGateway {
		t.Errorf("status %d, want 502", status)
	}
	if testflag.Receive(t, failed) == nil {
		t.Error("no reason is told")
	}
}

// If a request got no answer, or an answer before its body was read, its connection serves the
// next request.
func TestAConnectionGoesOnAfterABodyThatNobodyRead(t *testing.T) {
	t.Parallel()
	unread := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "too early")
	})
	gone := endpoint(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for name, u := range map[string]*url.URL{"no answer": gone, "an early answer": unread} {
		rec := httptest.NewServer(passingOn(u, func(*recording.Exchange) {}))
		t.Cleanup(rec.Close)
		reused := 0
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
			if c.Reused {
				reused++
			}
		}})
		for range 3 {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, rec.URL+requests[0].path, strings.NewReader(requests[0].body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := rec.Client().Do(req)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			resp.Body.Close()
		}
		if reused != 2 {
			t.Errorf("%s: %d of 3 requests came on a connection that was there, want 2", name, reused)
		}
	}
}

// A request or an answer that is too long to record passes through whole, is not held in memory,
// and is reported.
func TestWhatIsTooLongPassesThrough(t *testing.T) {
	t.Parallel()
	const size = 50 << 20
	block := bytes.Repeat([]byte("x"), 1<<20)
	base, kept := upstreamOf(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("Got", fmt.Sprint(n))
		for range size / len(block) {
			_, _ = w.Write(block)
		}
	})
	for name, body := range map[string]string{"a long answer": "{}", "a long request, too": strings.Repeat("y", recording.DefaultLimit+1)} {
		resp, err := http.Post(base+requests[0].path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err != nil || n != size || resp.Header.Get("Got") != fmt.Sprint(len(body)) {
			t.Errorf("%s: %d bytes came, %v, the upstream got %s", name, n, err, resp.Header.Get("Got"))
		}
		x := testflag.Receive(t, kept)
		if !x.TooLong || x.Pieces != nil || len(body) > recording.DefaultLimit && len(x.Body) > 0 {
			t.Errorf("%s: %d pieces and %d bytes of the request are kept", name, len(x.Pieces), len(x.Body))
		}
		if err := new(recording.Collection).Add(x); err != recording.ErrTooLong {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Streams that are recorded at the same time are not mixed: each is the answer to its own request.
func TestManyStreamsAtOnce(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	const streams = 32
	var started sync.WaitGroup
	started.Add(streams)
	base, kept := upstreamOf(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, asked, _ := strings.Cut(string(body), "question ")
		number, _, _ := strings.Cut(asked, `"`)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, strings.Replace(chunkOf(`{"role":"assistant","content":"answer "}`), "chatcmpl-1", "chatcmpl-"+number, 1))
		_ = http.NewResponseController(w).Flush()
		started.Done()
		started.Wait() // waits until all streams are open
		fmt.Fprint(w, strings.Replace(chunkOf(`{"content":"`+number+`."}`), "chatcmpl-1", "chatcmpl-"+number, 1)+"data: [DONE]\n\n")
	})
	var list recording.Collection
	var clients sync.WaitGroup
	body := func(i int) string {
		return fmt.Sprintf(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"question %d"}]}`, i)
	}
	for i := range streams {
		clients.Go(func() {
			if _, got, err := post(t, base+requests[0].path, "", body(i)); err != nil || !strings.Contains(string(got), fmt.Sprintf(`"%d."`, i)) {
				t.Errorf("client %d got %q, %v", i, got, err)
			}
			if err := list.Add(testflag.Receive(t, kept)); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	files, notes := list.Files(), list.Check()
	if len(files) != streams || len(notes) > 0 {
		t.Fatalf("%d files, %v", len(files), notes)
	}
	fake := fakeOf(t, files)
	for i := range streams {
		got := bodyOf(exchangeWith(t, fake, "", requests[0].path, body(i)))
		if !strings.Contains(got, fmt.Sprintf(`"%d."`, i)) || strings.Count(got, fmt.Sprintf(`"chatcmpl-%d"`, i)) != 2 {
			t.Errorf("question %d is answered with %s", i, got)
		}
	}
}

// What a scenario can hold in memory and not in a file is written in other words.
func TestWhatNoFileCanSayIsWrittenInOtherWords(t *testing.T) {
	t.Parallel()
	for what, stream := range map[string]string{
		"a member twice":      chunkOf(`{"content":"x","content":"y"}`),
		"a long retry":        "retry: 999999999999\n" + chunkOf(`{"content":"x"}`),
		"a negative position": chunkOf(`{"tool_calls":[{"index":-3,"id":"","type":"function","function":{"name":"","arguments":""}}]}`),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			checkBytesAgain(t, what, streamIn(map[int]string{0: stream}))
		})
	}
}
