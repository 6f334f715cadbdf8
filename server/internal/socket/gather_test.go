package socket

import (
	"bytes"
	"errors"
	"net"
	"slices"
	"testing"
)

// taker is a connection that accepts only a given number of bytes in total.
type taker struct {
	net.Conn
	takes  int
	writes [][]byte // writes are the bytes of each write.
}

var errFull = errors.New("full")

func (c *taker) Write(p []byte) (int, error) {
	c.writes = append(c.writes, bytes.Clone(p))
	n := min(len(p), c.takes)
	if c.takes -= n; n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWhatIsGatheredLeavesWithWhatComesAfterIt(t *testing.T) {
	t.Parallel()
	block := bytes.Repeat([]byte("0123456789abcdef"), 256)
	large := bytes.Repeat(block, 5)
	for _, tt := range []struct {
		name         string
		before, last []string // before is gathered, and last is written after it.
		want         []string
	}{
		{"nothing is gathered", nil, []string{"a", "b"}, []string{"a", "b"}},
		{"a block and the rest", []string{string(block)}, []string{"rest", "more"}, []string{string(block) + "rest", "more"}},
		{"several blocks", []string{"a", "b", "c"}, []string{"d"}, []string{"abcd"}},
		{"a large one behind a block", []string{string(block), string(large)}, []string{"d"}, []string{string(block), string(large), "d"}},
		{"a large end", []string{"a"}, []string{string(large)}, []string{"a", string(large)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			to := &taker{takes: 1 << 20}
			c := newConn(to, nil)
			write := func(list []string) {
				for _, text := range list {
					if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
						t.Fatalf("%d bytes written of %d: %v", n, len(text), err)
					}
				}
			}
			c.Gather()
			write(tt.before)
			c.LetGo()
			write(tt.last)
			var got []string
			sum := int64(0)
			for _, p := range to.writes {
				got, sum = append(got, string(p)), sum+int64(len(p))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%d writes: %.100q", len(got), got)
			}
			if c.Written() != sum || c.waiting != nil {
				t.Errorf("%d bytes are counted, of %d", c.Written(), sum)
			}
		})
	}
}

func TestABrokenWriteOfWhatWasGathered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ takes, last int }{{0, 0}, {3, 0}, {4, 0}, {6, 2}} {
		c := newConn(&taker{takes: tt.takes}, nil)
		c.Gather()
		if n, err := c.Write([]byte("wait")); n != 4 || err != nil {
			t.Fatal(n, err)
		}
		c.LetGo()
		if n, err := c.Write([]byte("last")); n != tt.last || !errors.Is(err, errFull) || c.Written() != int64(tt.takes) {
			t.Errorf("of a connection that takes %d: %d bytes, %v, and %d are counted", tt.takes, n, err, c.Written())
		}
		c = newConn(&taker{takes: tt.takes}, nil)
		c.Gather()
		_, _ = c.Write([]byte("waiting"))
		if n, err := c.Write(make([]byte, maxGathered)); n != 0 || !errors.Is(err, errFull) {
			t.Errorf("before a large write: %d bytes, %v", n, err)
		}
	}
}
