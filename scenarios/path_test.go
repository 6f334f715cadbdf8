package scenarios_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

func TestPathsFitTheirPatterns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, path string
		fits          bool
	}{
		{"/v1/files", "/v1/files", true},
		{"/v1/files", "/v1/files/", false},
		{"/v1/files/*", "/v1/files/a", true},
		{"/v1/files/*", "/v1/files/a/content", false},
		{"/v1/files/**", "/v1/files/a/content", true},
		{"/v1/files/{id}", "/v1/files/a", true},
		{"/v1/files/{id}", "/v1/files/", false},
		{"/v1/files/{id}/content", "/v1/files/a/b/content", false},
		{"/v1/*.json", "/v1/a.json", true},
		{"/v1/a.json", "/v1/abjson", false},
		{"/**", "/any/thing", true},
		{"/v1/ü", "/v1/ü", true},
	} {
		w := scenarios.When{Path: test.pattern}
		req := &scenarios.Request{Surface: scenarios.SurfaceOther, Method: "GET", Path: test.path, APIPath: test.path}
		if got := w.Test()(req); got != test.fits {
			t.Errorf("%s and %s: %v", test.pattern, test.path, got)
		}
		if example := w.ExamplePath(); !w.Test()(&scenarios.Request{Surface: scenarios.SurfaceOther, Path: example}) {
			t.Errorf("%s does not fit its example %s", test.pattern, example)
		}
	}
	for _, pattern := range []string{"v1", "", "/v1?a=b", "/a#b", "/{", "/}", "/{}", "/{1}", "/{a b}", "/{a}/{a}"} {
		if scenarios.CheckPath(pattern) == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}
