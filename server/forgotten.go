package server

import "sync"

// told says which of the warnings of tellForgotten were logged. Each is logged once.
type told struct{ keys, attempts, spending sync.Once }

// tellForgotten logs a warning when counts are forgotten because there are too many.
func (s *Server) tellForgotten() {
	tell := func(once *sync.Once, n int64, what string) {
		if n > 0 {
			once.Do(func() { s.config.Logger.Warn(what) })
		}
	}
	f := s.counters.Forgotten("")
	tell(&s.told.keys, f.Keys, "too many API keys have taken replies with times: for those that asked longest ago they begin anew, GET /_fake/scenarios counts them as forgotten")
	tell(&s.told.attempts, f.Attempts, "too many different requests: those that came longest ago begin with attempt 1 anew, GET /_fake/scenarios counts them as forgotten")
	tell(&s.told.spending, int64(s.limiter.Forgotten()), "too many API keys: what those that asked longest ago have spent is forgotten, GET /_fake/usage counts them as forgotten")
}
