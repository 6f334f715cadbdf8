package yamlfile_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// bundled returns the bundled scenarios, and the texts of their files.
func bundled(b *testing.B) (list []*scenarios.Scenario, texts [][]byte) {
	b.Helper()
	for _, file := range filesLike(b, "../../fixtures/*.yaml") {
		text := mustRead(b, file)
		in, problems := yamlfile.Parse(file, text)
		if len(problems) > 0 {
			b.Fatal(problems)
		}
		list, texts = append(list, in...), append(texts, text)
	}
	return list, texts
}

func BenchmarkParse(b *testing.B) {
	_, texts := bundled(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			yamlfile.Parse("bundled.yaml", text)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	list, _ := bundled(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range list {
			if _, err := yamlfile.Format(s); err != nil {
				b.Fatal(err)
			}
		}
	}
}
