package chat_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The details of usage have the recorded order, whichever of them the author writes.
func TestUsageDetailsStandInTheRecordedOrder(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`{}`: `{"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},` +
			`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}`,
		`{"completion_tokens_details":{"reasoning_tokens":2},"cost":1}`: `{"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},` +
			`"completion_tokens_details":{"reasoning_tokens":2,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0},"cost":1}`,
		`{"completion_tokens_details":null}`: `{"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":null}`,
	} {
		u := script.Usage{Total: ojson.Int(3), Written: object(t, written)}
		if got := speak(t, scenarios.LayoutGPT4o, surface.Options{}, says(u))[0].JSON.Get("usage").String(); got != want {
			t.Errorf("usage %s becomes\n%s, want\n%s", written, got, want)
		}
	}
}
