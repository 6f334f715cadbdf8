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

// checkShutdownEvents finds shutdown events that could not be sent, because the answer
// is compressed or no stream of events. In scenarios made in Go it also finds steps
// that are no wire steps.
func checkShutdownEvents(s *Scenario) diag.List {
	var diags diag.List
	for i := range s.Replies {
		w := &s.Manner.Overlay(&s.Replies[i].Manner).Wire
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
			diags = append(diags, diag.Problem{Pos: pos, Message: fmt.Sprintf("on_shutdown and %s exclude each other", excluded), Hint: "leave one of them out: on_shutdown needs a stream of events that is not compressed"})
		}
		for j := range w.OnShutdown {
			if st := &w.OnShutdown[j]; pos.File == "" && !st.IsShutdownEvent() {
				diags = append(diags, diag.Problem{Message: fmt.Sprintf("step %d of OnShutdown in scenario %q is no wire step, or takes time", j+1, s.Name)})
			}
		}
	}
	return diags
}

// checkFinalDone finds a done: true at the end of a stream that is never sent, because
// the stream's ending comes before [DONE].
func checkFinalDone(s *Scenario) diag.List {
	var diags diag.List
	for i := range s.Replies {
		r := &s.Replies[i]
		if r.Stream == nil || len(*r.Stream) == 0 {
			continue
		}
		e := &s.Manner.Overlay(&r.Manner).End
		if e.Kind == "" || e.Kind == EndRefuse || e.Kind == EndLinger && (e.Inside == nil || !*e.Inside) ||
			e.All || e.After != nil || e.Byte != nil || e.InsideRune || e.Chance != nil {
			continue
		}
		if last := &(*r.Stream)[len(*r.Stream)-1]; last.Done != nil && *last.Done {
			p := diag.Problem{
				Pos: last.Pos, Message: fmt.Sprintf("done: true is not sent: end: %s comes before [DONE]", e.Kind),
				Hint: fmt.Sprintf("leave it out, or write end: { %s: { after: all } } to end after it", e.Kind),
			}
			if e.Kind == EndClose {
				p.Hint = "leave one of them out"
			}
			if last.Pos.Line == 0 {
				p.Message = fmt.Sprintf("scenario %q, reply %d: %s", s.Name, i+1, p.Message)
			}
			diags = append(diags, p)
		}
	}
	return diags
}
