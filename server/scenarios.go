package server

import (
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// scenarioInfo is how a scenario is shown.
type scenarioInfo struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Source      string   `json:"source,omitempty"` // Source is the place in its file, as file:line.
	Replies     []string `json:"replies"`          // Replies are the kinds: message, stream or error.
	Holds       []string `json:"holds,omitempty"`
}

// listScenarios shows what an API key is answered from.
func (s *Server) listScenarios(w http.ResponseWriter, r *http.Request) {
	list := []scenarioInfo{}
	for _, sc := range s.catalogs.Load().of(keyAskedFor(r)).set.Scenarios() {
		list = append(list, describe(sc))
	}
	writeJSON(w, http.StatusOK, map[string]any{"scenarios": list})
}

// sentScenarios is what problems in scenarios that came over HTTP call the file.
const sentScenarios = "scenarios.yaml"

// takeScenarios plays the scenarios in the body to an API key.
func (s *Server) takeScenarios(change func(apiKey string, files ...yamlfile.Source) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit := s.config.MaxBody
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			writeError(w, refusal(http.StatusBadRequest, apierror.CodeBodyUnreadable, fmt.Sprintf("The scenarios cannot be read: %v. At most %d bytes are taken.", err, limit)))
			return
		}
		if err := change(keyAskedFor(r), yamlfile.Source{Name: sentScenarios, Data: body}); err != nil {
			writeLoadError(w, apierror.CodeScenarios, err)
			return
		}
		s.listScenarios(w, r)
	}
}

// deleteScenarios takes away the scenarios that an API key got over HTTP.
func (s *Server) deleteScenarios(w http.ResponseWriter, r *http.Request) {
	if err := s.PutScenarios(keyAskedFor(r)); err != nil {
		writeLoadError(w, apierror.CodeScenarios, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func describe(s *scenarios.Scenario) scenarioInfo {
	info := scenarioInfo{Name: s.Name, Description: s.Description, Tags: s.Tags, Replies: []string{}}
	if s.Pos.File != "" {
		info.Source = fmt.Sprintf("%s:%d", s.Pos.File, s.Pos.Line)
	}
	for i := range s.Replies {
		r := &s.Replies[i]
		switch {
		case r.Message != nil:
			info.Replies = append(info.Replies, "message")
		case r.Stream != nil:
			info.Replies = append(info.Replies, "stream")
		default:
			info.Replies = append(info.Replies, "error")
		}
	}
	for _, name := range s.Holds() {
		if !slices.Contains(info.Holds, name) {
			info.Holds = append(info.Holds, name)
		}
	}
	return info
}
