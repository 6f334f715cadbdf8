package server

import (
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// maxJournalBytes bounds the bodies and transcripts that a journal keeps.
const maxJournalBytes = 64 << 20

// journal remembers the newest records, in order of arrival.
type journal struct {
	size int

	mu        sync.Mutex // guards what follows
	last      int64      // the id that was given last
	records   []Record   // ids ascend
	bytes     int        // of all bodies and transcripts
	forgotten int64      // records that had to go to make room
}

func newJournal(size int) *journal { return &journal{size: max(size, 0)} }

// add gives the record an id and keeps a copy of it.
func (j *journal) add(r *Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	r.ID = j.last
	j.records = append(j.records, *r)
	j.bytes += weight(r)
	j.trim()
}

// update replaces the copy that add made, if it is still there.
func (j *journal) update(r *Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.position(r.ID)
	if !ok {
		return
	}
	j.bytes += weight(r) - weight(&j.records[i])
	j.records[i] = *r
	j.trim()
}

// trim lets the oldest records go until the rest is within bounds. The newest
// stays however large it is.
func (j *journal) trim() {
	for len(j.records) > j.size || j.bytes > maxJournalBytes && len(j.records) > 1 {
		j.bytes -= weight(&j.records[0])
		j.records[0] = Record{} // so that its body can be collected
		j.records = j.records[1:]
		j.forgotten++
	}
}

func (j *journal) position(id int64) (int, bool) {
	return slices.BinarySearchFunc(j.records, id, func(r Record, id int64) int { return int(r.ID - id) })
}

// list is a copy of the records that keep holds for, and how many records are
// forgotten.
func (j *journal) list(keep func(*Record) bool) (records []Record, forgotten int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	records = make([]Record, 0, len(j.records))
	for i := range j.records {
		if keep(&j.records[i]) {
			records = append(records, j.records[i].clone())
		}
	}
	return records, j.forgotten
}

// lookup is a copy of one record.
func (j *journal) lookup(id int64) (Record, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	i, ok := j.position(id)
	if !ok {
		return Record{}, false
	}
	return j.records[i].clone(), true
}

// remove forgets the records that doomed holds for.
func (j *journal) remove(doomed func(*Record) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records = slices.DeleteFunc(j.records, func(r Record) bool { return doomed(&r) })
	if len(j.records) == 0 {
		j.records = nil // gives the memory back
	}
	j.bytes = 0
	for i := range j.records {
		j.bytes += weight(&j.records[i])
	}
}

func weight(r *Record) int { return len(r.Body) + len(r.Transcript) }

// clone is a copy that its owner may change. The request is shared: nobody
// changes it.
func (r *Record) clone() Record {
	c := *r
	c.Header = r.Header.Clone()
	c.Body = slices.Clone(r.Body)
	c.Transcript = slices.Clone(r.Transcript)
	c.Drawn = slices.Clone(r.Drawn)
	return c
}

// anyRecord holds for every record.
func anyRecord(*Record) bool { return true }

// ofKey holds for the records of one API key, and for every record if it is "".
func ofKey(key string) func(*Record) bool {
	if key == "" {
		return anyRecord
	}
	return func(r *Record) bool { return request.APIKey(r.Header) == key }
}
