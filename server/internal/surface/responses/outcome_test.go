package responses_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// open is the list of the events of a message that is still open.
var open = []string{"output_item.added 0 message in_progress", "content_part.added 0 0", `output_text.delta 0 0 "Hi"`}

// closed returns the events of a message that is closed with this status.
func closed(status string) []string {
	return item("0", "message", status, text("0 0", "output_text", "Hi"))
}

// The last event is the one for the status that the author wrote, with the further members of
// the real service. An answer in one piece has the same status.
func TestTheStatusThatTheEnvelopeNames(t *testing.T) {
	t.Parallel()
	const serverError = `{"code":"server_error","message":"The server had an error while processing your request. Sorry about that!"}`
	tests := []struct {
		response string
		events   []string
		members  string // members are error, incomplete_details and whether there is usage.
	}{
		{"failed", lines(open, []string{"failed failed"}), serverError + " null false"},
		{"{ error: { code: bio_policy, message: 'No {{ .last_user }}', more: 1 } }", lines(open, []string{"failed failed"}), `{"code":"bio_policy","message":"No Say it","more":1} null false`},
		{"{ error: { code: insufficient_quota } }", lines(open, []string{"failed failed"}), `{"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."} null false`},
		{"incomplete", lines(closed("incomplete"), []string{"incomplete incomplete"}), `null {"reason":"max_output_tokens"} true`},
		{"{ incomplete_details: { reason: steered } }", lines(closed("incomplete"), []string{"incomplete incomplete"}), `null {"reason":"steered"} true`},
		{"completed", lines(closed("completed"), []string{"completed completed"}), "null null true"},
	}
	for _, tt := range tests {
		url := serve(t, "name: x\nmessage: Hi\nenvelope: { response: "+tt.response+" }\nwhen: { surface: responses }")
		_, stream := ask(t, url, streamed)
		wantTold(t, stream, tt.events...)
		status, body := ask(t, url, "")
		if status != http.StatusOK {
			t.Errorf("%s: in one piece the status is %d", tt.response, status)
		}
		for form, v := range map[string]ojson.Value{"a stream": last(t, stream), "one piece": parse(t, body)} {
			got := v.Get("error").String() + " " + v.Get("incomplete_details").String() + " " + ojson.Bool(!v.Get("usage").IsNull()).String()
			if got != tt.members {
				t.Errorf("%s, %s: got %s, want %s", tt.response, form, got, tt.members)
			}
			if output := v.Get("output").Items(); len(output) == 0 != strings.Contains(tt.events[len(tt.events)-1], "failed") {
				t.Errorf("%s, %s: the output is %s", tt.response, form, v.Get("output"))
			}
		}
	}
}

// No event says that a response was cancelled.
func TestAnAnswerThatIsCancelled(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi\nenvelope: { response: cancelled }\nwhen: { surface: responses }")
	_, stream := ask(t, url, streamed)
	wantTold(t, stream, open...)
	_, body := ask(t, url, "")
	v := parse(t, body)
	if got := v.Get("status").Text() + v.Get("output").String() + v.Get("usage").String() + v.Get("error").String(); got != "cancelled[]nullnull" {
		t.Errorf("in one piece there is %s", got)
	}
}

// A queued stream begins with the status queued and has no obfuscation. In one piece a queued
// response has no output.
func TestAnAnswerThatIsQueued(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi\nenvelope: { response: queued }\nwhen: { surface: responses }")
	_, stream := ask(t, url, streamed)
	want := lines([]string{"created queued", "queued queued", "in_progress in_progress"}, closed("completed"), []string{"completed completed"})
	if got := told(t, stream); got != strings.Join(want, "\n") {
		t.Errorf("the stream tells\n%s", got)
	}
	if strings.Contains(stream, "obfuscation") || strings.Contains(stream, `"background":false`) {
		t.Errorf("the stream is not that of an answer in the background:\n%s", stream)
	}
	_, body := ask(t, url, "")
	v := parse(t, body)
	if got := v.Get("status").Text() + v.Get("output").String() + v.Get("usage").String() + v.Get("background").String(); got != "queued[]nulltrue" {
		t.Errorf("in one piece there is %s", got)
	}
}

// An error in mid-stream gives the status failed. The envelope can replace the error in the
// response object, and no status but failed.
func TestAnErrorInAnAnswerWithAStatus(t *testing.T) {
	t.Parallel()
	const steps = "\nwhen: { surface: responses }\nstream: [{ content: Hi }, { error: { code: rate_limit_exceeded, message: Slow. } }]"
	body := play(t, "name: x\nenvelope: { response: { error: { code: server_error, message: Other. } } }"+steps, streamed)
	if got := last(t, body).Get("error").String(); got != `{"code":"server_error","message":"Other."}` {
		t.Errorf("the error of the answer is %s", got)
	}
	wantContains(t, body, `"message":"Slow."`)
	unloadable(t, "name: x\nenvelope: { response: completed }"+steps, "step 2 is an error in an answer that envelope.response calls completed")
}

// Paths of the envelope apply to all response objects, or, after the type of an event, to those
// of this event.
func TestMembersOfOneEvent(t *testing.T) {
	t.Parallel()
	const yaml = `
name: x
when: { surface: responses }
message: Hi
envelope:
  omit: [response.created.tools, response.output_item.done.item.role, metadata]
  set: { response.completed.status: failed, response.created.sequence_number: 1, response.user: 5, response.output_text.delta.delta: null }
`
	url := serve(t, yaml)
	_, stream := ask(t, url, streamed)
	list := events(t, stream)
	for at, want := range map[int]string{0: "in_progress false 5 1", 1: "in_progress true 5 1", len(list) - 1: "failed true 5 8"} {
		e := list[at]
		r := e.Get("response")
		got := r.Get("status").Text() + " " + ojson.Bool(!r.Get("tools").IsAbsent()).String() + " " + r.Get("user").String() + " " + e.Get("sequence_number").String()
		if got != want || !r.Get("metadata").IsAbsent() {
			t.Errorf("event %d: got %s in %s, want %s", at, got, e, want)
		}
	}
	if e := list[4]; !e.Get("delta").IsNull() {
		t.Errorf("the delta is %s", e)
	}
	if item := list[7].Get("item"); !item.Get("role").IsAbsent() || list[2].Get("item").Get("role").IsAbsent() {
		t.Errorf("the items are %s and %s", list[2], item)
	}
	_, body := ask(t, url, "")
	if got := parse(t, body).Get("status").Text(); got != "failed" {
		t.Errorf("in one piece the status is %s", got)
	}
	unloadable(t, strings.Replace(yaml, "response.created.tools", "response.queued.tools", 1), "omit: no chunk or whole answer has response.queued.tools")
}

// The items of a failed answer do not join the conversation.
func TestAFailedAnswerDoesNotJoinItsConversation(t *testing.T) {
	t.Parallel()
	base := serve(t, "name: fails\nwhen: { model: bad }\nstream: [{ content: Lost }, { error: It broke. }]\n---\nname: x\nmessage: Kept\n")
	id := parse(t, call(t, http.MethodPost, base+"/v1/conversations", "{}")).Get("id").Text()
	for _, model := range []string{"bad", "good"} {
		ask(t, base, `"model":"`+model+`","stream":true,"conversation":"`+id+`"`)
	}
	items := call(t, http.MethodGet, base+"/v1/conversations/"+id+"/items", "")
	if n := len(parse(t, items).Get("data").Items()); n != 2 || strings.Contains(items, "Lost") || !strings.Contains(items, "Kept") {
		t.Errorf("the conversation has %s", items)
	}
}
