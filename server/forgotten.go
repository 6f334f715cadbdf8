package server

import "sync"

// warned says which of the warnings of warnForgotten were logged. Each is logged once.
type warned struct{ keys, attempts, spending sync.Once }

// warnForgotten logs a warning when counts are forgotten because there are too many.
func (s *Server) warnForgotten() {
	warn := func(once *sync.Once, n int64, text string) {
		if n > 0 {
			once.Do(func() { s.config.Logger.Warn(text) })
		}
	}
	f := s.counters.Forgotten("")
	warn(&s.warned.keys, f.Keys, "too many API keys have taken replies with times: for those that asked longest ago they begin anew, GET /_fake/scenarios counts them as forgotten")
	warn(&s.warned.attempts, f.Attempts, "too many different requests: those that came longest ago begin with attempt 1 anew, GET /_fake/scenarios counts them as forgotten")
	warn(&s.warned.spending, int64(s.limiter.Forgotten()), "too many API keys: what those that asked longest ago have spent is forgotten, GET /_fake/usage counts them as forgotten")
}
