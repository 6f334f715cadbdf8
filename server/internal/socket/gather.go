package socket

import "sync"

// maxGathered bounds what is written together.
const maxGathered = 16 << 10

// gathered lends memory to connections while something waits.
var gathered = sync.Pool{New: func() any { return new([maxGathered]byte) }}

// Gather lets what is written wait until [Conn.LetGo], to leave together with what is
// written after that: net/http writes an answer by 4 KiB, and for a small one the kernel
// takes longer for two writes than all else takes. Something must be written after it,
// by the same goroutine, and no other may write.
func (c *Conn) Gather() { c.gathers = true }

// LetGo ends [Conn.Gather].
func (c *Conn) LetGo() { c.gathers = false }

// writeTogether writes p behind what waits, or lets it wait, too. What is too much for
// that is written at once.
func (c *Conn) writeTogether(p []byte) (int, error) {
	before := c.waits
	if before+len(p) > maxGathered {
		if _, err := c.writeWaiting(); err != nil {
			return 0, err
		}
		return c.write(p)
	}
	if c.waiting == nil {
		c.waiting = gathered.Get().(*[maxGathered]byte)
	}
	c.waits += copy(c.waiting[before:], p)
	if c.gathers {
		return len(p), nil
	}
	n, err := c.writeWaiting()
	return max(0, n-before), err
}

// writeWaiting writes what waits.
func (c *Conn) writeWaiting() (n int, err error) {
	if c.waiting == nil {
		return 0, nil
	}
	n, err = c.write(c.waiting[:c.waits])
	gathered.Put(c.waiting)
	c.waiting, c.waits = nil, 0
	return n, err
}
