package server_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// notOverRealtime are the bundled scenarios that have no answer over the Realtime API, and what it cannot express. Those
// whose condition names another API are left out.
var notOverRealtime = map[string]string{
	"annotations":           "annotations of a text",
	"azure-first-chunk":     "a chunk of chat completions written as JSON",
	"custom-tool":           "a call of a custom tool",
	"function-call":         "a function_call, which preceded tools",
	"image-url-delta":       "a delta of chat completions written as JSON",
	"kitchen-sink":          "calls of chat completions written as JSON",
	"reasoning":             "reasoning",
	"refusal":               "a refusal, which cannot be told from other words",
	"role-only-first-chunk": "a delta of chat completions written as JSON",
}

// Every bundled scenario that chat completions play is played over Realtime, too, or listed with the reason.
func TestBundledScenariosPlayOverRealtime(t *testing.T) {
	t.Parallel()
	set, err := yamlfile.Load(fixtures.FS, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spoken, seen := server.Speaks(set), map[string]bool{}
	for _, s := range set.Scenarios() {
		if !slices.Contains(spoken[s.Name], scenarios.DefaultSurface) {
			continue
		}
		_, listed := notOverRealtime[s.Name]
		seen[s.Name] = true
		if plays := slices.Contains(spoken[s.Name], "realtime"); plays == listed {
			t.Errorf("%s: over realtime %v, listed as not playing %v", s.Name, plays, listed)
		}
	}
	for name := range maps.Keys(notOverRealtime) {
		if !seen[name] {
			t.Errorf("there is no scenario %s that chat completions play", name)
		}
	}
}

// The rules about events hold for those that an author wrote whole.
func TestRealtimeEventsAreChecked(t *testing.T) {
	t.Parallel()
	const (
		created = `{type: response.created, response: {id: r}}`
		added   = created + `|{type: response.output_item.added, item: {id: i, type: message}}`
		part    = added + `|{type: response.content_part.added, item_id: i}`
		delta   = `{type: response.output_text.delta, item_id: i, response_id: r, delta: a}`
		done    = `{type: response.output_text.done, item_id: i, text: a}`
		closed  = `{type: response.output_item.done, item: {id: i}}`
		end     = `{type: response.done, response: {id: r, status: completed, output: [{id: i}]}}`
	)
	for events, want := range map[string]string{
		part + "|" + delta + "|" + done + "|" + closed + "|" + end:                "",
		`{type: response.output_text.delta, item_id: i, delta: a}`:                "event-before-created",
		created + `|{type: response.nope}`:                                        "unknown-event",
		created + "|" + delta:                                                     "item-not-open",
		part + "|" + closed + "|" + delta:                                         "item-not-open",
		added + "|" + strings.TrimPrefix(added, created+"|"):                      "item-not-open",
		created + "|" + closed:                                                    "item-not-open",
		added + "|" + delta:                                                       "part-not-open",
		part + "|" + delta + "|" + done + "|" + delta:                             "text-after-done",
		part + "|" + delta + "|" + strings.Replace(done, "text: a", "text: b", 1): "done-differs",
		part + "|" + end:                                                          "item-not-closed",
		part + "|" + closed + `|{type: response.done, response: {id: r, status: completed, output: []}}`: "output-differs",
		part + "|" + closed + "|" + end + "|" + closed:                                                   "event-after-end",
		part + "|" + created: "opening-repeated",
		part + "|" + strings.Replace(delta, "response_id: r", "response_id: q", 1): "response-id-changes",
	} {
		yaml := "name: x\nwhen: { surface: realtime }\nstream:\n"
		for event := range strings.SplitSeq(events, "|") {
			yaml += "- chunk: " + event + "\n"
		}
		_, list := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(yaml)})
		found := ""
		for _, p := range list {
			if p.Rule == want || want == "" && p.Rule != "" {
				found = p.Rule
			}
		}
		if found != want {
			t.Errorf("%s: got %v, want %q", events, list, want)
		}
	}
}
