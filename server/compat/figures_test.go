package compat

import (
	"bytes"
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
	read := readOtherwise(specimens, cells)
	all, otherwise := 0, 0
	table := "| file | streams | read otherwise |\n| --- | --- | --- |\n"
	for _, f := range read {
		all, otherwise = all+f.streams, otherwise+f.otherwise
		table += fmt.Sprintf("| %s | %d | %d |\n", f.file, f.streams, f.otherwise)
	}
	for file, figures := range map[string]struct{ pattern, now string }{
		"CLIENTS.md":  {`(?s)^.*$`, string(clientsPage(t, specimens, cells))},
		"README.md":   {`(?s)Of the \d+ streams \d+ are|\| file \|.*?\n\n`, ""},
		"FINDINGS.md": {`Of the \d+ specimens of \S+ \d+ come`, fmt.Sprintf("Of the %d specimens of [CLIENTS.md](CLIENTS.md) %d come", all, all-otherwise)},
	} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		now := regexp.MustCompile(figures.pattern).ReplaceAllStringFunc(string(page), func(was string) string {
			switch {
			case figures.now != "":
				return figures.now
			case strings.HasPrefix(was, "|"):
				return table + "\n"
			}
			return fmt.Sprintf("Of the %d streams %d are", all, otherwise)
		})
		switch {
		case !regexp.MustCompile(figures.pattern).Match(page):
			t.Errorf("%s has no %s", file, figures.pattern)
		case *update:
			writeFile(t, file, []byte(now))
		case !bytes.Equal(page, []byte(now)):
			t.Errorf("%s does not show what clients.json says; with -update the test writes it", file)
		}
	}
}

// fileRead is how many streams a file of specimens has, and how many of these at least one client reads otherwise.
type fileRead struct {
	file               string
	streams, otherwise int
}

// readOtherwise counts by files, the highest share first. What a client is not asked for counts as expected.
func readOtherwise(specimens []specimen, cells []map[string]string) (list []fileRead) {
	for _, s := range specimens {
		file := strings.TrimPrefix(s.file, "../../fixtures/")
		if filepath.Dir(file) == "." {
			file = "bundled"
		}
		i := slices.IndexFunc(list, func(f fileRead) bool { return f.file == file })
		if i < 0 {
			i, list = len(list), append(list, fileRead{file: file})
		}
		list[i].streams++
		came := outcomes(cells, s.name)
		if delete(came, "skipped"); len(came) > 0 {
			list[i].otherwise++
		}
	}
	slices.SortStableFunc(list, func(a, b fileRead) int {
		return cmp.Compare(float64(b.otherwise)/float64(b.streams), float64(a.otherwise)/float64(a.streams))
	})
	return list
}
