package completions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Fold combines chunks into one completion.
func (Surface) Fold(units []compile.Unit, o surface.Options) ojson.Value {
	o.Object, o.Envelope.Object = "", scenarios.Opt[scenarios.Text]{}
	s := speaker{options: &o}
	f := folding{}
	for i := range units {
		if u := &units[i]; u.Paced && u.Kind != "error" {
			f.add(u.JSON)
		}
	}
	slices.SortFunc(f.choices, func(a, b *folded) int { return cmp.Compare(a.index, b.index) })
	choices := ojson.Array()
	for _, c := range f.choices {
		choices.Push(c.value())
	}
	head := s.head()
	v := ojson.Object(
		ojson.M("id", orElse(f.own.Get("id"), head.id)), ojson.M("object", head.object),
		ojson.M("created", orElse(f.own.Get("created"), head.created)), ojson.M("model", orElse(f.own.Get("model"), head.model)),
		ojson.M("choices", choices), ojson.M("usage", f.usage),
		ojson.M("system_fingerprint", head.fingerprint), ojson.M("service_tier", head.tier),
	)
	v.SetMissing(f.own.Members())
	return o.AmendEverywhere(v, func(p ojson.Path) []ojson.Path { return placesOf(p, len(f.choices)) })
}

// folding accumulates chunks.
type folding struct {
	choices []*folded
	usage   ojson.Value
	own     ojson.Value // own holds the members beside choices and usage; the first of each counts
}

// folded is one choice.
type folded struct {
	index    int64
	text     strings.Builder
	logprobs ojson.Value
	finish   ojson.Value
	others   ojson.Value // others holds what providers add beside the text.
}

func (f *folding) add(chunk ojson.Value) {
	if usage := chunk.Get("usage"); usage.Kind() == ojson.ObjectKind {
		f.usage = usage
	}
	if f.own.IsAbsent() {
		f.own = ojson.Object()
	}
	f.own.SetMissing(slices.DeleteFunc(slices.Clone(chunk.Members()), func(m ojson.Member) bool {
		return m.Name == "choices" || m.Name == "usage" || m.Name == "object"
	}))
	for _, c := range chunk.Get("choices").Items() {
		f.choice(c).add(c)
	}
}

func (f *folding) choice(c ojson.Value) *folded {
	index, _ := c.Get("index").Int()
	for _, old := range f.choices {
		if old.index == index {
			return old
		}
	}
	added := &folded{index: index}
	f.choices = append(f.choices, added)
	return added
}

func (c *folded) add(choice ojson.Value) {
	c.text.WriteString(choice.Get("text").Text())
	if finish := choice.Get("finish_reason"); finish.Text() != "" {
		c.finish = finish
	}
	surface.KeepLast(&c.others, choice, "text", "index", "logprobs", "finish_reason")
	more := choice.Get("logprobs")
	if more.Kind() != ojson.ObjectKind {
		return
	}
	if c.logprobs.IsAbsent() {
		c.logprobs = more.Clone()
		return
	}
	c.logprobs = joined(c.logprobs, more)
}

func (c *folded) value() ojson.Value {
	v := ojson.Object(
		ojson.M("text", ojson.String(c.text.String())),
		ojson.M("index", ojson.Int(c.index)),
		ojson.M("logprobs", orElse(c.logprobs, ojson.Null())),
		ojson.M("finish_reason", orElse(c.finish, ojson.Null())),
	)
	v.SetAll(c.others.Members())
	return v
}
