package fakeopenai

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
)

func TestReproduction(t *testing.T) {
	t.Parallel()
	variant := sweep.Variant{Name: "crlf", YAML: "wire: { newline: crlf }"}
	for _, tt := range []struct {
		name string
		what Option
		asks bool
		want string
	}{
		{"of a scenario", YAML("name: plain\nmessage: Hi\n"), true, `{name: plain-crlf, wire: {newline: crlf}, message: "Hi"}`},
		{"of a script", Script(step.Role("assistant"), step.Finish("stop")), true, `{name: script-crlf, wire: {newline: crlf}, replies: [{times: 1, stream: [{role: assistant}, {finish: stop}]}]}`},
		{"before anything was asked", YAML("name: plain\nmessage: Hi\n"), false, "{ name: NAME-crlf, extends: NAME, wire: { newline: crlf } }"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fake := NewServer(t, tt.what, InMemory(), AllowUnused())
			if tt.asks {
				mustAsk(t, fake, whole)
			}
			if got := reproduction(sweep.Case{Name: variant.Name, Variant: variant}, fake); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
