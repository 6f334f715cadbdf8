package journal

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// DefaultBytes is how many bytes a journal holds unless it is told otherwise: a
// thousand requests of 60 KB with all that is read from them, in a process that
// stays well below 256 MB.
const DefaultBytes = 64 << 20

// maxKeys bounds the API keys for which forgotten entries are counted apart.
const maxKeys = 10_000

// longestKey is the longest of these keys: real ones have 200 characters.
const longestKey = 256

// Journal remembers the newest entries, in order of arrival. It is safe for
// concurrent use.
type Journal struct {
	size     int // size is the most entries that are remembered.
	maxBytes int // maxBytes is the most bytes that they hold together.

	mu        sync.Mutex // guards what follows
	lastID    int64      // lastID is the id that was given last.
	entries   []Entry    // entries have ascending ids.
	room      []Entry    // room is the memory in which the entries are; they move on in it.
	bytes     int        // bytes is what all entries hold together.
	forgotten Forgotten  // forgotten counts the entries that had to go to make room.
	// forgottenOf counts those of each API key, for as many keys as maxKeys.
	forgottenOf map[string]*int64

	// changed is closed when a request has come, ended or been removed; nil while
	// nobody waits for that.
	changed chan struct{}
}

// Forgotten counts the entries that had to go to make room.
type Forgotten struct {
	Entries int64 // Entries counts those of the API key that is asked for.
	// Unknown counts those of which the key is not known any more, because entries
	// of more than 10,000 keys were forgotten. Any key may have been theirs.
	Unknown int64
}

// New makes a journal that remembers so many entries, and fewer when they hold
// more than so many bytes together: bodies, headers, what was read from them and
// transcripts; 0 is [DefaultBytes]. A size of 0 or less remembers nothing.
func New(size, maxBytes int) *Journal {
	return &Journal{size: max(size, 0), maxBytes: cmp.Or(maxBytes, DefaultBytes), forgottenOf: map[string]*int64{}}
}

// Add gives the entry an id and remembers it. The bytes that are in its body and
// transcript now must not be changed any more; more may be appended for an
// [Journal.Update].
func (j *Journal) Add(e *Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lastID++
	e.ID = j.lastID
	e.held = e.size()
	if len(j.entries) == cap(j.entries) {
		j.moveBack()
	}
	j.entries = append(j.entries, clipped(e))
	j.bytes += storedBytes(e)
	j.trim()
	j.noteChange()
}

// moveBack moves the entries to the beginning of their room, over those that were
// forgotten; where these were few, it is made larger. The caller holds the lock.
func (j *Journal) moveBack() {
	n := len(j.entries)
	if len(j.room) <= 2*n {
		const first = 4
		j.room = make([]Entry, 2*n+first)
	}
	copy(j.room, j.entries)
	clear(j.room[n:]) // what moved away from there shall be collected when it is forgotten
	j.entries = j.room[:n]
}

// Update takes the entry in the place of the one with the same id, if that is
// still remembered.
func (j *Journal) Update(e *Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.position(e.ID)
	if !ok {
		return
	}
	j.bytes += storedBytes(e) - storedBytes(&j.entries[i])
	j.entries[i] = clipped(e)
	j.trim()
	if e.Delivery.Ended != EndedOpen {
		j.noteChange()
	}
}

// trim lets the oldest entries go until the rest is within bounds. The newest
// stays however large it is. The caller holds the lock.
func (j *Journal) trim() {
	for len(j.entries) > j.size || j.bytes > j.maxBytes && len(j.entries) > 1 {
		j.bytes -= storedBytes(&j.entries[0])
		j.forget(j.entries[0].APIKey)
		j.entries[0] = Entry{} // so that its body can be collected
		j.entries = j.entries[1:]
	}
}

// forget counts an entry that went to make room. The caller holds the lock.
func (j *Journal) forget(apiKey string) {
	j.forgotten.Entries++
	if apiKey == "" {
		return
	}
	n := j.forgottenOf[apiKey]
	switch {
	case n != nil:
		*n++
	case len(j.forgottenOf) >= maxKeys || len(apiKey) > longestKey:
		j.forgotten.Unknown++
	default:
		j.forgottenOf[strings.Clone(apiKey)] = new(int64(1)) // the entry's key is a part of its header
	}
}

// ofKey is how many entries of an API key went to make room. The caller holds the lock.
func (j *Journal) ofKey(apiKey string) int64 {
	if n := j.forgottenOf[apiKey]; n != nil {
		return *n
	}
	return 0
}

// position is where the entry with the id stands. The caller holds the lock.
func (j *Journal) position(id int64) (int, bool) {
	if len(j.entries) > 0 { // mostly none is missing between the first and this one
		if i := int(id - j.entries[0].ID); i >= 0 && i < len(j.entries) && j.entries[i].ID == id {
			return i, true
		}
	}
	return slices.BinarySearchFunc(j.entries, id, func(e Entry, id int64) int { return int(e.ID - id) })
}

// Size is how many entries are remembered, and how many bytes they hold.
func (j *Journal) Size() (entries, bytes int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.entries), j.bytes
}

// Entries are the entries of one API key, or all if it is "", the oldest first.
// Forgotten counts those that had to make room.
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
		forgotten.Entries = j.ofKey(apiKey)
	}
	return entries, forgotten
}

// At is entry i of those that are remembered, counted from 0 for the oldest, if
// there are so many.
func (j *Journal) At(i int) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if i < 0 || i >= len(j.entries) {
		return Entry{}, false
	}
	return j.entries[i].shown(), true
}

// Lookup is the entry with the id, if it is remembered.
func (j *Journal) Lookup(id int64) (Entry, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.position(id)
	if !ok {
		return Entry{}, false
	}
	return j.entries[i].shown(), true
}

// Remove forgets the entries of one API key, or all if it is "", and how many had
// to make room.
func (j *Journal) Remove(apiKey string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.noteChange()
	j.entries = slices.DeleteFunc(j.entries, func(e Entry) bool { return e.BelongsTo(apiKey) })
	if len(j.entries) == 0 {
		j.entries, j.room = nil, nil // gives the memory back
	}
	j.forgotten.Entries -= j.ofKey(apiKey)
	delete(j.forgottenOf, apiKey)
	if apiKey == "" {
		j.forgotten = Forgotten{}
		clear(j.forgottenOf)
	}
	j.bytes = 0
	for i := range j.entries {
		j.bytes += storedBytes(&j.entries[i])
	}
}

// clipped is the entry for others to have: what they append to its bytes must not
// land where the server appends, too.
func clipped(e *Entry) Entry {
	c := *e
	c.Body, c.Transcript = slices.Clip(c.Body), slices.Clip(c.Transcript)
	return c
}

// storedBytes is what the journal holds for an entry.
func storedBytes(e *Entry) int { return e.held + len(e.Transcript) + len(e.Problem) }
