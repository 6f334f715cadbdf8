package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// begin checks the beginning of a stream, and the response objects.
func (a *audit) begin(e ojson.Value, name string) {
	switch {
	case slices.Contains([]string{"created", "queued", "in_progress"}, name):
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

// snapshot checks the id in a response object.
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
func (a *audit) checkStatus(answer ojson.Value, event string) {
	status, failure, details := answer.Get("status"), answer.Get("error"), answer.Get("incomplete_details")
	if fits := statusesOf(event); !status.IsAbsent() && !slices.Contains(fits, status.Text()) {
		a.report("status-does-not-fit", "the status of the answer is %s, and the event that brings it is response.%s", inWordsOf(status), event)
		return
	}
	if begins := slices.Contains([]string{"created", "queued", "in_progress"}, event); begins && (len(answer.Get("output").Items()) > 0 || !answer.Get("usage").IsNullOrAbsent()) {
		a.report("status-does-not-fit", "response.%s has output or usage, and the answer only begins", event)
	}
	switch failed := event == "failed"; {
	case !failed && !failure.IsNullOrAbsent():
		a.report("status-does-not-fit", "response.%s has an error, and the answer did not fail", event)
	case failed && failure.IsNull():
		a.report("status-does-not-fit", "the answer failed, and its error is null")
	}
	switch incomplete := event == "incomplete"; {
	case !incomplete && !details.IsNullOrAbsent():
		a.report("status-does-not-fit", "response.%s has incomplete_details, and the answer is not incomplete", event)
	case incomplete && details.IsNull():
		a.report("status-does-not-fit", "the answer is incomplete, and its incomplete_details are null")
	}
	switch reason := details.Get("reason"); {
	case a.status != "incomplete":
	case event == "completed":
		a.report("status-does-not-fit", "the answer is completed, and its finish is %s", a.why)
	case event == "incomplete" && !reason.IsAbsent() && reason.Text() != a.reason:
		a.report("status-does-not-fit", "the answer is incomplete because of %s, and its finish is %s", inWordsOf(reason), a.why)
	}
}

// statusesOf returns the statuses that the response object in an event can have.
func statusesOf(event string) []string {
	switch event {
	case "created":
		return []string{"in_progress", "queued"}
	case "in_progress", "queued", "completed", "incomplete", "failed":
		return []string{event}
	}
	return nil
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
