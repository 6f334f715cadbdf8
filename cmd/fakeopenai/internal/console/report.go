package console

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// Report is what a command found, case by case.
type Report struct {
	Name  string // Name is the command's.
	Cases []Case
}

// Case is one of the things that a command looked at.
type Case struct {
	Name    string
	Took    time.Duration
	Verdict string // Verdict is the kind of the failure; "" for a case that passed.
	Detail  string // Detail describes the failure in one line.
	Output  string // Output describes the failure in full, with what was printed.
}

// Print writes the report in a form: value as json, the cases as junit, and the text as any other.
func (r *Report) Print(w io.Writer, form string, value any, text string) error {
	switch form {
	case "json":
		return JSON(w, value)
	case "junit":
		return r.JUnit(w)
	}
	_, err := io.WriteString(w, text)
	return err
}

// JUnit writes the report for programs that read that of JUnit. It has only the elements that all of
// them read.
func (r *Report) JUnit(w io.Writer) error {
	suite := junitSuite{Name: r.Name, Tests: len(r.Cases)}
	for _, c := range r.Cases {
		one := junitCase{Name: c.Name, Suite: r.Name, Time: seconds(c.Took)}
		if c.Verdict != "" {
			one.Failure = &junitFailure{c.Verdict, c.Detail, c.Output}
			suite.Failures++
		}
		suite.Time += one.Time
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name    `xml:"testsuites"`
		Suite   *junitSuite `xml:"testsuite"`
	}{Suite: &suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Time     seconds     `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Suite   string        `xml:"classname,attr"`
	Time    seconds       `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type seconds time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// JSON writes v as indented JSON, without HTML escapes.
func JSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// Table returns a writer that aligns columns separated by tabs. Flush writes them to out.
func Table(out io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(out, 0, 0, 2, ' ', 0) }

// Count returns a number with its noun, in the plural unless it is 1: "1 file", "2 files".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
