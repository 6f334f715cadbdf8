package admin

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// errorObject is an error with the members that OpenAI's errors have.
type errorObject struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   any    `json:"param"` // Param is always null.
	Type    string `json:"type"`
}

func notFound(message string) *apierror.Error {
	return apierror.Refusal(http.StatusNotFound, apierror.CodeNotFound, message)
}

func badQuery(message string) *apierror.Error {
	return apierror.Refusal(http.StatusBadRequest, apierror.CodeBadQuery, message)
}

// writeJSON answers with v as JSON. It ignores that a client may have left.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		writeFault(w, apierror.Fault(http.StatusInternalServerError, apierror.CodeInternal, err.Error()))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes())
}

func writeError(w http.ResponseWriter, e *apierror.Error) {
	w.Header().Set("Content-Type", e.Shape.ContentType())
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Body())
}

// writeFault writes an error with a header field that tells clients not to retry.
func writeFault(w http.ResponseWriter, e *apierror.Error) {
	w.Header().Set("X-Should-Retry", "false")
	writeError(w, e)
}
