package secret

import (
	"maps"
	"net/http"
	"reflect"
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
	if got := Header(h); !reflect.DeepEqual(got, want) {
		t.Errorf("Header gives %v, want %v", got, want)
	}
	if !reflect.DeepEqual(h, before) || h.Get("Api-Key") != key {
		t.Errorf("the header itself has become %v", h)
	}
	if Header(nil) != nil {
		t.Error("no header becomes one")
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
		"/" + key + "/x%20y?a=" + key:      "/" + Mask(key) + "/x y?a=" + key,
		"/x/sk%2Dproj-0123456789abcdef12":  "/x/" + Mask(key),
		"/v1/conversations/conv%5F1/items": "/v1/conversations/conv%5F1/items",
		"/org-0123456789abcdefghij/%zz":    "/" + Mask("org-0123456789abcdefghij") + "/%zz",
	} {
		if got := Path(path); got != want {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
}
