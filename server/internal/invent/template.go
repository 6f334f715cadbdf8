package invent

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brianvoe/gofakeit/v6"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

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
