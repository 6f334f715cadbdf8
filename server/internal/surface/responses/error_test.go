package responses_test

import (
	"net/http"
	"strings"
	"testing"
)

// An error in mid-stream has the shape of recordings, or the flat one of the published schema,
// and may lack its event name. The response fails after it.
func TestTheShapesOfAnErrorInMidStream(t *testing.T) {
	t.Parallel()
	const nested = `{"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"Slow.","param":null},"sequence_number":5}`
	const flat = `{"type":"error","code":"rate_limit_exceeded","message":"Slow.","param":null,"sequence_number":5}`
	tests := []struct{ error, wire, want string }{
		{"", "", "event: error\ndata: " + nested},
		{"flat: true", "", "event: error\ndata: " + flat},
		{"flat: true", "wire: { event: null }", "\n\ndata: " + flat},
		{"", "wire: { event: null }", "\n\ndata: " + nested},
		{"flat: true, omit: param, set: { code: 5 }, beside: { more: 1 }", "", `event: error
data: {"type":"error","code":5,"message":"Slow.","more":1,"sequence_number":5}`},
	}
	for _, tt := range tests {
		step := "{ error: { code: rate_limit_exceeded, message: Slow., type: tokens, " + tt.error + " }, " + tt.wire + " }"
		body := play(t, "name: x\nstream: [{ content: Hi }, "+step+"]", streamed)
		wantContains(t, body, tt.want+"\n\n")
		if _, whole := ask(t, serve(t, "name: x\nstream: [{ content: Hi }, "+step+"]"), ""); !strings.HasPrefix(whole, "{\n  \"error\": {\n") {
			t.Errorf("%s: in one piece there is %s", step, whole)
		}
		if !strings.Contains(body, `"status":"failed"`) || !strings.Contains(body, `"error":{"code":`) {
			t.Errorf("%s: the answer does not fail in\n%s", step, body)
		}
	}
	status, body := ask(t, serve(t, "name: x\nerror: { status: 503, message: Later., flat: true }"), "")
	if want := "{\n  \"message\": \"Later.\",\n  \"type\": \"server_error\",\n  \"param\": null,\n  \"code\": null\n}"; status != http.StatusServiceUnavailable || !strings.HasPrefix(body, want) {
		t.Errorf("a flat error before the stream is %d %s", status, body)
	}
	unloadable(t, "name: x\nerror: { set: { error: boom }, flat: true }", "flat has no effect: the error is not an object")
}

// The names of events can be left out of the whole stream.
func TestEventsWithoutNames(t *testing.T) {
	t.Parallel()
	body := play(t, "name: x\nmessage: Hi\nwire: { event_name: null }", streamed)
	if strings.Contains(body, "event:") || !strings.HasPrefix(body, `data: {"type":"response.created"`) {
		t.Errorf("the stream is\n%s", body)
	}
}
