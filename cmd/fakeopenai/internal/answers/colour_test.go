package answers

import (
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

// The colour of a line does not depend on how it is cut into writes.
func TestPainterTakesWritesOfAnySize(t *testing.T) {
	t.Parallel()
	const stream = ": ping\r\n\r\ndata: {\"error\":{}}\n\nevent: x\nid: 1\nretry:2\ndata: {\"e\":1}\n\neven\n\ndata"
	want := strings.NewReplacer("<c>", colourComment, "<d>", colourChunk, "<e>", colourEvent, "<!>", colourError, "</>", colourEnd).Replace(
		"<c>: ping</>\r\n\r\n<!>data: {\"error\":{}}</>\n\n<e>event: x</>\n<e>id: 1</>\n<e>retry:2</>\n<d>data: {\"e\":1}</>\n\n<e>even</>\n\n<d>data</>")
	for size := 1; size <= len(stream); size++ {
		var out strings.Builder
		p := painter{out: &out}
		for at := 0; at < len(stream); at += size {
			if _, err := p.Write([]byte(stream[at:min(at+size, len(stream))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.close(); err != nil || out.String() != want {
			t.Fatalf("in writes of %d: %v\n%q\nwant\n%q", size, err, out.String(), want)
		}
	}
}
