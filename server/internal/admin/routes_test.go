package admin

import (
	"slices"
	"strings"
	"testing"
)

func TestTheListOfEndpointsIsThatOfTheRoutes(t *testing.T) {
	t.Parallel()
	h := New(Fake{})
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
