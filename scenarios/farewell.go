package scenarios

import "fmt"

// Farewell is what the selected reply's stream is sent last when the server is
// shut down while it is open, as lines; nil for nothing.
func (sel *Selection) Farewell(ask Ask) (*Lines, error) {
	steps := sel.Manner.Wire.OnShutdown
	if len(steps) == 0 {
		return nil, nil
	}
	b := newBuilder(sel, ask)
	b.ownDone = true // no [DONE] but a written one
	b.steps(steps)
	if len(b.problems) > 0 {
		return nil, b.problems[:1]
	}
	return b.result(), nil
}

// isFarewell reports whether a step is one that a server which shuts down can
// send: a wire step that is not waited for.
func (st *Step) isFarewell() bool {
	says := count(st.Comment != nil, st.Raw != nil, st.Event != nil, st.Error != nil, st.Done != nil && *st.Done)
	return says == 1 && st.After == nil && st.Every == nil && st.Jitter == nil
}

// checkFarewells finds farewells that could not be sent: of an answer that is no
// stream of events or is compressed, and in scenarios made in Go those that are
// no wire steps.
func checkFarewells(s *Scenario) Diagnostics {
	var diags Diagnostics
	for i := range s.Replies {
		w := s.Manner.under(s.Replies[i].Manner).Wire
		if len(w.OnShutdown) == 0 {
			continue
		}
		excluded := ""
		switch {
		case w.Gzip != "":
			excluded = "gzip"
		case w.Body != nil:
			excluded = "body"
		case w.Format == "json":
			excluded = "format: json"
		}
		pos := w.OnShutdown[0].Pos
		if excluded != "" {
			diags = append(diags, Diagnostic{Pos: pos, Message: fmt.Sprintf("on_shutdown and %s exclude each other", excluded), Hint: "on_shutdown ends a stream of events that is not compressed"})
		}
		for j := range w.OnShutdown {
			if st := &w.OnShutdown[j]; pos.File == "" && !st.isFarewell() {
				diags = append(diags, Diagnostic{Message: fmt.Sprintf("step %d of OnShutdown in scenario %q is no wire step, or takes time", j+1, s.Name)})
			}
		}
	}
	return diags
}
