package server

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func TestProgramsThatNeedNoRequestAreReadyBeforeTheFirst(t *testing.T) {
	t.Parallel()
	list, diags := yamlfile.Parse("test.yaml", []byte(`
name: static
replies:
  - times: 1
    message: one
  - message: two
---
name: by-request
message: You said {{ .last_user }}.
---
name: by-the-byte
message: three
wire: { split: byte }
---
name: error
error: { status: 429 }
`))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	set, err := scenarios.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Scenarios: set})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(s.programs.byKind); got != 2 {
		t.Errorf("%d programs are ready, want the 2 that depend on no request", got)
	}
	s.SetScenarios(nil)
	if got := len(s.programs.byKind); got != 0 {
		t.Errorf("%d programs are left of scenarios that are not played any more", got)
	}
}
