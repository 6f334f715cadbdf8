package scenarios

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/brianvoe/gofakeit/v6"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// maxGenerated is how many words, sentences or paragraphs one fake may have.
const maxGenerated = 1_000_000

// faker invents texts from one source of chance. It is for one goroutine.
type faker struct {
	*rand.Rand
	gen *gofakeit.Faker
}

// newFaker is a faker that draws from r. gofakeit takes seed 0 for "choose one
// by chance", so that is avoided.
func newFaker(r *rand.Rand) *faker {
	return &faker{Rand: r, gen: gofakeit.NewUnlocked(max(1, r.Int64()))}
}

func (f *faker) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = f.gen.LoremIpsumWord()
	}
	return strings.Join(words, " ")
}

func (f *faker) sentences(n int) string {
	sentences := make([]string, n)
	for i := range sentences {
		sentences[i] = f.gen.LoremIpsumSentence(6 + f.IntN(9))
	}
	return strings.Join(sentences, " ")
}

func (f *faker) paragraphs(n int) string {
	paragraphs := make([]string, n)
	for i := range paragraphs {
		paragraphs[i] = f.sentences(3 + f.IntN(4))
	}
	return strings.Join(paragraphs, "\n\n")
}

// matching is a text that re matches, and whether one was found.
func (f *faker) matching(re *regexp.Regexp) (string, bool) {
	const tries = 50
	for range tries {
		if text := f.gen.Regex(re.String()); re.MatchString(text) {
			return text, true
		}
	}
	return "", false
}

// unsteady are the functions whose values do not follow from the seed alone:
// they look at the clock, or at a map in whatever order it comes. And svg asks
// for a parameter that it does not declare.
var unsteady = []string{
	"creditcard", "creditcardexp", "date", "daterange", "futuredate", "futuretime", "isin", "pastdate", "pasttime", "svg", "year",
}

// plainOutputs are the results of gofakeit functions that a text can hold.
var plainOutputs = []string{
	"string", "bool", "float32", "float64", "int", "int8", "int16", "int32", "int64",
	"uint", "uint8", "uint16", "uint32", "uint64",
}

// fakeFunction is the gofakeit function of that name, or nil if there is none
// that can be called without parameters and gives a plain value.
func fakeFunction(name string) *gofakeit.Info {
	info := gofakeit.GetFuncLookup(name)
	if info == nil || slices.Contains(unsteady, name) || !slices.Contains(plainOutputs, info.Output) {
		return nil
	}
	for _, p := range info.Params {
		if !p.Optional && p.Default == "" {
			return nil
		}
	}
	return info
}

// fakeNames are the names that [fakeFunction] knows.
func fakeNames() []string {
	var names []string
	for name := range gofakeit.FuncLookups {
		if fakeFunction(name) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// value is a value of the named gofakeit function.
func (f *faker) value(name string) (string, error) {
	info := fakeFunction(name)
	if info == nil {
		return "", fmt.Errorf("there is no fake %q", name)
	}
	v, err := info.Generate(f.gen.Rand, gofakeit.NewMapParams(), info)
	if err != nil {
		return "", fmt.Errorf("fake %q: %w", name, err)
	}
	return fmt.Sprint(v), nil
}

// text is what f generates; schema is the one to satisfy where the request
// says it.
func (f *Fake) text(r *rand.Rand, schema ojson.Value) (string, error) {
	if n := max(f.Words, f.Sentences, f.Paragraphs); n > maxGenerated {
		return "", fmt.Errorf("%d is more than fake makes at a time; the limit is %d", n, maxGenerated)
	}
	fake := newFaker(r)
	switch {
	case f.Words > 0:
		return fake.words(f.Words), nil
	case f.Sentences > 0:
		return fake.sentences(f.Sentences), nil
	case f.Paragraphs > 0:
		return fake.paragraphs(f.Paragraphs), nil
	case f.JSONSchema != nil && f.JSONSchema.FromRequest:
		return satisfying(fake, schema)
	case f.JSONSchema != nil:
		return satisfying(fake, f.JSONSchema.Schema)
	case f.Template == "":
		return "", errors.New("fake has nothing to generate; say words, sentences, paragraphs, template or json_schema")
	}
	return fake.template(f.Template)
}

// slot is a place in a fake template: the name of a gofakeit function, and its
// parameters.
var slot = regexp.MustCompile(`\{([a-z0-9]+)(:[^{}]*)?\}`)

// template fills in a fake template: either a text with slots such as
// {firstname} or {number:1,10}, or one with actions such as {{FirstName}}, which
// can do all that gofakeit's template language can.
func (f *faker) template(source string) (string, error) {
	if hasAction(source) {
		text, err := f.gen.Template(source, &gofakeit.TemplateOptions{})
		if err != nil {
			err = fmt.Errorf("the fake template is not right: %w", err)
		}
		return text, err
	}
	var unknown error
	text := slot.ReplaceAllStringFunc(source, func(s string) string {
		name := slot.FindStringSubmatch(s)[1]
		if gofakeit.GetFuncLookup(name) == nil {
			unknown = fmt.Errorf("there is no fake %q", name)
			return s
		}
		return f.gen.Generate(s)
	})
	return text, unknown
}

// fromRequest reports whether what is generated depends on the request.
func (f *Fake) fromRequest() bool { return f.JSONSchema != nil && f.JSONSchema.FromRequest }

// checkFake finds what is wrong with a generator.
func checkFake(f *Fake) error {
	if f.fromRequest() {
		return nil
	}
	_, err := f.text(rand.New(rand.NewPCG(1, 1)), ojson.Value{})
	return err
}

// fake is the generated text of a step.
func (b *builder) fake(f *Fake) string {
	r := b.rand("fake")
	if f.fromRequest() {
		b.templated, b.dynamic = true, true
		if b.draft {
			return "{}"
		}
		if b.sel.Request.Schema.IsAbsent() {
			b.problem(f.Pos, "the request has no JSON schema for fake to satisfy; send response_format with type json_schema, or write the schema in the scenario")
			return ""
		}
	}
	text, err := f.text(r, b.sel.Request.Schema)
	b.fail(f.Pos, err)
	return text
}

// fakeArguments are arguments that satisfy the parameters of the tool that the
// request offers under the call's name.
func (b *builder) fakeArguments(call *ToolCall, name string) string {
	r := b.rand("arguments")
	b.templated, b.dynamic = true, true
	if b.draft {
		return "{}"
	}
	for _, tool := range b.sel.Request.Tools {
		if tool.Name != name {
			continue
		}
		if tool.Parameters.IsAbsent() {
			return "{}"
		}
		text, err := satisfying(newFaker(r), tool.Parameters)
		b.fail(call.Pos, err)
		return text
	}
	b.problem(call.Pos, fmt.Sprintf("the request offers no tool %q whose parameters the arguments could satisfy; offer it in tools, or write the arguments in the scenario", name))
	return ""
}
