package admin

import (
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compare"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// differences says how the answer to the request in the path differs from that to the request in the query, in texts, too.
func (h *Handler) differences(r *http.Request) (any, *apierror.Error) {
	with := r.URL.Query().Get(withParameter)
	if with == "" {
		return nil, badQuery("Say with which request to compare, as in ?%s=1.", withParameter)
	}
	var plans [2]journal.Plan
	for i, id := range []string{with, mux.Vars(r)["id"]} {
		e, wrong := h.entryOf(mux.SetURLVars(r, map[string]string{"id": id}))
		if wrong != nil {
			return nil, wrong
		}
		var err error
		if plans[i], err = h.planOf(&e); err != nil {
			return nil, notFound("%v", err)
		}
	}
	return map[string]any{"differences": append([]compare.Difference{}, compare.Plans(plans[0], plans[1], true)...)}, nil
}

// planOf returns what the answer to a request was to send, without the secrets of the request.
func (h *Handler) planOf(e *journal.Entry) (journal.Plan, error) {
	trace, err := h.fake.TraceOf(e)
	if err != nil {
		return journal.Plan{}, err
	}
	plan, masks := trace.Plan, h.masks(e)
	plan.Header, plan.Frames = masks.Header(plan.Header), slices.Clone(plan.Frames)
	for i := range plan.Frames {
		plan.Frames[i].Bytes = masks.Bytes(plan.Frames[i].Bytes)
	}
	return plan, nil
}

// foundInfo lists the requests that have a text.
type foundInfo struct {
	Requests []int64 `json:"requests"`
	Oldest   int64   `json:"oldest"` // Oldest is the oldest request that was looked at: see [longestSearch].
}

// longestSearch is how long a search looks at the requests, the newest first.
const longestSearch = time.Second

// findText lists the requests of which the body or the answer has a text. Case does not matter.
func (h *Handler) findText(r *http.Request) (any, *apierror.Error) {
	text := r.URL.Query().Get(textParameter)
	if text == "" {
		return nil, badQuery("text is missing: give it the text to look for, such as %s=Paris", textParameter)
	}
	entries, _ := h.fake.Journal.Entries(keyAskedFor(r))
	found, began := foundInfo{Requests: []int64{}}, time.Now()
	for i := len(entries) - 1; i >= 0 && time.Since(began) < longestSearch && r.Context().Err() == nil; i-- {
		e := &entries[i]
		found.Oldest = e.ID
		if h.hasText(e, text) {
			found.Requests = append(found.Requests, e.ID)
		}
	}
	return found, nil
}

// hasText reports whether the body of a request has a text, as it is shown, or its answer.
func (h *Handler) hasText(e *journal.Entry, text string) bool {
	if compare.Has(journal.Plan{Frames: []journal.PlannedFrame{{Bytes: h.masks(e).Body(e.Body)}}}, text) {
		return true
	}
	plan, err := h.planOf(e)
	return err == nil && compare.Has(plan, text)
}

// oneBody answers with the body of a request as it was sent, but for secrets.
func (h *Handler) oneBody(w http.ResponseWriter, r *http.Request) {
	e, wrong := h.entryOf(r)
	if wrong != nil {
		writeError(w, wrong)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(h.masks(&e).Body(e.Body))
}
