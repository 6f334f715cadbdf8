package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// The endpoints below /_fake/ are for programs on this machine. Here the test sends the
// headers with which browsers send requests of web pages; server/compat does the same with a real browser.
func TestOwnEndpointsAreClosedToWebPages(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{AdminHosts: []string{"Fake.Test."}})
	port := r.url[strings.LastIndex(r.url, ":"):]
	r.chat(ask)
	r.ended()
	of := func(host, header string) (lines []string) {
		if host != "" {
			lines = append(lines, "Host: "+host)
		}
		if header != "" {
			lines = append(lines, header)
		}
		return lines
	}
	for _, c := range []struct {
		method, host, header string
		want                 string // what the refusal says; "" for none
	}{
		{"GET", "", "", ""},
		{"POST", "", "", ""},
		{"GET", "localhost" + port, "", ""},
		{"GET", "LOCALHOST." + port, "", ""},
		{"GET", "a.localhost" + port, "", ""},
		{"GET", "127.9.9.9:80", "", ""},
		{"GET", "[::1]" + port, "", ""},
		{"GET", "[::ffff:127.0.0.1]" + port, "", ""},
		{"GET", "fake.test" + port, "", ""},
		{"GET", "FAKE.test", "", ""},
		{"GET", "", "Sec-Fetch-Site: none", ""},
		{"GET", "", "Sec-Fetch-Site: same-origin", ""},
		{"POST", "", "Sec-Fetch-Site: same-origin", ""},
		{"POST", "", "Origin: " + r.url, ""},
		{"DELETE", "other.fake.test", "", `--admin-host other.fake.test`},
		{"GET", "rebind.test" + port, "", `--admin-host rebind.test`},
		{"POST", "rebind.test" + port, "", `--admin-host rebind.test`},
		{"POST", "rebind.test" + port, "Origin: http://rebind.test" + port, `Config.AdminHosts`},
		{"GET", "192.0.2.1" + port, "", `--admin-host 192.0.2.1`},
		{"GET", "localhost.evil.test" + port, "", `--admin-host localhost.evil.test`},
		{"GET", "evil'$(x)" + port, "", `--admin-host NAME`},
		{"GET", "", "Sec-Fetch-Site: cross-site", "--admin-token"},
		{"GET", "", "Sec-Fetch-Site: same-site", "another origin"},
		{"GET", "", "Origin: http://page.test", "another origin"},
		{"GET", "", "Origin: null", "another origin"},
		{"POST", "", "Sec-Fetch-Site: cross-site", "another origin"},
		{"POST", "", "Origin: http://127.0.0.1:1", "another origin"},
		{"POST", "fake.test", "Origin: https://page.test", "another origin"},
	} {
		paths := map[string][]string{
			"GET":    {"/_fake/requests", "/_fake/calls", "/_fake/scenarios", "/_fake/openapi.json", "/_fake/", "/_fake"},
			"POST":   {"/_fake/reset?api_key=none"},
			"DELETE": {"/_fake/requests?api_key=none"},
		}
		for _, path := range paths[c.method] {
			resp := r.do(c.method, path, "", of(c.host, c.header)...)
			if c.want == "" {
				if resp.StatusCode >= 300 {
					t.Errorf("%s %s of host %q with %q: status %d: %s", c.method, path, c.host, c.header, resp.StatusCode, text(t, resp))
				}
				continue
			}
			wantStatus(t, resp, http.StatusForbidden)
			wantContains(t, text(t, resp), c.want, `"code": "fake_admin_refused"`)
		}
		for _, path := range []string{"/_fake/healthz", "/_fake/readyz"} {
			wantStatus(t, r.do("GET", path, "", of(c.host, c.header)...), http.StatusOK)
		}
	}
	if n := len(r.Journal()); n != 1 {
		t.Errorf("the journal has %d requests, want 1", n)
	}
	wantStatus(t, r.do("OPTIONS", "/_fake/reset", "", "Origin: http://page.test"), http.StatusMethodNotAllowed)
	for name := range r.do("GET", "/_fake/requests", "", "Origin: http://page.test").Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("a page of another origin is told %s", name)
		}
	}
}

// A request with the token passes all other checks.
func TestATokenOpensOwnEndpointsToEverybody(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{AdminToken: "secret"})
	for _, header := range []string{"Origin: http://page.test", "Sec-Fetch-Site: cross-site", "X-A: b"} {
		wantStatus(t, r.do("POST", "/_fake/reset", "", "Host: proxy.test", header, "Authorization: Bearer secret"), http.StatusNoContent)
		wantStatus(t, r.do("POST", "/_fake/reset", "", "Host: proxy.test", header), http.StatusUnauthorized)
	}
}

// Without a token, a server that listens beyond loopback answers on none of its own
// endpoints except those of health, to any client, and logs that once.
func TestOwnEndpointsAreOffBeyondLoopback(t *testing.T) {
	t.Parallel()
	for addr, off := range map[string]bool{"0.0.0.0:0": true, "[::]:0": true, "127.0.0.1:0": false, "127.0.0.2:0": false} {
		for token, off := range map[string]bool{"": off, "secret": false} {
			t.Run(addr+" "+token, func(t *testing.T) {
				t.Parallel()
				l, err := net.Listen("tcp", addr)
				if err != nil {
					t.Skipf("skipped: this machine has no such address: %v", err)
				}
				var log bytes.Buffer
				r := newRunning(t, hello, server.Config{AdminToken: token, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				listening := &http.Server{Handler: r, ConnContext: r.ConnContext, ReadHeaderTimeout: time.Minute}
				watched := r.Watch(l)
				go func() { _ = listening.Serve(watched) }()
				t.Cleanup(func() { listening.Close() })

				bound := l.Addr().(*net.TCPAddr)
				host := "127.0.0.1"
				if !bound.IP.IsUnspecified() {
					host = bound.IP.String()
				}
				r.client, r.url = http.DefaultClient, "http://"+host+l.Addr().String()[strings.LastIndex(l.Addr().String(), ":"):]
				for _, path := range []string{"/_fake/requests", "/_fake/"} {
					resp := r.do("GET", path, "", "Authorization: Bearer "+token)
					if !off {
						wantStatus(t, resp, http.StatusOK)
						continue
					}
					wantStatus(t, resp, http.StatusForbidden)
					wantContains(t, text(t, resp), `"code": "fake_admin_off"`, "--admin-token TOKEN", l.Addr().String())
				}
				wantStatus(t, r.do("GET", "/_fake/readyz", ""), http.StatusOK)
				if points := strings.Contains(r.get("/", http.StatusOK), "/_fake/"); points == off {
					t.Errorf("GET / points to the endpoints: %t", points)
				}
				want := 0
				if off {
					want = 1
				}
				if got := strings.Count(log.String(), "--admin-token TOKEN"); got != want {
					t.Errorf("the log says %d times how to have them, want %d:\n%s", got, want, log.String())
				}
			})
		}
	}
}

// A server that was not given its listener decides by the local address of each connection.
func TestOwnEndpointsAreOffForConnectionsFromElsewhere(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := local(t, "", server.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for local, want := range map[string]int{"192.0.2.7:80": http.StatusForbidden, "127.0.0.1:80": http.StatusOK, "[fe80::1%eth0]:80": http.StatusForbidden} {
		addr, err := net.ResolveTCPAddr("tcp", local)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			req := httptest.NewRequest("GET", "http://localhost/_fake/requests", nil)
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, addr)))
			if rec.Code != want {
				t.Errorf("at %s the status is %d, want %d: %s", local, rec.Code, want, rec.Body)
			}
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("the log has %d lines, want 1:\n%s", n, log.String())
	}
}

// Web pages cannot reach a handler that is called in the process, nor one behind a Unix
// socket, so these answer.
func TestOwnEndpointsAnswerInTheProcessAndOnUnixSockets(t *testing.T) {
	t.Parallel()
	s := local(t, "", server.Config{})
	for _, local := range []net.Addr{nil, &net.UnixAddr{Name: "/tmp/fake.sock", Net: "unix"}} {
		req := httptest.NewRequest("GET", "http://example.com/_fake/requests", nil)
		if local != nil {
			req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, local))
		}
		rec := httptest.NewRecorder()
		if s.ServeHTTP(rec, req); rec.Code != http.StatusOK {
			t.Errorf("at %v the status is %d: %s", local, rec.Code, rec.Body)
		}
	}
}

func TestAdminHostsAreNames(t *testing.T) {
	t.Parallel()
	for host, ok := range map[string]bool{
		"fake.test": true, "192.0.2.1": true, "fd00::1": true, "[fd00::1]": true, "my_host": true,
		"": false, "fake.test:8080": false, "http://fake.test": false, "fake.test/": false, "*": false, "a b": false,
	} {
		_, err := server.New(server.Config{AdminHosts: []string{host}})
		if (err == nil) != ok {
			t.Errorf("%q: %v", host, err)
		}
		if err != nil {
			wantContains(t, err.Error(), "such as fake.test")
		}
	}
}
