package diag_test

import (
	"errors"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

func TestDiagnosticInOneLine(t *testing.T) {
	t.Parallel()
	at := diag.Pos{File: "a.yaml", Line: 3, Col: 5}
	for _, c := range []struct {
		name string
		d    diag.Problem
		want string
	}{
		{"position and message", diag.Problem{Pos: at, Message: "no"}, "a.yaml:3:5: no"},
		{"hint in parentheses", diag.Problem{Pos: at, Message: "no", Hint: "yes"}, "a.yaml:3:5: no (yes)"},
		{"rule in brackets", diag.Problem{Pos: at, Message: "no", Hint: "yes", Rule: "r"}, "a.yaml:3:5: no (yes) [r]"},
		{"a column that is not known is the first", diag.Problem{Pos: diag.Pos{File: "a.yaml", Line: 3}, Message: "no"}, "a.yaml:3:1: no"},
		{"a line that is not known is left out", diag.Problem{Pos: diag.Pos{File: "a.yaml"}, Message: "no"}, "a.yaml: no"},
		{"made in Go", diag.Problem{Message: "no"}, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.d.String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDiagnosticsAreAnErrorOnlyWhenThereAreSome(t *testing.T) {
	t.Parallel()
	if err := (diag.List{}).Err(); err != nil {
		t.Errorf("no problems give the error %v", err)
	}
	err := diag.List{{Message: "a"}, {Message: "b"}}.Err()
	var ds diag.List
	if !errors.As(err, &ds) || err.Error() != "a\nb" {
		t.Errorf("got %v", err)
	}
}

func TestDiagnosticsAreSortedByPlace(t *testing.T) {
	t.Parallel()
	at := func(file string, line, col int) diag.Problem {
		return diag.Problem{Pos: diag.Pos{File: file, Line: line, Col: col}}
	}
	ds := diag.List{at("b", 1, 1), at("a", 10, 1), at("a", 2, 9), at("a", 2, 1), at("a", 2, 1)}
	ds.Sort()
	ds = ds.Unique()
	want := diag.List{at("a", 2, 1), at("a", 2, 9), at("a", 10, 1), at("b", 1, 1)}
	if ds.Error() != want.Error() {
		t.Errorf("got\n%v\nwant\n%v", ds, want)
	}
}

func TestRenderWithoutTheFileLeavesOutTheExcerpt(t *testing.T) {
	t.Parallel()
	ds := diag.List{{Pos: diag.Pos{File: "a.yaml", Line: 3, Col: 5}, Message: "no", Hint: "yes"}}
	want := "a.yaml:3:5: no (yes)\n"
	for name, src := range map[string][]byte{"no file": nil, "a shorter file": []byte("a\n")} {
		if got := ds.Render(func(string) []byte { return src }); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestLinesEndWhereYAMLEndsThem(t *testing.T) {
	t.Parallel()
	got := diag.SplitLines([]byte("\ufeffa\r\nb\rc\n\nd\u0085e\u2028f\u2029g"))
	want := []string{"a", "b", "c", "", "d", "e", "f", "g"}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: got %q, want %q", i+1, got[i], want[i])
		}
	}
}

// Control characters in a file, its name or a hint cannot control the terminal on which the
// problem is printed, and the mark stays below the marked text.
func TestProblemsArePrintable(t *testing.T) {
	t.Parallel()
	ds := diag.List{{Pos: diag.Pos{File: "a\x1b[31m.yaml", Line: 1, Col: 6}, Width: 1, Message: "no \u202e", Hint: "yes \x07"}}
	if got, want := ds[0].String(), "a\ufffd[31m.yaml:1:6: no \ufffd (yes \ufffd)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := "a\ufffd[31m.yaml:1:6: no \ufffd\n   |\n 1 | k\ufffd: \ufffd!\ta\n   |      ^ yes \ufffd\n"
	if got := ds.Render(func(string) []byte { return []byte("k\x1b: \u202e!\ta\n") }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	forged := diag.Problem{Pos: diag.Pos{File: "a\n::error::b.yaml", Line: 1, Col: 2}, Message: "no"}
	if got, want := forged.String(), "a\ufffd::error::b.yaml:1:2: no"; got != want {
		t.Errorf("the name of a file is printed as %q, want %q", got, want)
	}
	for _, text := range []string{"tab\tand\nline", "日本 é 👩‍👩‍👧", "no\u00a0break"} {
		if got := diag.Printable(text); got != text {
			t.Errorf("Printable(%q) is %q", text, got)
		}
	}
}
