package fakeopenai

import "github.com/fakeopenai/fakeopenai/scenarios/yamlfile"

// Fault lays faults over the answers from the next request on, whichever scenario gives them. They
// replace those of an earlier call; without any there are none. A fault is a status or an ending with
// its chance, such as "429 5%" or "stall 1%", the name of a preset that the command "fakeopenai list
// --faults" prints, such as "brownout", or YAML as in a document of faults:
//
//	fake.Fault("429 5%", "{ end: cut, times: 1, when: { stream: true } }")
//
// What is drawn follows from the seed, the API key, and the number of a request among those of its key
// since the call. [Request.Injected] names the fault of an answer. A mistake fails the test at once, so
// Fault must be called in the goroutine of the test.
func (s *Server) Fault(faults ...string) {
	s.tb.test.Helper()
	files := make([]yamlfile.Source, len(faults))
	for i, text := range faults {
		files[i] = yamlfile.Source{Name: "Fault", Data: []byte(unindented(text))}
	}
	if err := s.core.PutFaults("", files...); err != nil {
		s.tb.test.Fatalf("fakeopenai: the faults cannot be played: %v", err)
	}
}
