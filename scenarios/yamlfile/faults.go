package yamlfile

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

//go:embed faults
var presetFiles embed.FS

// FaultPresets returns the bundled documents of faults, each with its name.
func FaultPresets() []Source {
	sources, err := ReadSources(presetFiles, "faults")
	if err != nil {
		panic(err) // a mistake in the program
	}
	for i := range sources {
		sources[i].Name = strings.TrimSuffix(strings.TrimPrefix(sources[i].Name, "faults/"), ".yaml")
	}
	return sources
}

// ParseFaults reads documents of faults. A document can also be what stands under the key faults: a
// fault, a list of them, or a text such as "429 5%" or the name of a preset.
func ParseFaults(file string, src []byte) ([]*scenarios.Scenario, diag.List) {
	d := newDecoder(file)
	return readFaults(d, src), d.Problems
}

// ShortFaults returns the faults that a text such as "429 5%", or the name of a preset, stands for. The
// text is no YAML.
func ShortFaults(text string) ([]scenarios.Fault, error) {
	d := newDecoder("")
	faults, _ := readShortFault(d, node.Plain(text))
	return faults, d.Problems.Err()
}

func readFaults(d *table.Decoder, src []byte) (list []*scenarios.Scenario) {
	roots, lost := d.Documents(src)
	if len(roots) == 0 && !lost {
		d.Problems[0].Message, d.Problems[0].Hint = "there is no fault in it", shortForms
	}
	for _, root := range roots {
		if isScenario(root) {
			d.Report(root, "play it from a scenario file, or with PUT /_fake/scenarios", "this is a scenario, and no document of faults")
			continue
		}
		if node.Member(root, "faults").Value == nil {
			doc := node.NewMapping(0)
			doc.Line, doc.Column = root.Line, root.Column
			node.Add(doc, "faults", root)
			root = doc
		}
		var form scenarioAsWritten
		codec := faultsCodec()
		codec.Read(d, root, &form)
		list = append(list, &form.Scenario)
	}
	d.Problems.Sort()
	return list
}

// isScenario reports whether a document has an answer, which faults do not have.
func isScenario(root *yaml.Node) bool {
	return slices.ContainsFunc([]string{"message", "stream", "replies", "extends", "embeddings", "moderations"}, func(key string) bool {
		return node.Member(root, key).Value != nil
	})
}

// isFaults reports whether a document is one of faults. In a scenario, which has an answer, the key can only be false.
func isFaults(root *yaml.Node) bool {
	value := node.Member(root, "faults").Value
	return value != nil && node.ShapeOf(value) != node.Bool && !isScenario(root)
}

// withFaults returns the codec of scenarios, which now also reads and writes documents of faults.
func withFaults(scenario table.Codec) table.Codec {
	both, faults := scenario, faultsCodec()
	both.Get = func(d *table.Decoder, n *yaml.Node, into any) bool {
		if isFaults(n) {
			return faults.Get(d, n, into)
		}
		return scenario.Get(d, n, into)
	}
	both.Write = func(from any) *yaml.Node {
		if from.(*scenarioAsWritten).Faults != nil {
			return faults.Write(from)
		}
		return scenario.Write(from)
	}
	both.Schema = func(w *table.Writer) ojson.Value {
		return ojson.Object(ojson.M("anyOf", ojson.Array(scenario.Schema(w), faults.Schema(w))))
	}
	return both
}

func faultsCodec() table.Codec {
	return partial(table.Later[scenarioAsWritten]("a document of faults", faultsSection))
}

func faultsSection() *table.Section {
	return &table.Section{
		Name:        "faults",
		About:       "Faults that are laid over the answers of scenarios.",
		Partial:     true,
		InLines:     true,
		WrittenLast: []string{"faults"},
		Fields: append(table.Listed("scenario",
			table.Key("name", "What the document is called: reports name it.", table.Unquoted(table.NameCodec("a name"))),
			table.Key("description", "What it is for, for people.", table.SourceCodec("a text")),
			table.Key("when", "Which requests the faults can strike. Default: all.",
				partial(table.Later[scenarios.When]("a mapping of conditions", whenSection))),
			table.Key("seed", "What the faults are drawn from. Default: the server's seed.",
				table.IntCodec[int64]("a whole number", math.MinInt64, math.MaxInt64)),
		), table.Required(table.Key("faults", "The first fault that fits a request and is drawn strikes its answer. A text such as 429 5% is a fault, and the name of a preset stands for its faults.",
			faultList()))),
	}
}

// faultList reads faults. An item can stand for several: a preset.
func faultList() table.Codec {
	item := table.AnyOf(shortFault(), table.Single(table.Later[scenarios.Fault]("a fault", faultSection)))
	lists := table.InLines(table.NonEmpty(table.OneOrMore("a list of faults", item)))
	return table.Mapped(lists, func(items [][]scenarios.Fault, _ diag.Pos) []scenarios.Fault { return slices.Concat(items...) },
		func(faults []scenarios.Fault) (items [][]scenarios.Fault, ok bool) {
			for len(faults) > 0 {
				n := 1
				for n < len(faults) && faults[0].Of != "" && faults[n].Of == faults[0].Of && faults[n].Pos.Line > faults[n-1].Pos.Line {
					n++ // of the same preset
				}
				items, faults = append(items, faults[:n]), faults[n:]
			}
			return items, true
		})
}

func faultSection() *table.Section {
	manner := slices.DeleteFunc(mannerFields(), func(f table.Field) bool { return f.Name == "envelope" })
	faulty := []string{"error"}
	for _, f := range manner {
		faulty = append(faulty, f.Name)
	}
	s := &table.Section{
		Name:        "fault",
		About:       "What goes wrong with an answer: an error in its place, or what is laid over it.",
		WrittenLast: faulty,
		Check: table.Check(func(d *table.Decoder, m table.Members, f *scenarios.Fault) bool {
			if len(m.Among(faulty...)) == 0 && m.Complete {
				d.Report(m.Node, "", "a fault needs one of %s", strings.Join(faulty, ", "))
				return false
			}
			for _, p := range m.Among(faulty...) {
				if p.Name != "error" && node.ShapeOf(p.Value) == node.Mapping && len(p.Value.Content) == 0 {
					d.Report(p.Key, "write what it changes, as in wire: { newline: crlf }, end: cut or error: 503", "%s is empty: the fault changes nothing", p.Name)
					return false
				}
			}
			if f.After.Time > 0 && f.For.Requests > 0 || f.After.Requests > 0 && f.For.Time > 0 {
				d.Report(m.Key("for"), "write both as durations, or both as numbers of requests", "after and for do not fit together")
				return false
			}
			return true
		}),
	}
	s.Fields = append(conditionFields(),
		spanField("after", "When it begins: a time since the server began or was reset, or a number of requests of the API key."),
		spanField("for", "How long it lasts: a time, or a number of requests. Default: without end."),
	)
	s.Fields = append(s.Fields, table.Listed("scenario", append([]table.Field{errorField()}, manner...)...)...)
	return s
}

// spanField is a key for a duration or a number of requests.
func spanField(name, doc string) table.Field {
	duration := table.Refusing(table.DurationCodec(), func(d *time.Duration) bool { return *d == 0 }, "write a longer one, or leave "+name+" out", "a window of 0s is never open")
	requests := table.IntCodec("a number of requests", 1, 1_000_000)
	requests.Takes = func(n *yaml.Node) bool { return node.ShapeOf(n) == node.Number }
	return table.Either(table.Key(name, doc, duration).In(name+".Time"), table.Key(name, doc, requests).In(name+".Requests"))
}

// shortForms says what a text can be that stands for faults.
const shortForms = "write a status or an ending and its chance, such as 429 5% or stall 1%, or the name of a preset, such as brownout"

// shortFault reads the text that stands for a fault, or for those of a preset.
func shortFault() table.Codec {
	form := table.Codec{Noun: "a text such as 429 5%", Shapes: node.Text | node.Number, Schema: table.SchemaOf("string integer")}
	return table.NewCodec(form, readShortFault, func(faults []scenarios.Fault) *yaml.Node {
		if faults[0].Of == "" {
			return nil
		}
		return node.Plain(faults[0].Of)
	})
}

func readShortFault(d *table.Decoder, n *yaml.Node) ([]scenarios.Fault, bool) {
	words := strings.Fields(n.Value)
	var f scenarios.Fault
	f.Pos = d.Pos(n)
	switch len(words) {
	case 1:
	case 2:
		chance, codec := new(float64), table.ChanceCodec()
		if !codec.Read(d, &yaml.Node{Kind: yaml.ScalarNode, Value: words[1], Line: n.Line, Column: n.Column}, chance) {
			return nil, false
		}
		if *chance < 1 {
			f.Chance = chance
		}
	default:
		d.Report(n, shortForms, "%s is no fault", node.Abbreviate(n.Value))
		return nil, false
	}
	what := words[0]
	status, err := strconv.Atoi(what)
	if strconv.Itoa(status) != what {
		err = strconv.ErrSyntax // such as +429
	}
	presets := FaultPresets()
	preset := slices.IndexFunc(presets, func(s Source) bool { return s.Name == what })
	switch {
	case err == nil && status >= 400 && status < 600:
		f.Error = &scenarios.APIError{Status: status, Pos: f.Pos}
	case err == nil:
		d.Report(n, "write a status from 400 to 599", "%d is no status of an error", status)
		return nil, false
	case slices.Contains(endKinds(), what):
		f.End = scenarios.End{Kind: scenarios.EndKind(what), Pos: f.Pos}
	case preset >= 0 && len(words) == 2:
		d.Report(n, "write "+what+" alone", "the faults of the preset %s have chances of their own", what)
		return nil, false
	case preset >= 0:
		return presetFaults(presets[preset])
	default:
		known := endKinds()
		for _, s := range presets {
			known = append(known, s.Name)
		}
		hint := shortForms
		if near := diag.DidYouMean(what, known); near != "" {
			hint = near
		}
		d.Report(n, hint, "there is no fault %q", what)
		return nil, false
	}
	return []scenarios.Fault{f}, true
}

func presetFaults(preset Source) ([]scenarios.Fault, bool) {
	d := &table.Decoder{Reader: &node.Reader{File: preset.Name}}
	docs := readFaults(d, preset.Data)
	if len(d.Problems) > 0 {
		panic(fmt.Sprintf("the preset %s: %v", preset.Name, d.Problems)) // a mistake in the program
	}
	for i := range docs[0].Faults {
		docs[0].Faults[i].Of = preset.Name
	}
	return docs[0].Faults, true
}
