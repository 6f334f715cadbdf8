package socket

import (
	"net"
	"testing"

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
