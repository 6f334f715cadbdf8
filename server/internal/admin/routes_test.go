package admin

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestAQueryThatIsNotUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"api_key=a":           "",
		"api_key=a&api_key=b": "give it once",
		"api_key=":            "without a value",
		"api_kye=a":           `Did you mean "api_key"?`,
		"api_key=%zz":         "cannot be read",
	} {
		r := httptest.NewRequest(http.MethodDelete, Path+"requests?"+query, nil)
		if got := wrongQuery(r, []string{"api_key"}); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestTheListOfEndpointsIsThatOfTheRoutes(t *testing.T) {
	t.Parallel()
	h := New(Fake{})
	h.made.Do(h.routes)
	var routes, list []string
	for path, on := range h.paths {
		for method := range on {
			if method != "HEAD" && strings.HasPrefix(path, Path) {
				routes = append(routes, method+" "+path)
			}
		}
	}
	for _, e := range h.endpoints {
		list = append(list, e.Method+" "+e.Path)
	}
	testflag.Same(t, "the routes", routes, "the list", list)
}

// document is what the test reads of openapi.json.
type document struct {
	Paths map[string]map[string]struct {
		OperationID string
		Summary     string
		Security    *[]any
		Parameters  []struct{ Name, In, Description string }
	}
}

// The path of the list without its slash at the end is the same endpoint.
func TestTheDescriptionIsThatOfTheRoutes(t *testing.T) {
	t.Parallel()
	h := New(Fake{Metrics: http.NotFoundHandler(), AsScenario: func(journal.Entry) ([]byte, error) { return nil, nil }})
	h.made.Do(h.routes)
	var d document
	if err := json.Unmarshal(openAPI, &d); err != nil {
		t.Fatal(err)
	}
	var routes, described []string
	for path, on := range h.paths {
		for method := range on {
			if strings.HasPrefix(path, Path) {
				routes = append(routes, method+" "+path)
			}
		}
	}
	ids := map[string]bool{}
	for path, item := range d.Paths {
		for method, op := range item {
			described = append(described, strings.ToUpper(method)+" "+path)
			ids[op.OperationID] = true
			for _, p := range op.Parameters {
				if p.Description == "" {
					t.Errorf("%s %s does not describe %s", method, path, p.Name)
				}
			}
			if open := strings.HasSuffix(path, "z"); open != (op.Security != nil) {
				t.Errorf("%s %s needs no token: %t", method, path, !open)
			}
		}
	}
	testflag.Same(t, "the routes", routes, "openapi.json", described)
	if len(ids) != len(described) {
		t.Errorf("%d operations have %d ids", len(described), len(ids))
	}
	for _, e := range h.endpoints {
		op := d.Paths[e.Path][strings.ToLower(e.Method)]
		var query []string
		for _, p := range op.Parameters {
			if p.In == "query" {
				query = append(query, p.Name)
			}
		}
		if !strings.HasPrefix(op.Summary, e.Does) || !slices.Equal(query, e.Parameters) {
			t.Errorf("%s %s: the route %q with the parameters %q has in openapi.json the summary %q with %q", e.Method, e.Path, e.Does, e.Parameters, op.Summary, query)
		}
	}
}
