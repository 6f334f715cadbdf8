package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// holdsForOne reports whether m holds for one of the texts, and captures from the first such text.
func (m *TextMatch) holdsForOne(texts []string, t *trial) bool {
	for _, text := range texts {
		if m.holds(text, t) {
			return true
		}
	}
	return false
}

func (m *TextMatch) holds(text string, t *trial) bool {
	switch {
	case !t.goesOn(len(text)):
		return false
	case m.Equals != nil:
		return text == *m.Equals
	case m.Contains != nil:
		return strings.Contains(text, *m.Contains)
	case m.AnyOf != nil:
		return slices.ContainsFunc(m.AnyOf, func(one TextMatch) bool { return one.holds(text, t) })
	case m.Matches != nil:
		if t == nil || t.found == nil {
			return m.Matches.MatchString(text)
		}
		return m.capture(text, t.found)
	}
	return true
}

// Covers reports whether m holds for every text for which another condition does. A condition that
// captures covers none, because templates can use what it captures.
func (m *TextMatch) Covers(other *TextMatch) bool {
	switch {
	case other.Equals != nil:
		return (m.Matches == nil || m.Matches.NumSubexp() == 0) && m.holds(*other.Equals, nil)
	case other.Contains != nil && m.Contains != nil:
		return strings.Contains(*other.Contains, *m.Contains)
	}
	return false
}

func (m *TextMatch) capture(text string, found map[string]string) bool {
	groups := m.Matches.FindStringSubmatch(text)
	for i, name := range m.Matches.SubexpNames() {
		if groups != nil && name != "" {
			found[name] = groups[i]
		}
	}
	return groups != nil
}

// describe is the condition in words, in full.
func (m *TextMatch) describe() string {
	if m.AnyOf != nil {
		return m.each((*TextMatch).describe, " or ")
	}
	verb, text := m.verb()
	return verb[0] + " " + text
}

// describeFailure says in words that the condition does not hold.
func (m *TextMatch) describeFailure() string {
	if m.AnyOf != nil {
		return diag.Shorten(m.each((*TextMatch).describeFailure, " and "))
	}
	verb, text := m.verb()
	return verb[1] + " " + diag.Shorten(text)
}

// each joins what say returns for each of the conditions of which one must hold.
func (m *TextMatch) each(say func(*TextMatch) string, between string) string {
	said := make([]string, len(m.AnyOf))
	for i := range said {
		said[i] = say(&m.AnyOf[i])
	}
	return strings.Join(said, between)
}

// alternatives returns the conditions of which one must hold: those of AnyOf, or m itself.
func (m *TextMatch) alternatives() []TextMatch {
	switch {
	case m == nil:
		return nil
	case m.AnyOf != nil:
		return m.AnyOf
	}
	return []TextMatch{*m}
}

func (m *TextMatch) verb() (verb [2]string, text string) {
	switch {
	case m.Equals != nil:
		return [2]string{"is", "is not"}, strconv.Quote(*m.Equals)
	case m.Contains != nil:
		return [2]string{"contains", "does not contain"}, strconv.Quote(*m.Contains)
	case m.Matches != nil:
		return [2]string{"matches", "does not match"}, m.Matches.String()
	}
	return [2]string{"is", "is not"}, "any text"
}

// textMatches returns all conditions of w on texts.
func (w *When) textMatches() []*TextMatch {
	list := []*TextMatch{w.User, w.System, w.Messages, w.APIKey}
	for _, r := range w.ToolResults {
		list = append(list, r.Content)
	}
	for _, h := range w.Header {
		list = append(list, h.Match)
	}
	for _, b := range w.Body {
		list = append(list, b.Match)
	}
	return list
}

// GroupNames returns the names of the groups, and of the parts of paths, that the conditions can capture.
func (w *When) GroupNames() []string {
	names := w.pathNames()
	for _, m := range w.textMatches() {
		for _, one := range m.alternatives() {
			if one.Matches == nil {
				continue
			}
			for _, name := range one.Matches.SubexpNames() {
				if name != "" {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
