package console

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
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
