package admin

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/server/internal/holds"
)

type holdList struct {
	Holds []holds.State `json:"holds"`
}

// releaseInfo says what a release did.
type releaseInfo struct {
	Hold      string `json:"hold"`
	InAdvance bool   `json:"in_advance"` // InAdvance says that no stream waited, so that the next one will pass.
	Released  int    `json:"released"`   // Released is how many streams were released.
}

func (h *Handler) listHolds(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, holdList{h.states(h.fake.HoldNames(), keyAskedFor(r))})
}

// states returns the states of holds, with API keys masked.
func (h *Handler) states(names []string, apiKey string) []holds.State {
	states := h.fake.Holds.States(names, apiKey)
	for _, state := range states {
		for i := range state.Waiting {
			state.Waiting[i].APIKey = h.key(state.Waiting[i].APIKey)
		}
	}
	return states
}

func (h *Handler) releaseHold(w http.ResponseWriter, r *http.Request) {
	name, ok := h.holdOf(w, r)
	if !ok {
		return
	}
	n := h.fake.Holds.Release(name, keyAskedFor(r))
	writeJSON(w, http.StatusOK, releaseInfo{name, n == 0, n})
}

func (h *Handler) awaitHold(w http.ResponseWriter, r *http.Request) {
	name, ok := h.holdOf(w, r)
	if !ok {
		return
	}
	key := keyAskedFor(r)
	if !h.wait(w, r, func(ctx context.Context) error { return h.fake.Holds.Await(ctx, name, key) }) {
		return
	}
	writeJSON(w, http.StatusOK, h.states([]string{name}, key)[0])
}

// holdOf returns the name of the hold in the path. If no scenario has such a hold, it
// answers with 404 and returns false.
func (h *Handler) holdOf(w http.ResponseWriter, r *http.Request) (string, bool) {
	name, err := url.PathUnescape(mux.Vars(r)["name"])
	if err == nil {
		err = h.fake.CheckHold(name)
	}
	if err != nil {
		writeError(w, notFound(err.Error()))
		return "", false
	}
	return name, true
}
