package secret

import (
	"encoding/base64"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func TestMask(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"a":                          "… (sha256:ca978112)",
		"sk-short":                   "sk-… (sha256:fb55d731)",
		"sk-proj-0123456789abcdef12": "sk-…ef12 (sha256:61660b64)",
		"org-0123456789abcdefghij":   "org-…ghij (sha256:263db6a3)",
		"aaaaaaaaaaaaaaaaaaaaäöüß":   "…äöüß (sha256:4dbdc266)",
	} {
		if got := Mask(text); got != want {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	t.Parallel()
	key := "sk-proj-0123456789abcdef12"
	h := http.Header{
		"Authorization": {"Bearer " + key, "Basic dTpw", key}, "Api-Key": {key}, "X-Api-Key": {"k"}, "Cookie": {"a=b; c=d"},
		"Openai-Organization": {"org-1"}, "Openai-Project": {"proj_1"}, "Proxy-Authorization": {"bearer  x"},
		"Idempotency-Key": {"stays"}, "Content-Type": {"application/json"}, "Sec-Websocket-Key": {"stays"},
		"Sec-Websocket-Protocol": {"realtime, openai-insecure-api-key." + key + ", openai-organization.org-1"},
	}
	before := maps.Clone(h)
	want := http.Header{
		"Authorization": {"Bearer " + Mask(key), "Basic " + Mask("dTpw"), Mask(key)}, "Api-Key": {Mask(key)}, "X-Api-Key": {Mask("k")}, "Cookie": {Mask("a=b; c=d")},
		"Openai-Organization": {Mask("org-1")}, "Openai-Project": {Mask("proj_1")}, "Proxy-Authorization": {"bearer " + Mask("x")},
		"Idempotency-Key": {"stays"}, "Content-Type": {"application/json"}, "Sec-Websocket-Key": {"stays"},
		"Sec-Websocket-Protocol": {"realtime, openai-insecure-api-key." + Mask(key) + ", openai-organization." + Mask("org-1")},
	}
	if got := Of(h, "", "").Header(h); !reflect.DeepEqual(got, want) {
		t.Errorf("Header gives %v, want %v", got, want)
	}
	if !reflect.DeepEqual(h, before) || h.Get("Api-Key") != key {
		t.Errorf("the header itself has become %v", h)
	}
	if Of(h, "", "").Header(nil) != nil {
		t.Error("no header becomes one")
	}
}

// What a request brought is masked in all its texts, whatever its form, but for short secrets, which may be
// words. Ids of organisations may be, too.
func TestRequest(t *testing.T) {
	t.Parallel()
	h := http.Header{
		"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("me:my-password"))}, "X-Jwt": {"opaque-jwt"}, "Cookie": {"a=opaque-cookie"},
		"X-Short": {"no secret"}, "X-Api-Key": {"short"}, "Openai-Organization": {"acme-company"},
	}
	const path = "/v1/a?sig=of-query-1"
	r := Of(h, path, "the-api-key")
	for text, want := range map[string]string{
		"the-api-key, my-password, opaque-jwt opaque-cookie": Mask("the-api-key") + ", " + Mask("my-password") + ", " + Mask("opaque-jwt") + " " + Mask("opaque-cookie"),
		"xof-query-1x, short, acme-company, a@b.example":     "x" + Mask("of-query-1") + "x, short, acme-company, a@b.example",
		"see http://u:pass@h/?a=b&api_key=k#x":               "see http://" + Mask("u:pass") + "@h/?a=b&api_key=" + Mask("k#x"),
		"sk-proj-0123456789abcdef12":                         Mask("sk-proj-0123456789abcdef12"),
	} {
		if got := r.Text(text); got != want || r.Text(got) != want {
			t.Errorf("Text(%q) = %q, want %q; again it is %q", text, got, want, r.Text(got))
		}
	}
	const body = `{"a": "the-api-key", "b": "sk-proj-0123456789abcdef12"}`
	if got, want := string(r.Body([]byte(body))), strings.Replace(body, "the-api-key", Mask("the-api-key"), 1); got != want {
		t.Errorf("the body is %s", got)
	}
	if got, want := string(r.Bytes([]byte(body))), strings.Replace(body, "the-api-key", "***********", 1); got != want {
		t.Errorf("bytes are %s", got)
	}
	if got, want := r.Path("/v1/the%2Dapi-key/x?q=opaque%2Djwt"), "/v1/"+Mask("the-api-key")+"/x?q="+Mask("opaque-jwt"); got != want {
		t.Errorf("the path is %s, want %s", got, want)
	}
	var none *Request
	if none.Text(body) != body || none.Path(path) != path || none.Key("k") != "k" || none.Header(h).Get("X-Jwt") != "opaque-jwt" || string(none.Body([]byte(body))) != body || string(none.Bytes([]byte(body))) != body {
		t.Error("a Request that is nil masks something")
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	k, key := Mask("k 1"), "sk-proj-0123456789abcdef12"
	for path, want := range map[string]string{
		"/v1/models":                       "/v1/models",
		"/v1/api_key=k":                    "/v1/api_key=k",
		"/x?api_key=k+1":                   "/x?api_key=" + k,
		"/x?a=b&API-Key=k%201&c=d":         "/x?a=b&API-Key=" + k + "&c=d",
		"/x?api%5Fkey=k+1":                 "/x?api%5Fkey=" + k,
		"/x?a=b;subscription-key=k+1":      "/x?a=b;subscription-key=" + k,
		"/x?X-Amz-Credential=k+1":          "/x?X-Amz-Credential=" + k,
		"/x?key=%zz":                       "/x?key=" + Mask("%zz"),
		"/x?api-version=2024&api_key=&key": "/x?api-version=2024&api_key=&key",
		"/" + key + "/x%20y?a=" + key:      "/" + Mask(key) + "/x y?a=" + Mask(key),
		"/x?to=http%3A%2F%2Fu%3Ap%40h":     "/x?to=http://" + Mask("u:p") + "@h",
		"/users/a@b.example?q=%20":         "/users/a@b.example?q=%20",
		"/x/sk%2Dproj-0123456789abcdef12":  "/x/" + Mask(key),
		"/v1/conversations/conv%5F1/items": "/v1/conversations/conv%5F1/items",
		"/org-0123456789abcdefghij/%zz":    "/" + Mask("org-0123456789abcdefghij") + "/%zz",
	} {
		if got := Of(nil, path, "").Path(path); got != want {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
}
