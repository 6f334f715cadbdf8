package server

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// Scenarios returns the set that is played now to API keys without scenarios of their own.
func (s *Server) Scenarios() *scenarios.Set { return s.catalogs.Scenarios() }

// SetScenarios plays other scenarios from the next request on. Nil is the empty set. Open
// streams go on as they began; counters and the scenarios that came with
// [Server.PutScenarios] are kept. The error is what [Check] finds in the set; the server
// keeps the old scenarios then.
func (s *Server) SetScenarios(set *scenarios.Set) error {
	if set == nil {
		set = new(scenarios.Set)
	}
	if err := Check(set).Err(); err != nil {
		return err
	}
	maker := answer.NewMaker(s.config.Created)
	maker.Warm(set, s.config.Seed)
	s.catalogs.Set(set, maker)
	return nil
}

// PutScenarios plays further scenarios to the requests of one API key, or of all keys if
// it is "". They replace those that an earlier call gave the key, are tried before the
// server's own, replace those of the same name, and can extend any of them. Counts of
// scenarios of these names are forgotten.
//
// The error is a [diag.List] if the files have problems. After an error nothing has
// changed. [Server.Reset] and [Server.ResetKey] remove the scenarios.
func (s *Server) PutScenarios(apiKey string, files ...yamlfile.Source) error {
	return s.changeOverlay(apiKey, false, files)
}

// AddScenarios is [Server.PutScenarios], but the key keeps the scenarios of earlier calls
// that have other names.
func (s *Server) AddScenarios(apiKey string, files ...yamlfile.Source) error {
	return s.changeOverlay(apiKey, true, files)
}

func (s *Server) changeOverlay(apiKey string, add bool, files []yamlfile.Source) error {
	changed, err := s.catalogs.Put(apiKey, add, files)
	for _, sc := range changed {
		s.counters.Forget(apiKey, sc.Name)
		s.limiter.Forget(apiKey, ofScenario(sc.Name))
	}
	return err
}
