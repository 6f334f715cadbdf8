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

// A write that is torn leaves in three parts, which a client cannot read at once.
func TestAWriteThatIsTornLeavesInParts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer client.Close()
		c := newConn(server, nil)
		go func() {
			c.Tear(time.Second)
			for _, text := range []string{"5\r\nhello\r\n", "abc"} {
				if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("%q: wrote %d bytes: %v", text, n, err)
				}
			}
			c.Tear(0)
			_, _ = c.Write([]byte("whole"))
			_ = c.Close()
		}()
		begin := time.Now()
		for _, want := range []struct {
			text  string
			after time.Duration
		}{{"5", 0}, {"\r\nhe", time.Second}, {"llo\r\n", 2 * time.Second}, {"abc", 3 * time.Second}, {"whole", 3 * time.Second}} {
			b := make([]byte, 100)
			n, err := client.Read(b)
			if got, after := string(b[:n]), time.Since(begin); got != want.text || after != want.after || err != nil {
				t.Errorf("read %q after %s: %v, want %+v", got, after, err, want)
			}
		}
		synctest.Wait() // until the last write is counted
		if c.Written() != int64(len("5\r\nhello\r\nabcwhole")) {
			t.Errorf("%d bytes were written", c.Written())
		}
	})
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
		closing := make(chan struct{})
		close(closing)
		c.AwaitDeparture(closing)
		if how, _ := c.Departure(); how != Closed || time.Since(begin) > 0 {
			t.Errorf("it left by %d, noticed after %s", how, time.Since(begin))
		}
	})
}
