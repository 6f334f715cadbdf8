package tidy

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// entry is a pair of a mapping or an item of a list, with its comments.
type entry struct {
	key, value *yaml.Node // key is nil in a list.
	up         *entry     // up is the entry whose value contains this one.
	line       int
	column     int // column is the column of its key or its dash.
	from       int // from is the offset at which it begins.

	blank bool     // blank says that there is a blank line before it and its comments.
	head  []string // head is the comments above it.
	side  string   // side is the comment at the end of its line.
	foot  []string // foot is the comments below it that do not belong to a later entry.
}

// collect appends the entries in a value to those of the document, in their order.
func (p *printer) collect(n *yaml.Node, up *entry) {
	for i := 0; i < len(n.Content); i++ {
		e := &entry{value: n.Content[i], up: up, line: n.Content[i].Line, column: n.Content[i].Column}
		if n.Kind == yaml.MappingNode {
			e.key, e.value = n.Content[i], n.Content[i+1]
			i++
		} else if n.Style&yaml.FlowStyle == 0 {
			e.column = max(1, e.column-2)
		}
		e.from = p.src.offset(e.line, n.Content[i].Column)
		if e.key != nil {
			e.from = p.src.offset(e.line, e.key.Column)
		}
		p.entries = append(p.entries, e)
		p.of[n] = append(p.of[n], e)
		if e.value.Kind != yaml.AliasNode {
			p.collect(e.value, e)
		}
	}
}

// comment is a comment, or a blank line between others.
type comment struct {
	text   string // text begins with its #; "" is a blank line.
	at     int    // at is its offset.
	line   int
	column int
	alone  bool // alone says that there is nothing else on its line.
}

// comments returns the comments and blank lines of the text that are outside scalars.
func (s *source) comments() []comment {
	var list []comment
	taken := s.taken
	for i, start := range s.starts {
		end := len(s.text)
		if i+1 < len(s.starts) {
			end = s.starts[i+1] - 1
		}
		for len(taken) > 0 && taken[0].to <= start {
			taken = taken[1:]
		}
		within := len(taken) > 0 && taken[0].from < start
		if line := strings.TrimSpace(s.text[start:end]); line == "" && !within {
			list = append(list, comment{at: start, line: i + 1, alone: true})
			continue
		}
		for at, left := start, taken; at < end; at++ {
			for len(left) > 0 && left[0].to <= at {
				left = left[1:]
			}
			if len(left) > 0 && left[0].from <= at {
				at = left[0].to - 1
				continue
			}
			if s.text[at] == '#' && (at == start || isSpace(s.text[at-1])) {
				before := strings.Trim(s.text[start:at], " \t")
				alone := strings.Trim(before, "- \t") == "" // a comment after a dash is above the item
				c := comment{strings.TrimRight(s.text[at:end], " \t"), at, i + 1, at - start + 1, alone}
				if alone && before != "" {
					c.column = 1
				}
				list = append(list, c)
				break
			}
		}
	}
	return list
}

// closings returns the number of brackets that are closed in a part of the text and were
// opened before it.
func (s *source) closings(from, to int) int {
	open, closed := 0, 0
	for at := from; at < to; at++ {
		if i := slices.IndexFunc(s.taken, func(t span) bool { return t.from <= at && at < t.to }); i >= 0 {
			at = s.taken[i].to - 1
			continue
		}
		switch s.text[at] {
		case '#':
			if isSpace(s.text[at-1]) {
				at += strings.IndexByte(s.text[at:], '\n')
			}
		case '{', '[':
			open++
		case '}', ']':
			if open--; open < 0 {
				open, closed = 0, closed+1
			}
		}
	}
	return closed
}

// attach adds each comment to the entry that it belongs to.
func (p *printer) attach() {
	next := 0
	var above []comment
	for _, c := range p.src.comments() {
		for ; next < len(p.entries) && p.entries[next].from < c.at; next++ {
			p.above(next, above)
			above = nil
		}
		if c.alone {
			above = append(above, c)
			continue
		}
		if next == 0 {
			p.head = append(p.head, c.text)
			continue
		}
		p.beside(p.entries[next-1], c)
	}
	if next < len(p.entries) {
		p.above(next, above)
		return
	}
	p.below(p.entries[next-1], above)
}

// beside adds a comment at the end of a line to an entry. E is the last entry that begins
// before the comment; if brackets were closed since then, the comment belongs to an entry
// around e. An entry has one such comment; a second goes above it.
func (p *printer) beside(e *entry, c comment) {
	for range p.src.closings(e.from, c.at) {
		if e.up != nil {
			e = e.up
		}
	}
	if e.side == "" && c.line >= e.line {
		e.side = c.text
		return
	}
	e.head = append(e.head, c.text)
}

// above adds the comments before entry i to it. Those that are indented deeper than the
// entry belong to the entry before it.
func (p *printer) above(i int, list []comment) {
	e := p.entries[i]
	if i == 0 {
		for _, c := range list {
			p.head = append(p.head, c.text)
		}
		p.gap = len(list) > 0 && list[len(list)-1].text == ""
		return
	}
	cut := 0
	if prev := p.entries[i-1]; e.up != prev {
		for j, c := range list {
			if c.text != "" && c.column > e.column {
				cut = j + 1
			}
		}
		p.below(prev, list[:cut])
	}
	list = list[cut:]
	e.blank = len(list) > 0 && list[0].text == ""
	for _, c := range list {
		e.head = append(e.head, c.text)
	}
}

// below adds comments below prev to prev or to an entry around it: the innermost that is
// not indented deeper than the comment. If there is none, they are the document's.
func (p *printer) below(prev *entry, list []comment) {
	blank := false
	for _, c := range list {
		if c.text == "" {
			blank = true
			continue
		}
		e := prev
		for e != nil && e.column > c.column {
			e = e.up
		}
		foot := &p.foot
		if e != nil && c.column > p.entries[0].column {
			foot = &e.foot
		}
		if blank {
			*foot = append(*foot, "")
		}
		*foot = append(*foot, c.text)
		blank = false
	}
}
