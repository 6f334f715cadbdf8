package lint

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// A talk is a reply as the lint rules look at it: its lines, what they say for
// each choice, and the calls that its fragments make up.
type talk struct {
	reply     *scenarios.Reply
	manner    scenarios.Manner // the one in force
	lines     []script.Line
	parts     []part
	usages    []usagePart
	fragments []fragment
	calls     []*call
	finishes  map[int]string // how each choice ends; none that do not
	opaque    bool           // there are raw bytes or events, which may say anything
	failed    bool           // there is an error in mid-stream
}

// A part is what a chunk says for one choice.
type part struct {
	*script.Line
	at     int // position of the line
	choice int
	delta  ojson.Value
	probs  ojson.Value
	finish scenarios.Opt[string]
}

// A usagePart is a chunk with a usage object.
type usagePart struct {
	*script.Line
	at     int
	object ojson.Value
	alone  bool // the chunk holds no choice
}

// A fragment is one entry of a delta's tool_calls, or a delta's function_call.
type fragment struct {
	part
	entry ojson.Value
	call  *call
	opens bool
}

// A call is a call of a tool, or of a legacy function, put together.
type call struct {
	choice, index int
	kind          string // function, custom, or function_call for the legacy one
	first         *script.Line
	id, name      string
	arguments     strings.Builder
	templated     bool
}

func (t *talk) read(lines []script.Line) {
	t.lines = lines
	for i := range lines {
		l := &lines[i]
		switch l.Kind {
		case script.KindRaw, script.KindEvent:
			t.opaque = true
		case script.KindError:
			t.failed = true
		}
		if l.IsChunk() {
			t.chunk(l, i)
		}
	}
	t.putCallsTogether()
	t.finishes = map[int]string{}
	for _, p := range t.parts {
		if _, finished := t.finishes[p.choice]; p.finishes() && !finished {
			t.finishes[p.choice] = p.finish.Value
		}
	}
}

// chunk takes a chunk apart. One that was written whole holds any number of
// choices; others hold one, or nothing but usage.
func (t *talk) chunk(l *script.Line, at int) {
	usage, before := l.Usage, len(t.parts)
	switch {
	case !l.Chunk.IsAbsent():
		usage = l.Chunk.Get("usage")
		t.wholeChunk(l, at)
	case l.Kind != script.KindUsage:
		t.parts = append(t.parts, part{l, at, l.Choice, l.Delta, l.Logprobs, l.Finish})
	}
	if usage.Kind() == ojson.ObjectKind {
		t.usages = append(t.usages, usagePart{l, at, usage, len(t.parts) == before})
	}
}

func (t *talk) wholeChunk(l *script.Line, at int) {
	for _, c := range l.Chunk.Get("choices").Items() {
		index, _ := c.Get("index").Int()
		p := part{Line: l, at: at, choice: int(index), delta: c.Get("delta"), probs: c.Get("logprobs")}
		if finish := c.Get("finish_reason"); finish.Kind() == ojson.StringKind {
			p.finish = scenarios.Some(finish.Text())
		}
		t.parts = append(t.parts, p)
	}
}

func (t *talk) putCallsTogether() {
	type key struct {
		choice, index int
		legacy        bool
	}
	open := map[key]*call{}
	add := func(p part, entry ojson.Value, index int, legacy bool) {
		k := key{p.choice, index, legacy}
		f := fragment{part: p, entry: entry, call: open[k]}
		if f.call == nil {
			f.opens = true
			f.call = &call{choice: p.choice, index: index, kind: callKind(entry, legacy), first: p.Line}
			open[k] = f.call
			t.calls = append(t.calls, f.call)
		}
		f.call.take(f)
		t.fragments = append(t.fragments, f)
	}
	for _, p := range t.parts {
		for _, entry := range p.delta.Get("tool_calls").Items() {
			index, _ := entry.Get("index").Int()
			add(p, entry, int(index), false)
		}
		if entry := p.delta.Get("function_call"); entry.Kind() == ojson.ObjectKind {
			add(p, entry, 0, true)
		}
	}
}

func callKind(entry ojson.Value, legacy bool) string {
	switch {
	case legacy:
		return "function_call"
	case !entry.Get("custom").IsAbsent() || entry.Get("type").Text() == "custom":
		return "custom"
	}
	return "function"
}

// take adds what a fragment says to its call.
func (c *call) take(f fragment) {
	body := f.body()
	if c.id == "" {
		c.id = f.entry.Get("id").Text()
	}
	if c.name == "" {
		c.name = body.Get("name").Text()
	}
	c.arguments.WriteString(body.Get("arguments").Text())
	c.templated = c.templated || f.Templated
}

// body is the object in a fragment that holds the name and the arguments.
func (f fragment) body() ojson.Value {
	if f.call.kind == "function_call" {
		return f.entry
	}
	return f.entry.Get(f.call.kind)
}

// saysSomething reports whether the part is more than an empty delta.
func (p part) saysSomething() bool {
	return len(p.delta.Members()) > 0 || p.finish.Present && !p.finish.Null
}

// finishes reports whether the part ends its choice.
func (p part) finishes() bool { return p.finish.Present && !p.finish.Null }

// isAudio reports whether the part belongs to a spoken answer, in which the real
// service repeats the role, sends chunks after the usage and no finish.
func (p part) isAudio() bool { return !p.delta.Get("audio").IsAbsent() }

func (t *talk) hasAudio() bool {
	for _, p := range t.parts {
		if p.isAudio() {
			return true
		}
	}
	return false
}

// breaksOff reports whether the stream is not meant to come to its proper end.
func (t *talk) breaksOff() bool {
	if t.failed || t.opaque || t.manner.End.Kind != "" || t.manner.Wire.Body != nil {
		return true
	}
	if t.reply.Stream == nil {
		return false
	}
	for _, s := range *t.reply.Stream {
		if s.Done != nil && !*s.Done {
			return true
		}
	}
	return false
}

// choices are the positions of the choices, in order of appearance.
func (t *talk) choices() []int {
	var list []int
	seen := map[int]bool{}
	for _, p := range t.parts {
		if !seen[p.choice] {
			seen[p.choice] = true
			list = append(list, p.choice)
		}
	}
	return list
}

// written is where the author wrote a part of the line's step, and its text; it
// has no position when the reply is not a stream.
func (t *talk) written(l *script.Line, get func(*scenarios.Step) scenarios.Opt[scenarios.Text]) (diag.Pos, string) {
	if t.reply.Stream == nil || l.Step < 0 || l.Step >= len(*t.reply.Stream) {
		return diag.Pos{}, ""
	}
	text := get(&(*t.reply.Stream)[l.Step]).Value
	return text.Pos, text.Source
}
