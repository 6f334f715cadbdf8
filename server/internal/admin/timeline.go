package admin

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// timelineInfo is what an answer was to send, and what was sent of it when. Times count from the request.
type timelineInfo struct {
	MadeAgain bool                  `json:"made_again,omitempty"` // MadeAgain is [journal.Trace.MadeAgain].
	Status    int                   `json:"status"`
	Header    http.Header           `json:"header,omitempty"`
	Start     time.Duration         `json:"start_ns"` // Start is when the header was due.
	Frames    []frameInfo           `json:"frames"`
	End       string                `json:"end,omitempty"` // End is [journal.Plan.End].
	EndAt     time.Duration         `json:"end_at_ns"`
	Writes    []journal.TracedWrite `json:"writes"`
	Waits     []journal.TracedWait  `json:"waits"`
}

// frameInfo is a frame of an answer, or a hold.
type frameInfo struct {
	Due    time.Duration `json:"due_ns"` // Due counts as if no stream waited at a hold.
	Kind   string        `json:"kind,omitempty"`
	Hold   string        `json:"hold,omitempty"`
	Text   string        `json:"text,omitempty"`
	Base64 []byte        `json:"base64,omitempty"` // Base64 has the bytes if they are no UTF-8.
	More   bool          `json:"more,omitempty"`   // More says that the next frame has the rest of the same event.
}

// showTrace shows a trace at the speed of its server, without the secrets of its request.
func showTrace(t *journal.Trace, masks *secret.Request) timelineInfo {
	scale := func(d time.Duration) time.Duration {
		if t.Speed < 0 {
			return 0
		}
		return time.Duration(float64(d) / t.Speed)
	}
	p := &t.Plan
	info := timelineInfo{MadeAgain: t.MadeAgain, Status: p.Status, Header: masks.Header(p.Header), Start: scale(p.Start), Frames: []frameInfo{}, End: p.End, EndAt: scale(p.EndAt)}
	for _, f := range p.Frames {
		frame := frameInfo{Due: scale(f.At), Kind: f.Kind, Hold: f.Hold, More: f.More}
		if shown := masks.Bytes(f.Bytes); utf8.Valid(shown) {
			frame.Text = string(shown)
		} else {
			frame.Base64 = shown
		}
		info.Frames = append(info.Frames, frame)
	}
	writes, waits := t.Sent()
	info.Writes, info.Waits = append([]journal.TracedWrite{}, writes...), append([]journal.TracedWait{}, waits...)
	return info
}

func (h *Handler) oneTimeline(r *http.Request) (any, *apierror.Error) {
	e, wrong := h.entryOf(r)
	if wrong != nil {
		return nil, wrong
	}
	trace, err := h.fake.TraceOf(&e)
	if err != nil {
		return nil, notFound("%v", err)
	}
	return showTrace(trace, h.masks(&e)), nil
}

// whyInfo says why a scenario answered a request, or why none did.
type whyInfo struct {
	Named bool `json:"named"` // Named says that the request named the scenario, whose own conditions need not hold then.
	// Picked has the trial of the reply that answered; null if none did. Others are those of other
	// scenarios and replies, the nearest first.
	Picked *scenarios.Trial  `json:"picked"`
	Others []scenarios.Trial `json:"others"`
}

// mostOthers is how many other trials are shown.
const mostOthers = 12

func (h *Handler) whyAnswered(r *http.Request) (any, *apierror.Error) {
	e, wrong := h.entryOf(r)
	if wrong != nil {
		return nil, wrong
	}
	return h.why(&e), nil
}

// why tries the scenarios as they are now on the request of an entry.
func (h *Handler) why(e *journal.Entry) whyInfo {
	info := whyInfo{Others: []scenarios.Trial{}}
	if e.Request == nil {
		return info
	}
	info.Named = e.Request.Scenario != ""
	set, masks := h.fake.ScenariosFor(e.APIKey), h.masks(e)
	for _, sc := range set.Scenarios() {
		for _, t := range set.Explain(e.Request, sc.Name, sc.Name == e.Request.Scenario) {
			for i := range t.Conditions {
				c := &t.Conditions[i]
				c.Condition, c.Reason, c.Value = masks.Text(c.Condition), masks.Text(c.Reason), masks.Text(c.Value)
			}
			if t.Scenario == e.Scenario && t.Reply == e.Reply {
				info.Picked = &t
			} else {
				info.Others = append(info.Others, t)
			}
		}
	}
	slices.SortStableFunc(info.Others, scenarios.Trial.Nearer)
	info.Others = info.Others[:min(mostOthers, len(info.Others))]
	return info
}

// Tried is a scenario that was tried, with the plan of its answer.
type Tried struct {
	Name  string
	Trace *journal.Trace
}

// triedInfo is a scenario that was tried, as the endpoints show it.
type triedInfo struct {
	Name     string       `json:"name"`
	Timeline timelineInfo `json:"timeline"`
}

// tryScenarios answers with the problems of the scenarios in the body, and with what they send.
func (h *Handler) tryScenarios(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, h.fake.MaxBody)
	files, err := readFiles(r)
	if err != nil {
		writeError(w, unread(err, h.fake.MaxBody))
		return
	}
	tried, problems := h.fake.Try(files...)
	list := []triedInfo{}
	for _, t := range tried {
		list = append(list, triedInfo{t.Name, showTrace(t.Trace, nil)})
	}
	writeJSON(w, http.StatusOK, map[string]any{"diagnostics": showDiagnostics(problems), "scenarios": list})
}

// oneScenario answers with the scenario that record would write of an answer.
func (h *Handler) oneScenario(w http.ResponseWriter, r *http.Request) {
	e, wrong := h.entryOf(r)
	if wrong == nil {
		var err error
		if e.Trace, err = h.fake.TraceOf(&e); err != nil {
			wrong = notFound("%v", err)
		} else if text, err := h.fake.AsScenario(e); err != nil {
			wrong = apierror.Refusal(http.StatusUnprocessableEntity, apierror.CodeScenarios, "The answer cannot be written as a scenario: "+err.Error())
		} else {
			w.Header().Set("Content-Type", "application/yaml")
			_, _ = w.Write(text)
			return
		}
	}
	writeError(w, wrong)
}
