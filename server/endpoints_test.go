package server

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/admin"
)

// asked returns the server's response to a request without a body.
func asked(s *Server, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func newServer(t *testing.T, config Config) *Server {
	t.Helper()
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// listed returns the endpoints that the server lists.
func listed(t *testing.T, s *Server) []admin.Endpoint {
	t.Helper()
	var got struct{ Endpoints []admin.Endpoint }
	if err := json.Unmarshal(asked(s, http.MethodGet, "/_fake/").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got.Endpoints
}

// pronoun matches words that stand for a noun of another line of the list.
var pronoun = regexp.MustCompile(`\b(it|its|them|their)\b`)

func TestTheListOfEndpointsSaysWhatEachDoes(t *testing.T) {
	t.Parallel()
	for _, e := range listed(t, newServer(t, Config{})) {
		if e.Does == "" {
			t.Errorf("the list does not say what %s %s does", e.Method, e.Path)
		}
		if !strings.HasPrefix(e.Path, admin.Path) && pronoun.MatchString(e.Does) {
			t.Errorf("%s %s %q: a description stands alone and needs its noun", e.Method, e.Path, e.Does)
		}
	}
}

func TestTheListOfEndpointsHasTheParametersThatTheyTake(t *testing.T) {
	t.Parallel()
	s := newServer(t, Config{})
	for _, e := range listed(t, s) {
		if !strings.HasPrefix(e.Path, admin.Path) {
			continue
		}
		takes := "none"
		if len(e.Parameters) > 0 {
			takes = strings.Join(e.Parameters, ", ")
		}
		w := asked(s, e.Method, e.Path+"?no_such=1")
		if want := "takes: " + takes + "."; w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s %s answers %d %s, want %q", e.Method, e.Path, w.Code, w.Body, want)
		}
	}
}

func TestThePackageCommentHasAllOwnEndpoints(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var documented, list []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([A-Z]+) +([a-z.][^ ]*) `).FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1]+" "+admin.Path+strings.TrimPrefix(m[2], "."))
	}
	for _, e := range listed(t, newServer(t, Config{Metrics: http.NotFoundHandler()})) {
		if strings.HasPrefix(e.Path, admin.Path) {
			list = append(list, e.Method+" "+e.Path)
		}
	}
	slices.Sort(documented)
	slices.Sort(list)
	if !slices.Equal(documented, list) {
		t.Errorf("the package comment has\n%s\nand the list is\n%s", strings.Join(documented, "\n"), strings.Join(list, "\n"))
	}
}

func TestTheTableOfEndpointsIsThatOfTheList(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Endpoints\n")
	table, _, _ = strings.Cut(table, "\n\nOther endpoints")
	variable := strings.NewReplacer("requests/1", "requests/{id}", "NAME", "{name}", "fake:weather", "{id}", "ID", "{id}", "ITEM", "{item}")
	var documented, list []string
	for row := range strings.Lines(table) {
		endpoints, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, m := range regexp.MustCompile("`([A-Z]+ /[^`]*)`").FindAllStringSubmatch(endpoints, -1) {
			documented = append(documented, variable.Replace(m[1]))
		}
	}
	for _, e := range listed(t, newServer(t, Config{Metrics: http.NotFoundHandler()})) {
		list = append(list, e.Method+" "+e.Path)
	}
	slices.Sort(documented)
	slices.Sort(list)
	if !slices.Equal(documented, list) {
		t.Errorf("the table has\n%s\nand the list is\n%s", strings.Join(documented, "\n"), strings.Join(list, "\n"))
	}
}

func TestBrowsersGetPages(t *testing.T) {
	t.Parallel()
	s := newServer(t, Config{})
	const accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
	for path, wants := range map[string][]string{
		"/":       {"a fake of the OpenAI API", `<a href="/_fake/">`},
		"/_fake/": {`<a href="/_fake/requests">/_fake/requests</a>`, "<td>/_fake/holds/{name}/release</td>", "api_key, count, timeout"},
	} {
		w := asked(s, http.MethodGet, path, accept)
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != "text/html; charset=utf-8" {
			t.Errorf("GET %s answers a browser %d with %s", path, w.Code, got)
		}
		for _, want := range wants {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("the page %s lacks %q: %s", path, want, w.Body)
			}
		}
		if got := asked(s, http.MethodGet, path, "Accept: */*").Header().Get("Content-Type"); got != "application/json" {
			t.Errorf("GET %s answers other clients with %s", path, got)
		}
	}
}

func TestTheRootPointsToTheEndpointsAndIsNotJournaled(t *testing.T) {
	t.Parallel()
	s := newServer(t, Config{})
	if w := asked(s, http.MethodGet, "/"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"endpoints": "/_fake/"`) {
		t.Errorf("GET / answers %d %s", w.Code, w.Body)
	}
	if w := asked(s, http.MethodGet, "/_fake"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "/_fake/requests") {
		t.Errorf("GET /_fake answers %d %s", w.Code, w.Body)
	}
	if w := asked(s, http.MethodHead, "/"); w.Code != http.StatusOK {
		t.Errorf("HEAD / answers %d", w.Code)
	}
	if got := s.Journal(); len(got) != 0 {
		t.Errorf("the journal has %+v", got)
	}
	// A client that posts to / has a wrong base URL.
	if w := asked(s, http.MethodPost, "/"); w.Code != http.StatusNotFound {
		t.Errorf("POST / answers %d %s", w.Code, w.Body)
	}
	if got := s.Journal(); len(got) != 1 || !got[0].Unmatched {
		t.Errorf("after POST / the journal is %+v", got)
	}
}

func TestTheListOfEndpointsIsProtectedLikeTheEndpoints(t *testing.T) {
	t.Parallel()
	guarded := newServer(t, Config{AdminToken: "secret"})
	if w := asked(guarded, http.MethodGet, "/_fake/"); w.Code != http.StatusUnauthorized {
		t.Errorf("without the token the list answers %d", w.Code)
	}
	if w := asked(guarded, http.MethodGet, "/_fake/", "Authorization: Bearer secret"); w.Code != http.StatusOK {
		t.Errorf("with the token the list answers %d", w.Code)
	}
	off := newServer(t, Config{NoAdmin: true})
	if w := asked(off, http.MethodGet, "/_fake/"); w.Code != http.StatusNotFound {
		t.Errorf("a list that is switched off answers %d", w.Code)
	}
	if w := asked(off, http.MethodGet, "/"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "_fake") {
		t.Errorf("without endpoints to list GET / answers %d %s", w.Code, w.Body)
	}
}

func TestAWrongBaseURLIsCorrected(t *testing.T) {
	t.Parallel()
	s := newServer(t, Config{})
	const hint = ". The base URL of this fake is http://example.com/v1."
	for path, message := range map[string]string{
		"/api/chat/completions":                 "docs/api-reference/" + hint,
		"/v2/completions":                       "docs/api-reference/" + hint,
		"/api/models":                           "docs/api-reference/" + hint,
		"/v1/v1/chat/completions":               "Invalid URL (POST /v1/v1/chat/completions)" + hint,
		"/v1/chat/completions/":                 "Invalid URL (POST /v1/chat/completions/)" + hint,
		"/v1//chat/completions":                 "Invalid URL (POST /v1//chat/completions)" + hint,
		"/v1/chat/completions/chat/completions": "Invalid URL (POST /v1/chat/completions/chat/completions)" + hint,
	} {
		w := asked(s, http.MethodPost, path)
		if got := w.Body.String(); w.Code != http.StatusNotFound || !strings.Contains(got, message) {
			t.Errorf("POST %s answers %d %s", path, w.Code, got)
		}
	}
	for _, e := range s.Journal() {
		if !e.Unmatched || !strings.HasPrefix(e.Problem, "no such URL: POST /") || !strings.HasSuffix(e.Problem, hint) {
			t.Errorf("the journal says of %s: %s", e.Path, e.Problem)
		}
	}
	for _, path := range []string{"/v1/chat", "/v2/chat", "/openai/v2/chat/completions"} {
		if got := asked(s, http.MethodPost, path).Body.String(); strings.Contains(got, "base URL") {
			t.Errorf("POST %s answers %s", path, got)
		}
	}
}
