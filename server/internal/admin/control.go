package admin

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

type healthInfo struct {
	Status string `json:"status"` // Status is ok or draining.
}

type reloadInfo struct {
	Scenarios int `json:"scenarios"` // Scenarios is how many scenarios are played now.
}

type downInfo struct {
	DownFor string `json:"down_for"`
}

func (h *Handler) showHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, healthInfo{"ok"})
}

func (h *Handler) showReadiness(w http.ResponseWriter, _ *http.Request) {
	if h.fake.Draining() {
		writeJSON(w, http.StatusServiceUnavailable, healthInfo{"draining"})
		return
	}
	writeJSON(w, http.StatusOK, healthInfo{"ok"})
}

func (h *Handler) reset(w http.ResponseWriter, r *http.Request) {
	h.fake.Reset(keyAskedFor(r))
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) reload(w http.ResponseWriter, _ *http.Request) {
	err := h.fake.Reload()
	switch {
	case errors.Is(err, ErrNoReload):
		writeFault(w, apierror.Fault(http.StatusNotImplemented, apierror.CodeNoReload, err.Error()))
	case err != nil:
		writeLoadError(w, apierror.CodeReload, err)
	default:
		writeJSON(w, http.StatusOK, reloadInfo{len(h.fake.ScenariosFor("").Scenarios())})
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
	d := defaultDown
	if text := r.URL.Query().Get(forParameter); text != "" {
		var err error
		if d, err = time.ParseDuration(text); err != nil || d <= 0 || d > longestDown {
			writeError(w, badQuery(fmt.Sprintf("for is %q, it must be a duration of at most %s, such as 2s", text, longestDown)))
			return
		}
	}
	switch err := h.fake.DownFor(d); {
	case errors.Is(err, ErrNoListener):
		writeFault(w, apierror.Fault(http.StatusNotImplemented, apierror.CodeNoListener, err.Error()))
	case err != nil:
		writeFault(w, apierror.Fault(http.StatusInternalServerError, apierror.CodeDown, err.Error()))
	default:
		h.fake.Logger.Info("refusing connections", "for", d)
		w.Header().Set("Connection", "close")
		writeJSON(w, http.StatusOK, downInfo{d.String()})
	}
}
