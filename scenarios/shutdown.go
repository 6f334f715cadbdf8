package scenarios

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// IsShutdownEvent reports whether a server that shuts down can send the step: a
// wire step that sends something and takes no time.
func (st *Step) IsShutdownEvent() bool {
	says := countTrue(st.Comment != nil, st.Raw != nil, st.Event != nil, st.Error != nil, st.Done != nil && *st.Done)
	return says == 1 && st.After == nil && st.Every == nil && st.Jitter == nil && len(st.Quirks) == 0
}

// checkShutdownEvents finds steps that are no shutdown events. Package yamlfile finds them
// in files, so only scenarios made in Go are checked.
func checkShutdownEvents(s *Scenario) diag.List {
	var diags diag.List
	for i := range s.Replies {
		steps := s.Manner.Overlay(&s.Replies[i].Manner).Wire.OnShutdown
		for j := range steps {
			if st := &steps[j]; st.Pos.File == "" && !st.IsShutdownEvent() {
				diags = append(diags, diag.Problem{Message: fmt.Sprintf("step %d of OnShutdown in scenario %q is no wire step, or takes time", j+1, s.Name)})
			}
		}
	}
	return diags
}
