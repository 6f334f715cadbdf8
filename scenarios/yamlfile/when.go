package yamlfile

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func whenSection() *table.Section {
	match, glob := textMatchCodec(), table.NameCodec("a glob such as gpt-4o*")
	path := table.Validated(table.NameCodec("a path such as /v1/files/{id}"), checkPathPattern)
	method := table.WordCodec("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
	return &table.Section{
		Name:    "when",
		Lone:    []string{"user"},
		Short:   map[string]table.Shorthand{"headers": {As: "header"}},
		InLines: true,
		Partial: true,
		About:   "Conditions on a request. All of them must hold.",
		Fields: []table.Field{
			table.Key("model", "The requested model. * stands for any text, ? for one character. One of a list must fit.",
				table.AnyOf(table.Single(glob), listOfOthers("a list of globs", glob, scenarios.CoversModel))),
			table.Key("surface", "The API that was called.", table.WordCodec(slices.Concat(scenarios.Surfaces(), scenarios.WholeSurfaces())...)),
			table.Key("path", "The path of a request that is for no API. * is any text within a part, ** any text, {id} a part that templates see as .match.id. One of a list must fit.",
				table.AnyOf(table.Single(path), listOfOthers[string]("a list of paths", path, nil))),
			table.Key("method", "The HTTP method of such a request. Default: any.",
				table.AnyOf(table.Single(method), listOfOthers[string]("a list of methods", method, nil))),
			table.Key("stream", "Whether a stream was asked for."),
			table.Key("user", "The text of the last user message. One of a list must hold, here and in the other conditions on texts.", match),
			table.Key("system", "The text of the system or developer messages.", match),
			table.Key("messages", "The text of any of the messages.", match),
			table.Key("tools", "Names of tools that the request must all offer.", table.OneOrMore("a list of names", table.NameCodec("a name"))),
			table.Key("tool_result", "The request has the result of a call: of this id, with this content, or of any call (true). All results of a list must be there.",
				toolResultsCodec()).In("ToolResults"),
			table.Key("turn", "1 plus the number of assistant messages in the request.", table.IntCodec("a turn", 1, 1_000_000)),
			table.Key("header", "Request headers by name: a text, a condition, or true for any value.", headerMatchCodec()),
			table.Key("prompt_tokens", "How many tokens the prompt has, as usage counts them.",
				table.Later[scenarios.Bounds]("{min, max}", promptTokensSection)),
			table.Key("api_key", "The API key of the request.", match),
			table.Key("body", "Places in the request's JSON body: a value, or a condition.", bodyMatchCodec()),
			table.Key("attempt", "1 for the first request with the same body and API key, 2 for its first retry.", table.IntCodec("an attempt", 1, 1_000_000)),
			table.Key("not", "Conditions that must not all hold; any of those above.", table.Refusing(table.Later[scenarios.When]("a mapping of conditions", whenSection),
				func(w *scenarios.When) bool { return table.IsZeroButPosition(*w) }, "write a condition, as in not: { user: { contains: a } }", "not excludes nothing")),
		},
	}
}

func checkPathPattern(d *table.Decoder, n *yaml.Node, pattern *string) bool {
	err := scenarios.CheckPath(*pattern)
	if err == nil {
		return true
	}
	hint := ""
	if path, query, ok := strings.Cut(*pattern, "?"); ok {
		name, value, _ := strings.Cut(query, "=")
		hint = fmt.Sprintf("write path: /%s, body: { %s: %s }", strings.TrimPrefix(path, "/"), name, value)
	} else if method, path, ok := strings.Cut(*pattern, " /"); ok && strings.ToUpper(method) == method {
		hint = fmt.Sprintf("write path: /%s, method: %s", path, method)
	} else if _, address, ok := strings.Cut(*pattern, "://"); ok {
		_, path, _ = strings.Cut(address, "/")
		hint = "write path: /" + path
	} else if !strings.HasPrefix(*pattern, "/") {
		hint = "write path: /" + *pattern
	} else if braced := scenarios.OtherPathParts.ReplaceAllString(*pattern, "/{$1}"); braced != *pattern {
		hint = `write path: "` + braced + `"`
	}
	d.Report(n, hint, "%v", err)
	return false
}

func promptTokensSection() *table.Section {
	return boundsSection("prompt tokens", "How many tokens the prompt has, as usage counts them: at least min, at most max, or both.",
		table.IntCodec("a number of tokens", 1, math.MaxInt32))
}

// textMatchFields is the three ways to compare a text: equals, contains and matches.
func textMatchFields() []table.Field {
	return []table.Field{
		table.Key("equals", "The text is exactly this.", table.OrRather(table.StringCodec("a text"), alternatives("^(%s)$"))),
		table.Key("contains", "The text holds this.", table.OrRather(table.StringCodec("a text"), alternatives("%s"))),
		table.Key("matches", "The text holds a match of this regular expression (Go's syntax). Its named groups can be used in templates.", regexpCodec()),
	}
}

// alternatives returns the hint for a list of texts of which one would do. Form is the form of
// a regular expression.
func alternatives(form string) func(*table.Decoder, *yaml.Node) string {
	return func(_ *table.Decoder, n *yaml.Node) string {
		texts := make([]string, len(n.Content))
		for i, item := range n.Content {
			texts[i] = regexp.QuoteMeta(item.Value)
		}
		if len(texts) == 0 || slices.Contains(texts, "") || node.ShapeOf(n) != node.List {
			return ""
		}
		return "write matches: " + table.InSingleQuotes(fmt.Sprintf(form, strings.Join(texts, "|")))
	}
}

// textMatchCodec reads a condition on a text; a text alone is short for equals.
func textMatchCodec() table.Codec {
	s := &table.Section{
		Name:    "text condition",
		Partial: true,
		About:   "A condition on a text: equals, or contains, matches or both.",
		Fields:  textMatchFields(),
		Check: table.Check(func(d *table.Decoder, m table.Members, v *scenarios.TextMatch) bool {
			ok := oneOfOrBoth(d, m, "a condition on a text", "equals")
			fillPlaceholder(v)
			return ok
		}),
	}
	text := table.Pointer(table.Validated(table.StringCodec("a text"), checkNoPattern))
	equals := table.ReadOnly(table.As[scenarios.TextMatch](text, "Equals"))
	mapping := table.Mapping[scenarios.TextMatch]("{equals}, {contains} or {matches}", s)
	list := table.As[scenarios.TextMatch](listOfOthers("a list of these", table.AnyOf(equals, mapping), (*scenarios.TextMatch).Covers), "AnyOf")
	c := table.AnyOf(equals, mapping, list)
	c.Write = table.AnyOf(list, mapping).Write // the mapping also writes a list, as an empty one
	return c
}

// oneOfOrBoth reports a condition that has none of its words, or one that stands alone beside another.
func oneOfOrBoth(d *table.Decoder, m table.Members, what string, alone ...string) bool {
	both := []string{"contains", "matches"}
	if len(m.Among(both...)) == len(both) && len(m.Among(alone...)) == 0 {
		return true
	}
	return d.ExactlyOne(m, what, slices.Concat(alone[:1], both, alone[1:])...)
}

// maxCompared is how many items of a list are compared with all others.
const maxCompared = 200

// listOfOthers reads a list of alternatives and refuses an item that adds nothing: one that is there twice,
// or one that another item covers. Covers, if it is not nil, reports whether a fits every request that b
// fits.
func listOfOthers[T any](word string, item table.Codec, covers func(a, b *T) bool) table.Codec {
	instead := item.Instead
	item.Instead = func(d *table.Decoder, n *yaml.Node) string {
		switch {
		case node.ShapeOf(n)&(node.Null|node.Nothing) != 0:
			return "leave it out"
		case instead != nil:
			return instead(d, n)
		}
		return ""
	}
	list := table.NonEmpty(table.ListOf(word, item))
	return table.Validated(list, func(d *table.Decoder, n *yaml.Node, items *[]T) bool {
		seen := map[string]bool{}
		for i := range *items {
			written, err := yaml.Marshal(item.Write(&(*items)[i]))
			if err == nil && seen[string(written)] {
				d.Report(n.Content[i], "leave it out", "the list has this twice")
				return false
			}
			seen[string(written)] = true
		}
		for i := range min(len(*items), maxCompared) {
			for k := range min(len(*items), maxCompared) {
				if covers != nil && i != k && covers(&(*items)[k], &(*items)[i]) {
					d.Report(n.Content[i], "leave it out", "item %d of the list fits all that this one fits", k+1)
					return false
				}
			}
		}
		return true
	})
}

var (
	slashedPattern = node.Lazily(`^/(.+)/([gimsuy]*)$`)
	patternSigns   = node.Lazily(`^\(\?|\(\?P?<|\\[wdsWDS][+*]|\.\*|\.\+`)
)

// checkNoPattern reports a text that looks like a regular expression where it would be
// compared character by character.
func checkNoPattern(d *table.Decoder, n *yaml.Node, v *string) bool {
	pattern := ""
	if m := slashedPattern().FindStringSubmatch(*v); m != nil && !strings.Contains(m[1], "/") {
		pattern = m[1]
		if flags := strings.Trim(m[2], "guy"); flags != "" {
			pattern = "(?" + flags + ")" + pattern
		}
	} else if *v == "*" {
		pattern = "." // any text
	} else if patternSigns().MatchString(*v) {
		pattern = *v
	}
	if pattern == "" {
		return true
	}
	hint := "write { matches: " + table.InSingleQuotes(pattern) + " }"
	d.Report(n, hint+", or { equals: "+table.InSingleQuotes(*v)+" } if exactly this is meant", "a text alone must be equal; this looks like a regular expression")
	return false
}

// fillPlaceholder replaces a condition that could not be read by one that always holds,
// so that later code finds exactly one condition.
func fillPlaceholder(m *scenarios.TextMatch) {
	if m.Equals == nil && m.Contains == nil && m.Matches == nil {
		m.Matches = regexpLike("")
	}
}

// toolResultsCodec reads a condition on tool results, or a list of conditions, all of
// which must hold.
func toolResultsCodec() table.Codec {
	s := &table.Section{
		Name:  "tool result",
		About: "A condition on the result of a call that the request brings.",
		Fields: []table.Field{
			table.Key("id", "The tool_call_id. Default: any.", table.NameCodec("an id")),
			table.Key("content", "The content of the result. Default: any.", textMatchCodec()),
		},
	}
	id := table.ReadOnly(table.As[scenarios.ToolResultMatch](table.NameCodec("an id"), "ID"))
	whatever := table.Mapped(table.TrueCodec(), func(bool, diag.Pos) scenarios.ToolResultMatch { return scenarios.ToolResultMatch{} },
		func(m scenarios.ToolResultMatch) (bool, bool) { return true, table.IsZeroButPosition(m) })
	full := table.Mapping[scenarios.ToolResultMatch]("{id, content}", s)
	one := table.Single(partial(table.AnyOf(id, whatever, full)))
	item := table.OrRather(table.AnyOf(id, full), func(_ *table.Decoder, n *yaml.Node) string {
		if node.ShapeOf(n) == node.Bool {
			return "true stands alone, as in tool_result: true; a list has ids"
		}
		return ""
	})
	return table.AnyOf(one, table.NonEmpty(table.ListOf("a list of results", item)))
}

func headerMatchCodec() table.Codec {
	there := table.Mapped(table.TrueCodec(), func(bool, diag.Pos) *scenarios.TextMatch { return nil },
		func(m *scenarios.TextMatch) (bool, bool) { return true, m == nil })
	value := table.AnyOf(table.Pointer(textMatchCodec()), there)
	return table.MappingCodec("a mapping of header names to conditions", value, func(d *table.Decoder, p node.Pair, m *scenarios.TextMatch) (scenarios.HeaderMatch, bool) {
		return scenarios.HeaderMatch{Name: p.Name, Match: m}, isHeaderName(d, p)
	}, func(h scenarios.HeaderMatch) table.NamedValue[*scenarios.TextMatch] {
		return table.NamedValue[*scenarios.TextMatch]{Name: h.Name, Value: h.Match}
	})
}

// bodyCondition is a condition on the body in the form of its YAML, where equals takes any
// JSON value.
type bodyCondition struct {
	Equals *ojson.Value
	Exists *bool
	scenarios.TextMatch
}

func bodyMatchCodec() table.Codec {
	s := &table.Section{
		Name:    "body condition",
		Partial: true,
		About:   "A condition on a place in the request's body: equals or exists, or contains, matches or both.",
		Check: table.Check(func(d *table.Decoder, m table.Members, c *bodyCondition) bool {
			ok := oneOfOrBoth(d, m, "a condition on the body", "equals", "exists")
			if c.Equals == nil && c.Exists == nil {
				fillPlaceholder(&c.TextMatch)
			}
			return ok
		}),
	}
	s.Fields = append([]table.Field{
		table.Key("equals", "The place holds this value."),
		table.Key("exists", "There is, or is not, such a place."),
	}, table.Listed("text condition", textMatchFields()[1:]...)...)
	value := table.ReadOnly(table.As[bodyCondition](table.JSONCodec("a value", node.Scalar|node.List), "Equals"))
	condition := table.AnyOf(value, table.Mapping[bodyCondition]("{equals}, {contains}, {matches} or {exists}", s))
	return table.MappingCodec("a mapping of paths to conditions", condition, func(d *table.Decoder, p node.Pair, c bodyCondition) (scenarios.BodyMatch, bool) {
		path, ok := d.Path(p.Key)
		b := scenarios.BodyMatch{Path: path, Equals: c.Equals, Exists: c.Exists}
		if b.Equals == nil && b.Exists == nil {
			b.Match = &c.TextMatch
		}
		return b, ok
	}, func(b scenarios.BodyMatch) table.NamedValue[bodyCondition] {
		c := bodyCondition{Equals: b.Equals, Exists: b.Exists}
		if b.Match != nil {
			c.TextMatch = *b.Match
		}
		if text := c.TextMatch.Equals; text != nil { // in a scenario made in Go
			c.Equals = new(ojson.String(*text))
		}
		return table.NamedValue[bodyCondition]{Name: b.Path.String(), Value: c}
	})
}

// regexpCodec reads a regular expression. One that does not compile is replaced by an
// expression with the same group names, so that templates which use the groups are not
// reported, too.
func regexpCodec() table.Codec {
	const word = "a regular expression"
	return table.NewCodec(
		table.Codec{Noun: word, Shapes: node.Text, Partial: true, Schema: table.SchemaOf("string")},
		func(d *table.Decoder, n *yaml.Node) (*regexp.Regexp, bool) {
			re, err := regexp.Compile(n.Value)
			if err != nil {
				d.Report(n, "", "the regular expression does not compile: %s", regexpError(err))
				return regexpLike(n.Value), false
			}
			return re, true
		},
		func(re *regexp.Regexp) *yaml.Node { return node.Quoted(re.String()) },
	)
}
