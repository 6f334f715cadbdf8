package compat

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const oncePerSecond = `
name: once-per-second
stream:
  - role: assistant
  - content: word
    repeat: 60
    after: 1s
    every: 1s
  - finish: stop
`

// A client whose context ends returns at that moment, and the server notices at the same
// moment that the client has left.
func TestCancelledClients(t *testing.T) {
	t.Parallel()
	const after = 2500 * time.Millisecond
	for name, stream := range streamers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML(oncePerSecond))
				ctx, stop := context.WithTimeout(context.Background(), after)
				defer stop()
				var got told
				took := elapsed(func() { got = stream(ctx, prompt{to: targetOf(fake)}) })
				if got.String() != "wordword / error: time out" || took != after {
					t.Errorf("got %s after %v, want two words and a time out after %v", got, took, after)
				}
				checkLeaving(t, fake.AwaitEnd(0).Delivery, true, after, 3)
			})
		})
	}
}

const heldInTheMiddle = `
name: held
stream:
  - role: assistant
  - content: Once upon
  - hold: middle
  - content: " a time"
  - finish: stop
`

// A client behind a gateway is cancelled. If the gateway passes that on, the server's
// answer ends in the middle. If the gateway collects answers and keeps its own request
// going, it reads the answer to the end.
func TestCancelledBehindGateway(t *testing.T) {
	t.Parallel()
	for name, stream := range streamers {
		t.Run(name+": passed on", func(t *testing.T) {
			t.Parallel()
			fake := fakeopenai.NewServer(t, fakeopenai.YAML(heldInTheMiddle))
			got := cancelBehind(t, newGateway(t, fake), fake, stream)
			if got.String() != "Once upon / error: cancelled" {
				t.Errorf("the client ended with %s, want it cancelled after two words", got)
			}
			d := fake.AwaitEnd(0).Delivery
			if d.Ended != journal.EndedByClient || d.Frames != 2 || d.Unread.Frames != 3 {
				t.Errorf("delivery = %+v, want the client gone after 2 of 5 frames", d)
			}
			if d.Left != journal.LeftFIN && d.Left != journal.LeftRST {
				t.Errorf("left with %q, want fin or rst", d.Left)
			}
		})
		t.Run(name+": kept from the server", func(t *testing.T) {
			t.Parallel()
			fake := fakeopenai.NewServer(t, fakeopenai.YAML(heldInTheMiddle))
			gateway := newGateway(t, fake)
			gateway.ModifyResponse = collect
			left := make(chan struct{})
			got := cancelBehind(t, detached{gateway, left}, fake, stream)
			if got.String() != "nothing / error: cancelled" {
				t.Errorf("the client ended with %s, want it cancelled", got)
			}
			<-left // the gateway has noticed that the client left; the server has not
			fake.Release("middle")
			d := fake.AwaitEnd(0).Delivery
			if d.Ended != journal.EndedComplete || d.Frames != 5 || d.Left != "" {
				t.Errorf("delivery = %+v, want all 5 frames taken", d)
			}
		})
	}
}

// cancelBehind cancels a client when the first half of the answer has reached it, or,
// behind a gateway that collects answers, when the server has sent that half.
func cancelBehind(t *testing.T, gateway http.Handler, fake *fakeopenai.Server, stream streamer) told {
	t.Helper()
	front := httptest.NewServer(gateway)
	t.Cleanup(front.Close)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done, halfway := make(chan told, 1), make(chan struct{})
	chunks := 0
	p := prompt{to: target{front.URL + "/v1", fake.APIKey, front.Client()}, each: func() {
		if chunks++; chunks == 2 {
			close(halfway)
		}
	}}
	go func() { done <- stream(ctx, p) }()
	fake.Await("middle")
	if _, collects := gateway.(detached); !collects {
		<-halfway
	}
	cancel()
	return <-done
}

// newGateway makes a reverse proxy in front of the server.
func newGateway(t *testing.T, fake *fakeopenai.Server) *httputil.ReverseProxy {
	t.Helper()
	upstream, err := url.Parse(fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		Transport:     fake.Client().Transport,
		FlushInterval: -1, // at once
		ErrorLog:      log.New(io.Discard, "", 0),
	}
}

// detached is a gateway that goes on reading from the server after its client has left.
// It closes left when the client leaves.
type detached struct {
	http.Handler
	left chan struct{}
}

func (d detached) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	context.AfterFunc(r.Context(), func() { close(d.left) })
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	d.Handler.ServeHTTP(w, r.WithContext(ctx))
}

// collect reads an answer to its end before the gateway sends any of it.
func collect(r *http.Response) error {
	whole, err := io.ReadAll(r.Body)
	r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(whole))
	return err
}
