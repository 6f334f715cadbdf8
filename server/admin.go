package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// adminOnly asks for the admin token, if there is one.
func (s *Server) adminOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.admits(r) {
			writeError(w, refusal(http.StatusUnauthorized, apierror.CodeAdminToken,
				"The endpoints below /_fake/ need the server's admin token: send it as Authorization: Bearer TOKEN."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// keyAskedFor is the API key to whose belongings a call of an endpoint below
// /_fake/ is limited; "" is no limit.
func keyAskedFor(r *http.Request) string { return r.URL.Query().Get(apiKeyParameter) }

func (s *Server) handleHealthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Server) handleReadyz(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": "draining"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// entryInfo is a journal entry with its body, which is shown as JSON if it is
// JSON.
type entryInfo struct {
	journal.Entry
	Body       any    `json:"body,omitempty"`
	Transcript string `json:"transcript,omitempty"` // Transcript is the path to get it from.
}

func showEntry(e journal.Entry) entryInfo {
	info := entryInfo{Entry: e}
	switch {
	case len(e.Body) == 0:
	case json.Valid(e.Body):
		info.Body = json.RawMessage(e.Body)
	case utf8.Valid(e.Body):
		info.Body = string(e.Body)
	default:
		info.Body = e.Body // as base64
	}
	if e.Transcript != nil {
		info.Transcript = fmt.Sprintf("/_fake/requests/%d/transcript", e.ID)
	}
	return info
}

func (s *Server) listRequests(w http.ResponseWriter, r *http.Request) {
	entries, forgotten := s.journal.Entries(keyAskedFor(r))
	list := make([]entryInfo, len(entries))
	for i, e := range entries {
		list[i] = showEntry(e)
	}
	writeJSON(w, http.StatusOK, map[string]any{"requests": list, "forgotten": forgotten})
}

func (s *Server) deleteRequests(w http.ResponseWriter, r *http.Request) {
	s.journal.Remove(keyAskedFor(r))
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) oneRequest(w http.ResponseWriter, r *http.Request) {
	if e, ok := s.entryOf(w, r); ok {
		writeJSON(w, http.StatusOK, showEntry(e))
	}
}

func (s *Server) oneTranscript(w http.ResponseWriter, r *http.Request) {
	e, ok := s.entryOf(w, r)
	if !ok {
		return
	}
	if e.Transcript == nil {
		writeError(w, notFound(fmt.Sprintf("There is no transcript of request %d: either nothing was sent yet, or this server does not keep transcripts.", e.ID)))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(e.Transcript)
}

// entryOf is the journal entry that the path names. If there is none, it answers.
func (s *Server) entryOf(w http.ResponseWriter, r *http.Request) (journal.Entry, bool) {
	id, err := requestAskedFor(r)
	e, ok := s.journal.Lookup(id)
	if err != nil || !ok || !e.BelongsTo(keyAskedFor(r)) {
		writeError(w, noRequest(r))
		return journal.Entry{}, false
	}
	return e, true
}

// requestAskedFor is the number of the request that the path names.
func requestAskedFor(r *http.Request) (int64, error) {
	return strconv.ParseInt(mux.Vars(r)["id"], 10, 64)
}

func noRequest(r *http.Request) *apiError {
	return notFound(fmt.Sprintf("The journal has no request %q. GET /_fake/requests lists those it has.", mux.Vars(r)["id"]))
}

func (s *Server) listCalls(w http.ResponseWriter, r *http.Request) {
	entries, _ := s.journal.Entries(keyAskedFor(r))
	writeJSON(w, http.StatusOK, map[string]any{"calls": journal.Calls(entries)})
}

func (s *Server) listHolds(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"holds": s.holds.States(s.catalogs.Load().holds(), keyAskedFor(r))})
}

func (s *Server) releaseHold(w http.ResponseWriter, r *http.Request) {
	name, ok := s.holdOf(w, r)
	if !ok {
		return
	}
	n := s.holds.Release(name, keyAskedFor(r))
	writeJSON(w, http.StatusOK, map[string]any{"hold": name, "released": n, "in_advance": n == 0})
}

func (s *Server) awaitHold(w http.ResponseWriter, r *http.Request) {
	name, ok := s.holdOf(w, r)
	if !ok {
		return
	}
	key := keyAskedFor(r)
	if !s.wait(w, r, func(ctx context.Context) error { return s.await(ctx, name, key) }) {
		return
	}
	writeJSON(w, http.StatusOK, s.holds.States([]string{name}, key)[0])
}

// holdOf is the hold that the path names. If there is none, it answers.
func (s *Server) holdOf(w http.ResponseWriter, r *http.Request) (string, bool) {
	name, err := url.PathUnescape(mux.Vars(r)["name"])
	if err == nil {
		err = s.checkHold(name)
	}
	if err != nil {
		writeError(w, notFound(err.Error()))
		return "", false
	}
	return name, true
}

func (s *Server) handleReset(w http.ResponseWriter, r *http.Request) {
	s.ResetKey(keyAskedFor(r))
	w.WriteHeader(http.StatusNoContent)
}

// diagnosticInfo is how a problem in a scenario file is shown.
type diagnosticInfo struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (s *Server) handleReload(w http.ResponseWriter, _ *http.Request) {
	err := s.Reload()
	switch {
	case errors.Is(err, ErrNoReload):
		writeError(w, ownFault(http.StatusNotImplemented, apierror.CodeNoReload, err.Error()))
	case err != nil:
		writeLoadError(w, apierror.CodeReload, err)
	default:
		writeJSON(w, http.StatusOK, map[string]int{"scenarios": len(s.Scenarios().Scenarios())})
	}
}

// writeLoadError says why the old scenarios are kept.
func writeLoadError(w http.ResponseWriter, code string, err error) {
	list := []diagnosticInfo{}
	if diags, ok := errors.AsType[diag.List](err); ok {
		for _, d := range diags {
			list = append(list, diagnosticInfo{d.File, d.Line, d.Col, d.Rule, d.Message, d.Hint})
		}
	}
	writeJSON(w, http.StatusUnprocessableEntity, map[string]any{
		"error": map[string]any{
			"message": "The old scenarios are kept: " + err.Error(),
			"type":    apierror.InvalidRequest,
			"param":   nil,
			"code":    code,
		},
		"diagnostics": list,
	})
}

func notFound(message string) *apiError {
	return refusal(http.StatusNotFound, apierror.CodeNotFound, message)
}

func badQuery(message string) *apiError {
	return refusal(http.StatusBadRequest, apierror.CodeBadQuery, message)
}

// writeJSON answers one of the server's own endpoints. A client that has left is
// nobody's business here.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		writeError(w, ownFault(http.StatusInternalServerError, apierror.CodeInternal, err.Error()))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes())
}

func writeError(w http.ResponseWriter, e *apiError) {
	h := w.Header()
	maps.Copy(h, e.header)
	h.Set("Content-Type", e.Shape.ContentType())
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Body())
}
