package fakeopenai

import "testing"

func TestUntab(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"a text without tabs stays as it is", "  a:\n    b: 1\n", "  a:\n    b: 1\n"},
		{"the tabs that all lines begin with become spaces", "\n\t\ta:\n\t\t  b: 1\n\t", "\n  a:\n    b: 1\n"},
		{"tabs and spaces may be mixed in what is common", "\t  a: 1\n\t  b: 2", "   a: 1\n   b: 2"},
		{"a tab that not all lines begin with is left to the parser", "a:\n\tb: 1", "a:\n\tb: 1"},
		{"a tab inside a line stays", "\ta: x\ty", " a: x\ty"},
		{"blank lines do not count", "\ta: |\n\n\t  x\n", " a: |\n\n   x\n"},
		{"an empty text stays empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := untab(tt.src); got != tt.want {
				t.Errorf("untab(%q) = %q, want %q", tt.src, got, tt.want)
			}
		})
	}
}
