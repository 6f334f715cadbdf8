package compile

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// repeats returns the large texts, escaped for JSON strings of that style.
func repeats(texts map[hole.ID]hole.Repeat, style ojson.Style) map[hole.ID]*player.Repeat {
	if len(texts) == 0 {
		return nil
	}
	escape := func(text string) []byte {
		quoted := style.Append(nil, ojson.String(text))
		return quoted[1 : len(quoted)-1]
	}
	list := make(map[hole.ID]*player.Repeat, len(texts))
	for id, text := range texts {
		count, tail := text.Parts()
		list[id] = player.NewRepeat(escape(text.Unit), count, escape(tail))
	}
	return list
}

// repeated returns a large text as it is.
func repeated(text *hole.Repeat) player.Template {
	count, tail := text.Parts()
	return player.Repeated(player.NewRepeat([]byte(text.Unit), count, []byte(tail)))
}
