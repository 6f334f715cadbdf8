package compat

import (
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// openai-go loses its connection after any event of a background response, asks for the
// rest, and gets every event exactly once.
func resumed(scenario string) suite {
	return func(t *testing.T, play player) {
		client := play(t, read(t, "responses.yaml")).openAIGo(option.WithHeader(scenarioHeader, scenario))
		whole := resumedAfter(t, &client, -1)
		if len(whole) < 9 {
			t.Fatalf("there are only %d events: %q", len(whole), whole)
		}
		for cut := range whole {
			if got := resumedAfter(t, &client, cut); text(got) != text(whole) {
				t.Fatalf("cut after event %d:\ngot  %q\nwant %q", cut, got, whole)
			}
		}
	}
}

// resumedAfter are the events of a response for a client that leaves after the event with
// the number cut, and comes back for the rest. If cut is negative, the client stays.
func resumedAfter(t *testing.T, client *openai.Client, cut int) []string {
	t.Helper()
	params := responseParams(t, members{"model": []byte(`"gpt-4o"`), "input": []byte(`"Tell me a story."`), "background": []byte("true")})
	stream := client.Responses.NewStreaming(t.Context(), params)
	var got []string
	id, last := "", int64(-1)
	for stream.Next() {
		e := stream.Current()
		got, last = append(got, inBrief(t, e, last)), e.SequenceNumber
		if e.Type == "response.created" {
			id = e.Response.ID
		}
		if len(got) == cut+1 {
			break
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if cut < 0 {
		return got
	}
	// openai-go puts stream in the body of this GET, so that its users have to add it to the query.
	rest := client.Responses.GetStreaming(t.Context(), id, responses.ResponseGetParams{StartingAfter: openai.Int(last)}, option.WithQuery("stream", "true"))
	defer rest.Close()
	for rest.Next() {
		e := rest.Current()
		got, last = append(got, inBrief(t, e, last)), e.SequenceNumber
	}
	if err := rest.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

// inBrief is the type of an event and its delta. The number of the event must be last+1.
func inBrief(t *testing.T, e responses.ResponseStreamEventUnion, last int64) string {
	t.Helper()
	if e.SequenceNumber != last+1 {
		t.Errorf("%s with the number %d follows the number %d", e.Type, e.SequenceNumber, last)
	}
	return e.Type + " " + e.Delta + e.Text + e.Arguments + e.Response.OutputText()
}
