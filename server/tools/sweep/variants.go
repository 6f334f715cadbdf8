package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// Variant changes how answers are sent: their bytes, their pace, or where they end. A
// sweep plays the scenarios in one variant after the other.
type Variant struct {
	Name  string // Name is in lower case, with dashes, because names of tests contain it.
	About string // About describes the difference, in a sentence without a full stop.
	// YAML is the difference, on one line: keys of a scenario such as
	// "wire: { newline: crlf }", separated by commas. "" plays scenarios unchanged.
	YAML string
	// OnDemand says that the variant is swept only if it is asked for by name, because
	// widely used clients fail although they should not.
	OnDemand bool
}

// Variants are the variants that must make no difference to a client: by the standards of
// server-sent events, HTTP and JSON they are the same answer. The first one, as-written,
// changes nothing.
func Variants() []Variant {
	return []Variant{
		{Name: "as-written", About: "the scenario as it is"},
		{Name: "apart", About: "each event leaves on its own", YAML: "pace: { every: 1ms, burst: 1 }"},
		{Name: "together", About: "all events leave in one write", YAML: "pace: { every: 1ms }, wire: { coalesce: 1000000 }"},
		{Name: "in-threes", About: "three events leave in one write", YAML: "pace: { every: 1ms, burst: 1 }, wire: { coalesce: 3 }"},
		{Name: "split-bytes", About: "each byte is a write of its own", YAML: "wire: { split: byte }"},
		{Name: "split-sevens", About: "each write has seven bytes", YAML: "wire: { split: 7 }"},
		{Name: "split-across", About: "a write holds the end of one event and the beginning of the next", YAML: "wire: { coalesce: 1000000, split: 503 }"},
		{Name: "split-twice", About: "three writes that end inside events", YAML: "wire: { coalesce: 1000000, split: { at: [503, 706] } }"},
		{Name: "split-runes", About: "characters of several bytes are torn", YAML: "wire: { split: inside_rune }"},
		{Name: "split-fields", About: "writes end at each field's boundary", YAML: "wire: { split: field }"},
		{Name: "split-random-1", About: "writes end anywhere", YAML: "wire: { coalesce: 1000000, split: { by: random, seed: 1 } }"},
		{Name: "split-random-2", About: "writes end anywhere", YAML: "wire: { coalesce: 1000000, split: { by: random, seed: 2 } }"},
		{Name: "split-random-3", About: "writes end anywhere", YAML: "wire: { coalesce: 1000000, split: { by: random, seed: 3 } }"},
		{Name: "crlf", About: "lines end in CR LF", YAML: "wire: { newline: crlf }"},
		{Name: "split-crlf", About: "CR and LF come in two writes", YAML: "wire: { newline: crlf, split: crlf }"},
		{Name: "crlf-bytes", About: "lines end in CR LF, each byte is a write of its own", YAML: "wire: { newline: crlf, split: byte }"},
		{Name: "no-space", About: "no space after a field's colon", YAML: "wire: { space: false }"},
		{Name: "comments", About: "a comment before each event", YAML: "wire: { comments_between: keep-alive }"},
		{Name: "long-lines", About: "a comment of 70,000 characters before each event", YAML: "wire: { comments_between: { repeat: '.', bytes: 70000 } }"},
		{Name: "event-names", About: "an event: line on each event, with the standard's own default", YAML: "wire: { event_name: message }"},
		{Name: "multiline", About: "an event's JSON on several data: lines", YAML: "wire: { multiline_data: true }"},
		{Name: "json-spaced", About: "JSON with spaces, as Python writes it", YAML: "wire: { json_style: spaced }"},
		{Name: "json-ascii", About: "JSON with escapes beyond ASCII", YAML: "wire: { json_style: ascii }"},
		{Name: "json-pretty", About: "JSON with line feeds, so on several data: lines", YAML: "wire: { json_style: pretty }"},
		{Name: "gzip", About: "compressed, if the client accepts it", YAML: "wire: { gzip: flush }"},
		{Name: "gzip-at-end", About: "compressed as a whole, if the client accepts it", YAML: "wire: { gzip: buffer }"},
		{Name: "keep-alive", About: "the connection stays open after the answer", YAML: "wire: { connection: keep-alive }"},
		{Name: "close", About: "the connection closes after the answer", YAML: "wire: { connection: close }"},
		{Name: "close-delimited", About: "the body ends where the connection does", YAML: "wire: { length: close }"},
		{Name: "two-dones", About: "[DONE] comes twice", YAML: "wire: { done: 2 }"},
		{Name: "charset", About: "the content type has no charset", YAML: "wire: { content_type: text/event-stream }"},

		{Name: "cr", About: "lines end in CR alone", YAML: "wire: { newline: cr }", OnDemand: true},
		{Name: "mixed", About: "lines end in LF, CR LF and CR by turns", YAML: "wire: { newline: mixed }", OnDemand: true},
		{Name: "bom", About: "a byte order mark before the first event", YAML: "wire: { bom: true }", OnDemand: true},
		{Name: "ids", About: "an id: line on each event", YAML: "wire: { ids: true }", OnDemand: true},
		{Name: "retry", About: "a retry: line on the first event", YAML: "wire: { retry: 3000 }", OnDemand: true},
		{Name: "no-final-blank", About: "no blank line after [DONE]", YAML: "wire: { final_blank: false }", OnDemand: true},
		{Name: "no-done", About: "no [DONE] after the finish", YAML: "wire: { done: false }", OnDemand: true},
	}
}

// selectVariants are the variants without those on demand, except the ones that also
// names, and without those that without names.
func selectVariants(also, without []string) ([]Variant, error) {
	all := Variants()
	var names []string
	for _, v := range all {
		names = append(names, v.Name)
	}
	for _, name := range slices.Concat(also, without) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("there is no variant %q%s; there are: %s", name, didYouMean(name, names), strings.Join(names, ", "))
		}
	}
	for _, name := range also {
		if slices.Contains(without, name) {
			return nil, fmt.Errorf("the variant %s is both added and left out; name it once", name)
		}
	}
	return slices.DeleteFunc(all, func(v Variant) bool {
		return slices.Contains(without, v.Name) || v.OnDemand && !slices.Contains(also, v.Name)
	}), nil
}

func didYouMean(name string, known []string) string {
	if hint := diag.DidYouMean(name, known); hint != "" {
		return " (" + hint + ")"
	}
	return ""
}

// Scenario is a scenario file of one line that plays the named scenario in this variant.
func (v Variant) Scenario(name string) string {
	if v.YAML == "" {
		return fmt.Sprintf("{ name: %s-%s, extends: %s }", name, v.Name, name)
	}
	return fmt.Sprintf("{ name: %s-%s, extends: %s, %s }", name, v.Name, name, v.YAML)
}

// Manner is the manner that the variant lays over that of a scenario. The error says what
// is wrong with the YAML.
func (v Variant) Manner() (scenarios.Manner, error) {
	list, diags := yamlfile.Parse("variant "+v.Name, []byte(v.Scenario("x")))
	if err := diags.Err(); err != nil {
		return scenarios.Manner{}, fmt.Errorf("variant %q: %w", v.Name, err)
	}
	s := list[0]
	if len(list) > 1 || len(s.Replies) > 0 || !s.When.IsZero() || s.Seed != nil || s.Strict != nil || len(s.Quirks) > 0 {
		return scenarios.Manner{}, fmt.Errorf("variant %q: %w", v.Name, errNoManner)
	}
	return s.Manner, nil
}

var errNoManner = errors.New("a variant says only how an answer is spoken: by envelope, pace, wire, damage and end")

// Truncations are the variants in which an answer, given by the bytes of the whole answer,
// ends too early: after each event with a regular end of the HTTP body, and inside each
// event with a broken connection. [Truncate] leaves out those that a client cannot notice. A
// compressed answer has none.
func Truncations(whole []byte) []Variant {
	var list []Variant
	for n := range eventsBegun(beforeEnd(whole)) {
		list = append(list,
			Variant{
				Name:  fmt.Sprintf("close-after-%d", n),
				About: fmt.Sprintf("an orderly end after %d events", n),
				YAML:  fmt.Sprintf("end: { close: { after: %d } }", n),
			},
			Variant{
				Name:  fmt.Sprintf("cut-after-%d", n),
				About: fmt.Sprintf("the connection breaks inside event %d", n+1),
				YAML:  fmt.Sprintf("end: { cut: { after: %d } }", n),
			})
	}
	return list
}

var blankLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\r\n|\r|\n){2}`) })

// beforeEnd are the bytes of an answer before its last one. A compressed answer has none.
func beforeEnd(whole []byte) []byte {
	if len(whole) == 0 || bytes.HasPrefix(whole, []byte("\x1f\x8b")) { // gzip
		return nil
	}
	return whole[:len(whole)-1]
}

// eventsBegun counts the events of which the beginning of an answer has at least
// one byte.
func eventsBegun(answer []byte) int {
	ends := blankLine().FindAllIndex(answer, -1)
	if n := len(ends); len(answer) == 0 || n > 0 && ends[n-1][1] == len(answer) {
		return n
	}
	return len(ends) + 1
}
