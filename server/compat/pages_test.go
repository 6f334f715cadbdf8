package compat

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// attackPage is a web page that tries to read and change the endpoints below /_fake/ in
// every way that a page has. It reports to its own origin what it could read.
//
//go:embed attack.html
var attackPage string

// attempt is one request that the page tried.
type attempt struct {
	What string `json:"what"`
	Read string `json:"read"` // Read is the part of the response that the page could read.
}

// browserPatience limits the time that the browser takes to start and run the page.
const browserPatience = 2 * time.Minute

// A page in a real browser cannot read or change anything below /_fake/: neither from
// another port of this machine, nor from another site, nor by DNS rebinding, where the
// name of the page's site leads to the server. The page can use the API.
func TestWebPagesInChromium(t *testing.T) {
	t.Parallel()
	fake, err := url.Parse(serve(t, build(t), "--allow-get", "--admin-host", "told.test"))
	if err != nil {
		t.Fatal(err)
	}
	pages := newPages(t, fake)
	for name, c := range map[string]struct{ page, target string }{
		"another port":          {"http://127.0.0.1:" + pages.port, fake.String()},
		"another site":          {"http://page.test:" + pages.port, fake.String()},
		"a name told of":        {"http://page.test:" + pages.port, "http://told.test:" + fake.Port()},
		"rebinding":             {"http://rebind.test:" + pages.port, "http://rebind.test:" + pages.port},
		"rebinding a subdomain": {"http://localhost.rebind.test:" + pages.port, "http://localhost.rebind.test:" + pages.port},
	} {
		t.Run(name, func(t *testing.T) {
			before := journalOf(t, fake)
			report := pages.open(t, c.page+"/page?target="+url.QueryEscape(c.target))
			read := 0
			for _, a := range report {
				api := strings.HasPrefix(a.What, "API ")
				switch {
				case api && !strings.Contains(a.Read, "Hello"):
					t.Errorf("%s: the page could not read the API: %q", a.What, a.Read)
				case !api && a.Read != "" && !strings.Contains(a.Read, "fake_admin_refused"):
					t.Errorf("%s: the page read %q", a.What, a.Read)
				case api:
					read++
				}
			}
			if len(report) < 15 || read < 2 {
				t.Errorf("the page tried only %v", report)
			}
			// A reset or a DELETE would have emptied the journal, and down closed the port.
			if after := journalOf(t, fake); after < before+read || strings.Contains(scenariosOf(t, fake), "planted") {
				t.Errorf("the journal has %d requests after %d, and the scenarios are %s", after, before, scenariosOf(t, fake))
			}
		})
	}
}

func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	skip(t, "there is no chromium; install it")
	return ""
}

// pages serves the page. It passes all other requests on to the server with their Host
// unchanged. So it stands for a name that first led to the page's own server and now leads
// to fakeopenai.
type pages struct {
	port    string
	reports chan []attempt
}

func newPages(t *testing.T, fake *url.URL) *pages {
	t.Helper()
	p := &pages{reports: make(chan []attempt, 1)}
	rebound := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(fake)
		r.Out.Host = r.In.Host
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, attackPage)
	})
	mux.HandleFunc("POST /report", func(w http.ResponseWriter, r *http.Request) {
		var report []attempt
		if err := json.NewDecoder(r.Body).Decode(&report); err != nil {
			report = []attempt{{What: "report", Read: err.Error()}}
		}
		p.reports <- report
		w.WriteHeader(http.StatusNoContent)
	})
	mux.Handle("/", rebound)
	listening := httptest.NewServer(mux)
	t.Cleanup(listening.Close)
	_, p.port, _ = net.SplitHostPort(listening.Listener.Addr().String())
	return p
}

// open opens the page in a browser, and returns the report of the page.
func (p *pages) open(t *testing.T, page string) []attempt {
	t.Helper()
	log := startChromium(t, "--host-resolver-rules=MAP *.test 127.0.0.1", page) // the port for debugging keeps it open
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(log)
		said <- string(text)
	}()
	select {
	case report := <-p.reports:
		return report
	case text := <-said:
		t.Fatalf("chromium ended before the page reported:\n%s", text)
	case <-time.After(browserPatience):
		t.Fatalf("the page did not report in %s", browserPatience)
	}
	return nil
}

// journalOf is the number of requests in the journal of the server.
func journalOf(t *testing.T, fake *url.URL) int {
	t.Helper()
	var list struct{ Requests []struct{} }
	if err := json.Unmarshal([]byte(fromProgram(t, fake, "/_fake/requests")), &list); err != nil {
		t.Fatal(err)
	}
	return len(list.Requests)
}

func scenariosOf(t *testing.T, fake *url.URL) string {
	t.Helper()
	return fromProgram(t, fake, "/_fake/scenarios")
}

// fromProgram sends a GET as a program on this machine does, not a web page.
func fromProgram(t *testing.T, fake *url.URL, path string) string {
	t.Helper()
	resp, err := http.Get(fake.String() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(fmt.Errorf("%s: status %d, %w", path, resp.StatusCode, err))
	}
	return string(text)
}
