package admin

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// errorInfo is an error as the endpoints answer with it.
type errorInfo struct {
	Error errorObject `json:"error"`
}

// errorObject is an error in the members of OpenAI's.
type errorObject struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   any    `json:"param"` // Param is null.
	Type    string `json:"type"`
}

func notFound(message string) *apierror.Error {
	return apierror.Refusal(http.StatusNotFound, apierror.CodeNotFound, message)
}

func badQuery(message string) *apierror.Error {
	return apierror.Refusal(http.StatusBadRequest, apierror.CodeBadQuery, message)
}

// writeJSON answers one of the server's own endpoints. A client that has left is
// nobody's business here.
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

// writeFault writes an error after which trying again would change nothing.
func writeFault(w http.ResponseWriter, e *apierror.Error) {
	w.Header().Set("X-Should-Retry", "false")
	writeError(w, e)
}
