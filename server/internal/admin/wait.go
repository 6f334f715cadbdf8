package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// defaultAwait is how long a call without a timeout waits.
const defaultAwait = 10 * time.Second

// wait calls until with a context that ends after the timeout in the query, when the client
// leaves, and when the server closes. If until fails, wait answers with an error and returns
// false.
func (h *Handler) wait(w http.ResponseWriter, r *http.Request, until func(context.Context) error) bool {
	timeout := defaultAwait
	if text := r.URL.Query().Get(timeoutParameter); text != "" {
		var err error
		if timeout, err = time.ParseDuration(text); err != nil || timeout < 0 {
			writeError(w, badQuery(fmt.Sprintf("timeout is %q, it must be a duration such as 5s", text)))
			return false
		}
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), timeout, fmt.Errorf("waited %s", timeout))
	defer cancel()
	ctx, stop := h.fake.WhileServing(ctx)
	defer stop()
	err := until(ctx)
	switch {
	case err == nil:
		return true
	case errors.Is(err, journal.ErrForgotten):
		writeError(w, noRequest(r))
	default:
		writeFault(w, apierror.Refusal(http.StatusRequestTimeout, apierror.CodeTimeout, err.Error()))
	}
	return false
}

// awaitRequest answers with an entry of the journal when its request has ended.
func (h *Handler) awaitRequest(w http.ResponseWriter, r *http.Request) {
	id, err := requestAskedFor(r)
	if err != nil || id < 1 {
		writeError(w, noRequest(r))
		return
	}
	if e, ok := h.fake.Journal.Lookup(id); ok && !e.BelongsTo(keyAskedFor(r)) {
		writeError(w, noRequest(r)) // without a wait: the entry will never belong to the key
		return
	}
	var e journal.Entry
	ok := h.wait(w, r, func(ctx context.Context) (err error) {
		if e, err = h.fake.Journal.AwaitEnd(ctx, id); err == nil && !e.BelongsTo(keyAskedFor(r)) {
			err = journal.ErrForgotten
		}
		return err
	})
	if ok {
		writeJSON(w, http.StatusOK, h.showEntry(e))
	}
}

// awaitRequests answers with the journal when so many requests have ended.
func (h *Handler) awaitRequests(w http.ResponseWriter, r *http.Request) {
	count, ok := h.countAskedFor(w, r, "requests")
	if ok && h.wait(w, r, func(ctx context.Context) error { return h.fake.Journal.AwaitEnds(ctx, keyAskedFor(r), count) }) {
		h.listRequests(w, r)
	}
}

// awaitCalls answers with the calls when so many of them have ended.
func (h *Handler) awaitCalls(w http.ResponseWriter, r *http.Request) {
	count, ok := h.countAskedFor(w, r, "calls")
	if !ok {
		return
	}
	outcome := journal.Outcome(r.URL.Query().Get(outcomeParameter))
	switch outcome {
	case "", journal.OutcomeSucceeded, journal.OutcomeFailed:
	default:
		writeError(w, badQuery(fmt.Sprintf("outcome is %q, it must be succeeded or failed; without it a call counts that has ended either way", outcome)))
		return
	}
	if h.wait(w, r, func(ctx context.Context) error { return h.fake.Journal.AwaitCalls(ctx, keyAskedFor(r), count, outcome) }) {
		h.listCalls(w, r)
	}
}

// countAskedFor returns the count in the query, 1 by default. If it is invalid, or larger
// than the journal, countAskedFor answers with an error and returns false.
func (h *Handler) countAskedFor(w http.ResponseWriter, r *http.Request, of string) (int, bool) {
	count := 1
	if text := r.URL.Query().Get(countParameter); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil || count < 1 {
			writeError(w, badQuery(fmt.Sprintf("count is %q, it must be a number of %s such as 2", text, of)))
			return 0, false
		}
	}
	if size := max(h.fake.JournalSize, 0); count > size {
		writeError(w, badQuery(fmt.Sprintf("count is %d, but the journal remembers only %d requests", count, size)))
		return 0, false
	}
	return count, true
}
