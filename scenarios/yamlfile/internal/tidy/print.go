package tidy

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// printer writes one document.
type printer struct {
	style   Style
	out     *bytes.Buffer
	root    *yaml.Node
	src     *source
	entries []*entry                // entries is all entries of the document, in its order.
	of      map[*yaml.Node][]*entry // of has the entries of each collection.

	head []string // head is the comments at the top.
	gap  bool     // gap says that there is a blank line below head.
	foot []string // foot is the comments at the end.
}

// read finds the scalars, entries and comments of a document.
func (p *printer) read(d Document) (err error) {
	p.root, p.of = d.Root, map[*yaml.Node][]*entry{}
	if p.src, err = newSource(d.Text, d.Root); err != nil {
		return err
	}
	p.collect(d.Root, nil)
	if len(p.entries) > 0 {
		p.attach()
	}
	return nil
}

// document writes the document.
func (p *printer) document() {
	p.comments(p.head, 0)
	if p.gap && len(p.head) > 0 {
		p.out.WriteByte('\n')
	}
	if props := properties(p.root); props != "" {
		p.out.WriteString(props + "\n")
	}
	if p.inLines(p.root) {
		p.block(p.root, 0, false)
	} else {
		p.out.WriteString(p.flow(p.root) + "\n")
	}
	p.footer(p.foot, 0)
}

func (p *printer) write(indent int, text string) {
	if text != "" {
		p.out.WriteString(strings.Repeat(" ", indent) + text)
	}
	p.out.WriteByte('\n')
}

// comments writes lines of comments.
func (p *printer) comments(lines []string, indent int) {
	for _, line := range lines {
		p.write(indent, line)
	}
}

// footer writes the comments below an entry.
func (p *printer) footer(lines []string, indent int) {
	if len(lines) > 0 && lines[0] == "" {
		p.out.WriteByte('\n')
	}
	p.comments(trim(lines), indent)
}

// inLines reports whether a value is written over several lines, if the value around it
// is.
func (p *printer) inLines(n *yaml.Node) bool {
	if len(n.Content) == 0 || n.Kind == yaml.AliasNode {
		return false
	}
	return n.Style&yaml.FlowStyle == 0 || p.style.InLines(n) || p.spread(n, n.Line)
}

// spread reports whether the author wrote a value in brackets over several lines or with
// comments in it. Line is the line in which it begins.
func (p *printer) spread(n *yaml.Node, line int) bool {
	return slices.ContainsFunc(p.of[n], func(e *entry) bool {
		if e.line != line || len(e.head)+len(e.foot) > 0 || e.side != "" {
			return true
		}
		return e.value.Line != line || len(p.src.scalars[e.value].lines) > 1 || e.value.Kind != yaml.AliasNode && p.spread(e.value, line)
	})
}

// block writes a collection over several lines. Begun says that the first line is already
// indented, and the comments above its first entry are written.
func (p *printer) block(n *yaml.Node, indent int, begun bool) {
	for i, e := range p.ordered(n) {
		if !begun || i > 0 {
			p.heading(e, indent, i > 0)
			p.out.WriteString(strings.Repeat(" ", indent))
		}
		p.entry(e, indent)
		p.footer(e.foot, indent)
	}
}

// ordered returns the entries of a collection in the order in which they are written.
func (p *printer) ordered(n *yaml.Node) []*entry {
	entries := p.of[n]
	if n.Kind != yaml.MappingNode {
		return entries
	}
	list := make([]*entry, 0, len(entries))
	for _, i := range p.style.Order(n) {
		list = append(list, entries[i])
	}
	return list
}

// first returns the first entry in the value of an item if it is written on the line of
// the item's dash, else nil.
func (p *printer) first(e *entry) *entry {
	if e.key == nil && p.inLines(e.value) && properties(e.value) == "" {
		return p.ordered(e.value)[0]
	}
	return nil
}

// heading writes the blank line and the comments above an entry.
func (p *printer) heading(e *entry, indent int, apart bool) {
	if e.blank && apart {
		p.out.WriteByte('\n')
	}
	above := trim(e.head)
	p.comments(above, indent)
	if len(above) > 0 && e.head[len(e.head)-1] == "" {
		p.out.WriteByte('\n')
	}
	inner := p.first(e)
	if inner == nil {
		return
	}
	// The line that the item had becomes several.
	if inner.side == "" && len(p.of[e.value]) == 1 && !p.inLines(inner.value) {
		inner.side = e.side
	} else if e.side != "" {
		p.write(indent, e.side)
	}
	p.heading(inner, indent, false)
}

// entry writes an entry into a line that is already indented.
func (p *printer) entry(e *entry, indent int) {
	lead := "-"
	if e.key != nil {
		lead = p.key(e.key) + ":"
	}
	if props := properties(e.value); props != "" {
		lead += " " + props
	}
	side := ""
	if e.side != "" {
		side = " " + e.side
	}
	switch {
	case p.first(e) != nil:
		p.out.WriteString("- ")
		p.block(e.value, indent+2, true)
	case p.inLines(e.value):
		p.out.WriteString(lead + side + "\n")
		p.block(e.value, indent+2, false)
	case e.value.Kind == yaml.ScalarNode:
		p.scalar(e.value, lead, side, indent+2)
	default:
		p.out.WriteString(lead + " " + p.flow(e.value) + side + "\n")
	}
}

// scalar writes lead, a scalar in as many lines as the author used, and the comment side:
// behind the header of a block, else behind the last line.
func (p *printer) scalar(n *yaml.Node, lead, side string, indent int) {
	text := p.src.scalars[n]
	first := p.text(n)
	if first != "" {
		first = " " + first
	}
	if len(text.lines) > 1 && !text.block {
		first = " " + text.lines[0]
	}
	p.out.WriteString(lead + first)
	for i, line := range text.lines[min(1, len(text.lines)):] {
		if i == 0 && text.block {
			p.out.WriteString(side)
		}
		p.out.WriteByte('\n')
		if line != "" {
			p.out.WriteString(strings.Repeat(" ", indent) + line)
		}
	}
	if !text.block || len(text.lines) == 1 {
		p.out.WriteString(side)
	}
	p.out.WriteByte('\n')
}

// flow returns a value in one line.
func (p *printer) flow(n *yaml.Node) string {
	switch n.Kind {
	case yaml.AliasNode:
		return "*" + n.Value
	case yaml.ScalarNode:
		return p.text(n)
	}
	var items []string
	for _, e := range p.ordered(n) {
		item := strings.TrimSpace(properties(e.value) + " " + p.flow(e.value))
		if e.key != nil {
			item = strings.TrimSpace(p.key(e.key) + ": " + item)
		}
		items = append(items, item)
	}
	if n.Kind == yaml.SequenceNode {
		return "[" + strings.Join(items, ", ") + "]"
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// key returns the text of a key, without quotes if it can be read without them.
func (p *printer) key(n *yaml.Node) string {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 && node.IsName(n.Value) {
		return n.Value
	}
	return p.text(n)
}

// text returns the text of a scalar in one line.
func (p *printer) text(n *yaml.Node) string {
	text := strings.Join(p.src.scalars[n].lines[:1], "")
	switch {
	case n.Style&yaml.TaggedStyle != 0:
		return text
	case n.Style&yaml.SingleQuotedStyle != 0 && len(p.src.scalars[n].lines) == 1 && !strings.ContainsAny(n.Value, `"\`):
		return `"` + n.Value + `"`
	case node.ShapeOf(n) == node.Null:
		return "null"
	case node.ShapeOf(n) == node.Bool:
		return strings.ToLower(text)
	}
	return text
}

// properties returns the anchor and the tag of a value.
func properties(n *yaml.Node) string {
	var list []string
	if n.Anchor != "" && n.Kind != yaml.AliasNode {
		list = append(list, "&"+n.Anchor)
	}
	if n.Style&yaml.TaggedStyle != 0 {
		list = append(list, n.ShortTag())
	}
	return strings.Join(list, " ")
}
