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
	warn(&s.warned.keys, f.Keys, "too many API keys have taken replies with times: the counts of the keys that asked longest ago start again; GET /_fake/scenarios shows how many under forgotten")
	warn(&s.warned.attempts, f.Attempts, "too many different requests: those that came longest ago count as attempt 1 again; GET /_fake/scenarios shows how many under forgotten")
	warn(&s.warned.spending, int64(s.limiter.Forgotten()), "too many API keys: what the keys that asked longest ago have spent is forgotten; GET /_fake/usage shows how many under forgotten")
}
