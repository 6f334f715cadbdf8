package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// findings are what check found.
type findings struct {
	files     []yamlfile.Source
	scenarios int
	problems  diag.List
}

// findingsFormats are the ways to print findings.
var findingsFormats = []string{"text", "json", "github"}

// print writes the findings in one of the formats.
func (f findings) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return f.printJSON(w)
	case "github":
		return f.printGitHub(w)
	default:
		return f.printText(w)
	}
}

// summary is the last line for people.
func (f findings) summary() string {
	if len(f.problems) == 0 {
		return fmt.Sprintf("%s in %s", count(f.scenarios, "scenario"), count(len(f.files), "file"))
	}
	return (&brokenError{f.files, f.problems}).summary()
}

// printText writes each problem with the line it is in.
func (f findings) printText(w io.Writer) error {
	if len(f.problems) > 0 {
		text := strings.TrimRight((&brokenError{f.files, f.problems}).render(), "\n")
		if _, err := fmt.Fprintf(w, "%s\n\n", text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, f.summary())
	return err
}

// problemJSON is a problem in the JSON format.
type problemJSON struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Width   int    `json:"width,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// printJSON writes one JSON object.
func (f findings) printJSON(w io.Writer) error {
	problems := make([]problemJSON, len(f.problems))
	for i, d := range f.problems {
		problems[i] = problemJSON{d.File, d.Line, d.Col, d.Width, d.Rule, d.Message, d.Hint}
	}
	return printJSON(w, struct {
		Files     int           `json:"files"`
		Scenarios int           `json:"scenarios"`
		Problems  []problemJSON `json:"problems"`
	}{len(f.files), f.scenarios, problems})
}

// The characters that GitHub's workflow commands need escaped: in the message,
// and also in the properties before it.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// printGitHub writes workflow commands that mark the lines in a pull request.
func (f findings) printGitHub(w io.Writer) error {
	for _, d := range f.problems {
		title, message := "scenario", d.Message
		if d.Rule != "" {
			title = d.Rule
		}
		if d.Hint != "" {
			message += " (" + d.Hint + ")"
		}
		_, err := fmt.Fprintf(w, "::error file=%s,line=%d,col=%d,title=%s::%s\n",
			githubProperty.Replace(filepath.ToSlash(d.File)), d.Line, d.Col, githubProperty.Replace(title), githubMessage.Replace(message))
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, f.summary())
	return err
}
