package journal

import (
	"unsafe"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Memory in bytes of an entry and of the parts of its request, without their texts. A header
// field is an entry of a map, a slice and a string.
const (
	entrySize   = int(unsafe.Sizeof(Entry{})) + int(unsafe.Sizeof(scenarios.Request{}))
	fieldSize   = 128
	valueSize   = 16
	messageSize = int(unsafe.Sizeof(scenarios.RequestMessage{}))
	toolSize    = int(unsafe.Sizeof(scenarios.Tool{}))
)

// size is about how many bytes of memory the entry holds for its request. Memory that
// several fields share is counted once: the schemas of tools are parts of the body.
func (e *Entry) size() int {
	n := entrySize + len(e.Path) + len(e.Body)
	for name, values := range e.Header {
		n += fieldSize + len(name)
		for _, v := range values {
			n += valueSize + len(v)
		}
	}
	r := e.Request
	if r == nil {
		return n
	}
	n += r.Body.Size() + cap(r.Messages)*messageSize + cap(r.Tools)*toolSize
	for i := range r.Messages {
		n += len(r.Messages[i].Text) // for a list of parts, the text is a copy
	}
	for _, item := range r.Referred {
		n += item.Size()
	}
	for _, item := range r.Before {
		n += item.Size() // the entry keeps the item after the store has dropped it
	}
	return n
}

// bytes is how many bytes of memory the journal holds for the entry.
func (e *Entry) bytes() int { return e.held + len(e.Transcript) + len(e.Problem) }
