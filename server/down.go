package server

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// How long POST /_fake/down refuses connections: if it does not say, and at
// most. There is no way to ask a server that is down to come back.
const (
	defaultDown = time.Second
	longestDown = time.Minute
)

// down refuses connections for a while. When the answer comes, the server is
// down; the connection of the call itself ends after it.
func (s *Server) down(w http.ResponseWriter, r *http.Request) {
	d := defaultDown
	if text := r.URL.Query().Get("for"); text != "" {
		var err error
		if d, err = time.ParseDuration(text); err != nil || d <= 0 || d > longestDown {
			writeError(w, badQuery(fmt.Sprintf("for is %q, it must be a duration of at most %s, such as 2s", text, longestDown)))
			return
		}
	}
	switch err := s.DownFor(d); {
	case errors.Is(err, ErrNoListener):
		writeError(w, ownFault(http.StatusNotImplemented, apierror.CodeNoListener, err.Error()))
	case err != nil:
		writeError(w, ownFault(http.StatusInternalServerError, apierror.CodeDown, err.Error()))
	default:
		s.config.Logger.Info("refusing connections", "for", d)
		w.Header().Set("Connection", "close")
		writeJSON(w, http.StatusOK, map[string]string{"down_for": d.String()})
	}
}
