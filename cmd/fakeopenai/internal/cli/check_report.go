package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// findings are scenario files, and the problems found in them. They are an error if there
// are any.
type findings struct {
	Files     []yamlfile.Source
	Scenarios int // Scenarios is the number of scenarios; 0 if there are problems.
	Problems  diag.List
	Notes     diag.List // Notes are what is right and may surprise.
}

// checkFormats are the formats in which [findings] are printed.
var checkFormats = []string{"text", "json", "github", "junit"}

// Print writes the result in one of the [checkFormats].
func (f *findings) Print(w io.Writer, format string) error {
	text := ""
	if format == "github" {
		text = f.github()
	} else if len(f.Problems) > 0 {
		text = strings.TrimRight(f.render(f.Problems), "\n") + "\n\n"
	}
	report := console.Report{Name: "fakeopenai check", Cases: f.cases()}
	return report.Print(w, format, struct {
		Files     int           `json:"files"`
		Scenarios int           `json:"scenarios"`
		Problems  []problemJSON `json:"problems"`
		Notes     []problemJSON `json:"notes,omitempty"`
	}{len(f.Files), f.Scenarios, problemsJSON(f.Problems), problemsJSON(f.Notes)}, text+f.summary()+"\n")
}

// cases are the files. One with problems is a case that fails.
func (f *findings) cases() (list []console.Case) {
	for _, file := range f.Files {
		var lines []string
		for _, d := range f.Problems {
			if d.File == file.Name {
				lines = append(lines, d.String())
			}
		}
		c := console.Case{Name: file.Name}
		if lines != nil {
			c.Verdict, c.Detail, c.Output = "problem", console.Count(len(lines), "problem"), strings.Join(lines, "\n")
		}
		list = append(list, c)
	}
	return list
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

func problemsJSON(list diag.List) []problemJSON {
	out := make([]problemJSON, len(list))
	for i, d := range list {
		out[i] = problemJSON{d.File, d.Line, d.Col, d.Width, d.Rule, d.Message, d.Hint}
	}
	return out
}

// The characters that GitHub's workflow commands need escaped: in the message,
// and also in the properties before it.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// github returns workflow commands that mark the lines in a pull request.
func (f *findings) github() string {
	var text strings.Builder
	mark := func(command string, list diag.List) {
		for _, d := range list {
			message := d.Message
			if d.Hint != "" {
				message += " (" + d.Hint + ")"
			}
			fmt.Fprintf(&text, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
				githubProperty.Replace(diag.Printable(filepath.ToSlash(d.File))), d.Line, d.Col, githubProperty.Replace(cmp.Or(d.Rule, "scenario")), githubMessage.Replace(diag.Printable(message)))
		}
	}
	mark("error", f.Problems)
	mark("notice", f.Notes)
	return text.String()
}

// Error counts the problems and shows each with its line of source.
func (f *findings) Error() string { return f.summary() + "\n" + f.render(f.Problems) }

// render shows each problem with its line of source.
func (f *findings) render(list diag.List) string {
	return list.Render(func(name string) []byte {
		for _, file := range f.Files {
			if file.Name == name {
				return file.Data
			}
		}
		return nil
	})
}

// notes shows each note with its line of source.
func (f *findings) notes() string {
	list := slices.Clone(f.Notes)
	for i := range list {
		list[i].Message = "note: " + list[i].Message
	}
	return f.render(list)
}

func (f *findings) summary() string {
	files := console.Count(len(f.Files), "file")
	if len(f.Problems) == 0 {
		return console.Count(f.Scenarios, "scenario") + " in " + files
	}
	return console.Count(len(f.Problems), "problem") + " in " + files
}

// goesOut says in one line for each scenario of a set what goes out: which requests it answers on which APIs, how many
// events it sends in which time, and how it ends; and in a last line who answers a plain request of each API.
func goesOut(set *scenarios.Set) (string, error) {
	answered := ""
	fake, err := server.New(server.Config{Scenarios: set, Seed: 1, Logger: slog.New(slog.DiscardHandler), Observe: func(e journal.Entry) { answered = e.Scenario }})
	if err != nil {
		return "", err
	}
	defer fake.Close()
	var text strings.Builder
	speaks := server.Speaks(set)
	for _, s := range set.Scenarios() {
		if len(s.Replies) == 0 {
			continue
		}
		on := server.SurfaceOf(s)
		asked := strings.Join(s.When.Conditions(), ", ")
		if asked == "" {
			asked = "any request"
		}
		p, err := plan(context.Background(), fake, playRequest{Method: on.Method, Path: on.Path, Scenario: s.Name, Body: []byte(on.Example)})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "%s: %s on %s: %s\n", s.Name, asked, cmp.Or(strings.Join(speaks[s.Name], ", "), on.Name), inShort(&p))
	}
	var plain []string
	for _, on := range append(server.Surfaces(), server.SurfaceNamed("embeddings"), server.SurfaceNamed("moderations")) {
		if answered = ""; on.Method == http.MethodPost && on.Example != "" {
			if _, err := plan(context.Background(), fake, playRequest{Path: on.Path, Body: []byte(on.Example)}); err != nil {
				return "", err
			}
			plain = append(plain, on.Name+" "+cmp.Or(answered, "none"))
		}
	}
	return text.String() + "who answers a plain request: " + strings.Join(plain, ", ") + "\n", nil
}

// inShort is what a plan sends: events, time, ending, and what is torn.
func inShort(p *server.Plan) string {
	events, torn, holds := 0, false, 0
	for _, f := range p.Frames {
		switch {
		case f.Hold != "":
			holds++
		case !f.More:
			events++
			torn = len(f.Bytes) > 0 && !endsWhole(f.Bytes)
		}
	}
	said := []string{console.Count(events, "event")}
	switch {
	case p.Status == 0 && p.Frames == nil && p.End == "":
		return "its first reply is for other requests"
	case p.Status == 0:
		said = nil
	case !strings.HasPrefix(p.Header.Get("Content-Type"), "text/event-stream"):
		said = []string{fmt.Sprintf("%d %s", p.Status, p.Header.Get("Content-Type"))}
	case torn:
		said = append(said, "of which the last is torn")
	}
	if p.EndAt > 0 {
		said = append(said, "in "+p.EndAt.String())
	}
	if holds > 0 {
		said = append(said, "waiting at "+console.Count(holds, "hold"))
	}
	if p.End != "" {
		said = append(said, "then "+p.End)
	}
	return strings.Join(said, ", ")
}
