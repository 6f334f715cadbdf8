package responses

import (
	"math"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// logprobsOf returns the log-probabilities of the text of a group.
func logprobsOf(g *script.Group) []ojson.Value {
	for _, beat := range g.Beats {
		l, ok := beat.(script.Logprobs)
		if !ok {
			continue
		}
		list := make([]ojson.Value, len(l.Content.Items()))
		for i, entry := range l.Content.Items() {
			list[i] = ordered(entry)
		}
		return list
	}
	return nil
}

// ordered returns an entry with its members in the order of recordings.
func ordered(entry ojson.Value) ojson.Value {
	v := entry.First("token", "bytes", "logprob")
	if list := v.Get("top_logprobs"); !list.IsAbsent() {
		top := ojson.Array()
		for _, other := range list.Items() {
			top.Push(ordered(other))
		}
		v.Set("top_logprobs", top)
	}
	return v
}

// roundedLogprobs returns the entries as in closed items: rounded to six decimals, unlike those
// of the events before.
func roundedLogprobs(list []ojson.Value) ojson.Value {
	out := ojson.Array()
	for _, entry := range list {
		out.Push(rounded(entry))
	}
	return out
}

func rounded(entry ojson.Value) ojson.Value {
	entry = entry.Clone()
	if n := entry.Get("logprob"); n.Kind() == ojson.NumberKind {
		entry.Set("logprob", ojson.Number(sixDecimals(n.Text())))
	}
	for i, other := range entry.Get("top_logprobs").Items() {
		entry.Get("top_logprobs").Items()[i] = rounded(other)
	}
	return entry
}

func sixDecimals(number string) string {
	const decimals = 1e6
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(math.Round(f*decimals)/decimals, 'f', -1, 64)
}
