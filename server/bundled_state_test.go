package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// The stream of each bundled scenario can be requested again from after each of its events,
// whether or not it was made in the background.
func TestStreamsOfBundledScenariosCanBeResumedAfterEachEvent(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	r := local(t, "", server.Config{Scenarios: bundled(t), Speed: server.Instant, Created: 1790000000})
	for _, name := range []string{"plain-text", "refusal", "parallel-calls", "custom-tool", "text-then-tool", "length-stop", "empty-answer", "annotations"} {
		for _, background := range []bool{false, true} {
			body := fmt.Sprintf(`{"model":"fake:%s","stream":true,"input":"hi","background":%t}`, name, background)
			whole := r.create(body)
			all := events(whole)
			path := "/v1/responses/" + idIn(t, whole) + "?stream=true"
			for n := range all {
				got := r.get(fmt.Sprintf("%s&starting_after=%d", path, n), 200)
				if want := strings.Join(append(all[n+1:len(all):len(all)], ""), "\n\n"); got != want {
					t.Fatalf("%s, background %t, after %d it is\n%s\nwant\n%s", name, background, n, got, want)
				}
			}
		}
	}
}
