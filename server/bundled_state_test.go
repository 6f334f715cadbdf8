package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// The stream of each bundled scenario can be requested again from after each of its events,
// whether or not it was made in the background.
func TestStreamsOfBundledScenariosCanBeResumedAfterEachEvent(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	var files []string
	for _, name := range fixtures.Names() {
		files = append(files, name+".yaml")
	}
	set, err := yamlfile.Load(fixtures.FS, files...)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, "", server.Config{Scenarios: set, Speed: server.Instant, Created: 1790000000})
	for _, name := range []string{"plain-text", "refusal", "parallel-calls", "custom-tool", "text-then-tool", "length-stop", "empty-answer", "annotations"} {
		for _, background := range []bool{false, true} {
			body := fmt.Sprintf(`{"model":"fake:%s","stream":true,"input":"hi","background":%t}`, name, background)
			w := serve(r, "POST", "/v1/responses", body)
			whole := w.Body.String()
			if w.Code != 200 {
				t.Fatalf("%s: %s", name, whole)
			}
			all := events(whole)
			path := "/v1/responses/" + idIn(t, whole) + "?stream=true"
			for n := range all {
				got := serve(r, "GET", fmt.Sprintf("%s&starting_after=%d", path, n), "").Body.String()
				if want := strings.Join(append(all[n+1:len(all):len(all)], ""), "\n\n"); got != want {
					t.Fatalf("%s, background %t, after %d it is\n%s\nwant\n%s", name, background, n, got, want)
				}
			}
		}
	}
}
