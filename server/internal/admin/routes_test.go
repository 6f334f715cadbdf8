package admin

import (
	"slices"
	"strings"
	"testing"
)

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
	slices.Sort(routes)
	slices.Sort(list)
	if len(list) < 15 || !slices.Equal(routes, list) {
		t.Errorf("the routes are\n%s\nand the list is\n%s", strings.Join(routes, "\n"), strings.Join(list, "\n"))
	}
}

// The path of the list without its slash at the end is the same endpoint.
func TestTheDescriptionIsThatOfTheRoutes(t *testing.T) {
	t.Parallel()
	h := New(Fake{Token: "t"})
	h.made.Do(h.routes)
	var routes, described []string
	for path, on := range h.paths {
		for method := range on {
			if strings.HasPrefix(path, Path) {
				routes = append(routes, method+" "+path)
			}
		}
	}
	ids := map[string]bool{}
	for path, item := range h.description().Paths {
		for method, op := range item {
			described = append(described, strings.ToUpper(method)+" "+path)
			ids[op.ID] = true
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
	slices.Sort(routes)
	slices.Sort(described)
	if !slices.Equal(routes, described) {
		t.Errorf("the routes are\n%s\nand the description has\n%s", strings.Join(routes, "\n"), strings.Join(described, "\n"))
	}
	if len(ids) != len(described) {
		t.Errorf("%d operations have %d ids", len(described), len(ids))
	}
}
