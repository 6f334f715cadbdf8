package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// answer is an endpoint that answers with a value in JSON, with an empty body if the value is nil,
// or with an error.
type answer func(*http.Request) (any, *apierror.Error)

// ServeHTTP implements [http.Handler].
func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch v, wrong := a(r); {
	case wrong != nil:
		writeError(w, wrong)
	case v == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		writeJSON(w, http.StatusOK, v)
	}
}

func notFound(format string, args ...any) *apierror.Error {
	return apierror.Refusal(http.StatusNotFound, apierror.CodeNotFound, fmt.Sprintf(format, args...))
}

func badQuery(format string, args ...any) *apierror.Error {
	return apierror.Refusal(http.StatusBadRequest, apierror.CodeBadQuery, fmt.Sprintf(format, args...))
}

// writeJSON answers with v as JSON. It ignores that a client may have left.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		writeError(w, apierror.Fault(http.StatusInternalServerError, apierror.CodeInternal, err.Error()))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes())
}

// writeError answers with an error. Clients are told not to retry what would fail again.
func writeError(w http.ResponseWriter, e *apierror.Error) {
	if e.Status >= http.StatusInternalServerError || e.Code == apierror.CodeTimeout {
		w.Header().Set("X-Should-Retry", "false")
	}
	w.Header().Set("Content-Type", e.Shape.ContentType())
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Body())
}
