package cli

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"seed", "speed", "strict", "url-file"}
	cases := []struct{ word, want string }{
		{"sped", "speed"}, // as near to seed, but starts like speed
		{"sed", "seed"},
		{"url_file", "url-file"},
		{"stritc", "strict"},
		{"banana", ""},
		{"", ""},
	}
	for _, c := range cases {
		if got := nearest(c.word, known); got != c.want {
			t.Errorf("nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
