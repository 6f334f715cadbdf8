package cli

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func TestGitHubFormatEscapesWhatWouldEndTheCommand(t *testing.T) {
	t.Parallel()
	found := findings{
		Files: []yamlfile.Source{{Name: "a,b:c\x1b\n.yaml"}},
		Problems: diag.List{{
			Pos:     diag.Pos{File: "a,b:c\x1b\n.yaml", Line: 2, Col: 3},
			Message: "100% wrong\nreally", Hint: "do: this, or that",
		}},
	}
	var text strings.Builder
	if err := found.Print(&text, "github"); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb%3Ac\ufffd%0A.yaml,line=2,col=3,title=scenario::100%25 wrong%0Areally (do: this, or that)\n1 problem in 1 file\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
}
