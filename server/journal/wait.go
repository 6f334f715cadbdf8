package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// ErrForgotten says that the journal had the entry and has dropped it.
var ErrForgotten = errors.New("the journal does not remember it")

// AwaitEnd waits until the answer to the request with the id has ended, and returns its
// entry. The request may still have to come. The error is [ErrForgotten], or says what was
// missing when ctx ended.
func (j *Journal) AwaitEnd(ctx context.Context, id int64) (e Entry, err error) {
	late := j.await(ctx, "", func() (enough bool, missing, standing string) {
		i, known := j.position(id)
		if !known && id <= j.lastID {
			err = ErrForgotten
			return true, "", ""
		}
		enough, missing = j.endOf(i, &e)
		return enough, cmp.Or(missing, fmt.Sprintf("request %d has not come", id)), ""
	})
	return e, cmp.Or(late, err)
}

// AwaitEndAt is AwaitEnd for entry i, counted from 0 for the oldest. If it has not come when ctx
// ends, the error is the cause alone.
func (j *Journal) AwaitEndAt(ctx context.Context, i int) (e Entry, err error) {
	err = j.await(ctx, "", func() (enough bool, missing, standing string) {
		enough, missing = j.endOf(i, &e)
		return enough, missing, ""
	})
	return e, err
}

// endOf copies entry i to e if its answer has ended. Missing says that it has not, and is "" if the
// entry has not come. The caller holds the lock.
func (j *Journal) endOf(i int, e *Entry) (ended bool, missing string) {
	switch {
	case i >= len(j.entries):
		return false, ""
	case j.entries[i].Delivery.Ended == EndedOpen:
		return false, j.entries[i].name() + " has not ended"
	}
	*e = j.entries[i].shown()
	return true, ""
}

// AwaitEnds waits until the journal has count entries of the API key, or of all keys if it
// is "", whose answers have ended. The error says what was missing when ctx ended.
func (j *Journal) AwaitEnds(ctx context.Context, apiKey string, count int) error {
	return j.await(ctx, apiKey, func() (enough bool, missing, standing string) {
		ended := 0
		for _, e := range j.entries {
			if e.BelongsTo(apiKey) && e.Delivery.Ended != EndedOpen {
				ended++
			}
		}
		return ended >= count, fmt.Sprintf("%d of %d requests have ended", ended, count), ""
	})
}

// AwaitCalls waits until count calls of the API key, or of all keys if it is "", have ended
// with the outcome, or with any outcome if it is "". A call of which nobody can know whether it
// succeeded counts as one that did. The error says what was missing when ctx ended.
func (j *Journal) AwaitCalls(ctx context.Context, apiKey string, count int, outcome Outcome) error {
	return j.await(ctx, apiKey, func() (enough bool, missing, standing string) {
		calls, ended := j.callsOf(apiKey), 0
		for i := range calls {
			switch got := calls[i].Outcome; {
			case got == outcome, outcome == "" && got != OutcomeOpen, outcome == OutcomeSucceeded && got == OutcomeUnknown:
				ended++
			}
		}
		standing = "; there is no call"
		if len(calls) > 0 {
			standing = "; the last is " + calls[len(calls)-1].String()
		}
		return ended >= count, fmt.Sprintf("%d of %d calls have %s", ended, count, cmp.Or(outcome, "ended")), standing
	})
}

// callsOf returns the calls of an API key, or of all keys if it is "". Those who wait for calls of
// the same key share them, until something changes. The caller holds the lock.
func (j *Journal) callsOf(apiKey string) []Call {
	calls, ok := j.calls[apiKey]
	if !ok {
		var entries []Entry
		for i := range j.entries {
			if j.entries[i].BelongsTo(apiKey) {
				entries = append(entries, *j.entries[i])
			}
		}
		calls = Calls(entries)
		if j.calls == nil {
			j.calls = map[string][]Call{}
		}
		j.calls[apiKey] = calls
	}
	return calls
}

// name is what errors call the request.
func (e *Entry) name() string {
	if e.Scenario == "" {
		return fmt.Sprintf("request %d", e.ID)
	}
	return fmt.Sprintf("request %d (scenario %q, reply %d)", e.ID, e.Scenario, e.Reply+1)
}

// await waits until look reports that there is enough. It calls look with the lock held, again
// after every change. When ctx ends before, the error has what look said is missing, the cause,
// how things stand, and where the open streams of the API key, or of all keys if it is "", stand.
// If nothing was said to be missing, it is the cause alone.
func (j *Journal) await(ctx context.Context, apiKey string, look func() (enough bool, missing, standing string)) error {
	for {
		j.mu.Lock()
		enough, missing, standing := look()
		if j.changed == nil {
			j.changed = make(chan struct{})
		}
		changed := j.changed
		j.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if missing == "" {
				return context.Cause(ctx)
			}
			if j.Streams != nil {
				standing += "; " + j.Streams(apiKey)
			}
			return fmt.Errorf("%s: %w%s", missing, context.Cause(ctx), standing)
		}
	}
}

// Moves is a number that changes when a request comes or ends, and when a byte of an open answer is
// written.
func (j *Journal) Moves() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := j.revision
	for _, e := range j.entries {
		if e.sent != nil {
			n += e.sent.Bytes.Load()
		}
	}
	return n
}
