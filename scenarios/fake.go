package scenarios

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/brianvoe/gofakeit/v6"
)

// newFaker is a generator of one's own, drawn from r. gofakeit takes seed 0 for
// "choose one by chance", so that is avoided.
func newFaker(r *rand.Rand) *gofakeit.Faker {
	return gofakeit.NewUnlocked(max(1, r.Int64()))
}

// clockFunctions depend on today's date, so that their values would not stay
// the same.
var clockFunctions = []string{"date", "daterange", "futuredate", "pastdate", "year", "creditcard", "creditcardexp"}

// fakeFunction is the gofakeit function of that name, or nil if there is none
// that can be called without parameters and gives a plain value.
func fakeFunction(name string) *gofakeit.Info {
	info := gofakeit.GetFuncLookup(name)
	if info == nil || slices.Contains(clockFunctions, name) {
		return nil
	}
	switch info.Output {
	case "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool":
	default:
		return nil
	}
	for _, p := range info.Params {
		if !p.Optional && p.Default == "" {
			return nil
		}
	}
	return info
}

// fakeValue is a value of the named gofakeit function.
func fakeValue(r *rand.Rand, name string) (string, error) {
	info := fakeFunction(name)
	if info == nil {
		return "", fmt.Errorf("there is no fake %q", name)
	}
	v, err := info.Generate(newFaker(r).Rand, gofakeit.NewMapParams(), info)
	if err != nil {
		return "", fmt.Errorf("fake %q: %w", name, err)
	}
	return fmt.Sprint(v), nil
}

func fakePurpose(n int) string { return fmt.Sprintf("fake %d", n) }

// fromRequest reports whether what is generated depends on the request.
func (f *Fake) fromRequest() bool { return f.JSONSchema != nil && f.JSONSchema.FromRequest }

// fake is the generated text. Each text of an answer draws from a source of its
// own.
func (b *builder) fake(f *Fake) string {
	b.fakes++
	text, err := b.fakeText(f, b.sel.Rand(fakePurpose(b.fakes)))
	b.fail(f.Pos, err)
	return text
}

func (b *builder) fakeText(f *Fake, r *rand.Rand) (string, error) {
	switch {
	case f.Words > 0:
		return fakeWords(newFaker(r), f.Words), nil
	case f.Sentences > 0:
		return fakeSentences(newFaker(r), f.Sentences), nil
	case f.Paragraphs > 0:
		return fakeParagraphs(newFaker(r), f.Paragraphs), nil
	case f.Template != "":
		return newFaker(r).Template(f.Template, &gofakeit.TemplateOptions{})
	}
	return "", errors.New("fake has nothing to generate")
}

func (b *builder) fakeArguments(call *ToolCall) string { return "{}" }

func fakeWords(f *gofakeit.Faker, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = f.LoremIpsumWord()
	}
	return strings.Join(words, " ")
}

func fakeSentences(f *gofakeit.Faker, n int) string {
	sentences := make([]string, n)
	for i := range sentences {
		sentences[i] = f.LoremIpsumSentence(f.Number(6, 14))
	}
	return strings.Join(sentences, " ")
}

func fakeParagraphs(f *gofakeit.Faker, n int) string {
	paragraphs := make([]string, n)
	for i := range paragraphs {
		paragraphs[i] = fakeSentences(f, f.Number(3, 6))
	}
	return strings.Join(paragraphs, "\n\n")
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

// checkFake finds what is wrong with a generator without running it.
func checkFake(f *Fake) error { return nil }
