package server_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// listed returns the endpoints that the server lists.
func (r *running) listed() []admin.Endpoint {
	r.t.Helper()
	return decode[struct{ Endpoints []admin.Endpoint }](r.t, r.get("/_fake/", http.StatusOK)).Endpoints
}

// pronoun matches words that stand for a noun of another line of the list.
var pronoun = regexp.MustCompile(`\b(it|its|them|their)\b`)

func TestTheListOfEndpointsSaysWhatEachDoes(t *testing.T) {
	t.Parallel()
	for _, e := range local(t, "", server.Config{}).listed() {
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
	r := local(t, "", server.Config{})
	for _, e := range r.listed() {
		if !strings.HasPrefix(e.Path, admin.Path) {
			continue
		}
		takes := "none"
		if len(e.Parameters) > 0 {
			takes = strings.Join(e.Parameters, ", ")
		}
		resp := r.do(e.Method, e.Path+"?no_such=1", "")
		wantStatus(t, resp, http.StatusBadRequest)
		if e.Method != http.MethodHead {
			wantContains(t, text(t, resp), "takes: "+takes+".")
		}
	}
}

// The page has all endpoints.
func TestThePageHasTheListOfEndpoints(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var table, all []string
	_, rows, _ := strings.Cut(string(page), "\n## Endpoints\n")
	rows, _, _ = strings.Cut(rows, "\n\nOther endpoints")
	variable := strings.NewReplacer("requests/1", "requests/{id}", "NAME", "{name}", "fake:weather", "{id}", "ID", "{id}", "ITEM", "{item}")
	for row := range strings.Lines(rows) {
		endpoints, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, m := range regexp.MustCompile("`([A-Z]+ /[^`]*)`").FindAllStringSubmatch(endpoints, -1) {
			table = append(table, variable.Replace(m[1]))
		}
	}
	for _, e := range local(t, "", server.Config{Metrics: http.NotFoundHandler(), AsScenario: func(journal.Entry) ([]byte, error) { return nil, nil }}).listed() {
		all = append(all, e.Method+" "+e.Path)
	}
	testflag.Same(t, "the table", table, "the list", all)
}

func TestBrowsersGetPages(t *testing.T) {
	t.Parallel()
	r := local(t, "", server.Config{})
	const accept = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
	for path, wants := range map[string][]string{
		"/":       {"a fake of the OpenAI API", `<a href="/_fake/">`},
		"/_fake/": {`<div id="requests"`, `<script type="application/json" id="data">null</script>`},
	} {
		page := r.do(http.MethodGet, path, "", accept)
		wantStatus(t, page, http.StatusOK)
		wantContains(t, text(t, page), wants...)
		for resp, want := range map[*http.Response]string{page: "text/html; charset=utf-8", r.do(http.MethodGet, path, "", "Accept: */*"): "application/json"} {
			if got := resp.Header.Get("Content-Type"); got != want {
				t.Errorf("GET %s answers with %s, want %s", path, got, want)
			}
		}
	}
}

func TestTheRootPointsToTheEndpointsAndIsNotJournaled(t *testing.T) {
	t.Parallel()
	r := local(t, "", server.Config{})
	wantContains(t, r.get("/", http.StatusOK), `"endpoints": "/_fake/"`)
	wantContains(t, r.get("/_fake", http.StatusOK), "/_fake/requests")
	wantStatus(t, r.do(http.MethodHead, "/", ""), http.StatusOK)
	r.get("/favicon.ico", http.StatusNotFound)
	if got := r.Journal(); len(got) != 0 {
		t.Errorf("the journal has %+v", got)
	}
	r.ask(http.MethodPost, "/", "", http.StatusNotFound) // a client that posts to / has a wrong base URL
	if got := r.Journal(); len(got) != 1 || !got[0].Unmatched {
		t.Errorf("after POST / the journal is %+v", got)
	}
}

func TestTheListOfEndpointsIsProtectedLikeTheEndpoints(t *testing.T) {
	t.Parallel()
	guarded := local(t, "", server.Config{AdminToken: "secret"})
	guarded.get("/_fake/", http.StatusUnauthorized)
	guarded.ask(http.MethodGet, "/_fake/", "", http.StatusOK, "Authorization: Bearer secret")
	off := local(t, "", server.Config{NoAdmin: true})
	off.get("/_fake/", http.StatusNotFound)
	if got := off.get("/", http.StatusOK); strings.Contains(got, "_fake") {
		t.Errorf("without endpoints to list GET / answers %s", got)
	}
}

// Clients that reach the real service behind a path find the endpoints there, too.
func TestEndpointsCanBeBehindAPath(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"/v1/api", "/v1/api/"} {
		r := local(t, hello, server.Config{BasePath: base})
		for _, path := range []string{"/v1/api/chat/completions", "/v1/api/v1/chat/completions", "/v1/api/openai/deployments/a%2Fb/chat/completions", "/v1/chat/completions"} {
			wantContains(t, r.ask(http.MethodPost, path, whole, http.StatusOK), "Hello.")
		}
		r.get("/v1/api/v1/models/fake%3Ahello", http.StatusOK)
		wantContains(t, r.get("/v1/api/_fake/requests", http.StatusOK), `"path": "/v1/api/chat/completions"`)
		wantContains(t, r.get("/_fake/requests/1/why", http.StatusOK), `"scenario": "hello"`)
		for _, path := range []string{"/v1/apis/chat/completions", "/v1/api", "/v1/api/v1/api/chat/completions"} {
			r.ask(http.MethodPost, path, whole, http.StatusNotFound)
		}
	}
	for _, wrong := range []string{"api", "http://localhost/api", "/api?x"} {
		if _, err := server.New(server.Config{BasePath: wrong}); err == nil || !strings.Contains(err.Error(), "write a path alone") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestAWrongBaseURLIsCorrected(t *testing.T) {
	t.Parallel()
	r := local(t, "", server.Config{})
	const hint = ". The base URL of this fake is http://127.0.0.1/v1."
	for path, message := range map[string]string{
		"/api/chat/completions":                 "docs/api-reference/" + hint,
		"/v2/completions":                       "docs/api-reference/" + hint,
		"/api/models":                           "docs/api-reference/" + hint,
		"/v1/v1/chat/completions":               "Invalid URL (POST /v1/v1/chat/completions)" + hint,
		"/v1/chat/completions/":                 "Invalid URL (POST /v1/chat/completions/)" + hint,
		"/v1//chat/completions":                 "Invalid URL (POST /v1//chat/completions)" + hint,
		"/v1/chat/completions/chat/completions": "Invalid URL (POST /v1/chat/completions/chat/completions)" + hint,
	} {
		wantContains(t, r.ask(http.MethodPost, path, "", http.StatusNotFound), message)
	}
	for _, e := range r.Journal() {
		if !e.Unmatched || !strings.HasPrefix(e.Problem, "no such URL: POST /") || !strings.HasSuffix(e.Problem, hint) {
			t.Errorf("the journal says of %s: %s", e.Path, e.Problem)
		}
	}
	for _, path := range []string{"/v1/chat", "/v2/chat", "/openai/v2/chat/completions"} {
		if got := r.ask(http.MethodPost, path, "", http.StatusNotFound); strings.Contains(got, "base URL") {
			t.Errorf("POST %s answers %s", path, got)
		}
	}
}
