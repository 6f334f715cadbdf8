package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// checkResult is the result of the check command.
type checkResult struct {
	Files     []yamlfile.Source
	Scenarios int // Scenarios is the number of scenarios; 0 if there are problems.
	Problems  diag.List
}

// checkFormats are the formats in which a [checkResult] is printed.
var checkFormats = []string{"text", "json", "github", "junit"}

// Print writes the result in one of the [checkFormats].
func (f checkResult) Print(w io.Writer, format string) error {
	var text string
	switch format {
	case "json":
		return f.printJSON(w)
	case "junit":
		return f.printJUnit(w)
	case "github":
		text = f.github()
	default:
		text = f.text()
	}
	_, err := fmt.Fprintf(w, "%s%s\n", text, f.summary())
	return err
}

func (f checkResult) summary() string {
	if len(f.Problems) == 0 {
		return fmt.Sprintf("%s in %s", console.Count(f.Scenarios, "scenario"), console.Count(len(f.Files), "file"))
	}
	return (&brokenFiles{f.Files, f.Problems}).summary()
}

func (f checkResult) text() string {
	if len(f.Problems) == 0 {
		return ""
	}
	return strings.TrimRight((&brokenFiles{f.Files, f.Problems}).render(), "\n") + "\n\n"
}

type problemJSON struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Width   int    `json:"width,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (f checkResult) printJSON(w io.Writer) error {
	problems := make([]problemJSON, len(f.Problems))
	for i, d := range f.Problems {
		problems[i] = problemJSON{d.File, d.Line, d.Col, d.Width, d.Rule, d.Message, d.Hint}
	}
	return console.JSON(w, struct {
		Files     int           `json:"files"`
		Scenarios int           `json:"scenarios"`
		Problems  []problemJSON `json:"problems"`
	}{len(f.Files), f.Scenarios, problems})
}

// printJUnit writes one test case for each file. A file with problems is a failed case.
func (f checkResult) printJUnit(w io.Writer) error {
	suite := console.Suite{Name: "fakeopenai check"}
	for _, file := range f.Files {
		var failure *console.Failure
		var lines []string
		for _, d := range f.Problems {
			if d.File == file.Name {
				lines = append(lines, d.String())
			}
		}
		if lines != nil {
			failure = &console.Failure{Type: "problem", Message: console.Count(len(lines), "problem"), Text: strings.Join(lines, "\n")}
		}
		suite.Add(file.Name, 0, failure)
	}
	return suite.Print(w)
}

// The characters that GitHub's workflow commands need escaped: in the message,
// and also in the properties before it.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// github returns workflow commands that mark the lines in a pull request.
func (f checkResult) github() string {
	var text strings.Builder
	for _, d := range f.Problems {
		message := d.Message
		if d.Hint != "" {
			message += " (" + d.Hint + ")"
		}
		fmt.Fprintf(&text, "::error file=%s,line=%d,col=%d,title=%s::%s\n",
			githubProperty.Replace(filepath.ToSlash(d.File)), d.Line, d.Col, githubProperty.Replace(cmp.Or(d.Rule, "scenario")), githubMessage.Replace(message))
	}
	return text.String()
}

// brokenFiles is an error: scenario files, and the problems found in them.
type brokenFiles struct {
	Files    []yamlfile.Source
	Problems diag.List
}

// Error counts the problems and shows each with its line of source.
func (b *brokenFiles) Error() string {
	return fmt.Sprintf("%s\n%s", b.summary(), b.render())
}

func (b *brokenFiles) render() string {
	return b.Problems.Render(func(name string) []byte {
		for _, f := range b.Files {
			if f.Name == name {
				return f.Data
			}
		}
		return nil
	})
}

func (b *brokenFiles) summary() string {
	return fmt.Sprintf("%s in %s", console.Count(len(b.Problems), "problem"), console.Count(len(b.Files), "file"))
}
