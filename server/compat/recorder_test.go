package compat

import (
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server"
)

// openai-go reads through a recorder the same as from the endpoint, and the same from the recording.
func TestAClientReadsThroughARecorder(t *testing.T) { // not parallel: it sets the environment
	for _, scenario := range []string{"sound-text", "sound-reasoning", "sound-logprobs", "resp-text-then-calls", "resp-half-a-call", "resp-content-filter",
		"resp-lost-delta", "resp-split-inside-characters", "resp-cut-between-events", "nested-error", "keepalive", "resp-bad-request"} {
		t.Run(scenario, func(t *testing.T) {
			upstream := fakeopenai.NewServer(t, fakeopenai.File("specimens/defects.yaml"), fakeopenai.File("specimens/responses.yaml"), fakeopenai.AllowUnused(),
				fakeopenai.WithConfig(func(config *server.Config) { config.Default = scenario })) // so that the client names none
			want := eventsAt(t, upstream.URL)
			dir := t.TempDir()
			for _, mode := range []string{"record", "replay"} {
				t.Run(mode, func(t *testing.T) {
					t.Setenv("FAKEOPENAI_RECORD", mode)
					t.Setenv("OPENAI_API_KEY", "sk-test")
					if got := eventsAt(t, fakeopenai.Record(t, upstream.URL, dir).URL); !slices.Equal(got, want) {
						t.Errorf("got  %q\nwant %q", got, want)
					}
				})
			}
		})
	}
}

// eventsAt are the types and texts of the events that openai-go reads from a server, and an error.
func eventsAt(t *testing.T, url string) []string {
	t.Helper()
	client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("sk-test"), option.WithMaxRetries(0))
	stream := client.Responses.NewStreaming(t.Context(), responseParams(t, members{"model": []byte(`"gpt-4o"`), "input": []byte(`"What is the weather in Oslo?"`)}))
	defer stream.Close()
	var events []string
	for stream.Next() {
		e := stream.Current()
		events = append(events, e.Type+" "+e.Delta+e.Text+e.Arguments+e.Item.CallID+string(e.Response.Status)+e.Response.OutputText())
	}
	if err := stream.Err(); err != nil {
		events = append(events, describe(err))
	}
	return events
}
