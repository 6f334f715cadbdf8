package admin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
)

func (h *Handler) showHealth(*http.Request) (any, *apierror.Error) {
	return map[string]string{"status": "ok"}, nil
}

func (h *Handler) showReadiness(w http.ResponseWriter, _ *http.Request) {
	if h.fake.Draining() {
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": "draining"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (h *Handler) reset(r *http.Request) (any, *apierror.Error) {
	h.fake.ResetKey(keyAskedFor(r))
	return nil, nil
}

func (h *Handler) reload(w http.ResponseWriter, _ *http.Request) {
	err := h.fake.Reload()
	switch {
	case errors.Is(err, ErrNoReload):
		writeError(w, apierror.Fault(http.StatusNotImplemented, apierror.CodeNoReload, err.Error()))
	case err != nil:
		writeLoadError(w, apierror.CodeReload, err)
	default:
		writeJSON(w, http.StatusOK, map[string]int{"scenarios": h.fake.ScenariosFor("").Len()})
	}
}

// How long POST /_fake/down refuses connections, by default and at most. A server that is
// down cannot be asked to come back.
const (
	defaultDown = time.Second
	longestDown = time.Minute
)

// goDown refuses connections for a while. The server is down before it answers; then the
// connection of the call closes, too.
func (h *Handler) goDown(w http.ResponseWriter, r *http.Request) {
	d, err := durationIn(r, forParameter, defaultDown)
	if err != nil || d <= 0 || d > longestDown {
		writeError(w, badQuery("for is %q, it must be a duration of at most %s, such as 2s", r.URL.Query().Get(forParameter), longestDown))
		return
	}
	switch err := h.fake.DownFor(d); {
	case errors.Is(err, ErrNoListener):
		writeError(w, apierror.Fault(http.StatusNotImplemented, apierror.CodeNoListener, err.Error()))
	case err != nil:
		writeError(w, apierror.Fault(http.StatusInternalServerError, apierror.CodeDown, err.Error()))
	default:
		h.fake.Logger.Info("refusing connections", "for", d)
		w.Header().Set("Connection", "close")
		writeJSON(w, http.StatusOK, map[string]string{"down_for": d.String()})
	}
}

type releaseInfo struct {
	Hold      string `json:"hold"`
	InAdvance bool   `json:"in_advance"` // InAdvance says that no stream waited, so that the next one will pass.
	Released  int    `json:"released"`   // Released is how many streams were released.
}

func (h *Handler) listHolds(r *http.Request) (any, *apierror.Error) {
	return map[string]any{"holds": h.states(h.fake.HoldNames(), keyAskedFor(r))}, nil
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

func (h *Handler) releaseHold(r *http.Request) (any, *apierror.Error) {
	name, wrong := h.holdOf(r)
	if wrong != nil {
		return nil, wrong
	}
	n := h.fake.Holds.Release(name, keyAskedFor(r))
	return releaseInfo{name, n == 0, n}, nil
}

func (h *Handler) awaitHold(r *http.Request) (any, *apierror.Error) {
	name, wrong := h.holdOf(r)
	if wrong == nil {
		wrong = h.wait(r, func(ctx context.Context) error { return h.fake.Holds.Await(ctx, name, keyAskedFor(r)) })
	}
	if wrong != nil {
		return nil, wrong
	}
	return h.states([]string{name}, keyAskedFor(r))[0], nil
}

// holdOf returns the name of the hold in the path, or a 404 if no scenario has such a hold.
func (h *Handler) holdOf(r *http.Request) (string, *apierror.Error) {
	name, err := url.PathUnescape(mux.Vars(r)["name"])
	if err == nil {
		err = h.fake.CheckHold(name)
	}
	if err != nil {
		return "", notFound("%v", err)
	}
	return name, nil
}
