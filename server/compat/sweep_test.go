package compat

import (
	"context"
	"errors"
	"testing"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// openai-go reads the same answer in every variant of the wire. It reports no error if the
// answer ends too early but the body ends properly: a program notices that only by the
// missing finish reason.
func TestOfficialClientIsSwept(t *testing.T) {
	t.Parallel()
	for fixture, opts := range map[string][]fakeopenai.SweepOption{
		"text-then-tool": {fakeopenai.Truncated(wantsFinish)},
		"long-text":      nil,
	} {
		want := streamOpenAIGo(t.Context(), prompt{to: start(t, fixture, fakeopenai.Instant())})
		t.Run(fixture, func(t *testing.T) {
			t.Parallel()
			fakeopenai.Sweep(t, fakeopenai.Fixture(fixture), func(t *testing.T, fake *fakeopenai.Server) {
				if got := streamOpenAIGo(t.Context(), prompt{to: targetOf(fake)}); got != want {
					t.Errorf("got  %#v\nwant %#v", got, want)
				}
			}, opts...)
		})
	}
}

func wantsFinish(_ *testing.T, fake *fakeopenai.Server) error {
	got := streamOpenAIGo(context.Background(), prompt{to: targetOf(fake)})
	if got.err == nil && got.finish == "" {
		return errors.New("the answer has no finish reason")
	}
	return got.err
}
