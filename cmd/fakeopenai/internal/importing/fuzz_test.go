package importing_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Any file is read without a panic, every entry is imported or remarked on, and the
// written scenarios are accepted by a server.
func fuzzFormat(f *testing.F, names ...string) { fuzzFormatAt(f, "chat/completions", names...) }

// fuzzReading is fuzzFormat for formats of exchanges. Those of the examples are on a path that
// no scenario answers: to write and play a scenario takes a thousand times as long as to read the
// format, and left no time to try more than a few files. FuzzEvents, FuzzJSON and FuzzAimock do it.
func fuzzReading(f *testing.F, names ...string) { fuzzFormatAt(f, "files", names...) }

func fuzzFormatAt(f *testing.F, path string, names ...string) {
	examples := inputs(f)
	for _, name := range names {
		data, ok := examples[name]
		if !ok {
			f.Fatalf("there is no example %s", name)
		}
		data = bytes.ReplaceAll(data, []byte("chat/completions"), []byte(path))
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const largest = 1 << 16 // of what repeats, each repetition is played
		if len(data) > largest {
			return
		}
		var im importing.Importer
		found := im.Add("fuzzed", data)
		if found.Imported+len(found.Skipped)+len(found.Unread) == 0 {
			t.Error("nothing is said of the file")
		}
		list, notes := im.Files()
		if found.Imported > 0 && len(list) == 0 && len(notes) == 0 {
			t.Error("nothing is written of what was imported")
		}
		var sources []yamlfile.Source
		for _, file := range list {
			sources = append(sources, yamlfile.Source{Name: file.Name, Data: file.Data})
		}
		if len(sources) == 0 {
			return
		}
		if _, problems := server.CheckFiles(sources...); len(problems) > 0 {
			var text strings.Builder
			for _, s := range sources {
				fmt.Fprintf(&text, "# %s\n%s", s.Name, s.Data)
			}
			t.Errorf("what was written is refused: %v\n%s", problems, text.String())
		}
	})
}

func FuzzEvents(f *testing.F)      { fuzzFormat(f, "events", "foreign") }
func FuzzWithHeaders(f *testing.F) { fuzzReading(f, "headers") }
func FuzzJSON(f *testing.F)        { fuzzFormat(f, "lines", "answer", "error", "half", "responses-lines") }
func FuzzHAR(f *testing.F)         { fuzzReading(f, "browser") }
func FuzzGoVCR(f *testing.F)       { fuzzReading(f, "govcr-v2", "govcr-v3") }
func FuzzVCRPy(f *testing.F)       { fuzzReading(f, "vcrpy") }
func FuzzAimock(f *testing.F)      { fuzzFormat(f, "aimock") }
