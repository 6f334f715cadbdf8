package server_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

const chancy = `
name: chancy
seed: 1
message: { content: one two three four five six seven eight, by: word }
damage:
  - { drop: content, chance: 0.5 }
end: { cut: { after: 2, inside: false, chance: 0.5 } }
`

func TestTheJournalSaysWhatWasDrawn(t *testing.T) {
	t.Parallel()
	r := start(t, chancy, server.Config{})
	seen := map[string]bool{}
	for range 20 { // each attempt of the same request draws other values
		resp := r.chat(brief)
		cut := !strings.HasSuffix(bodyOf(resp), "[DONE]\n\n")
		drawn := r.ended().Chance
		if len(drawn) != 2 || !strings.HasPrefix(drawn[1], "damage 1 (drop) struck ") {
			t.Fatalf("it says %q", drawn)
		}
		if want := map[bool]string{true: "end cut: drawn", false: "end cut: not drawn"}[cut]; drawn[0] != want {
			t.Errorf("it says %q, but the answer was cut: %t", drawn[0], cut)
		}
		seen[drawn[0]] = true
	}
	if len(seen) != 2 {
		t.Errorf("in twenty attempts there was only %v", seen)
	}
	var list struct {
		Requests []struct{ Drawn []string }
	}
	if err := json.Unmarshal([]byte(r.get("/_fake/requests", 200)), &list); err != nil {
		t.Fatal(err)
	}
	if got, want := list.Requests[0].Drawn, r.Journal()[0].Chance; !slices.Equal(got, want) {
		t.Errorf("over HTTP it says %q, in Go %q", got, want)
	}
}
