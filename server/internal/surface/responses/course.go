package responses

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// An courseEvent is one event in the course of an item, or several of one kind.
type courseEvent interface {
	names() []string
	texts(members ojson.Value) []StreamedText
	say(c *course)
}

type course struct {
	members ojson.Value // members are the members that the author wrote.
	done    ojson.Value // done is the finished item.
	outcome string
	pieces  [][]ojson.Value // pieces are the pieces of the texts that no event has sent yet.
	said    []ToldEvent
}

func (c *course) next() []ojson.Value {
	if len(c.pieces) == 0 {
		return nil
	}
	pieces := c.pieces[0]
	c.pieces = c.pieces[1:]
	return pieces
}

func (c *course) add(s ToldEvent) { c.said = append(c.said, s) }

// announced is an event that has nothing but the item's id and index. On is the status with
// which the item must end to have the event; "" is any.
type announced struct{ name, on string }

func (a announced) names() []string                  { return []string{a.name} }
func (a announced) texts(ojson.Value) []StreamedText { return nil }

func (a announced) say(c *course) {
	stopped := c.outcome == statusFailed || c.outcome == statusIncomplete
	if a.on == "" || a.on == c.outcome || a.on == statusCompleted && !stopped {
		c.add(ToldEvent{Name: a.name})
	}
}

// repeated is an announced event that can come several times or not at all.
type repeated struct{ announced }

// streamed is a text that is sent as deltas and then, in a done event, as a whole.
type streamed struct {
	name  string
	in    string // in names the object that has the member; "" is the item itself.
	of    string
	whole bool
	// otherwise is the text if the author wrote none; "" sends no event.
	otherwise string
}

func (s streamed) names() []string { return []string{s.name + ".delta", s.name + ".done"} }

func (s streamed) value(item ojson.Value) ojson.Value {
	if s.in != "" {
		item = item.Get(s.in)
	}
	if v := item.Get(s.of); !v.IsAbsent() || s.otherwise == "" {
		return v
	}
	return ojson.String(s.otherwise)
}

func (s streamed) texts(members ojson.Value) []StreamedText {
	v := s.value(members)
	switch v.Kind() {
	case ojson.ObjectKind, ojson.ArrayKind:
		v = ojson.String(v.String())
	case ojson.Absent, ojson.NullKind:
		return nil
	}
	return []StreamedText{{Value: v, Whole: s.whole, Of: s.name}}
}

// say adds no events if the item does not have the text.
func (s streamed) say(c *course) {
	text := s.value(c.done)
	if text.IsNullOrAbsent() {
		return
	}
	if len(s.texts(c.members)) > 0 { // a default has no deltas
		for _, piece := range c.next() {
			c.add(ToldEvent{Name: s.name + ".delta", Members: []ojson.Member{ojson.M("delta", piece)}, IsDelta: true})
		}
	}
	c.add(ToldEvent{Name: s.name + ".done", Members: []ojson.Member{ojson.M(s.of, text)}})
}

// commands are the commands of a shell call, one after the other. Their events have no item_id.
type commands struct{}

const shellCommand = "shell_call_command"

func (commands) names() []string {
	return []string{shellCommand + ".added", shellCommand + ".delta", shellCommand + ".done"}
}

func (commands) texts(members ojson.Value) (texts []StreamedText) {
	for i, command := range members.Get("action").Get("commands").Items() {
		texts = append(texts, StreamedText{Value: command, Of: shellCommand, At: i})
	}
	return texts
}

func (e commands) say(c *course) {
	for i, command := range e.texts(c.members) {
		index := ojson.M("command_index", ojson.Int(int64(i)))
		c.add(ToldEvent{Name: shellCommand + ".added", NoID: true, Members: []ojson.Member{index, ojson.M("command", ojson.String(""))}})
		for _, piece := range c.next() {
			c.add(ToldEvent{Name: shellCommand + ".delta", NoID: true, IsDelta: true, Members: []ojson.Member{index, ojson.M("delta", piece)}})
		}
		c.add(ToldEvent{Name: shellCommand + ".done", NoID: true, Members: []ojson.Member{index, ojson.M("command", command.Value)}})
	}
}

type outputs struct{}

const shellContent = "shell_call_output_content"

// streams are the members of an output that are sent in pieces.
var streams = []string{"stdout", "stderr"}

func (outputs) names() []string { return []string{shellContent + ".delta", shellContent + ".done"} }

func (outputs) texts(members ojson.Value) (texts []StreamedText) {
	for i, output := range members.Get("output").Items() {
		for _, name := range streams {
			if text := output.Get(name); text.Text() != "" {
				texts = append(texts, StreamedText{Value: text, Whole: true, At: i})
			}
		}
	}
	return texts
}

func (outputs) say(c *course) {
	for i, output := range c.done.Get("output").Items() {
		index := ojson.M("command_index", ojson.Int(int64(i)))
		for _, name := range streams {
			if output.Get(name).Text() == "" {
				continue
			}
			for _, piece := range c.next() {
				delta := ojson.Object(ojson.M(name, piece))
				c.add(ToldEvent{Name: shellContent + ".delta", Members: []ojson.Member{index, ojson.M("delta", delta)}})
			}
		}
		c.add(ToldEvent{Name: shellContent + ".done", Members: []ojson.Member{index, ojson.M("output", ojson.Array(output))}})
	}
}

type images struct{}

func (images) names() []string                  { return []string{"image_generation_call.partial_image"} }
func (images) texts(ojson.Value) []StreamedText { return nil }

func (e images) say(c *course) {
	for i, image := range c.members.Get("partial_images").Items() {
		members := []ojson.Member{ojson.M("partial_image_b64", image), ojson.M("partial_image_index", ojson.Int(int64(i)))}
		for _, name := range []string{"background", "output_format", "quality", "size"} {
			members = append(members, ojson.M(name, c.done.Get(name)))
		}
		c.add(ToldEvent{Name: e.names()[0], Members: members})
	}
}
