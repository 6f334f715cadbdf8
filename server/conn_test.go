package server

import (
	"net"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Of a reset only one of the reading and the writing side is told; the other
// sees an end.
func TestAResetHasTheLastWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		seen []journal.Departure
		want journal.Departure
	}{
		{"a reset alone", []journal.Departure{journal.LeftRST}, journal.LeftRST},
		{"an end alone", []journal.Departure{journal.LeftFIN}, journal.LeftFIN},
		{"an end, then a reset", []journal.Departure{journal.LeftFIN, journal.LeftRST}, journal.LeftRST},
		{"a reset, then an end", []journal.Departure{journal.LeftRST, journal.LeftFIN}, journal.LeftRST},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newConn(new(net.TCPConn), nil)
			for _, how := range tt.seen {
				c.leave(how)
			}
			if got, at := c.departure(); got != tt.want || at.IsZero() {
				t.Errorf("it left by %q at %v, want %q", got, at, tt.want)
			}
		})
	}
}
