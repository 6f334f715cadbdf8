package fakeopenai

import "testing"

func TestUnindented(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"what all lines begin with goes", "\n\t\ta:\n\t\t  b: 1\n\t", "\na:\n  b: 1\n"},
		{"tabs and spaces may be mixed in it", "\t  a: 1\n\t  b: 2", "a: 1\nb: 2"},
		{"several scenarios may be indented", "\t\ta: 1\n\t\t---\n\t\tb: 1\n\t", "a: 1\n---\nb: 1\n"},
		{"a tab that not all lines begin with is left to the parser", "a:\n\tb: 1", "a:\n\tb: 1"},
		{"a tab inside a line stays", "\ta: x\ty", "a: x\ty"},
		{"blank lines do not count", "\ta: |\n\n\t  x\n", "a: |\n\n  x\n"},
		{"an empty text stays empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := unindented(tt.src); got != tt.want {
				t.Errorf("unindented(%q) = %q, want %q", tt.src, got, tt.want)
			}
		})
	}
}
