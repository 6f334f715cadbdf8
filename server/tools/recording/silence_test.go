package recording_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// slowUpstream answers with pieces. It waits before the header and before each piece, and is then
// silent until its request ends.
type slowUpstream struct {
	header time.Duration
	wait   []time.Duration
	pieces []string
}

// RoundTrip answers a request.
func (u *slowUpstream) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	if err := pause(r.Context(), u.header); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(&slowBody{ctx: r.Context(), upstream: u}), Request: r,
	}, nil
}

type slowBody struct {
	ctx      context.Context
	upstream *slowUpstream
	at       int
}

// Read waits, and returns one piece.
func (b *slowBody) Read(p []byte) (int, error) {
	if b.at == len(b.upstream.pieces) {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	if err := pause(b.ctx, b.upstream.wait[b.at]); err != nil {
		return 0, err
	}
	b.at++
	return copy(p, b.upstream.pieces[b.at-1]), nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// slowBodyOf returns a request whose body takes a while to arrive.
type slowRequest struct{ left int }

// Read waits, and returns one byte.
func (b *slowRequest) Read(p []byte) (int, error) {
	time.Sleep(time.Minute)
	if b.left--; b.left < 0 {
		return 0, io.EOF
	}
	p[0] = ' '
	return 1, nil
}

// A stream that falls silent is recorded with that ending exactly after the timeout, and the client's
// response ends then, too.
func TestAnUpstreamThatStalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept *recording.Exchange
		upstream := &slowUpstream{header: 50 * time.Second, wait: []time.Duration{59 * time.Second, 59 * time.Second}, pieces: []string{"data: {}\n\n", "data: {\"a\":1}\n\n"}}
		rec := passingOn(&url.URL{Scheme: "http", Host: "upstream"}, func(x *recording.Exchange) { kept = x })
		rec.Transport, rec.Timeout = upstream, time.Minute
		client := httptest.NewRecorder()
		began := time.Now()
		rec.ServeHTTP(client, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader("{}")))
		if took := time.Since(began); took != 50*time.Second+2*59*time.Second+time.Minute {
			t.Errorf("the client was held for %s", took)
		}
		if err := rec.Wait(t.Context()); err != nil || kept == nil || kept.Ending != recording.EndedStall || bodyOf(kept) != "data: {}\n\ndata: {\"a\":1}\n\n" {
			t.Fatalf("kept is %+v", kept)
		}
		if got := client.Body.String(); got != bodyOf(kept) {
			t.Errorf("the client has %q", got)
		}
		sc, err := recording.Write(kept, "stalled")
		if err != nil || sc.End.Kind != "stall" {
			t.Errorf("written is the ending %q, %v", sc.End.Kind, err)
		}
	})
}

// If no header comes in time, the client gets a 504. The time does not begin before the client has
// sent its request.
func TestAnUpstreamWithoutAHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failed error
		rec := passingOn(&url.URL{Scheme: "http", Host: "upstream"}, func(*recording.Exchange) { t.Error("it is kept") })
		rec.Transport, rec.Timeout, rec.Failed = &slowUpstream{header: time.Hour}, 30*time.Second, func(_ *http.Request, err error) { failed = err }
		client := httptest.NewRecorder()
		began := time.Now()
		rec.ServeHTTP(client, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", &slowRequest{left: 3}))
		if took := time.Since(began); took != 4*time.Minute+30*time.Second {
			t.Errorf("the client was held for %s", took)
		}
		if client.Code != http.StatusGatewayTimeout || failed == nil || errors.Is(failed, context.Canceled) {
			t.Errorf("status %d, failed with %v", client.Code, failed)
		}
	})
}
