package scenarios_test

import (
	"net/url"
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
		{"/v1/ü", "/v1/%C3%BC", true},
		{"/v1/%C3%BC", "/v1/ü", true},
		{"/my file", "/my%20file", true},
		{"/my%20file", "/my%20file", true},
		{"/a%2Fb", "/a%2fb", true},
		{"/a%2Fb", "/a/b", false},
		{"/a/b", "/a%2Fb", false},
		{"/{id}/content", "/a%2Fcontent", false},
		{"/{id}/content", "/a%2Fb/content", true},
		{"/*", "/a%2Fb", true},
		{"/*5x", "/a%25x", false}, // the digits of an escape are no characters of the path
		{"/*25x", "/a%2525x", true},
		{"/100%25", "/100%25", true},
		{"/%2A", "/a", false},
		{"/%2A%7Bid%7D", "/*{id}", true},
		{"/{id}", "/%FF", true},
		{"/{id}", "/a%0Ab", true},
	} {
		w := scenarios.When{Path: []string{"/elsewhere", test.pattern}}
		if got := w.Test()(requestTo(t, "GET", test.path)); got != test.fits {
			t.Errorf("%s and %s: %v", test.pattern, test.path, got)
		}
		w.Path = w.Path[1:]
		example := w.ExamplePath()
		if !w.Test()(requestTo(t, "GET", example)) {
			t.Errorf("%s does not fit its example %s", test.pattern, example)
		}
		if u, err := url.Parse(example); err != nil || u.EscapedPath() != example {
			t.Errorf("%s: the example %s is no path of a URL: %v", test.pattern, example, err)
		}
		alone := scenarios.When{Path: []string{scenarios.PathPattern(requestTo(t, "GET", test.path).Path)}}
		if !alone.Test()(requestTo(t, "GET", test.path)) || alone.Test()(requestTo(t, "GET", test.path+"x")) {
			t.Errorf("%s does not fit %s alone", alone.Path, test.path)
		}
	}
	for _, pattern := range []string{"v1", "", "/v1?a=b", "/a#b", "/{", "/}", "/{}", "/{1}", "/{a b}", "/{a}/{a}", "/%zz", "/100%", "/%2{a}"} {
		if scenarios.CheckPath(pattern) == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}

// requestTo is a request to a path of a URL.
func requestTo(t *testing.T, method, escaped string) *scenarios.Request {
	t.Helper()
	path, err := scenarios.DecodePath(escaped)
	if err != nil {
		t.Fatal(err)
	}
	return &scenarios.Request{Surface: scenarios.SurfaceOther, Method: method, Path: path, APIPath: path}
}

// A condition on the method, in a scenario or a reply, holds whichever of them has the path.
func TestMethodsOfPaths(t *testing.T) {
	t.Parallel()
	path, get := []string{"/a"}, []string{"GET", "PUT"}
	for _, s := range []*scenarios.Scenario{
		{Name: "a", When: scenarios.When{Path: path}, Replies: []scenarios.Reply{{When: scenarios.When{Method: get}}}},
		{Name: "a", When: scenarios.When{Method: get}, Replies: []scenarios.Reply{{When: scenarios.When{Path: path}}}},
	} {
		s.Replies[0].Error = &scenarios.APIError{Status: 500}
		set, err := scenarios.NewSet(s)
		if err != nil {
			t.Fatal(err)
		}
		for method, want := range map[string]bool{"GET": true, "PUT": true, "HEAD": false, "POST": false, "DELETE": false} {
			req := requestTo(t, method, "/a")
			sel, none := set.Match(t.Context(), req, nil, "", 1)
			if (sel != nil) != want || set.AnswersPath(req) != want {
				t.Errorf("%s: answered %v, %v; %v", method, sel != nil, set.AnswersPath(req), none)
			}
			if none != nil && none.Reason != "the method is "+method+", not GET or PUT" {
				t.Errorf("%s: %s", method, none.Reason)
			}
		}
	}
}
