package socket

import "sync"

// maxGathered is the most bytes that wait.
const maxGathered = 16 << 10

// gathered is a pool of buffers; a connection has one while bytes wait.
var gathered = sync.Pool{New: func() any { return new([maxGathered]byte) }}

// Gather lets written bytes wait until the first write after [Conn.LetGo], and leave with
// that: net/http writes an answer in parts of 4 KiB, and two writes to the kernel take
// longer than the rest of a small answer. The goroutine that calls Gather must write again
// after LetGo, and no other goroutine may write.
func (c *Conn) Gather() { c.gathers = true }

// LetGo ends [Conn.Gather]. The next write sends what waits.
func (c *Conn) LetGo() { c.gathers = false }

// writeTogether appends p to the bytes that wait, and writes them unless c gathers. If p
// does not fit, it writes both at once.
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

// writeWaiting writes the bytes that wait.
func (c *Conn) writeWaiting() (n int, err error) {
	if c.waiting == nil {
		return 0, nil
	}
	n, err = c.write(c.waiting[:c.waits])
	gathered.Put(c.waiting)
	c.waiting, c.waits = nil, 0
	return n, err
}
