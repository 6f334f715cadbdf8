package cli

import "testing"

func TestDocument(t *testing.T) {
	t.Parallel()
	const src = "# one\nname: one\n---\n# two\nname: two\nmessage: |\n  ---\n...\n--- # three\nname: three"
	cases := []struct {
		line int
		want string
	}{
		{2, "# one\nname: one\n"},
		{5, "# two\nname: two\nmessage: |\n  ---\n"},
		{10, "name: three"},
	}
	for _, c := range cases {
		if got := string(document([]byte(src), c.line)); got != c.want {
			t.Errorf("document at line %d is %q, want %q", c.line, got, c.want)
		}
	}
}
