package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrForgotten says that the journal had the entry and has dropped it.
var ErrForgotten = errors.New("the journal does not remember it")

// AwaitEnd waits until the answer to the request with the id has ended, and returns its
// entry. The request may still have to come. The error is [ErrForgotten], or says what was
// missing when ctx ended.
func (j *Journal) AwaitEnd(ctx context.Context, id int64) (Entry, error) {
	var e Entry
	var err error
	found := func() bool {
		i, ok := j.position(id)
		switch {
		case ok:
			e, err = j.entries[i], nil
		case id <= j.lastID:
			err = ErrForgotten
			return true
		default:
			err = fmt.Errorf("request %d has not come", id)
			return false
		}
		if e.Delivery.Ended == EndedOpen {
			err = fmt.Errorf("%s has not ended", e.name())
			return false
		}
		return true
	}
	if cause := j.await(ctx, found); cause != nil {
		return Entry{}, fmt.Errorf("%w: %w", err, cause)
	}
	return e, err
}

// AwaitEnds waits until the journal has count entries of the API key, or of all keys if it
// is "", whose answers have ended. The error says what was missing when ctx ended.
func (j *Journal) AwaitEnds(ctx context.Context, apiKey string, count int) error {
	ended, open := 0, []string{}
	enough := func() bool {
		ended, open = 0, open[:0]
		for i := range j.entries {
			switch e := &j.entries[i]; {
			case !e.BelongsTo(apiKey):
			case e.Delivery.Ended == EndedOpen:
				open = append(open, e.name())
			default:
				ended++
			}
		}
		return ended >= count
	}
	cause := j.await(ctx, enough)
	if cause == nil {
		return nil
	}
	standing := "no request is open"
	if len(open) > 0 {
		standing = "open: " + strings.Join(open, ", ")
	}
	return fmt.Errorf("%d of %d requests have ended: %w; %s", ended, count, cause, standing)
}

// AwaitCalls waits until count calls of the API key, or of all keys if it is "", have ended
// with the outcome, or with any outcome if it is "". The error says what was missing when
// ctx ended.
func (j *Journal) AwaitCalls(ctx context.Context, apiKey string, count int, outcome Outcome) error {
	var calls []Call
	ended := 0
	enough := func() bool {
		var entries []Entry
		for i := range j.entries {
			if j.entries[i].BelongsTo(apiKey) {
				entries = append(entries, j.entries[i])
			}
		}
		calls, ended = Calls(entries), 0
		for i := range calls {
			if got := calls[i].Outcome; got == outcome || outcome == "" && got != OutcomeOpen {
				ended++
			}
		}
		return ended >= count
	}
	cause := j.await(ctx, enough)
	if cause == nil {
		return nil
	}
	did, standing := "ended", "there is no call"
	if outcome != "" {
		did = string(outcome)
	}
	if len(calls) > 0 {
		standing = "the last is " + calls[len(calls)-1].String()
	}
	return fmt.Errorf("%d of %d calls have %s: %w; %s", ended, count, did, cause, standing)
}

// name is what errors call the request.
func (e *Entry) name() string {
	if e.Scenario == "" {
		return fmt.Sprintf("request %d", e.ID)
	}
	return fmt.Sprintf("request %d (scenario %q, reply %d)", e.ID, e.Scenario, e.Reply+1)
}

// await waits until holds returns true, or returns the cause of ctx's end. It calls holds
// with the lock held, again after every change.
func (j *Journal) await(ctx context.Context, holds func() bool) error {
	for {
		changed := j.unless(holds)
		if changed == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// unless returns nil if holds returns true, otherwise a channel that is closed at the next
// change.
func (j *Journal) unless(holds func() bool) <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if holds() {
		return nil
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return j.changed
}

// noteChange wakes the goroutines in await. The caller holds the lock.
func (j *Journal) noteChange() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}
