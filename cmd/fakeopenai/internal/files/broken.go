package files

import (
	"errors"
	"fmt"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// BrokenFiles is an error: scenario files, and the problems found in them.
type BrokenFiles struct {
	Files    []yamlfile.Source
	Problems diag.List
}

// Error counts the problems and shows each with its line of source.
func (b *BrokenFiles) Error() string {
	return fmt.Sprintf("%s\n%s", b.summary(), b.render())
}

// render shows each problem with its line of source.
func (b *BrokenFiles) render() string {
	return b.Problems.Render(func(name string) []byte {
		for _, f := range b.Files {
			if f.Name == name {
				return f.Data
			}
		}
		return nil
	})
}

// summary counts the problems.
func (b *BrokenFiles) summary() string {
	return fmt.Sprintf("%s in %s", console.Count(len(b.Problems), "problem"), console.Count(len(b.Files), "file"))
}

// AsBrokenFiles returns the [BrokenFiles] that err wraps, and whether there is one.
func AsBrokenFiles(err error) (*BrokenFiles, bool) { return errors.AsType[*BrokenFiles](err) }
