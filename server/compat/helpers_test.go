package compat

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
)

// unsayable are the bundled scenarios that cannot be played on Responses, and why.
var unsayable = map[string]string{
	"audio":                 "there is no audio in Responses",
	"azure-first-chunk":     "it holds chunks of chat completions",
	"function-call":         "the function_call of old is a form of chat completions",
	"image-url-delta":       "it holds chunks of chat completions",
	"kitchen-sink":          "it holds chunks of chat completions",
	"role-only-first-chunk": "it holds chunks of chat completions",
}

// The official clients, and a reader that looks at very few events, read from a bundled
// scenario on Responses the same answer as a client reads on chat completions. Scenarios
// that are broken on purpose, and those in unsayable, are left out.
func TestHelpersReadEveryFixture(t *testing.T) {
	t.Parallel()
	requireNode(t)
	url := serve(t, build(t), "--speed", "instant")
	readers := []string{"node stream()", "node for await", "openai-go", "few events"}
	var asked []inquiry
	for _, name := range soundFixtures(t) {
		asked = append(asked, inquiry{Client: "node for await", Scenario: name, Surface: "chat", Retries: 2})
		for _, client := range readers {
			asked = append(asked, inquiry{Client: client, Scenario: name, Surface: "responses", Retries: 2})
		}
	}
	var want reading
	for i, got := range readAll(t, url, asked) {
		if asked[i].Surface == "chat" {
			want = onResponses(t, got)
			continue
		}
		t.Run(asked[i].title(), func(t *testing.T) { checkHelper(t, asked[i], got, want) })
	}
}

func checkHelper(t *testing.T, q inquiry, got, want reading) {
	t.Helper()
	if unsayable[q.Scenario] != "" {
		if !strings.Contains(got.Error, "400 scenario") {
			t.Errorf("it is refused no more, but %s", text(got))
		}
		return
	}
	got.Usage = nil // the two APIs count the tools of a request in different ways
	if got.Text == "" && got.Refusal == "" && len(got.Calls) == 0 && q.Scenario != "empty-answer" {
		t.Errorf("there is nothing in %s", text(got))
	}
	if d := want.diff(got); d != "" {
		t.Error(d)
	}
}

// soundFixtures are the bundled scenarios that, by expected.json, clients read to the
// end without an error on chat completions.
func soundFixtures(t *testing.T) []string {
	t.Helper()
	sound := map[string]bool{}
	for _, c := range readTable(t).Cases {
		if c.Title == c.Fixture {
			sound[c.Fixture] = c.Fault == nil && c.Answer.Choices[0].Finish != ""
		}
	}
	return slices.DeleteFunc(fixtures.Names(), func(name string) bool { return !sound[name] })
}

func TestUnsayableFixturesAreSound(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(unsayable)) {
		if !slices.Contains(soundFixtures(t), name) {
			t.Errorf("there is no sound fixture %s", name)
		}
	}
}

// onResponses turns a reading from chat completions into the one wanted on Responses.
func onResponses(t *testing.T, chat reading) reading {
	t.Helper()
	if chat.Error != "" {
		t.Errorf("on chat completions: %s", text(chat))
	}
	finishes := map[string]string{
		"stop": "completed", "tool_calls": "completed",
		"length": "incomplete max_output_tokens", "content_filter": "incomplete content_filter",
	}
	chat.Finish = finishes[chat.Finish]
	chat.Usage = nil
	return chat
}
