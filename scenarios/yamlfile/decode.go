package yamlfile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// decoder reads the values of one file. It collects problems and goes on, so
// that an author sees all of them at once.
type decoder struct {
	file  string
	diags diag.List
	nodes int // values seen so far, aliases written out
}

func (d *decoder) pos(n *yaml.Node) diag.Pos {
	return diag.Pos{File: d.file, Line: n.Line, Col: n.Column}
}

// report adds a problem at n.
func (d *decoder) report(n *yaml.Node, hint, format string, args ...any) {
	d.diags = append(d.diags, diag.Problem{
		Pos:     d.pos(n),
		Width:   underline(n),
		Message: fmt.Sprintf(format, args...),
		Hint:    hint,
	})
}

// underline is how many characters of n's line a mark should cover.
func underline(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return 1
	}
	width := utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		width += 2
	}
	return max(width, 1)
}

// pair is a key and its value in a mapping.
type pair struct {
	name       string
	key, value *yaml.Node
}

// pairs are the members of a mapping, and whether all its keys are good. Keys
// that are no texts, that stand there twice, or that merge another mapping are
// reported and left out.
func (d *decoder) pairs(n *yaml.Node) (list []pair, whole bool) {
	whole = true
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch earlier := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			d.report(key, templateHint(n), "a key must be a text, found %s", inWords(key))
		case key.ShortTag() == "!!merge":
			d.report(key, "write the members out, or use extends", "merge keys are not supported")
		case earlier != nil:
			d.report(key, "", "key %q is already set at line %d", shortened(key.Value), earlier.Line)
		default:
			first[key.Value] = key
			list = append(list, pair{key.Value, key, value})
			continue
		}
		whole = false
	}
	return list, whole
}

// members is a mapping as the checks of a section see it: the keys that the
// section knows.
type members struct {
	node  *yaml.Node
	pairs []pair
	whole bool // every member could be read
}

// key is the node of a key, or nil when the mapping has no such key.
func (m members) key(name string) *yaml.Node {
	for _, p := range m.pairs {
		if p.name == name {
			return p.key
		}
	}
	return nil
}

// among are the keys of the mapping that are in the list, in the mapping's order.
func (m members) among(names ...string) []pair {
	var found []pair
	for _, p := range m.pairs {
		for _, name := range names {
			if p.name == name {
				found = append(found, p)
			}
		}
	}
	return found
}

// atMostOne reports the keys that exclude each other, all but the first.
func (d *decoder) atMostOne(m members, hint string, names ...string) bool {
	found := m.among(names...)
	for _, p := range found[min(1, len(found)):] {
		d.report(p.key, hint, "%s and %s exclude each other", found[0].name, p.name)
	}
	return len(found) < 2
}

// exactlyOne also reports that none of the keys is there.
func (d *decoder) exactlyOne(m members, what string, names ...string) bool {
	if len(m.among(names...)) == 0 {
		if m.whole {
			d.report(m.node, "", "%s needs one of %s", what, strings.Join(names, ", "))
		}
		return false
	}
	return d.atMostOne(m, "", names...)
}
