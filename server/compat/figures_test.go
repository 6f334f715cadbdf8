package compat

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// CLIENTS.md, and the figures of README.md and FINDINGS.md, are those of clients.json. With -update the test writes them.
func TestThePagesShowWhatClientsJSONSays(t *testing.T) {
	specimens := readSpecimens(t)
	cells := readCells(t, specimens)
	otherwise, table := 0, "| file | streams | read otherwise |\n| --- | --- | --- |\n"
	for _, f := range readOtherwise(specimens, cells) {
		otherwise += f.otherwise
		table += fmt.Sprintf("| %s | %d | %d |\n", f.name, f.streams, f.otherwise)
	}
	for _, shown := range []struct{ file, pattern, now string }{
		{"CLIENTS.md", `(?s)^.*$`, string(clientsPage(t, specimens, cells))},
		{"README.md", `Of the \d+ streams \d+ are`, fmt.Sprintf("Of the %d streams %d are", len(specimens), otherwise)},
		{"README.md", `(?s)\| file \|.*?\n\n`, table + "\n"},
		{"FINDINGS.md", `Of the \d+ specimens of \S+ \d+ come`, fmt.Sprintf("Of the %d specimens of [CLIENTS.md](CLIENTS.md) %d come", len(specimens), len(specimens)-otherwise)},
	} {
		page, err := os.ReadFile(shown.file)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			page = regexp.MustCompile(shown.pattern).ReplaceAllLiteral(page, []byte(shown.now))
			writeFile(t, shown.file, page)
		}
		if got := regexp.MustCompile(shown.pattern).Find(page); string(got) != shown.now {
			t.Errorf("%s does not show what clients.json says (with -update the test writes it):\n%s", shown.file, shown.now)
		}
	}
}

// fileRead is how many streams a file of specimens has, and how many of these at least one client reads otherwise.
type fileRead struct {
	name               string
	streams, otherwise int
}

// readOtherwise counts by files, the highest share first. What a client is not asked for counts as expected.
func readOtherwise(specimens []specimen, cells []map[string]string) (list []fileRead) {
	for _, s := range specimens {
		name := strings.TrimPrefix(s.file, "../../fixtures/")
		if filepath.Dir(name) == "." {
			name = "bundled"
		}
		i := slices.IndexFunc(list, func(f fileRead) bool { return f.name == name })
		if i < 0 {
			i, list = len(list), append(list, fileRead{name: name})
		}
		list[i].streams++
		came := outcomes(cells, s.name)
		if delete(came, "skipped"); len(came) > 0 {
			list[i].otherwise++
		}
	}
	slices.SortStableFunc(list, func(a, b fileRead) int { return cmp.Compare(b.otherwise*a.streams, a.otherwise*b.streams) })
	return list
}
