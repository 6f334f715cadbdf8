// Package compare says how two answers differ in the terms of the protocol: in status and headers, in the kinds of
// events and their order, in the members of their JSON, and in how they are written as lines. What is another with each
// answer is no difference: ids, times, counts of tokens, what a text says and where it is cut.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Difference is one difference of an answer from another one.
type Difference struct {
	Where string `json:"where"` // Where is a header, or a kind of event and a place in its JSON.
	What  string `json:"what"`
}

// Plans returns how answer b differs from answer a; with texts also in what they say.
func Plans(a, b journal.Plan, texts bool) []Difference {
	c := comparison{texts: texts, at: map[string]int{}}
	c.kids("", "", headOf(a), headOf(b))
	one, other := readAnswer(a), readAnswer(b)
	c.events(one, other)
	streams := one.stream && other.stream
	c.kids("", "", one.framing(streams), other.framing(streams))
	return c.found
}

// node is what answers are compared by: a place in the JSON of all events of one kind, a header, or a property.
type node struct {
	forms   []string // forms are the types of the values at this place; a string that is a name of the protocol stands for itself.
	visits  int      // visits is how often the place is there.
	objects int      // objects counts the values at this place that are objects.
	order   []string // order has the names of its members, in their order.
	kids    map[string]*node
	text    strings.Builder // text has all its strings.
}

func (n *node) kid(name string) *node {
	if n.kids[name] == nil {
		if n.kids == nil {
			n.kids = map[string]*node{}
		}
		n.kids[name] = &node{}
	}
	return n.kids[name]
}

func (n *node) set(name, value string) {
	n.order = append(n.order, name)
	n.kid(name).forms = []string{value}
}

type comparison struct {
	texts bool
	found []Difference
	at    map[string]int // at is where the difference of a place in the JSON of events is in found.
}

// addDifference adds a difference. If events of other kinds differ in the same way at the same place, it adds the kind to
// that difference instead.
func (c *comparison) addDifference(kind, place, format string, args ...any) {
	if kind != "" && place != "" {
		place = ": " + place
	}
	what := fmt.Sprintf(format, args...)
	at, known := c.at[place+"\n"+what]
	if !known || kind == "" {
		c.at[place+"\n"+what] = len(c.found)
		c.found = append(c.found, Difference{kind + place, what})
		return
	}
	c.found[at].Where = strings.TrimSuffix(c.found[at].Where, place) + ", " + kind + place
}

// compareTexts adds a difference unless the texts of the two answers are equal.
func (c *comparison) compareTexts(kind, place, was, is string) {
	if was != is {
		c.addDifference(kind, place, "is %s, was %s", is, was)
	}
}

// nodes compares a place that both answers have.
func (c *comparison) nodes(kind, place string, a, b *node) {
	if len(a.forms) > 0 && len(b.forms) > 0 {
		c.compareTexts(kind, place, strings.Join(a.forms, " or "), strings.Join(b.forms, " or "))
	}
	if c.texts && isContent(place) && slices.Equal(a.forms, b.forms) {
		c.compareTexts(kind, place, quote(a.text.String()), quote(b.text.String()))
	}
	c.kids(kind, place, a, b)
}

// kids compares the members of two places. If one of the places never has an object, as in an empty list, its members are
// not missing.
func (c *comparison) kids(kind, place string, a, b *node) {
	for _, name := range union(a.order, b.order) {
		x, y, at := a.kids[name], b.kids[name], join(place, name)
		switch {
		case x == nil && (a.objects > 0 || kind == ""):
			c.addDifference(kind, at, "appeared%s", b.inSome(y, " in "))
		case y == nil && (b.objects > 0 || kind == ""):
			c.addDifference(kind, at, "vanished%s", a.inSome(x, ", was in "))
		case x != nil && y != nil:
			c.nodes(kind, at, x, y)
			if (x.visits < a.objects) != (y.visits < b.objects) {
				c.compareTexts(kind, at, a.inSome(x, "in "), b.inSome(y, "in "))
			}
		}
	}
	if was, is := differing(a.order, b.order); len(was) > 0 {
		c.addDifference(kind, place, "has the order %s, was %s", strings.Join(is, ", "), strings.Join(was, ", "))
	}
}

// inSome says in how many of the objects a member is; "" where there are no objects to count.
func (n *node) inSome(kid *node, before string) string {
	switch n.objects {
	case 0:
		return ""
	case kid.visits:
		return before + "each"
	}
	return fmt.Sprintf("%s%d of %d", before, kid.visits, n.objects)
}

func join(place, name string) string {
	if place == "" || strings.HasPrefix(name, "[") {
		return place + name
	}
	return place + "." + name
}

func union(a, b []string) []string {
	return append(slices.Clone(a), without(b, a)...)
}

// without returns the names of a list that the other list has not.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(other, name) })
}

// differing returns the names that both lists have, from the first to the last one whose place differs.
func differing(a, b []string) (was, is []string) {
	was, is = without(a, without(a, b)), without(b, without(b, a))
	for len(was) > 0 && was[0] == is[0] {
		was, is = was[1:], is[1:]
	}
	for len(was) > 0 && was[len(was)-1] == is[len(is)-1] {
		was, is = was[:len(was)-1], is[:len(is)-1]
	}
	return was, is
}
