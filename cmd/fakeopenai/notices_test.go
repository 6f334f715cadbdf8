package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// notices is the file that goes with every form of the program beside its own licence.
const notices = "../../NOTICES.txt"

// isNotice matches the names of files that a licence asks to be passed on.
var isNotice = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(md|txt))?$`)

// The notices are those of the modules that are in the program on any system for which it is
// released, and of Go itself.
func TestNoticesAreThoseOfTheModulesInTheProgram(t *testing.T) {
	t.Parallel()
	testflag.Writes(t)
	texts := map[string]string{} // the notices of a module by its path and version
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, processor := range []string{"amd64", "arm64"} {
			list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", ".")
			list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
			out, err := list.Output()
			if err != nil {
				t.Fatalf("go list for %s: %v", system, err)
			}
			for line := range strings.Lines(string(out)) {
				if parts := strings.Split(strings.TrimSpace(line), "\t"); len(parts) == 3 {
					for dir := parts[2]; len(dir) >= len(parts[1]); dir = filepath.Dir(dir) {
						addNotices(t, texts, parts[0], dir)
					}
				}
			}
		}
	}
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	addNotices(t, texts, "The Go Programming Language", strings.TrimSpace(string(root)))
	var all strings.Builder
	all.WriteString("The program fakeopenai contains the following software. Its own licence is in LICENSE.\n")
	for _, module := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&all, "\n%s\n%s\n%s", strings.Repeat("=", 80), module, texts[module])
	}
	testflag.Golden(t, notices, all.String())
}

// addNotices adds the notices in a directory to those of a module, each text once.
func addNotices(t *testing.T, texts map[string]string, module, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	texts[module] += "" // a module without any is in the list, too
	for _, e := range entries {
		if e.IsDir() || !isNotice.MatchString(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text := "\n" + strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")) + "\n"
		if !strings.Contains(texts[module], text) {
			texts[module] += text
		}
	}
}

// Tests of the packages look for the notices in what these build. No test builds the archives
// and the image of the Dockerfile.
func TestNoticesGoWithArchivesAndImages(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"../packaging/goreleaser.yaml": "{ src: NOTICES.txt,", "../../Dockerfile": "\nCOPY LICENSE NOTICES.txt /\n"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no line with %s, %v", file, want, err)
		}
	}
}
