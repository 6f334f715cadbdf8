package cli

import (
	"errors"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// brokenError is scenario files with problems in them.
type brokenError struct {
	files    []yamlfile.Source
	problems diag.List
}

// Error shows each problem with the line it is in.
func (b *brokenError) Error() string {
	return fmt.Sprintf("%s\n%s", b.summary(), b.render())
}

// render shows each problem with the line it is in.
func (b *brokenError) render() string {
	return b.problems.Render(func(name string) []byte {
		for _, f := range b.files {
			if f.Name == name {
				return f.Data
			}
		}
		return nil
	})
}

// summary counts the problems.
func (b *brokenError) summary() string {
	return fmt.Sprintf("%s in %s", count(len(b.problems), "problem"), count(len(b.files), "file"))
}

// asBroken finds a brokenError.
func asBroken(err error) (*brokenError, bool) { return errors.AsType[*brokenError](err) }
