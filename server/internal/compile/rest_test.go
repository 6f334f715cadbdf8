package compile

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// If a request adds members to an object, the bytes are those of an object that had these
// members from the start.
func TestTheRestOfABodyIsAsIfItHadBeenThere(t *testing.T) {
	t.Parallel()
	body := ojson.Object(ojson.M("id", ojson.String("x")), ojson.M("choices", ojson.Array(ojson.Object(ojson.M("index", ojson.Int(0))))))
	added := ojson.Object(ojson.M("metadata", ojson.Object(ojson.M("a", ojson.String("b")))), ojson.M("more", ojson.Array(ojson.Int(1))))
	for name, style := range map[string]*scenarios.JSONStyle{
		"as the service": nil, "compact": {}, "spaces": {Spaces: true}, "four spaces": {Indent: 4}, "ASCII": {Escapes: "ascii", Spaces: true},
	} {
		for _, rest := range []ojson.Value{added, ojson.Object()} {
			whole := body.Clone()
			for _, m := range rest.Members() {
				whole.Set(m.Name, m.Value)
			}
			want := bodyText(style, Unit{JSON: whole, FinalNewline: true}, nil)
			if got := bodyText(style, Unit{JSON: body, FinalNewline: true, Open: true}, Rest(style, rest)); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

func bodyText(style *scenarios.JSONStyle, body Unit, rest []byte) string {
	values := player.NewValues(nil)
	values.Set(hole.Rest, rest)
	frame := body.bodyFrame(style)
	return string(frame.Append(nil, values))
}
