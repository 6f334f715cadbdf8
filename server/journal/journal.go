// Package journal records the requests that a server got, the answers that it gave, and how
// much of the answers its clients took.
//
// An [Entry] is one request with its answer. Its [Delivery] says how far the client read and
// how it left. [Calls] groups entries into calls, as the client's program sees them: a
// request and its retries.
package journal

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// DefaultBytes is the default of how many bytes a journal holds: a thousand parsed requests
// of 60 KB, in a process that stays well below 256 MB.
const DefaultBytes = 64 << 20

// maxKeys bounds the number of API keys whose forgotten entries are counted.
const maxKeys = 10_000

// longestKey is the length of the longest API key whose forgotten entries are counted. Real
// keys have 200 characters.
const longestKey = 256

// Journal remembers the newest entries, in order of arrival. It is safe for
// concurrent use.
type Journal struct {
	size     int // size is the most entries that are remembered.
	maxBytes int // maxBytes is the most bytes that they hold together.

	// Streams says in words where the open streams of an API key stand, or of all keys if it is "",
	// for the errors of waits; nil says nothing.
	Streams func(apiKey string) string

	mu        sync.Mutex // guards what follows
	lastID    int64      // lastID is the id that was given last.
	entries   []*Entry   // entries have ascending ids.
	spare     *Entry     // spare is memory for the next entry, of the one that was dropped last; nil if none was.
	bytes     int        // bytes is how many bytes all entries hold.
	forgotten Forgotten  // forgotten counts the entries that were dropped to make room.
	// forgottenOf counts the dropped entries of each API key, for at most maxKeys keys.
	forgottenOf map[string]*int64

	revision int64        // revision counts the calls of Put and Remove.
	removed  int64        // removed is the revision of the last Remove.
	watchers atomic.Int64 // watchers counts the calls of Watch that have not ended.

	calls map[string][]Call // calls has what callsOf returned since the last change.

	// changed is closed when an entry is added or removed or its answer ends; nil while
	// nobody waits for that.
	changed chan struct{}
}

// Forgotten counts the entries that were dropped to make room.
type Forgotten struct {
	Entries int64 // Entries counts the entries of one API key, or of all.
	// Unknown counts the entries of an unknown API key: entries of more than 10,000 keys
	// were dropped, and any key may have been theirs.
	Unknown int64
}

// New makes a journal of at most size entries and maxBytes bytes, counting bodies, headers,
// parsed requests and transcripts; 0 bytes is [DefaultBytes]. A journal with a size of 0 or
// less remembers nothing.
func New(size, maxBytes int) *Journal {
	return &Journal{size: max(size, 0), maxBytes: cmp.Or(maxBytes, DefaultBytes), forgottenOf: map[string]*int64{}}
}

// Put remembers a new entry, which has no id, and gives it one. An entry with an id replaces the
// one that has it, if the journal still remembers that. The bytes of Body and Transcript must not
// be changed any more; the caller may append to them before it puts the entry again.
func (j *Journal) Put(e *Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.revision++
	e.revision = j.revision
	if e.ID == 0 {
		j.lastID++
		e.ID, e.held, e.body = j.lastID, e.size(), maphash.Bytes(bodies, e.Body)
		slot := j.spare
		if j.spare = nil; slot == nil {
			slot = new(Entry)
		}
		*slot = *e
		j.entries = append(j.entries, slot)
		j.bytes += e.bytes()
	} else if i, ok := j.position(e.ID); ok {
		j.bytes += e.bytes() - j.entries[i].bytes()
		*j.entries[i] = *e
	}
	for len(j.entries) > j.size || j.bytes > j.maxBytes && len(j.entries) > 1 { // the newest stays, however large it is
		j.forgetOldest()
	}
	j.noteChange()
}

// forgetOldest drops and counts the oldest entry. The caller holds the lock.
func (j *Journal) forgetOldest() {
	oldest := j.entries[0]
	j.bytes -= oldest.bytes()
	j.forgotten.Entries++
	switch n := j.forgottenOf[oldest.APIKey]; {
	case oldest.APIKey == "":
	case n != nil:
		*n++
	case len(j.forgottenOf) >= maxKeys || len(oldest.APIKey) > longestKey:
		j.forgotten.Unknown++
	default:
		j.forgottenOf[strings.Clone(oldest.APIKey)] = new(int64(1)) // a clone does not keep the entry's header in memory
	}
	*oldest, j.entries[0], j.spare = Entry{}, nil, oldest // so that its body can be collected
	j.entries = j.entries[1:]
}

// droppedOf returns how many entries of an API key were dropped. The caller holds the lock.
func (j *Journal) droppedOf(apiKey string) int64 {
	if n := j.forgottenOf[apiKey]; n != nil {
		return *n
	}
	return 0
}

// position is the index of the entry with the id. The caller holds the lock.
func (j *Journal) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(j.entries, id, func(e *Entry, id int64) int { return int(e.ID - id) })
}

// Size is how many entries are remembered, and how many bytes they hold.
func (j *Journal) Size() (entries, bytes int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries), j.bytes
}

// Entries returns the entries of one API key, or all if it is "", the oldest first.
// Forgotten counts those that were dropped.
func (j *Journal) Entries(apiKey string) (entries []Entry, forgotten Forgotten) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries = make([]Entry, 0, len(j.entries))
	for i := range j.entries {
		if j.entries[i].BelongsTo(apiKey) {
			entries = append(entries, j.entries[i].shown())
		}
	}
	forgotten = j.forgotten
	if apiKey != "" {
		forgotten.Entries = j.droppedOf(apiKey)
	}
	return entries, forgotten
}

// At returns entry i, counted from 0 for the oldest, or false if there are not so many.
func (j *Journal) At(i int) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if i < 0 || i >= len(j.entries) {
		return Entry{}, false
	}
	return j.entries[i].shown(), true
}

// Lookup returns the entry with the id, or false if the journal does not have it.
func (j *Journal) Lookup(id int64) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.position(id)
	if !ok {
		return Entry{}, false
	}
	return j.entries[i].shown(), true
}

// Remove removes the entries of one API key, or all if it is "", and sets the count of its
// dropped entries to 0.
func (j *Journal) Remove(apiKey string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.noteChange()
	j.revision++
	j.removed = j.revision
	j.entries = slices.DeleteFunc(j.entries, func(e *Entry) bool { return e.BelongsTo(apiKey) })
	if len(j.entries) == 0 {
		j.entries = nil // gives the memory back
	}
	j.forgotten.Entries -= j.droppedOf(apiKey)
	delete(j.forgottenOf, apiKey)
	if apiKey == "" {
		j.forgotten = Forgotten{}
		clear(j.forgottenOf)
	}
	j.bytes = 0
	for i := range j.entries {
		j.bytes += j.entries[i].bytes()
	}
}

// noteChange wakes the goroutines in await. The caller holds the lock.
func (j *Journal) noteChange() {
	j.calls = nil
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

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
func (e *Entry) bytes() int {
	return e.held + len(e.Transcript) + len(e.Problem) + e.Said.size() + e.Trace.size()
}

// Filter selects entries of a journal: those that fit all fields. A field that is empty fits
// all. Path, Status, Scenario and Model are patterns, in which * stands for any text and ? for
// one character.
type Filter struct {
	Path     string // Path is that of the URL, without the query.
	Status   string // Status is that of the answer, such as 429 or 5??.
	Scenario string // Scenario is the name of the scenario that answered.
	Model    string // Model is the model of the request.
	Key      string // Key is the API key, or the mask of it that the endpoints show.
	Since    time.Time
}

// Selects reports whether the filter selects an entry.
func (f Filter) Selects(e *Entry) bool {
	path, _, _ := strings.Cut(e.Path, "?")
	model := ""
	if e.Request != nil {
		model = e.Request.Model
	}
	for _, of := range []struct{ pattern, text string }{
		{f.Path, path}, {f.Status, strconv.Itoa(e.Status)}, {f.Scenario, e.Scenario}, {f.Model, model},
	} {
		if of.pattern != "" && !scenarios.MatchesModel(of.pattern, of.text) {
			return false
		}
	}
	return (f.Key == "" || f.Key == e.APIKey || f.Key == MaskKey(e.APIKey)) && !e.Time.Before(f.Since)
}

// Select returns the entries that all filters select, in the memory of the list.
func Select(entries []Entry, filters ...Filter) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool {
		return slices.ContainsFunc(filters, func(f Filter) bool { return !f.Selects(&e) })
	})
}

// Changes are what has changed in a journal since a revision of it.
type Changes struct {
	Revision int64 // Revision is the present revision of the journal.
	// Anew says that entries were removed, so that Entries are all that there are.
	Anew    bool
	Entries []Entry // Entries are the entries that were added or changed, the oldest first.
	// Calls has the calls of all entries, by the ids of their requests.
	Calls  map[int64]Call
	Oldest int64 // Oldest is the id of the oldest entry that is remembered; 0 if none is.
	// Forgotten counts the entries of the API key that were dropped to make room.
	Forgotten int64
}

// Watch tells the journal that somebody watches it, until stop is called: meanwhile new entries get
// a trace.
func (j *Journal) Watch() (stop func()) {
	j.watchers.Add(1)
	return func() { j.watchers.Add(-1) }
}

// IsWatched reports whether somebody watches the journal.
func (j *Journal) IsWatched() bool { return j.watchers.Load() > 0 }

// Since waits until the entries of an API key, or of all keys if it is "", have changed since the
// revision, and returns the changes. Since revision 0 all entries have changed. The error is that of ctx.
func (j *Journal) Since(ctx context.Context, apiKey string, revision int64) (c Changes, err error) {
	err = j.await(ctx, apiKey, func() (enough bool, missing, standing string) {
		c = Changes{Revision: j.revision, Anew: j.removed > revision || revision == 0, Calls: map[int64]Call{}, Forgotten: j.forgotten.Entries}
		if apiKey != "" {
			c.Forgotten = j.droppedOf(apiKey)
		}
		for _, e := range j.entries {
			if !e.BelongsTo(apiKey) {
				continue
			}
			if c.Oldest == 0 {
				c.Oldest = e.ID
			}
			if c.Anew || e.revision > revision {
				c.Entries = append(c.Entries, e.shown())
			}
		}
		if c.Entries == nil && !c.Anew {
			return false, "nothing has changed", ""
		}
		for _, call := range j.callsOf(apiKey) {
			for _, a := range call.Attempts {
				c.Calls[a.Request] = call
			}
		}
		return true, "", ""
	})
	return c, err
}
