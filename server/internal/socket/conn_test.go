package socket

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

// A reset gives an error to either the reader or the writer of a connection; the other one sees
// the end of the stream.
func TestAConnectionThatIsResetBeforeOrAfterItsEndCountsAsReset(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		seen []Departure
		want Departure
	}{
		{"a reset alone", []Departure{Reset}, Reset},
		{"an end alone", []Departure{Closed}, Closed},
		{"an end, then a reset", []Departure{Closed, Reset}, Reset},
		{"a reset, then an end", []Departure{Reset, Closed}, Reset},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newConn(new(net.TCPConn), nil)
			for _, how := range tt.seen {
				c.leave(how)
			}
			if got, at := c.Departure(); got != tt.want || at.IsZero() {
				t.Errorf("it left by %d at %v, want %d", got, at, tt.want)
			}
		})
	}
}

// A server that closes ends the reads of net/http, which would have seen that the client left.
func TestAClientThatLeftIsNoticedAtOnceWhenReadsHaveEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		c := newConn(server, nil)
		_ = c.SetReadDeadline(time.Now())
		if n, err := c.Read(make([]byte, 1)); err == nil {
			t.Fatalf("a read after the deadline got %d bytes", n)
		}
		go func() {
			_, _ = client.Write([]byte("what the client still sent"))
			_ = client.Close()
		}()
		begin := time.Now()
		c.AwaitDeparture(true)
		if how, _ := c.Departure(); how != Closed || time.Since(begin) > 0 {
			t.Errorf("it left by %d, noticed after %s", how, time.Since(begin))
		}
	})
}
