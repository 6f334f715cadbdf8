package answers

import (
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

// The first bytes of a line decide its colour, also of what follows in later writes.
func TestPainterColoursLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := painter{out: &out}
	for _, part := range []string{": ping\r\n\r\ndata: {\"error\":{}}\n\neve", "nt: x\nid: 1\n", "retry:2", "\ndata: {\"e\":1}\n\n{}\nd", "ata"} {
		if n, err := p.Write([]byte(part)); err != nil || n != len(part) {
			t.Fatal(n, err)
		}
	}
	want := strings.NewReplacer("<c>", colourComment, "<d>", colourChunk, "<e>", colourEvent, "<!>", colourError, "</>", colourEnd).Replace(
		"<c>: ping</>\r\n\r\n<!>data: {\"error\":{}}</>\n\n<e>eve</><e>nt: x</>\n<e>id: 1</>\n<e>retry:2</>\n<d>data: {\"e\":1}</>\n\n{}\n<d>d</><d>ata</>")
	if out.String() != want {
		t.Errorf("%q\nwant\n%q", out.String(), want)
	}
}
