package scenarios

// Holds returns the names of the holds in the scenario's streams, in order of
// appearance. A name that several steps use appears several times.
func (s *Scenario) Holds() []string {
	var names []string
	for i := range s.Replies {
		if s.Replies[i].Stream == nil {
			continue
		}
		for _, step := range *s.Replies[i].Stream {
			if step.Hold != "" {
				names = append(names, step.Hold)
			}
		}
	}
	return names
}

// Holds returns the names of all holds in the set, each once, in order of appearance.
func (set *Set) Holds() []string {
	var names []string
	known := map[string]bool{}
	for _, s := range set.Scenarios() {
		for _, name := range s.Holds() {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
