package server

import (
	"net/http"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/catalog"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// check checks a request as far as the scenario or the server asks for: its history with
// check_history, all else with strict. The history comes first, because the journal marks
// such an error as BadHistory.
func (s *Server) check(r *http.Request, by *scenarios.Scenario, on surface.Surface, req *scenarios.Request) *apiError {
	if scenarioOrServer(by.CheckHistory, s.config.CheckHistory) {
		if err := on.CheckHistory(req); err != nil {
			e := badRequest(err)
			e.badHistory = true
			return e
		}
	}
	if !scenarioOrServer(by.Strict, s.config.Strict) {
		return nil
	}
	if req.APIKey == "" {
		return missingKey(r)
	}
	if err := on.Check(req); err != nil {
		return badRequest(err)
	}
	return nil
}

// checkModel refuses a model that OpenAI does not have, if the request is checked strictly.
// It accepts models that scenarios name and, on paths of Azure, any: deployments have names
// of their own.
func (s *Server) checkModel(r *http.Request, on surface.Surface, sel *scenarios.Selection, from *catalog.Catalog) *apiError {
	name := sel.Request.Model
	if !scenarioOrServer(sel.Scenario.Strict, s.config.Strict) || isAzure(r) || from.HasModel(name) {
		return nil
	}
	return &apiError{Error: on.ModelNotFound(name)}
}

// scenarioOrServer is the scenario's setting if it has one, otherwise the server's.
func scenarioOrServer(scenario *bool, server bool) bool {
	if scenario != nil {
		return *scenario
	}
	return server
}
