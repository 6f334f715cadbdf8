package sse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// described returns a block as a short text, such as "event=a data=x" or "data=x, broken off".
func described(b Block) string {
	var parts []string
	for _, field := range []struct {
		name string
		of   func() (string, bool)
	}{{":", b.Comment}, {"event=", b.Event}, {"id=", b.ID}, {"retry=", b.Retry}, {"data=", b.Data}} {
		if value, ok := field.of(); ok {
			parts = append(parts, field.name+value)
		}
	}
	if !b.Whole {
		parts = append(parts, "broken off")
	}
	return strings.Join(parts, " ")
}

func describedAll(list []Block) []string {
	var texts []string
	for _, b := range list {
		texts = append(texts, described(b))
	}
	return texts
}

var readings = []struct {
	name, stream string
	want         []string
}{
	{"nothing", "", nil},
	{"an event", "data: x\n\n", []string{"data=x"}},
	{"events", "data: x\n\ndata: y\n\n", []string{"data=x", "data=y"}},
	{"all fields", ": c\nevent: e\nid: 7\nretry: 3000\ndata: x\n\n", []string{":c event=e id=7 retry=3000 data=x"}},
	{"data of several lines", "data: a\ndata\ndata:b\n\n", []string{"data=a\n\nb"}},
	{"only one space is left out", "data:  a \n\n", []string{"data= a "}},
	{"data without a colon is empty", "data\n\n", []string{"data="}},
	{"comments alone", ":\n: a: b\n\n", []string{":\na: b"}},
	{"unknown fields", "datas: x\n\n", []string{""}},
	{"the last name", "event: a\nevent: b\ndata: x\n\n", []string{"event=b data=x"}},
	{"an id with NUL", "id: 1\nid: 2\x00\ndata: x\n\n", []string{"id=1 data=x"}},
	{"blank lines", "\n\ndata: x\n\n\n", []string{"", "", "data=x", ""}},
	{"CR LF", "data: x\r\n\r\ndata: y\r\n\r\n", []string{"data=x", "data=y"}},
	{"CR", "data: a\rdata: b\r\rdata: y\r\r", []string{"data=a\nb", "data=y"}},
	{"mixed line ends", "data: a\r\ndata: b\n\rdata: c\r\r\ndata: d\n\r\n", []string{"data=a\nb", "data=c", "data=d"}},
	{"a byte order mark", "\ufeffdata: x\n\n", []string{"data=x"}},
	{"a byte order mark later", "data: x\n\n\ufeffdata: y\n\n", []string{"data=x", ""}},
	{"an unfinished event", "data: x\n\ndata: y\n", []string{"data=x", "data=y broken off"}},
	{"an unfinished line", "data: x\n\ndata: y\ndata: z", []string{"data=x", "data=y\nz broken off"}},
	{"an unfinished line end", "data: x\r\n\r\ndata: y\r", []string{"data=x", "data=y broken off"}},
}

func TestBlocksAreReadAsTheStandardSays(t *testing.T) {
	t.Parallel()
	for _, tt := range readings {
		blocks := Blocks([]byte(tt.stream))
		if got := describedAll(blocks); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q is read as %q, want %q", tt.name, tt.stream, got, tt.want)
		}
		var joined []byte
		for _, b := range blocks {
			joined = append(joined, b.Raw...)
		}
		if want := strings.TrimPrefix(tt.stream, ByteOrderMark); string(joined) != want {
			t.Errorf("%s: the blocks of %q joined are %q", tt.name, tt.stream, joined)
		}
	}
}

// readIn reads a stream in pieces of the size.
func readIn(stream string, size int) []Block {
	var r Reader
	var list []Block
	for piece := range slices.Chunk([]byte(stream), size) {
		list = append(list, r.Read(slices.Clone(piece))...)
	}
	if rest, ok := r.Rest(); ok {
		list = append(list, rest)
	}
	return list
}

func TestPiecesOfAnySizeGiveTheSameBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range readings {
		for size := 1; size <= 4; size++ {
			if got := describedAll(readIn(tt.stream, size)); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q in pieces of %d bytes is read as %q, want %q", tt.name, tt.stream, size, got, tt.want)
			}
		}
	}
}

func TestABlockIsThereWithItsLastByte(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"data: x\n\n", "data: x\r\r", "data: x\r\n\r\n"} {
		end := len(stream)
		if strings.HasSuffix(stream, "\r\n\r\n") {
			end-- // the CR already ends the blank line
		}
		var r Reader
		if got := r.Read([]byte(stream[:end-1])); got != nil {
			t.Errorf("%q: a block is there before its last byte: %q", stream, describedAll(got))
		}
		if got := describedAll(r.Read([]byte(stream[end-1 : end]))); !slices.Equal(got, []string{"data=x"}) {
			t.Errorf("%q: with the last byte there is %q", stream, got)
		}
	}
}

func TestLinesKeepHowTheyAreWritten(t *testing.T) {
	t.Parallel()
	var got []Line
	for l := range (Block{Raw: []byte(":c\r\ndata: x\rid\nretry:5")}).Lines() {
		got = append(got, l)
	}
	want := []Line{
		{Name: "", Value: "c", Colon: true, End: CRLF},
		{Name: "data", Value: "x", Colon: true, Space: true, End: CR},
		{Name: "id", End: LF},
		{Name: "retry", Value: "5", Colon: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestBlocksStayWhenMoreIsRead(t *testing.T) {
	t.Parallel()
	var r Reader
	var blocks []Block
	for i := range 100 {
		blocks = append(blocks, r.Read(fmt.Appendf(nil, "data: %d\n\n", i))...)
	}
	for i, b := range blocks {
		if data, _ := b.Data(); data != fmt.Sprint(i) {
			t.Fatalf("block %d has the data %q after more was read", i, data)
		}
	}
}

// FuzzRead writes events in any framing, and reads them in pieces.
func FuzzRead(f *testing.F) {
	f.Add("hello", "\r", 3, true)
	f.Add("a\nb\n\nc", "\r\n", 1, false)
	f.Add(": x", "\n", 2, true)
	f.Fuzz(func(t *testing.T, text, newline string, size int, space bool) {
		if !slices.Contains([]string{LF, CRLF, CR}, newline) || size < 1 {
			t.Skip("no framing")
		}
		text = lineFeeds.Replace(text)
		if !space && (strings.HasPrefix(text, " ") || strings.Contains(text, "\n ")) {
			t.Skip("without the space after the colon, a reader takes that of the text for it")
		}
		framing := Framing{Newline: newline, NoSpace: !space}
		stream := framing.Append(nil, &Event{Data: []byte(text)})
		stream = framing.Append(stream, &Event{Data: []byte("end")})
		want := []string{"data=" + text, "data=end"}
		if got := describedAll(Blocks(stream)); !slices.Equal(got, want) {
			t.Errorf("%q is read as %q", stream, got)
		}
		if got := describedAll(readIn(string(stream), size)); !slices.Equal(got, want) {
			t.Errorf("%q in pieces of %d bytes is read as %q", stream, size, got)
		}
	})
}
