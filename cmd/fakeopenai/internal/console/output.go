package console

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

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

// Suite is a JUnit report. It has only the elements that all tools read.
type Suite struct {
	Name     string  `xml:"name,attr"`
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Time     seconds `xml:"time,attr"`
	Cases    []Case  `xml:"testcase"`
}

// Case is one test of a [Suite].
type Case struct {
	Name    string   `xml:"name,attr"`
	Suite   string   `xml:"classname,attr"`
	Time    seconds  `xml:"time,attr"`
	Failure *Failure `xml:"failure"` // Failure is nil for a test that passed.
}

// Failure says why a test failed.
type Failure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type seconds time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (s seconds) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", time.Duration(s).Seconds()), nil
}

// Add adds a test that took so long. The failure of one that passed is nil.
func (s *Suite) Add(name string, took time.Duration, failure *Failure) {
	s.Cases = append(s.Cases, Case{name, s.Name, seconds(took), failure})
	s.Tests++
	s.Time += seconds(took)
	if failure != nil {
		s.Failures++
	}
}

// Print writes the report.
func (s *Suite) Print(w io.Writer) error {
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   *Suite   `xml:"testsuite"`
	}{Suite: s}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
