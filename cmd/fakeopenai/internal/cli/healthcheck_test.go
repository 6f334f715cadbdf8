package cli

import "testing"

func TestHealthURL(t *testing.T) {
	t.Parallel()
	cases := []struct {
		url, addr, want string
	}{
		{"", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "0.0.0.0:9000", "http://127.0.0.1:9000"},
		{"", ":9000", "http://127.0.0.1:9000"},
		{"", "[::]:9000", "http://127.0.0.1:9000"},
		{"", "[::1]:9000", "http://[::1]:9000"},
		{"", "fake.local:9000", "http://fake.local:9000"},
		{"http://fake:1", "127.0.0.1:8080", "http://fake:1"},
		{"http://fake:1/v1", "", "http://fake:1"},
		{"https://fake/v1/", "", "https://fake"},
	}
	for _, c := range cases {
		if got, err := healthURL(c.url, c.addr); err != nil || got != c.want {
			t.Errorf("healthURL(%q, %q) = %q, %v; want %q", c.url, c.addr, got, err, c.want)
		}
	}
	for _, url := range []string{"localhost:8080", "ftp://fake", "http://", "::"} {
		if got, err := healthURL(url, ""); err == nil {
			t.Errorf("healthURL(%q) = %q; want an error", url, got)
		}
	}
}
