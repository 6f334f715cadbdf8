package yamlfile_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// For any bytes the parser ends, does not panic, and reports positions that exist in the
// file. A scenario that it accepts is the same after it was formatted and read again.
func FuzzParse(f *testing.F) {
	testflag.Heavy(f)
	for _, pattern := range []string{"../testdata/ok/*.yaml", "../testdata/err/*.yaml"} {
		for _, file := range filesLike(f, pattern) {
			if filepath.Base(file) == "alias_bomb.yaml" {
				continue // a file of a million values would leave no time for other inputs
			}
			f.Add(mustRead(f, file))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 16<<10 {
			return // a defect that no small file shows would not be found in a large one
		}
		list, diags := yamlfile.Parse("fuzz.yaml", src)
		if len(list) == 0 && len(diags) == 0 {
			t.Error("neither scenarios nor problems")
		}
		for _, d := range diags {
			checkPosition(t, d, src)
		}
		diags.Render(func(string) []byte { return src })
		if len(diags) == 0 {
			for _, s := range list {
				checkFormatted(t, s)
			}
		}
		if largeNumber.Match(src) {
			return // the time to check a stream is proportional to its length
		}
		set, diags := server.CheckFiles(yamlfile.Source{Name: "fuzz.yaml", Data: src})
		if (set == nil) != (len(diags) > 0) {
			t.Errorf("set %v with problems %v", set, diags)
		}
	})
}

var largeNumber = regexp.MustCompile(`(repeat|bytes|heartbeat|words|sentences|paragraphs|pieces|done)\W*[0-9]{2}`)
