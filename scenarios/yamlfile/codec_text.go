package yamlfile

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// maxTextBytes bounds the texts that {repeat, bytes} makes.
const maxTextBytes = 1 << 30

// textCodec reads a template text.
func textCodec() codec[scenarios.Text] { return templated(stringCodec("a text")) }

// looseTextCodec reads a template text that may look like a number.
func looseTextCodec() codec[scenarios.Text] { return templated(looseCodec("a text")) }

func templated(c codec[string]) codec[scenarios.Text] {
	return as(c, func(s string, p diag.Pos) scenarios.Text { return scenarios.Text{Source: s, Pos: p} })
}

// sizedTextCodec reads a template text, or the size of a generated one.
func sizedTextCodec() codec[scenarios.Text] {
	s := &section[scenarios.Text]{
		name:  "generated text",
		about: "A text of a given size, for what would be megabytes in the file.",
		place: func(t *scenarios.Text) *diag.Pos { return &t.Pos },
	}
	s.fields = []field[scenarios.Text]{
		required(key("repeat", "What is written again and again.", nameCodec("a text"), func(t *scenarios.Text) *string { return &t.Repeat })),
		required(key("bytes", "How long the text is, in bytes. The last repetition may be cut.",
			intCodec[int64]("a number of bytes", 1, maxTextBytes), func(t *scenarios.Text) *int64 { return &t.Bytes })),
	}
	return anyOf(textCodec(), s.codec("{repeat, bytes}"))
}

func optText() codec[scenarios.Opt[scenarios.Text]]      { return nullable(textCodec()) }
func optSizedText() codec[scenarios.Opt[scenarios.Text]] { return nullable(sizedTextCodec()) }

// pathCodec reads a place in a JSON value.
func pathCodec() codec[scenarios.Path] {
	const word = "a path such as choices[0].delta.content"
	return codec[scenarios.Path]{
		word: word, shapes: shapeText,
		get:    func(d *decoder, n *yaml.Node) (scenarios.Path, bool) { return d.path(n) },
		schema: schemaOf("string", ojson.M("minLength", ojson.Int(1))),
	}
}

func (d *decoder) path(n *yaml.Node) (scenarios.Path, bool) {
	p, err := ojson.ParsePath(n.Value)
	if err != nil {
		d.report(n, "a path looks like choices[0].delta.content", "%s", err)
		return scenarios.Path{}, false
	}
	return scenarios.Path{Path: p, Pos: d.pos(n)}, true
}

// regexpCodec reads a regular expression. One that does not compile is replaced
// by another with the same groups, so that templates which use them are not
// reported as well.
func regexpCodec() codec[*scenarios.Regexp] {
	const word = "a regular expression"
	return codec[*scenarios.Regexp]{
		word: word, shapes: shapeText, partial: true,
		get: func(d *decoder, n *yaml.Node) (*scenarios.Regexp, bool) {
			re, err := scenarios.NewRegexp(n.Value)
			if err != nil {
				d.report(n, regexpHint(n.Value), "the regular expression does not compile: %s", err)
				return standIn(n.Value), false
			}
			return re, true
		},
		schema: schemaOf("string"),
	}
}

var groupNames = regexp.MustCompile(`\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>`)

// standIn is a regular expression with the groups that expr seems to have.
func standIn(expr string) *scenarios.Regexp {
	var groups strings.Builder
	for _, m := range groupNames.FindAllStringSubmatch(expr, 100) {
		groups.WriteString("(?P<" + m[1] + ">)")
	}
	re, err := scenarios.NewRegexp(groups.String())
	if err != nil { // two groups of the same name
		return standIn("")
	}
	return re
}

func regexpHint(expr string) string {
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(expr, look) {
			return "the syntax is Go's, which has no look-around"
		}
	}
	return ""
}

// headersCodec reads a mapping from header names to texts; a list of texts repeats the
// name.
func headersCodec() codec[[]scenarios.Header] {
	values := oneOrMore("a list of texts", looseTextCodec())
	return mappingCodec("a mapping of header names to texts", values, func(d *decoder, p pair, texts []scenarios.Text) ([]scenarios.Header, bool) {
		if !isToken(p.name) {
			d.report(p.key, "", "%q is no name of an HTTP header", shortened(p.name))
			return nil, false
		}
		var headers []scenarios.Header
		for _, t := range texts {
			headers = append(headers, scenarios.Header{Name: p.name, Value: t})
		}
		return headers, true
	})
}

// isToken reports whether s can be the name of an HTTP header.
func isToken(s string) bool {
	const others = "!#$%&'*+-.^_`|~"
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(others, r)
	}) < 0
}

// mappingCodec reads a mapping whose keys are free. Each member becomes any
// number of items.
func mappingCodec[V, T any](word string, value codec[V], item func(*decoder, pair, V) ([]T, bool)) codec[[]T] {
	return codec[[]T]{
		word: word, shapes: shapeMapping,
		get: func(d *decoder, n *yaml.Node) ([]T, bool) {
			pairs, whole := d.pairs(n)
			var items []T
			for _, p := range pairs {
				v, ok := value.read(d, p.value)
				if ok || value.partial {
					made, good := item(d, p, v)
					items = append(items, made...)
					ok = ok && good
				}
				whole = whole && ok
			}
			return items, whole
		},
		schema: func(w *schemaWriter) ojson.Value {
			return ojson.Object(ojson.M("type", ojson.String("object")), ojson.M("additionalProperties", value.schema(w)))
		},
	}
}
