package cli

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/server"
)

// A server of the bundled fixtures starts without reading them, and knows all of them.
func TestTheBundledFixturesAreReadWhenTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	lib := &library{}
	fake, err := lib.NewServer(server.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := fake.Reload(); err != nil {
		t.Error(err)
	}
	set, n := fake.Scenarios(), len(fixtures.Names())
	if !set.IsDeferred() || set.Len() != n || len(set.Scenarios()) != n {
		t.Errorf("IsDeferred() = %v, Len() = %d, %d scenarios; want all %d, deferred", set.IsDeferred(), set.Len(), len(set.Scenarios()), n)
	}
	if counts := fmt.Sprintf("scenarios=%d files=%d", n, n); strings.Count(log.String(), counts) != 2 {
		t.Errorf("the log is\n%swant how many scenarios were loaded, and loaded again", log.String())
	}
	_, err = (&library{}).NewServer(server.Config{Default: "plain-txet", Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), `did you mean "plain-text"?`) {
		t.Errorf("a default that there is not: %v", err)
	}
}
