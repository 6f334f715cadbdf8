package scenarios

import (
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // go test ./... -update
)

// What has no effect is reported where it stands.
func TestEveryWordWithNeedsHasAPlace(t *testing.T) {
	t.Parallel()
	for _, e := range effects() {
		if wordPlaces[e.section] == nil && wordPlaces[e.section+"."+e.word] == nil && (e.section != "step" || stepWords[e.word] == nil) {
			t.Errorf("wordPlaces do not say where %q of %s stands", e.word, e.section)
		}
	}
}
