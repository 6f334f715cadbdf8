package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

type entryInfo struct {
	journal.Shown
	Transcript string `json:"transcript,omitempty"` // Transcript is the path of the transcript; "" if there is none.
}

func (h *Handler) showEntry(e journal.Entry) entryInfo {
	if !h.fake.ShowSecrets {
		e = e.Masked()
	}
	info := entryInfo{Shown: journal.Show(e)}
	if e.Transcript != nil {
		info.Transcript = fmt.Sprintf("/_fake/requests/%d/transcript", e.ID)
	}
	return info
}

// masks are those of the secrets of an entry; nil if secrets are shown.
func (h *Handler) masks(e *journal.Entry) *secret.Request {
	if h.fake.ShowSecrets {
		return nil
	}
	return secret.Of(e.Header, e.Path, e.APIKey)
}

// requestList is the journal as the endpoints show it: see [journal.Forgotten].
type requestList struct {
	Forgotten int64 `json:"forgotten"` // Forgotten counts the dropped entries of the API key in the query.
	// ForgottenOfUnknown counts the dropped entries of unknown keys.
	ForgottenOfUnknown int64       `json:"forgotten_of_unknown_keys,omitempty"`
	Requests           []entryInfo `json:"requests"`
}

func (h *Handler) listRequests(r *http.Request) (any, *apierror.Error) {
	filter, wrong := filterIn(r)
	if wrong != nil {
		return nil, wrong
	}
	entries, forgotten := h.fake.Journal.Entries(keyAskedFor(r))
	entries = journal.Select(entries, filter)
	list := make([]entryInfo, len(entries))
	for i, e := range entries {
		list[i] = h.showEntry(e)
	}
	return requestList{forgotten.Entries, forgotten.Unknown, list}, nil
}

func (h *Handler) deleteRequests(r *http.Request) (any, *apierror.Error) {
	h.fake.Journal.Remove(keyAskedFor(r))
	return nil, nil
}

func (h *Handler) oneRequest(e *journal.Entry) (any, *apierror.Error) { return h.showEntry(*e), nil }

func (h *Handler) oneTranscript(e *journal.Entry) (any, *apierror.Error) {
	if e.Transcript == nil {
		return nil, notFound("There is no transcript of request %d: either nothing was sent yet, or this server does not keep transcripts: serve --transcripts does.", e.ID)
	}
	return raw{"application/octet-stream", e.Transcript}, nil
}

// entryOf returns the journal entry whose number is in the path, or a 404 if the API key in the
// query has none.
func (h *Handler) entryOf(r *http.Request) (journal.Entry, *apierror.Error) {
	id, err := requestAskedFor(r)
	e, ok := h.fake.Journal.Lookup(id)
	if err != nil || !ok || !e.BelongsTo(keyAskedFor(r)) {
		return journal.Entry{}, noRequest(r)
	}
	return e, nil
}

func requestAskedFor(r *http.Request) (int64, error) {
	return strconv.ParseInt(mux.Vars(r)["id"], 10, 64)
}

func noRequest(r *http.Request) *apierror.Error {
	return notFound("The journal has no request %q. GET /_fake/requests lists those it has.", mux.Vars(r)["id"])
}

func (h *Handler) listCalls(r *http.Request) (any, *apierror.Error) {
	entries, _ := h.fake.Journal.Entries(keyAskedFor(r))
	calls := journal.Calls(entries)
	if !h.fake.ShowSecrets {
		for i := range calls {
			calls[i] = calls[i].Masked()
		}
	}
	findings := []findingInfo{}
	for _, f := range journal.Judge(entries, false) {
		findings = append(findings, findingInfo{f.Kind, f.Entry.ID, h.masks(&f.Entry).Text(f.Entry.Problem)})
	}
	return callList{calls, findings}, nil
}

type callList struct {
	Calls    []journal.Call `json:"calls"`
	Findings []findingInfo  `json:"findings"` // Findings are those of [journal.Judge].
}

type findingInfo struct {
	Kind    journal.Kind `json:"kind"`
	Request int64        `json:"request"`
	Problem string       `json:"problem"`
}

func (h *Handler) showUsage(r *http.Request) (any, *apierror.Error) {
	usage := h.fake.Limiter.Usage(keyAskedFor(r))
	for i := range usage.Keys {
		usage.Keys[i].APIKey = h.key(usage.Keys[i].APIKey)
	}
	return usage, nil
}

// key returns an API key as it is shown: masked, unless secrets are shown.
func (h *Handler) key(key string) string {
	if h.fake.ShowSecrets {
		return key
	}
	return secret.Mask(key)
}

// defaultAwait is how long a call without a timeout waits.
const defaultAwait = 10 * time.Second

// wait calls until with a context that ends after the timeout in the query, when the client
// leaves, and when the server closes.
func (h *Handler) wait(r *http.Request, until func(context.Context) error) *apierror.Error {
	timeout, err := durationIn(r, timeoutParameter, defaultAwait)
	if err != nil || timeout < 0 {
		return badQuery("timeout is %q, it must be a duration such as 5s", r.URL.Query().Get(timeoutParameter))
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), timeout, fmt.Errorf("waited %s", timeout))
	defer cancel()
	ctx, stop := h.fake.WhileServing(ctx)
	defer stop()
	switch err := until(ctx); {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrForgotten):
		return noRequest(r)
	default:
		return apierror.Refusal(http.StatusRequestTimeout, apierror.CodeTimeout, err.Error())
	}
}

// awaitRequest answers with an entry of the journal when its request has ended.
func (h *Handler) awaitRequest(r *http.Request) (any, *apierror.Error) {
	id, err := requestAskedFor(r)
	if err != nil || id < 1 {
		return nil, noRequest(r)
	}
	if e, ok := h.fake.Journal.Lookup(id); ok && !e.BelongsTo(keyAskedFor(r)) {
		return nil, noRequest(r) // without a wait: the entry will never belong to the key
	}
	var e journal.Entry
	wrong := h.wait(r, func(ctx context.Context) (err error) {
		e, err = h.fake.Journal.AwaitEnd(ctx, id)
		return err
	})
	if wrong == nil && !e.BelongsTo(keyAskedFor(r)) {
		wrong = noRequest(r)
	}
	if wrong != nil {
		return nil, wrong
	}
	return h.showEntry(e), nil
}

// awaitRequests answers with the journal when as many requests have ended as the query asks for.
func (h *Handler) awaitRequests(r *http.Request) (any, *apierror.Error) {
	count, wrong := h.countAskedFor(r, "requests")
	if wrong == nil {
		wrong = h.wait(r, func(ctx context.Context) error { return h.fake.Journal.AwaitEnds(ctx, keyAskedFor(r), count) })
	}
	if wrong != nil {
		return nil, wrong
	}
	return h.listRequests(r)
}

// awaitCalls answers with the calls when as many of them have ended as the query asks for.
func (h *Handler) awaitCalls(r *http.Request) (any, *apierror.Error) {
	count, wrong := h.countAskedFor(r, "calls")
	outcome := journal.Outcome(r.URL.Query().Get(outcomeParameter))
	if wrong == nil && outcome != "" && outcome != journal.OutcomeSucceeded && outcome != journal.OutcomeFailed {
		wrong = badQuery("outcome is %q, it must be succeeded or failed; without it a call counts that has ended either way", outcome)
	}
	if wrong == nil {
		wrong = h.wait(r, func(ctx context.Context) error { return h.fake.Journal.AwaitCalls(ctx, keyAskedFor(r), count, outcome) })
	}
	if wrong != nil {
		return nil, wrong
	}
	return h.listCalls(r)
}

// countAskedFor returns the count in the query, 1 by default. It is an error if the count is
// invalid, or larger than the journal.
func (h *Handler) countAskedFor(r *http.Request, of string) (int, *apierror.Error) {
	count := 1
	if text := r.URL.Query().Get(countParameter); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil || count < 1 {
			return 0, badQuery("count is %q, it must be a number of %s such as 2", text, of)
		}
	}
	if size := max(h.fake.JournalSize, 0); count > size {
		return 0, badQuery("count is %d, but the journal remembers only %d requests", count, size)
	}
	return count, nil
}
