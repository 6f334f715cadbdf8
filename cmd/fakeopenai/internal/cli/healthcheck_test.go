package cli

import "testing"

func TestHealthURL(t *testing.T) {
	t.Parallel()
	cases := []struct {
		url, addr, want string
		tls             bool
	}{
		{"", "127.0.0.1:8080", "http://127.0.0.1:8080", false},
		{"", "0.0.0.0:9000", "http://127.0.0.1:9000", false},
		{"", ":9000", "http://127.0.0.1:9000", false},
		{"", "[::]:9000", "http://127.0.0.1:9000", false},
		{"", "[::1]:9000", "http://[::1]:9000", false},
		{"", "fake.local:9000", "http://fake.local:9000", false},
		{"http://fake:1", "127.0.0.1:8080", "http://fake:1", false},
		{"http://fake:1/v1", "", "http://fake:1", false},
		{"https://fake/v1/", "", "https://fake", false},
		{"", "0.0.0.0:9000", "https://127.0.0.1:9000", true},
		{"http://fake:1", "0.0.0.0:9000", "http://fake:1", true},
	}
	for _, c := range cases {
		if got, err := healthURL(c.url, c.addr, c.tls); err != nil || got != c.want {
			t.Errorf("healthURL(%q, %q) = %q, %v; want %q", c.url, c.addr, got, err, c.want)
		}
	}
	for _, url := range []string{"localhost:8080", "ftp://fake", "http://", "::"} {
		if got, err := healthURL(url, "", false); err == nil {
			t.Errorf("healthURL(%q) = %q; want an error", url, got)
		}
	}
}
