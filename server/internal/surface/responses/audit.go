package responses

import (
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// audit follows the events of one stream as a strict client does. It reports events that come
// in a wrong order, and events that repeat earlier ones with other values.
type audit struct {
	tell     lint.Report
	id       scenarios.Opt[scenarios.Text] // id is the response's id in the envelope.
	group    *script.Group                 // group is the group of the current event.
	number   int                           // number is the sequence number that the next event should have.
	openers  []string                      // openers has the names of the events so far that a stream begins with.
	started  bool                          // started says that another event came after them.
	response ojson.Value                   // response is the id of the response so far.
	items    map[string]*heard             // items are the items so far, by their ids.
	order    []*heard                      // order has the same items.
	past     int                           // past is how many items at the start of order are closed.
	over     bool                          // over says that the event came that ends the answer.
	broken   bool                          // broken says that an event error came, which only response.failed can follow.
	// why is the finish reason in the script; status and reason are those of a response with it.
	why, status, reason string
}

type heard struct {
	index  int64
	id     string
	closed bool
	parts  map[string][]*heardPart // parts are the parts so far, by "content" and "summary".
	kind   string                  // kind is the type of the item.
	call   heardPart               // call has the text of the deltas of a call.
	course []string                // course has the names of the events between output_item.added and output_item.done.
	stage  int                     // stage is the position in the item's course that the events have reached.
	texts  map[string]*spelled     // texts are the texts of the deltas in the course; see textOf.
	done   ojson.Value             // done is the item in output_item.done.
}

type heardPart struct {
	closed      bool
	text        spelled
	annotations ojson.Value // annotations are the annotations so far.
}

// spelled is the text of deltas. Open says that only a request tells some of it; done says that
// an event has repeated the whole of it.
type spelled struct {
	strings.Builder
	open, done bool
}

func (a *audit) report(rule, format string, args ...any) {
	a.tell(rule, lint.At(a.group, format, args...))
}

func (a *audit) hear(e ojson.Value, g *script.Group) {
	first := a.group == nil
	a.group = g
	kind := e.Get("type").Text()
	name := strings.TrimPrefix(kind, "response.")
	a.checkNumber(e, kind)
	if a.over || a.broken && name != "failed" {
		if !a.over || a.saysNothing(e) {
			a.report("event-after-end", "%s comes after the event that ends the answer", diag.Shorten(kind))
		}
		return
	}
	if kind != "response.created" && first {
		a.report("event-before-created", "%s comes before response.created", diag.Shorten(kind))
	}
	of, known := auditedEvents()[name]
	a.begin(e, name, of.begins)
	if !known {
		a.report("unknown-event", "there is no event %s", diag.Shorten(kind))
		return
	}
	a.members(e, name, of.needs)
	if of.statuses != nil {
		a.checkStatus(e.Get("response"), name, of)
	}
	if of.hear != nil {
		of.hear(a, e, name)
	}
	if of.inside == nil {
		return
	}
	if i := a.itemOf(e, name); i != nil {
		a.index(e, i)
		of.inside(a, e, i, name)
	}
}

// saysNothing reports whether no rule about beats is about the event, which would say the same of it.
func (a *audit) saysNothing(e ojson.Value) bool {
	return len(a.group.Beats) == 0 || a.isLiteral() && len(hearEvent(e)) == 0
}

// isLiteral reports whether the author wrote the current event as a whole.
func (a *audit) isLiteral() bool {
	return slices.ContainsFunc(a.group.Beats, func(b script.Beat) bool { _, is := b.(script.Literal); return is })
}

// members checks that an event has its members. A value that only a request tells may be of any
// type.
func (a *audit) members(e ojson.Value, name string, needs map[string]ojson.Kind) {
	for _, member := range slices.Sorted(maps.Keys(needs)) {
		if v := e.Get(member); v.Kind() != needs[member] && v.Kind() != ojson.RawKind {
			a.report("event-incomplete", "the %s of %s is %s", member, name, inWordsOf(v))
		}
	}
}

func (a *audit) checkNumber(e ojson.Value, kind string) {
	n, ok := e.Get("sequence_number").Int()
	switch {
	case !ok:
		a.report("sequence-number-wrong", "%s has no sequence_number", diag.Shorten(kind))
		n = int64(a.number)
	case n != int64(a.number):
		a.report("sequence-number-wrong", "the sequence_number of %s is %d, not %d", diag.Shorten(kind), n, a.number)
	}
	a.number = int(n) + 1
}

func (a *audit) open(e ojson.Value, _ string) {
	id := e.Get("item").Get("id").Text()
	i := &heard{index: int64(len(a.order)), id: id, kind: e.Get("item").Get("type").Text(), texts: map[string]*spelled{}, parts: map[string][]*heardPart{}}
	if a.items[id] != nil {
		a.report("item-not-open", "the item %s is opened a second time", diag.Shorten(id))
	}
	for a.past < len(a.order) && a.order[a.past].closed {
		a.past++
	}
	for _, before := range a.order[a.past:] {
		if !before.closed && (!before.isCall() || !i.isCall()) { // calls that take turns have a rule of their own
			a.report("item-not-closed", "an item is opened, and item %d is still open", before.index)
		}
	}
	a.opened(e.Get("item"), i)
	a.index(e, i)
	a.items[id] = i
	a.order = append(a.order, i)
}

func (i *heard) isCall() bool { return i.kind == Function || i.kind == Custom }

// opened checks that an item is opened with its names, and without what later events bring.
func (a *audit) opened(item ojson.Value, i *heard) {
	for _, list := range []string{"content", "summary"} {
		if (i.kind == Message || i.kind == Reasoning) && len(item.Get(list).Items()) > 0 {
			a.report("opened-with-content", "the item is opened with its %s", list)
		}
	}
	if !i.isCall() {
		return
	}
	if textIn(item).Text() != "" {
		a.report("opened-with-content", "the call is opened with its %s", alwaysIn(i.kind).member)
	}
	for member, rule := range map[string]string{"call_id": "tool-call-without-id", "name": "tool-call-without-name"} {
		if a.isLiteral() && item.Get(member).Text() == "" {
			a.report(rule, "the call is opened without %s", member)
		}
	}
}

func (a *audit) index(e ojson.Value, i *heard) {
	if n, ok := e.Get("output_index").Int(); !ok || n != i.index {
		a.report("output-index-wrong", "the output_index is %s, and the item is number %d", inWordsOf(e.Get("output_index")), i.index)
	}
}

func inWordsOf(v ojson.Value) string {
	if v.IsAbsent() {
		return "missing"
	}
	return diag.Shorten(v.String())
}

// item returns the open item with an id; nil, with a report, if there is none.
func (a *audit) item(id ojson.Value) *heard {
	i := a.items[id.Text()]
	switch {
	case i == nil:
		a.report("item-not-open", "the item %s was not opened", inWordsOf(id))
		return nil
	case i.closed:
		a.report("item-not-open", "the item %s is closed", inWordsOf(id))
		return nil
	}
	return i
}

// itemOf returns the open item of an event; nil, with a report, if there is none. Some events
// have no item_id: their output_index names the item.
func (a *audit) itemOf(e ojson.Value, name string) *heard {
	id := e.Get("item_id")
	at, ok := e.Get("output_index").Int()
	if id.IsAbsent() && namesNoItem(name) && ok && at >= 0 && at < int64(len(a.order)) {
		id = ojson.String(a.order[at].id)
	}
	return a.item(id)
}

// close checks output_item.done.
func (a *audit) close(e ojson.Value, name string) {
	item := e.Get("item")
	i := a.item(item.Get("id"))
	if i == nil {
		return
	}
	a.index(e, i)
	i.closed, i.done = true, item
	if slices.ContainsFunc(slices.Concat(i.parts["summary"], i.parts["content"]), func(p *heardPart) bool { return !p.closed }) {
		a.report("part-not-closed", "the item is closed, and a part of it is still open")
	}
	switch i.kind {
	case Function, Custom:
		a.ended(item)
		if arguments := textIn(item); !arguments.IsAbsent() {
			a.closed(&i.call.text, name)
			a.same(&i.call.text, arguments, name)
		}
	case Message, Reasoning:
		a.ended(item)
		a.closeParts(i, item)
	default:
		a.closeCourse(i, item)
	}
}

// ended checks that an item which steps fill does not go on when it is closed.
func (a *audit) ended(item ojson.Value) {
	if item.Get("status").Text() == statusInProgress {
		a.report("status-does-not-fit", "the item is closed, and its status is in_progress")
	}
}

// closeParts compares the parts of a closed item with those of the events before.
func (a *audit) closeParts(i *heard, item ojson.Value) {
	for _, list := range []string{"summary", "content"} {
		said, opened := item.Get(list).Items(), i.parts[list]
		if len(said) != len(opened) {
			a.report("done-differs", "the item has %d parts in its %s, and %d were opened", len(said), list, len(opened))
			continue
		}
		for n, part := range said {
			a.same(&opened[n].text, textIn(part), "output_item.done")
		}
	}
}

// CheckShapes checks the rules about the order of events, and about values that are sent twice.
func (Surface) CheckShapes(t *lint.Transcript, report lint.Report) {
	if t.Script == nil || slices.ContainsFunc(t.Script.Groups, isCallAsItem) {
		return
	}
	o := surface.OptionsForRules(t, surfaceName)
	if info.Sayable(t.Script, o) != nil {
		return // the error is reported elsewhere
	}
	sp := newSpeaker(t.Script, o)
	ends := sp.speakAll(t.Script)
	a, heard := &audit{tell: report, id: t.Manner.Envelope.ID, items: map[string]*heard{}}, 0
	for i, end := range ends {
		g := &t.Script.Groups[i]
		a.finishes(g)
		for ; heard < end; heard++ {
			if e := sp.Units[heard].JSON; e.Kind() == ojson.ObjectKind {
				a.hear(e, g)
			}
		}
	}
}

// isCallAsItem reports whether a group is a call that the author wrote as an item. [ItemProblems]
// refuses it; the rules that its events break besides would only lead astray.
func isCallAsItem(g script.Group) bool {
	return slices.ContainsFunc(g.Beats, func(beat script.Beat) bool {
		item, ok := beat.(script.Item)
		return ok && ItemNamed(item.Members.Get("type").Text()).Step != ""
	})
}

// finishes notes the finish reason in a group.
func (a *audit) finishes(g *script.Group) {
	for _, beat := range g.Beats {
		if finish, ok := beat.(script.Finish); ok && script.Says(finish.Reason) {
			a.why = finish.Reason.Text()
			a.status, a.reason = surface.StatusByFinish(a.why)
		}
	}
}

// begin checks the beginning of a stream, and the response objects.
func (a *audit) begin(e ojson.Value, name string, begins bool) {
	switch {
	case begins:
		if a.started || slices.Contains(a.openers, name) {
			a.report("opening-repeated", "response.%s comes a second time, or too late", name)
		}
		a.openers = append(a.openers, name)
	case name != "keepalive" && name != "failed" && name != "error":
		if !a.started && !slices.Contains(a.openers, "in_progress") {
			a.report("in-progress-missing", "%s comes, and response.in_progress did not", name)
		}
		a.started = true
	}
	if response := e.Get("response"); response.Kind() == ojson.ObjectKind {
		a.snapshot(response, name)
	}
}

func (a *audit) snapshot(response ojson.Value, name string) {
	id := response.Get("id")
	if _, open := hole.In(id); open && a.id.Present && !a.id.Null {
		id = ojson.String(a.id.Value.Source)
	}
	switch {
	case id.IsAbsent() && name == "created":
		a.report("event-incomplete", "the response in response.created has no id")
	case id.IsAbsent() || a.id.Value.IsTemplate():
	case a.response.IsAbsent():
		a.response = id
	case !ojson.Equal(id, a.response):
		a.report("response-id-changes", "response.%s has another id than the events before it", name)
	}
}

// checkStatus compares the status, the error and the incomplete_details of a response object with
// the event it is in, and with the finish reason. Missing members contradict nothing.
func (a *audit) checkStatus(answer ojson.Value, event string, of auditedEvent) {
	status, failure, details := answer.Get("status"), answer.Get("error"), answer.Get("incomplete_details")
	if !status.IsAbsent() && !slices.Contains(of.statuses, status.Text()) {
		a.report("status-does-not-fit", "the status of the answer is %s, and the event that brings it is response.%s", inWordsOf(status), event)
		return
	}
	failed, incomplete, reason := event == "failed", event == "incomplete", details.Get("reason")
	for _, rule := range []struct {
		broken bool
		says   string
	}{
		{of.begins && (len(answer.Get("output").Items()) > 0 || !answer.Get("usage").IsNullOrAbsent()), "response." + event + " has output or usage, and the answer only begins"},
		{!failed && !failure.IsNullOrAbsent(), "response." + event + " has an error, and the answer did not fail"},
		{failed && failure.IsNull(), "the answer failed, and its error is null"},
		{!incomplete && !details.IsNullOrAbsent(), "response." + event + " has incomplete_details, and the answer is not incomplete"},
		{incomplete && details.IsNull(), "the answer is incomplete, and its incomplete_details are null"},
		{a.status == statusIncomplete && event == "completed", "the answer is completed, and its finish is " + a.why},
		{a.status == statusIncomplete && incomplete && !reason.IsAbsent() && reason.Text() != a.reason, "the answer is incomplete because of " + inWordsOf(reason) + ", and its finish is " + a.why},
	} {
		if rule.broken {
			a.report("status-does-not-fit", "%s", rule.says)
		}
	}
}

// end checks the last event. A failed response leaves its items open.
func (a *audit) end(e ojson.Value, name string) {
	a.over = true
	if name == "failed" {
		return
	}
	if a.isLiteral() {
		a.usage(e.Get("response").Get("usage"))
	}
	done := ojson.Array()
	for _, i := range a.order {
		if !i.closed {
			a.report("item-not-closed", "the answer ends, and its item %d is still open", i.index)
			continue
		}
		done.Push(i.done)
	}
	if output := e.Get("response").Get("output"); !ojson.Equal(output, done) {
		a.report("output-differs", "the output of the answer is not the items that were sent")
	}
}

// usage checks the usage of an answer in an event that the author wrote. Other usage has rules of its
// own.
func (a *audit) usage(usage ojson.Value) {
	input, counted := usage.Get("input_tokens").Int()
	output, _ := usage.Get("output_tokens").Int()
	total, _ := usage.Get("total_tokens").Int()
	switch {
	case usage.IsNull():
		a.report("usage-incomplete", "the answer ends, and its usage is null")
	case counted && total != input+output:
		a.report("usage-total-wrong", "total_tokens is %d, the sum is %d", total, input+output)
	}
}
