package holds

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

// pass lets a stream of the API key come to the hold. The channel gets the result when the
// stream has passed it.
func pass(ctx context.Context, h *Holds, request int64, apiKey string) <-chan error {
	g, sent := new(Gate), new(atomic.Int64)
	sent.Store(12)
	h.Enter(g, Stream{Request: request, Scenario: "s", APIKey: apiKey}, sent)
	passed := make(chan error, 1)
	go func() {
		defer g.Leave()
		passed <- g.Pass(ctx, "middle", -1)
	}()
	return passed
}

func TestAReleaseIsForTheStreamsOfItsKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New()
		mine := pass(t.Context(), h, 1, "mine")
		theirs := pass(t.Context(), h, 2, "theirs")
		synctest.Wait()
		if n := h.Release("middle", "mine"); n != 1 {
			t.Errorf("%d streams were released, want 1", n)
		}
		if err := <-mine; err != nil {
			t.Error(err)
		}
		want := []State{{Name: "middle", Waiting: []Stream{{Request: 2, Scenario: "s", APIKey: "theirs"}}}}
		if got := h.States([]string{"middle"}, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("the hold is %+v, want %+v", got, want)
		}
		if got := h.States([]string{"middle"}, "mine")[0].Waiting; len(got) != 0 {
			t.Errorf("the owner of mine sees %+v", got)
		}
		others := pass(t.Context(), h, 3, "others")
		synctest.Wait()
		if n := h.Release("middle", ""); n != 2 {
			t.Errorf("%d streams were released for all keys, want 2", n)
		}
		if err := errors.Join(<-theirs, <-others); err != nil {
			t.Error(err)
		}
	})
}

func TestAStreamThatEndsWaitsNoMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New()
		ctx, end := context.WithCancel(t.Context())
		passed := pass(ctx, h, 7, "k")
		synctest.Wait()
		background := new(Gate)
		h.Enter(background, Stream{Request: 8, Scenario: "s"}, nil)
		if got, want := h.Standing(""), `open streams: request 7 (scenario "s", reply 1) waits at hold "middle" after 12 bytes, request 8 (scenario "s", reply 1) is playing`; got != want {
			t.Errorf("it stands: %s, want %s", got, want)
		}
		background.Leave()
		end()
		if err := <-passed; !errors.Is(err, context.Canceled) {
			t.Errorf("Pass ends with %v", err)
		}
		synctest.Wait()
		if n := h.Release("middle", ""); n != 0 {
			t.Errorf("%d streams were released after the only one had ended", n)
		}
		if err := h.Await(ctx, "other", ""); err == nil || !strings.Contains(err.Error(), "no stream is open") {
			t.Errorf("Await ends with %v", err)
		}
	})
}

func TestReleasesInAdvanceAreBounded(t *testing.T) {
	t.Parallel()
	h := New()
	h.Release("middle", "oldest")
	for range maxAdvance {
		h.Release("middle", "k")
	}
	if got := h.States([]string{"middle"}, "")[0].Advance; got != maxAdvance {
		t.Errorf("%d releases are remembered, want %d", got, maxAdvance)
	}
	if got := h.States([]string{"middle"}, "oldest")[0].Advance; got != 0 {
		t.Error("the oldest release is still remembered")
	}
	h.Reset("k")
	if got := h.States([]string{"middle"}, "")[0].Advance; got != 0 {
		t.Errorf("after a reset %d releases are remembered", got)
	}
}

func TestHoldsWithoutAnythingToRememberAreForgotten(t *testing.T) {
	t.Parallel()
	h := New()
	left, cancel := context.WithCancel(t.Context())
	cancel()
	soon, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	for i := range 100 {
		name := fmt.Sprint("hold ", i)
		g := new(Gate)
		h.Enter(g, Stream{APIKey: "key"}, nil)
		if err := g.Pass(left, name, -1); err == nil {
			t.Fatal("it did not wait")
		}
		h.Release(name, "key")
		if err := g.Pass(soon, name, -1); err != nil {
			t.Fatalf("the stream is not released: %v", err)
		}
		if err := h.Await(soon, name, "key"); err != nil {
			t.Fatal(err)
		}
		h.Release(name, "key") // comes in advance
		h.Reset("key")
		h.States([]string{name}, "")
		g.Leave()
	}
	if n := len(h.named); n != 0 {
		t.Errorf("%d holds are remembered", n)
	}
}
