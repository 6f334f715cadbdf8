package compile

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// repeats are large texts, escaped for JSON strings of that style.
func repeats(fills []script.Fill, style ojson.Style) []*player.Repeat {
	escape := func(text string) []byte {
		quoted := style.Append(nil, ojson.String(text))
		return quoted[1 : len(quoted)-1]
	}
	list := make([]*player.Repeat, len(fills))
	for i, f := range fills {
		count, tail := f.Parts()
		list[i] = player.NewRepeat(escape(f.Unit), count, escape(tail))
	}
	return list
}

// repeated is a large text as it is.
func repeated(f *script.Fill) player.Template {
	count, tail := f.Parts()
	return player.Repeated(player.NewRepeat([]byte(f.Unit), count, []byte(tail)))
}
