package console

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Suite is a JUnit report. It has only the elements that all tools read.
type Suite struct {
	Name  string
	Cases []Case
}

// Case is one test of a [Suite].
type Case struct {
	Name    string
	Took    time.Duration
	Failure *Failure // Failure is nil for a test that passed.
}

// Failure says why a test failed.
type Failure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    string   `xml:"time,attr"`
		Failure *Failure `xml:"failure"`
	}
)

// Print writes the report.
func (s Suite) Print(w io.Writer) error {
	out := junitSuite{Name: s.Name, Tests: len(s.Cases)}
	var all time.Duration
	for _, c := range s.Cases {
		if c.Failure != nil {
			out.Failures++
		}
		all += c.Took
		out.Cases = append(out.Cases, junitCase{c.Name, s.Name, formatSeconds(c.Took), c.Failure})
	}
	out.Time = formatSeconds(all)
	text, err := xml.MarshalIndent(junitSuites{Suite: out}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func formatSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
