package compile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

func TestPiecesAreBounded(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("x"), 2*maxPieces)
	frames := []player.Frame{{Bytes: player.Literal(text)}, {Bytes: player.Literal(text)}}
	for name, pieces := range map[string][]player.Frame{
		"split": split(frames, &scenarios.Split{By: "byte"}, nil),
		"drip":  drip(frames, 1),
	} {
		total := 0
		for _, f := range pieces {
			total += len(f.Bytes.Data())
		}
		if len(pieces) > maxPieces+2 || total != 2*len(text) {
			t.Errorf("%s: %d bytes in %d pieces, want %d bytes in about %d", name, total, len(pieces), 2*len(text), maxPieces)
		}
	}
}

func TestCutsFallWhereTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		split scenarios.Split
		want  []int
	}{
		{"abc", scenarios.Split{By: "byte"}, []int{1, 2}},
		{"abcdefg", scenarios.Split{Size: 3}, []int{3, 6}},
		{"aéb🎉", scenarios.Split{By: "rune"}, []int{1, 3, 4}},
		{"aéb🎉", scenarios.Split{By: "inside_rune"}, []int{2, 5, 6, 7}},
		{"aéb🎉", scenarios.Split{By: "inside_rune", Rune: "é"}, []int{2}},
		{"a\r\n\r\nb\n", scenarios.Split{By: "crlf"}, []int{2, 4}},
		{"data: {\"a\":1}\n\nid: 7\n", scenarios.Split{By: "field"}, []int{5, 13, 14, 15, 18, 20}},
	} {
		if got := cuts([]byte(tt.text), &tt.split, 100, nil); !slices.Equal(got, tt.want) {
			t.Errorf("%q by %+v is cut at %v, want %v", tt.text, tt.split, got, tt.want)
		}
	}
}
