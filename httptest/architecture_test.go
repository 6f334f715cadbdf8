package fakeopenai

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// TestTheArchitectureNamesWhatExists checks that the files and folders to which ARCHITECTURE.md
// links exist, and that its picture has every package.
func TestTheArchitectureNamesWhatExists(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	page, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)#]+)`).FindAllStringSubmatch(string(page), -1)
	if len(links) < 40 {
		t.Errorf("%d links, want those of the walks and of the table", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat("../" + link[1]); err != nil {
			t.Errorf("ARCHITECTURE.md names %s: %v", link[1], err)
		}
	}
	picture, _, _ := strings.Cut(string(page), "## A request")
	words := strings.FieldsFunc(picture, func(r rune) bool { return strings.ContainsRune(" \n{},/", r) })
	for name := range walls {
		if !slices.Contains(words, path.Base(name)) {
			t.Errorf("the picture of ARCHITECTURE.md lacks the package %s", name)
		}
	}
}
