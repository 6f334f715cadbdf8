package admin

import (
	"fmt"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compare"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// timelineInfo has the plan of an answer and the times of its writes. Times count from the request.
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
	// Whole and Torn are those of [journal.Plan].
	Whole int `json:"whole,omitempty"`
	Torn  int `json:"torn,omitempty"`
}

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
	info := timelineInfo{MadeAgain: t.MadeAgain, Status: p.Status, Header: masks.Header(p.Header), Start: scale(p.Start), Frames: []frameInfo{}, End: p.End, EndAt: scale(p.EndAt), Whole: p.Whole, Torn: p.Torn}
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

func (h *Handler) oneTimeline(e *journal.Entry) (any, *apierror.Error) {
	trace, err := h.fake.TraceOf(e)
	if err != nil {
		return nil, notFound("%v", err)
	}
	return showTrace(trace, h.masks(e)), nil
}

// whyInfo says why a scenario answered a request, or why none did.
type whyInfo struct {
	Because string `json:"because"` // Because says in a sentence why the scenario answered, or why none did.
	// Picked has the trial of the reply that answered; null if none did. Others are those of other
	// scenarios and replies, the nearest first, and More counts the scenarios that are not among them.
	Picked *scenarios.Trial  `json:"picked"`
	Others []scenarios.Trial `json:"others"`
	More   int               `json:"more"`
}

const mostOthers = 12

func (h *Handler) whyAnswered(e *journal.Entry) (any, *apierror.Error) { return h.why(e), nil }

// why tries the scenarios as they are now on the request of an entry.
func (h *Handler) why(e *journal.Entry) whyInfo {
	masks := h.masks(e)
	info := whyInfo{Because: masks.Text(e.Problem), Others: []scenarios.Trial{}}
	if e.Request == nil {
		return info
	}
	set, name := h.fake.ScenariosFor(e.APIKey), h.fake.DefaultFor(e.APIKey)
	pick, others := set.Explain(e.Request, name, e.Scenario, e.Reply)
	info.Picked, info.Others = pick, append(info.Others, others[:min(mostOthers, len(others))]...)
	shown := map[string]bool{e.Scenario: pick != nil}
	if pick != nil {
		maskTrial(pick, masks)
	}
	for i := range info.Others {
		maskTrial(&info.Others[i], masks)
		shown[info.Others[i].Scenario] = true
	}
	for _, sc := range set.Scenarios() {
		if !shown[sc.Name] {
			info.More++
		}
	}
	switch {
	case e.Scenario == "":
	case e.Note != "":
		info.Because = e.Note
	case pick == nil:
		info.Because = fmt.Sprintf("The scenarios have changed since: reply %d of %q is not among those that this request would get.", e.Reply+1, e.Scenario)
	case e.Request.Scenario != "":
		info.Because = "The request names the scenario, so that its own conditions need not hold."
	case e.Scenario == name && isDefault(set.Lookup(name), pick):
		info.Because = "It is the default, which answers what no scenario with conditions does."
	default:
		info.Because = "It is the first one of which all conditions hold."
	}
	if e.Injected != "" {
		info.Because = fmt.Sprintf("The fault %s struck. %s", e.Injected, info.Because)
	}
	return info
}

// isDefault reports whether a scenario answered as the default, and not because its conditions hold.
func isDefault(sc *scenarios.Scenario, t *scenarios.Trial) bool {
	return len(sc.When.Conditions()) == 0 || slices.ContainsFunc(t.Conditions, func(v scenarios.Verdict) bool { return !v.Holds })
}

func maskTrial(t *scenarios.Trial, masks *secret.Request) {
	t.Reason = masks.Text(t.Reason)
	for i := range t.Conditions {
		c := &t.Conditions[i]
		c.Condition, c.Reason, c.Value = masks.Text(c.Condition), masks.Text(c.Reason), masks.Text(c.Value)
	}
}

// Tried is a scenario that was tried.
type Tried struct {
	Name    string       `json:"name"`
	Replies []TriedReply `json:"replies"`
}

// TriedReply is a reply that was tried, with the plan of its answer, or the problem for which there is none. Conditions
// are those of the scenario and the reply for the request on which they were tried.
type TriedReply struct {
	Trace      *journal.Trace      `json:"-"`
	Timeline   *timelineInfo       `json:"timeline,omitempty"` // Timeline shows Trace.
	Problem    string              `json:"problem,omitempty"`
	Conditions []scenarios.Verdict `json:"conditions,omitempty"`
}

// tryScenarios answers with the problems of the scenarios in the body, and with what each reply sends to an example of a
// request, or to that of the query.
func (h *Handler) tryScenarios(w http.ResponseWriter, r *http.Request) {
	var asked journal.Entry
	if id := r.URL.Query().Get(requestParameter); id != "" {
		var wrong *apierror.Error
		if asked, wrong = h.entryOf(mux.SetURLVars(r, map[string]string{"id": id})); wrong == nil && asked.Request == nil {
			wrong = notFound("Request %s is none that a scenario can answer: %s", id, h.masks(&asked).Text(asked.Problem))
		}
		if wrong != nil {
			writeError(w, wrong)
			return
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, h.fake.MaxBody)
	files, err := readFiles(r)
	if err != nil {
		writeError(w, unread(err, h.fake.MaxBody))
		return
	}
	tried, problems := h.fake.Try(asked.Request, files...)
	masks := h.masks(&asked)
	for _, t := range tried {
		for i := range t.Replies {
			reply := &t.Replies[i]
			if reply.Trace != nil {
				reply.Timeline = new(showTrace(reply.Trace, masks))
			}
			reply.Problem = masks.Text(reply.Problem)
			maskTrial(&scenarios.Trial{Conditions: reply.Conditions}, masks)
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"diagnostics": append(diag.List{}, problems...), "scenarios": append([]Tried{}, tried...)})
}

// oneScenario answers with the scenario that record would write of an answer.
func (h *Handler) oneScenario(e *journal.Entry) (any, *apierror.Error) {
	var err error
	if e.Trace, err = h.fake.TraceOf(e); err != nil {
		return nil, notFound("%v", err)
	}
	text, err := h.fake.AsScenario(*e)
	if err != nil {
		return nil, apierror.Refusal(http.StatusUnprocessableEntity, apierror.CodeScenarios, "The answer cannot be written as a scenario: "+err.Error())
	}
	return raw{"application/yaml", text}, nil
}

// differences says how the answer to the request in the path differs from that to the request in the query, in texts, too.
func (h *Handler) differences(r *http.Request) (any, *apierror.Error) {
	with := r.URL.Query().Get(withParameter)
	if with == "" {
		return nil, badQuery("Say with which request to compare, as in ?%s=1.", withParameter)
	}
	var plans [2]journal.Plan
	for i, id := range []string{with, mux.Vars(r)["id"]} {
		e, wrong := h.entryOf(mux.SetURLVars(r, map[string]string{"id": id}))
		if wrong != nil {
			return nil, wrong
		}
		var err error
		if plans[i], err = h.planOf(&e); err != nil {
			return nil, notFound("%v", err)
		}
	}
	return map[string]any{"differences": append([]compare.Difference{}, compare.Plans(plans[0], plans[1], true)...)}, nil
}

// planOf returns what the answer to a request was to send, without the secrets of the request.
func (h *Handler) planOf(e *journal.Entry) (journal.Plan, error) {
	trace, err := h.fake.TraceOf(e)
	if err != nil {
		return journal.Plan{}, err
	}
	plan, masks := trace.Plan, h.masks(e)
	plan.Header, plan.Frames = masks.Header(plan.Header), slices.Clone(plan.Frames)
	for i := range plan.Frames {
		plan.Frames[i].Bytes = masks.Bytes(plan.Frames[i].Bytes)
	}
	return plan, nil
}

type foundInfo struct {
	Requests []int64 `json:"requests"`
	Oldest   int64   `json:"oldest"` // Oldest is the oldest request that was looked at: see [longestSearch].
}

// longestSearch is how long a search looks at the requests, the newest first.
const longestSearch = time.Second

// findText lists the requests of which the body or the answer has a text. Case does not matter.
func (h *Handler) findText(r *http.Request) (any, *apierror.Error) {
	text := r.URL.Query().Get(textParameter)
	if text == "" {
		return nil, badQuery("text is missing: give it the text to look for, such as %s=Paris", textParameter)
	}
	entries, _ := h.fake.Journal.Entries(keyAskedFor(r))
	found, began := foundInfo{Requests: []int64{}}, time.Now()
	for i := len(entries) - 1; i >= 0 && time.Since(began) < longestSearch && r.Context().Err() == nil; i-- {
		e := &entries[i]
		found.Oldest = e.ID
		if h.hasText(e, text) {
			found.Requests = append(found.Requests, e.ID)
		}
	}
	return found, nil
}

// hasText reports whether the body of a request has a text, as it is shown, or its answer.
func (h *Handler) hasText(e *journal.Entry, text string) bool {
	if compare.Has(journal.Plan{Frames: []journal.PlannedFrame{{Bytes: h.masks(e).Body(e.Body)}}}, text) {
		return true
	}
	plan, err := h.planOf(e)
	return err == nil && compare.Has(plan, text)
}

// oneBody answers with the body of a request as it was sent, but for secrets.
func (h *Handler) oneBody(e *journal.Entry) (any, *apierror.Error) {
	return raw{"application/octet-stream", h.masks(e).Body(e.Body)}, nil
}
