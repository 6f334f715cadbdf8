// Package invent generates what nobody has written: random numbers and ids that follow from
// the seed, words and sentences, values of gofakeit's functions, JSON that satisfies a schema,
// and log-probabilities. The same source of chance gives the same content.
package invent

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brianvoe/gofakeit/v6"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// maxGenerated is the largest number of words, sentences or paragraphs of one fake.
const maxGenerated = 1_000_000

// Faker generates texts from one source of chance. It must not be used concurrently.
type Faker struct {
	*rand.Rand
	gen *gofakeit.Faker
}

// New makes a faker that draws from r. It avoids gofakeit's seed 0, which stands for a
// random seed.
func New(r *rand.Rand) *Faker {
	return &Faker{Rand: r, gen: gofakeit.NewUnlocked(max(1, r.Int64()))}
}

func joinTexts(n int, separator string, text func() string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = text()
	}
	return strings.Join(texts, separator)
}

func (f *Faker) words(n int) string { return joinTexts(n, " ", f.gen.LoremIpsumWord) }

func (f *Faker) sentences(n int) string {
	return joinTexts(n, " ", func() string { return f.gen.LoremIpsumSentence(6 + f.IntN(9)) })
}

func (f *Faker) paragraphs(n int) string {
	return joinTexts(n, "\n\n", func() string { return f.sentences(3 + f.IntN(4)) })
}

// unseeded are the functions whose values do not follow from the seed alone: they use
// the clock, or the order of a map. And svg needs a parameter that it does not declare.
var unseeded = []string{
	"creditcard", "creditcardexp", "date", "daterange", "futuredate", "futuretime", "isin", "pastdate", "pasttime", "svg", "year",
}

// plainOutputs are the result types of gofakeit functions that a text can hold.
var plainOutputs = []string{
	"string", "bool", "float32", "float64", "int", "int8", "int16", "int32", "int64",
	"uint", "uint8", "uint16", "uint32", "uint64",
}

// Function is the gofakeit function of that name; nil if there is none that works
// without parameters and returns a plain value.
func Function(name string) *gofakeit.Info {
	info := gofakeit.GetFuncLookup(name)
	if info == nil || slices.Contains(unseeded, name) || !slices.Contains(plainOutputs, info.Output) {
		return nil
	}
	for _, p := range info.Params {
		if !p.Optional && p.Default == "" {
			return nil
		}
	}
	return info
}

// Names lists the names that [Function] knows, in alphabetical order.
func Names() []string {
	var names []string
	for name := range gofakeit.FuncLookups {
		if Function(name) != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Value returns a value of the gofakeit function of that name.
func (f *Faker) Value(name string) (string, error) {
	info := Function(name)
	if info == nil {
		return "", fmt.Errorf("there is no fake %q", name)
	}
	v, err := info.Generate(f.gen.Rand, gofakeit.NewMapParams(), info)
	if err != nil {
		return "", fmt.Errorf("fake %q: %w", name, err)
	}
	return fmt.Sprint(v), nil
}

// FromRequest reports whether generated content depends on the request.
func FromRequest(f *scenarios.Fake) bool { return f.JSONSchema != nil && f.JSONSchema.FromRequest }

// FakeText generates the text that f describes, drawn from r. Schema is that of the
// request, for json_schema: request. Closing done stops the work.
func FakeText(f *scenarios.Fake, r *rand.Rand, schema ojson.Value, done <-chan struct{}) (string, error) {
	if n := max(f.Words, f.Sentences, f.Paragraphs); n > maxGenerated {
		return "", fmt.Errorf("%d is more than fake makes at a time; the limit is %d", n, maxGenerated)
	}
	fake := New(r)
	switch {
	case f.Break != "" && f.JSONSchema == nil:
		return "", errors.New("break has no schema to break; write json_schema in place of the other words, or leave break out")
	case f.Words > 0:
		return fake.words(f.Words), nil
	case f.Sentences > 0:
		return fake.sentences(f.Sentences), nil
	case f.Paragraphs > 0:
		return fake.paragraphs(f.Paragraphs), nil
	case f.JSONSchema != nil && f.JSONSchema.FromRequest:
		return Satisfying(fake, schema, f.Break, done)
	case f.JSONSchema != nil:
		return Satisfying(fake, f.JSONSchema.Schema, f.Break, done)
	case f.Template == "":
		return "", errors.New("fake has nothing to generate; say words, sentences, paragraphs, template or json_schema")
	}
	return fake.template(f.Template, &budget{done: done})
}

// Check generates the content once, to find errors. Content that depends on the request
// is not checked.
func Check(f *scenarios.Fake) error {
	if FromRequest(f) {
		return nil
	}
	_, err := FakeText(f, rand.New(rand.NewPCG(1, 1)), ojson.Value{}, nil)
	return err
}

// templateSlot matches a slot of a fake template: the name of a gofakeit function, and
// its parameters.
var templateSlot = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z0-9]+)(?::([^{}]*))?\}`) })

// template fills a fake template: a text with slots such as {firstname} or {number:1,10}.
func (f *Faker) template(source string, b *budget) (string, error) {
	if (scenarios.Text{Source: source}).IsTemplate() {
		return "", fmt.Errorf("a fake template has slots such as {firstname} and no actions; write the text as content, where %s is one", `{{ fake "firstname" }}`)
	}
	text := templateSlot().ReplaceAllStringFunc(source, func(s string) string {
		slot := templateSlot().FindStringSubmatch(s)
		info := gofakeit.GetFuncLookup(slot[1])
		if info == nil {
			b.fail("there is no fake %q", slot[1])
			return s
		}
		n := 1.0
		for parameter := range strings.SplitSeq(slot[2], ",") {
			if f, err := strconv.ParseFloat(strings.TrimSpace(parameter), 64); err == nil {
				n *= max(1, f)
			}
		}
		if counts(info) && n > maxGenerated {
			b.fail("%s asks for %.0f, and fake makes %d at a time at most", slot[1], n, maxGenerated)
		}
		if slot[1] == "regex" && compiled(slot[2]) == nil {
			b.fail("its pattern %.100q is beyond what fake can do", slot[2])
		}
		if b.err != nil {
			return s
		}
		text := f.gen.Generate(s)
		b.spend(len(text) / bytesPerStep)
		return text
	})
	return text, b.err
}

// bytesPerStep is how many bytes of text that a fake template makes cost a step: as many steps as
// there are make a text of [scenarios.MaxText].
const bytesPerStep = scenarios.MaxText / maxSteps

// counts reports whether an argument of a gofakeit function says how much it makes. The bounds of
// a number do not.
func counts(info *gofakeit.Info) bool {
	return slices.ContainsFunc(info.Params, func(p gofakeit.Param) bool {
		return strings.HasSuffix(p.Type, "int") && p.Field != "min" && p.Field != "max"
	})
}
