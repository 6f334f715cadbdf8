package journal

import "context"

// Changes are what has changed in a journal since a revision of it.
type Changes struct {
	Revision int64 // Revision is that of the journal now.
	// Anew says that entries were removed, so that Entries are all that there are.
	Anew    bool
	Entries []Entry // Entries are those that were added or changed, the oldest first.
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
// revision, and returns what has changed. Since revision 0 everything has. The error is that of ctx.
func (j *Journal) Since(ctx context.Context, apiKey string, revision int64) (c Changes, err error) {
	err = j.await(ctx, apiKey, func() (enough bool, missing, standing string) {
		c = Changes{Revision: j.revision, Anew: j.removed > revision || revision == 0, Calls: map[int64]Call{}, Forgotten: j.forgotten.Entries}
		if apiKey != "" {
			c.Forgotten = j.ofKey(apiKey)
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
