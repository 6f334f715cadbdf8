package scenarios

// lint finds what a scenario's streams do that OpenAI never does, and quirks
// that do not occur.
func lint(s *resolvedScenario) Diagnostics { return nil }
