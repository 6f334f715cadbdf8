package server

import (
	"net"
	"testing"
)

// Of a reset only one of the reading and the writing side is told; the other
// sees an end.
func TestAResetHasTheLastWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		seen []Left
		want Left
	}{
		{"a reset alone", []Left{LeftRST}, LeftRST},
		{"an end alone", []Left{LeftFIN}, LeftFIN},
		{"an end, then a reset", []Left{LeftFIN, LeftRST}, LeftRST},
		{"a reset, then an end", []Left{LeftRST, LeftFIN}, LeftRST},
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
