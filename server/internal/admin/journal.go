package admin

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// entryInfo is a journal entry as the endpoints show it.
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

// requestList is the journal as the endpoints show it: see [journal.Forgotten].
type requestList struct {
	Forgotten int64 `json:"forgotten"` // Forgotten counts the dropped entries of the API key in the query.
	// ForgottenOfUnknown counts the dropped entries of unknown keys.
	ForgottenOfUnknown int64       `json:"forgotten_of_unknown_keys,omitempty"`
	Requests           []entryInfo `json:"requests"`
}

func (h *Handler) listRequests(w http.ResponseWriter, r *http.Request) {
	entries, forgotten := h.fake.Journal.Entries(keyAskedFor(r))
	list := make([]entryInfo, len(entries))
	for i, e := range entries {
		list[i] = h.showEntry(e)
	}
	writeJSON(w, http.StatusOK, requestList{forgotten.Entries, forgotten.Unknown, list})
}

func (h *Handler) deleteRequests(w http.ResponseWriter, r *http.Request) {
	h.fake.Journal.Remove(keyAskedFor(r))
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) oneRequest(w http.ResponseWriter, r *http.Request) {
	if e, ok := h.entryOf(w, r); ok {
		writeJSON(w, http.StatusOK, h.showEntry(e))
	}
}

func (h *Handler) oneTranscript(w http.ResponseWriter, r *http.Request) {
	e, ok := h.entryOf(w, r)
	if !ok {
		return
	}
	if e.Transcript == nil {
		writeError(w, notFound(fmt.Sprintf("There is no transcript of request %d: either nothing was sent yet, or this server does not keep transcripts: serve --transcripts does.", e.ID)))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(e.Transcript)
}

// entryOf returns the journal entry whose number is in the path. If there is none, it
// answers with 404 and returns false.
func (h *Handler) entryOf(w http.ResponseWriter, r *http.Request) (journal.Entry, bool) {
	id, err := requestAskedFor(r)
	e, ok := h.fake.Journal.Lookup(id)
	if err != nil || !ok || !e.BelongsTo(keyAskedFor(r)) {
		writeError(w, noRequest(r))
		return journal.Entry{}, false
	}
	return e, true
}

// requestAskedFor returns the number of a request in the path.
func requestAskedFor(r *http.Request) (int64, error) {
	return strconv.ParseInt(mux.Vars(r)["id"], 10, 64)
}

func noRequest(r *http.Request) *apierror.Error {
	return notFound(fmt.Sprintf("The journal has no request %q. GET /_fake/requests lists those it has.", mux.Vars(r)["id"]))
}

func (h *Handler) listCalls(w http.ResponseWriter, r *http.Request) {
	entries, _ := h.fake.Journal.Entries(keyAskedFor(r))
	calls := journal.Calls(entries)
	if !h.fake.ShowSecrets {
		for i := range calls {
			calls[i] = calls[i].Masked()
		}
	}
	writeJSON(w, http.StatusOK, callList{calls})
}

func (h *Handler) showUsage(w http.ResponseWriter, r *http.Request) {
	usage := h.fake.Usage(keyAskedFor(r))
	for i := range usage.Keys {
		usage.Keys[i].APIKey = h.key(usage.Keys[i].APIKey)
	}
	writeJSON(w, http.StatusOK, usage)
}

// key returns an API key as it is shown: masked, unless secrets are shown.
func (h *Handler) key(key string) string {
	if h.fake.ShowSecrets {
		return key
	}
	return secret.Mask(key)
}

type callList struct {
	Calls []journal.Call `json:"calls"`
}
