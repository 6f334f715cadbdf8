package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// checkStatus compares the status, the error and the incomplete_details of a response object with
// the event it is in, and with the finish reason. Missing members contradict nothing.
func (a *audit) checkStatus(answer ojson.Value, event string) {
	status, failure, details := answer.Get("status"), answer.Get("error"), answer.Get("incomplete_details")
	if fits := statusesOf(event); !status.IsAbsent() && !slices.Contains(fits, status.Text()) {
		a.report("status-does-not-fit", "the status of the answer is %s, and the event that brings it is response.%s", inWordsOf(status), event)
		return
	}
	if hasError := !failure.IsNullOrAbsent(); hasError && event != "failed" {
		a.report("status-does-not-fit", "response.%s has an error, and the answer did not fail", event)
	} else if failure.IsNull() && event == "failed" {
		a.report("status-does-not-fit", "the answer failed, and its error is null")
	}
	if hasDetails := !details.IsNullOrAbsent(); hasDetails && event != "incomplete" {
		a.report("status-does-not-fit", "response.%s has incomplete_details, and the answer is not incomplete", event)
	} else if details.IsNull() && event == "incomplete" {
		a.report("status-does-not-fit", "the answer is incomplete, and its incomplete_details are null")
	}
	a.finishFits(event, details.Get("reason"))
}

// finishFits compares the end of a response with a finish reason that makes it incomplete.
func (a *audit) finishFits(event string, reason ojson.Value) {
	switch {
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
