package yamlfile

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

func whenSection() *section[scenarios.When] {
	match := textMatchCodec()
	return &section[scenarios.When]{
		name:     "when",
		lone:     []string{"user"},
		inLines:  true,
		partial:  true,
		about:    "Conditions on a request. All of them must hold.",
		position: func(w *scenarios.When) *diag.Pos { return &w.Pos },
		fields: []field[scenarios.When]{
			key("model", "The requested model. * stands for any text, ? for one character.",
				nameCodec("a glob such as gpt-4o*"), func(w *scenarios.When) *string { return &w.Model }),
			key("surface", "The API that was called.",
				wordCodec("chat", "completions"), func(w *scenarios.When) *string { return &w.Surface }),
			optional("stream", "Whether a stream was asked for.",
				boolCodec(), func(w *scenarios.When) **bool { return &w.Stream }),
			optional("user", "The text of the last user message.", match, func(w *scenarios.When) **scenarios.TextMatch { return &w.User }),
			optional("system", "The text of the system or developer messages.", match, func(w *scenarios.When) **scenarios.TextMatch { return &w.System }),
			optional("messages", "The text of any of the messages.", match, func(w *scenarios.When) **scenarios.TextMatch { return &w.Messages }),
			key("tools", "Names of tools that the request must all offer.",
				oneOrMore("a list of names", nameCodec("a name")), func(w *scenarios.When) *[]string { return &w.Tools }),
			key("tool_result", "The request brings the result of a call: of this id, with this content, or of any (true). A list asks for all of its results.",
				toolResultsCodec(), func(w *scenarios.When) *[]scenarios.ToolResultMatch { return &w.ToolResults }),
			key("turn", "1 plus the number of assistant messages in the request.",
				intCodec("a turn", 1, 1_000_000), func(w *scenarios.When) *int { return &w.Turn }),
			key("header", "Request headers by name: a text, a condition, or true for any value.",
				headerMatchCodec(), func(w *scenarios.When) *[]scenarios.HeaderMatch { return &w.Header }),
			optional("api_key", "The API key of the request.", match, func(w *scenarios.When) **scenarios.TextMatch { return &w.APIKey }),
			key("body", "Places in the request's JSON body: a value, or a condition.",
				bodyMatchCodec(), func(w *scenarios.When) *[]scenarios.BodyMatch { return &w.Body }),
			key("attempt", "1 for the first request with the same body and API key, 2 for its first retry.",
				intCodec("an attempt", 1, 1_000_000), func(w *scenarios.When) *int { return &w.Attempt }),
		},
	}
}

// textMatchFields are the ways to compare a text.
func textMatchFields() []field[scenarios.TextMatch] {
	return []field[scenarios.TextMatch]{
		optional("equals", "The text is exactly this.", stringCodec("a text"), func(m *scenarios.TextMatch) **string { return &m.Equals }),
		optional("contains", "The text holds this.", stringCodec("a text"), func(m *scenarios.TextMatch) **string { return &m.Contains }),
		key("matches", "The text holds a match of this regular expression (Go's syntax). Its named groups can be used in templates.",
			regexpCodec(), func(m *scenarios.TextMatch) **regexp.Regexp { return &m.Matches }),
	}
}

// textMatchCodec reads a condition on a text; a text alone must be equal.
func textMatchCodec() codec[scenarios.TextMatch] {
	s := &section[scenarios.TextMatch]{
		name:     "text condition",
		partial:  true,
		about:    "A condition on a text: one of equals, contains and matches.",
		position: func(m *scenarios.TextMatch) *diag.Pos { return &m.Pos },
		fields:   textMatchFields(),
		check: func(d *decoder, m members, v *scenarios.TextMatch) bool {
			ok := d.exactlyOne(m, "a condition on a text", "equals", "contains", "matches")
			fillPlaceholder(v)
			return ok
		},
	}
	text := readAs(validated(stringCodec("a text"), checkNoPattern), func(v string, p diag.Pos) scenarios.TextMatch { return scenarios.TextMatch{Equals: &v, Pos: p} })
	return anyOf(text, s.codec("{equals}, {contains} or {matches}"))
}

var (
	slashedPattern = regexp.MustCompile(`^/(.+)/([gimsuy]*)$`)
	patternSigns   = regexp.MustCompile(`^\(\?|\(\?P?<|\\[wdsWDS][+*]|\.\*|\.\+`)
)

// checkNoPattern reports a regular expression that would be compared as it
// stands.
func checkNoPattern(d *decoder, n *yaml.Node, v *string) bool {
	pattern := ""
	if m := slashedPattern.FindStringSubmatch(*v); m != nil && !strings.Contains(m[1], "/") {
		pattern = m[1]
		if flags := strings.Trim(m[2], "guy"); flags != "" {
			pattern = "(?" + flags + ")" + pattern
		}
	} else if patternSigns.MatchString(*v) {
		pattern = *v
	}
	if pattern == "" {
		return true
	}
	hint := "write { matches: " + inSingleQuotes(pattern) + " }"
	d.Report(n, hint+", or { equals: "+inSingleQuotes(*v)+" } if exactly this is meant", "a text alone must be equal; this looks like a regular expression")
	return false
}

// fillPlaceholder sets a condition that could not be read to one that always
// holds, so that what follows can rely on one being there.
func fillPlaceholder(m *scenarios.TextMatch) {
	if m.Equals == nil && m.Contains == nil && m.Matches == nil {
		m.Matches = hint.RegexpLike("")
	}
}

// toolResultsCodec reads a condition on one result, or a list of which all must
// hold.
func toolResultsCodec() codec[[]scenarios.ToolResultMatch] {
	s := &section[scenarios.ToolResultMatch]{
		name:  "tool result",
		about: "A condition on the result of a call that the request brings.",
		fields: []field[scenarios.ToolResultMatch]{
			key("id", "The tool_call_id. Default: any.", nameCodec("an id"), func(m *scenarios.ToolResultMatch) *string { return &m.ID }),
			optional("content", "The content of the result. Default: any.", textMatchCodec(), func(m *scenarios.ToolResultMatch) **scenarios.TextMatch { return &m.Content }),
		},
	}
	id := readAs(nameCodec("an id"), func(v string, _ diag.Pos) scenarios.ToolResultMatch { return scenarios.ToolResultMatch{ID: v} })
	whatever := mapped(trueCodec(), func(bool, diag.Pos) scenarios.ToolResultMatch { return scenarios.ToolResultMatch{} },
		func(m scenarios.ToolResultMatch) (bool, bool) { return true, isZeroButPosition(m) })
	full := s.codec("{id, content}")
	one := mapped(anyOf(id, whatever, full), func(m scenarios.ToolResultMatch, _ diag.Pos) []scenarios.ToolResultMatch {
		return []scenarios.ToolResultMatch{m}
	}, func(list []scenarios.ToolResultMatch) (m scenarios.ToolResultMatch, ok bool) {
		if len(list) != 1 {
			return m, false
		}
		return list[0], true
	})
	item := orRather(anyOf(id, full), func(_ *decoder, n *yaml.Node) string {
		if node.ShapeOf(n) == node.Bool {
			return "true stands alone, as in tool_result: true; a list has ids"
		}
		return ""
	})
	return anyOf(one, nonEmpty(listOf("a list of results", item)))
}

func headerMatchCodec() codec[[]scenarios.HeaderMatch] {
	there := mapped(trueCodec(), func(bool, diag.Pos) *scenarios.TextMatch { return nil },
		func(m *scenarios.TextMatch) (bool, bool) { return true, m == nil })
	value := anyOf(pointer(textMatchCodec()), there)
	return mappingCodec("a mapping of header names to conditions", value, func(d *decoder, p node.Pair, m *scenarios.TextMatch) ([]scenarios.HeaderMatch, bool) {
		if !isToken(p.Name) {
			d.Report(p.Key, "", "%q is no name of an HTTP header", node.Abbreviate(p.Name))
			return nil, false
		}
		return []scenarios.HeaderMatch{{Name: p.Name, Match: m}}, true
	}, func(list []scenarios.HeaderMatch) (members []namedValue[*scenarios.TextMatch]) {
		for _, h := range list {
			members = append(members, namedValue[*scenarios.TextMatch]{h.Name, h.Match})
		}
		return members
	})
}

func bodyMatchCodec() codec[[]scenarios.BodyMatch] {
	s := &section[scenarios.BodyMatch]{
		name:    "body condition",
		partial: true,
		about:   "A condition on a place in the request's body: one of equals, contains, matches and exists.",
		check: func(d *decoder, m members, v *scenarios.BodyMatch) bool {
			ok := d.exactlyOne(m, "a condition on the body", "equals", "contains", "matches", "exists")
			if v.Equals == nil && v.Exists == nil {
				fillPlaceholder(bodyText(v))
			}
			return ok
		},
	}
	s.fields = []field[scenarios.BodyMatch]{
		storedField("equals", "The place holds this value.", anyJSON(), func(b *scenarios.BodyMatch, v ojson.Value) { b.Equals = &v }, bodyEquals),
		optional("exists", "There is, or is not, such a place.", boolCodec(), func(b *scenarios.BodyMatch) **bool { return &b.Exists }),
	}
	s.fields = append(s.fields, within(bodyText, textMatchFields()[1:])...)
	value := readAs(jsonCodec("a value", node.Scalar|node.List), func(v ojson.Value, _ diag.Pos) scenarios.BodyMatch { return scenarios.BodyMatch{Equals: &v} })
	condition := anyOf(value, s.codec("{equals}, {contains}, {matches} or {exists}"))
	return mappingCodec("a mapping of paths to conditions", condition, func(d *decoder, p node.Pair, b scenarios.BodyMatch) ([]scenarios.BodyMatch, bool) {
		path, ok := d.path(p.Key)
		b.Path = path
		if b.Match != nil {
			b.Match.Pos = d.Pos(p.Value)
		}
		return []scenarios.BodyMatch{b}, ok
	}, func(list []scenarios.BodyMatch) (members []namedValue[scenarios.BodyMatch]) {
		for _, b := range list {
			members = append(members, namedValue[scenarios.BodyMatch]{b.Path.String(), b})
		}
		return members
	})
}

// bodyEquals is the value that a place in the body must have: any JSON or, in a
// scenario made in Go, a text.
func bodyEquals(b *scenarios.BodyMatch) (v ojson.Value, ok bool) {
	switch {
	case b.Equals != nil:
		return *b.Equals, true
	case b.Match != nil && b.Match.Equals != nil:
		return ojson.String(*b.Match.Equals), true
	}
	return v, false
}

// bodyText is the condition on a text in a condition on the body.
func bodyText(b *scenarios.BodyMatch) *scenarios.TextMatch {
	if b.Match == nil {
		b.Match = &scenarios.TextMatch{}
	}
	return b.Match
}

// regexpCodec reads a regular expression. One that does not compile is replaced
// by another with the same groups, so that templates which use them are not
// reported as well.
func regexpCodec() codec[*regexp.Regexp] {
	const word = "a regular expression"
	return codec[*regexp.Regexp]{
		noun: word, shapes: node.Text, partial: true,
		get: func(d *decoder, n *yaml.Node) (*regexp.Regexp, bool) {
			re, err := regexp.Compile(n.Value)
			if err != nil {
				d.Report(n, hint.Regexp(n.Value), "the regular expression does not compile: %s", hint.RegexpError(err))
				return hint.RegexpLike(n.Value), false
			}
			return re, true
		},
		write:  func(re *regexp.Regexp) *yaml.Node { return node.Quoted(re.String()) },
		schema: schema.Of("string"),
	}
}
