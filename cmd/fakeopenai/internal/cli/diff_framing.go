package cli

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

func (c *comparison) framing(a, b answer) {
	c.changed(kindFraming, "JSON", a.jsonStyle(), b.jsonStyle())
	if !a.stream || !b.stream {
		return
	}
	c.changed(kindFraming, "ends of lines", a.lineEnds(), b.lineEnds())
	c.changed(kindFraming, "byte order mark", there(a.hasMark()), there(b.hasMark()))
	c.changed(kindFraming, "blank line at the end", there(a.endsBlank()), there(b.endsBlank()))
	c.changed(kindFraming, "space after the colon", a.spaces(), b.spaces())
	c.changed(kindFraming, "data in several lines", a.howMany(severalLines), b.howMany(severalLines))
	c.changed(kindFraming, "comments", a.howMany(hasLine("")), b.howMany(hasLine("")))
	for _, field := range []string{"event", "id", "retry"} {
		c.changed(kindFraming, field+" lines", a.howMany(hasLine(field)), b.howMany(hasLine(field)))
	}
}

func there(is bool) string {
	if is {
		return "there"
	}
	return "not there"
}

func (a answer) hasMark() bool { return bytes.HasPrefix(a.body, []byte("\ufeff")) }

func (a answer) endsBlank() bool { return len(a.events) > 0 && a.events[len(a.events)-1].Whole }

func severalLines(e event) bool { return strings.Contains(e.data, "\n") }

func hasLine(name string) func(event) bool {
	return func(e event) bool {
		return slices.ContainsFunc(slices.Collect(e.Lines()), func(l server.Line) bool { return l.Name == name && !l.Blank() })
	}
}

// howMany says whether none, some or all events have something. The exact number would
// depend on how a text is cut.
func (a answer) howMany(has func(event) bool) string {
	n := 0
	for _, e := range a.events {
		if has(e) {
			n++
		}
	}
	switch {
	case n == 0:
		return "in no event"
	case n == len(a.events):
		return "in all events"
	}
	return "in some events"
}

// spaces says whether a space follows the colons of fields.
func (a answer) spaces() string {
	with, without := false, false
	for _, e := range a.events {
		for l := range e.Lines() {
			if l.Name != "" && l.Value != "" {
				with, without = with || l.Space, without || !l.Space
			}
		}
	}
	if with && without {
		return "there and not there"
	}
	return there(with)
}

func (a answer) jsonStyle() string {
	var styles []string
	for _, e := range a.events {
		if e.json.Kind() == ojson.ObjectKind {
			styles = with(styles, styleOf(e.data, e.json))
		}
	}
	if styles == nil {
		return "not there"
	}
	return strings.Join(styles, " or ")
}

func styleOf(text string, v ojson.Value) string {
	for _, style := range []struct {
		name string
		ojson.Style
	}{
		{"compact", ojson.Style{}},
		{"compact, in ASCII", ojson.Style{ASCII: true}},
		{"compact, with HTML escaped", ojson.Style{HTML: true}},
		{"spaced", ojson.Style{Spaces: true}},
		{"spaced, in ASCII", ojson.Style{Spaces: true, ASCII: true}},
	} {
		if strings.TrimSpace(text) == string(style.Append(nil, v)) {
			return style.name
		}
	}
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return "in lines"
	}
	return "irregular"
}
