package server_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

const onlyFor = `
name: few
when: { header: { Cookie: { equals: session=other }, Authorization: { matches: 'none' } } }
message: Hello.
---
name: held
when: { model: held }
stream: [{ role: assistant }, { hold: middle }, { finish: stop }]
limits: { rpm: 100 }
`

// Secrets that a client sent are masked in the journal, the calls, the holds, the usage and the
// log. The masks of different keys differ. Filters and the Go API have the keys themselves.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	const key, other, session, org, project, inPath = "sk-proj-0123456789abcdef0123", "sk-proj-9999999999abcdef0123", "session=S3CRET", "org-ABCDEFGHIJ", "proj_KLMNOPQRST", "sk-in-the-query-0123456789"
	secrets := []string{"0123456789abcdef", "9999999999abcdef", "S3CRET", "ABCDEF", "KLMNOP", "in-the-query"}
	headers := func(key string) []string {
		return []string{"Authorization: Bearer " + key, "Cookie: " + session, "OpenAI-Organization: " + org, "OpenAI-Project: " + project, "X-Api-Key: " + key}
	}
	faces := []string{"/_fake/requests", "/_fake/requests/1", "/_fake/requests/1/wait", "/_fake/requests/wait", "/_fake/calls", "/_fake/calls/wait", "/_fake/holds", "/_fake/holds/middle/wait", "/_fake/usage"}
	for _, show := range []bool{false, true} {
		var log logged
		r := start(t, onlyFor, server.Config{ShowSecrets: show, Logger: slog.New(slog.NewTextHandler(&log, nil)), APIKeys: []string{key, other}})
		path := "/v1/chat/completions?api_key=" + inPath
		wantStatus(t, r.do(http.MethodPost, path, ask, headers(key)...), http.StatusNotFound)
		wantStatus(t, r.do(http.MethodPost, path, ask, headers(other)...), http.StatusNotFound)
		wantStatus(t, r.do(http.MethodPost, path, ask, headers("sk-wrong")...), http.StatusUnauthorized)
		for range 3 {
			r.ended()
		}
		r.chat(strings.Replace(ask, "gpt-4o", "held", 1), headers(key)...)
		await(t, r, "middle")
		all := log.String()
		for _, face := range faces {
			all += r.get(face, http.StatusOK)
		}
		for _, secret := range secrets {
			if strings.Contains(all, secret) != show {
				t.Errorf("%q is shown: %t, want %t, in\n%s", secret, !show, show, all)
			}
		}
		if !show {
			wantContains(t, all, "sk-…0123 (sha256:", "Bearer sk-…0123 (sha256:", "api_key=sk-…6789 (sha256:", "sk-… (sha256:", `"path": "/v1/chat/completions?api_key=sk-…6789 (sha256:`)
			if strings.Contains(all, "sk-wrong") {
				t.Errorf("the wrong key is shown in\n%s", all)
			}
		}
		of := func(query string) []string {
			var keys []string
			for _, e := range decode[requestList](t, r.get("/_fake/requests"+query, http.StatusOK)).Requests {
				keys = append(keys, e.APIKey)
			}
			return keys
		}
		if keys := of(""); len(keys) != 4 || keys[0] == keys[1] || keys[0] != keys[3] {
			t.Errorf("the keys are shown as %q", keys)
		}
		if mine, all := of("?api_key="+other), of(""); len(mine) != 1 || mine[0] != all[1] {
			t.Errorf("with the key of the second request there are %q of %q", mine, all)
		}
		if e := r.Journal()[0]; e.APIKey != key || e.Header.Get("Cookie") != session || e.Header.Get("Authorization") != "Bearer "+key || !strings.HasSuffix(e.Path, inPath) {
			t.Errorf("in Go the entry is %+v", e)
		}
		r.Release("middle")
	}
}

// The fields in which gateways, clouds and browsers send keys are masked in the journal, as the recorder
// replaces them. The ids of attempts, which are no secrets, stay.
func TestKeysInTheFieldsOfGatewaysAreMasked(t *testing.T) {
	t.Parallel()
	r := start(t, onlyFor, server.Config{})
	fields := []string{
		"X-Litellm-Api-Key", "X-Portkey-Api-Key", "Helicone-Auth", "Cf-Aig-Authorization", "X-Goog-Api-Key", "X-Amz-Security-Token",
		"Cf-Access-Client-Secret", "X-Forwarded-Access-Token", "X-Vault-Token", "Sec-WebSocket-Protocol",
		"X-Jwt", "X-Bearer", "Authentication", "X-Client-Cert", "X-Session-Id",
	}
	headers := []string{"Idempotency-Key: attempt-1"}
	for i, name := range fields {
		headers = append(headers, fmt.Sprintf("%s: openai-insecure-api-key.S3CRET-%d", name, i))
	}
	wantStatus(t, r.do(http.MethodPost, "/v1/chat/completions", ask, headers...), http.StatusNotFound)
	r.ended()
	shown := r.get("/_fake/requests", http.StatusOK)
	for i, name := range fields {
		if strings.Contains(shown, fmt.Sprint("S3CRET-", i)) {
			t.Errorf("the value of %s is shown in\n%s", name, shown)
		}
	}
	wantContains(t, shown, "attempt-1", "openai-insecure-api-key.… (sha256:")
}

// Keys in the path of a URL, as clients with a wrong base URL send them, are masked in the journal
// and the log, also where the problem repeats the path.
func TestKeysInPathsAreMasked(t *testing.T) {
	t.Parallel()
	const key = "sk-proj-0123456789abcdef0123"
	for _, path := range []string{"/v1/" + key + "/chat/completions", "/openai/" + key, "/" + key, "/v1/files/" + key, "/v1/sk%2Dproj-0123456789abcdef0123"} {
		var log logged
		r := start(t, onlyFor, server.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		wantStatus(t, r.do(http.MethodPost, path, ask), http.StatusNotFound)
		r.ended()
		if shown := log.String() + r.get("/_fake/requests", http.StatusOK); strings.Contains(shown, "0123456789abcdef") || strings.Count(shown, "sk-…0123 (sha256:") != 4 {
			t.Errorf("%s is shown as\n%s", path, shown)
		}
	}
}

// What a request brought as its key is masked wherever it stands, whatever its form: in the URL, in other
// fields of the header, in bodies, and in texts about the request. So are passwords in URLs.
func TestTheKeysOfARequestAreMaskedEverywhere(t *testing.T) {
	t.Parallel()
	const key = "opaque-key-of-mine"
	const scenario = `
name: echo
when: { user: { contains: key }, header: { X-Note: { contains: note } }, model: gpt-4o }
wire: { headers: { X-Echo: '{{ header "X-Note" }}' } }
message: '{{ header "X-Note" }}'
`
	for _, show := range []bool{false, true} {
		var log logged
		r := start(t, scenario, server.Config{ShowSecrets: show, KeepTranscripts: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		header := []string{"Authorization: Bearer " + key, "X-Note: note " + key, "Referer: https://user:" + key + "@a.example/?token=of-referer"}
		asking := fmt.Sprintf(`{"model": "gpt-4o", "user": %q, "messages": [{"role": "user", "content": "my key is %[1]s"}]}`, key)
		wantStatus(t, r.do(http.MethodPost, "/v1/chat/completions?q=opaque%2Dkey-of-mine", asking, header...), http.StatusOK)
		wantStatus(t, r.do(http.MethodPost, "/v1/chat/completions?q="+key, strings.Replace(asking, "gpt-4o", key, 1), header...), http.StatusNotFound)
		wantStatus(t, r.do(http.MethodPost, "/v1/"+key+"/chat/completions?key=of-query", asking, header...), http.StatusNotFound)
		for range 3 {
			r.ended()
		}
		faces := []string{"requests", "requests/1", "requests/2", "requests/3", "requests/1/why", "requests/2/why", "requests/1/timeline", "requests/2/timeline", "requests/3/timeline", "calls"}
		all := log.String()
		for _, face := range faces {
			all += r.get("/_fake/"+face, http.StatusOK)
		}
		var page strings.Builder
		if err := r.WritePage(&page); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{key, "opaque%2Dkey", "of-referer", "of-query"} {
			if strings.Contains(all, secret) != show || strings.Contains(page.String(), secret) != show {
				t.Errorf("%q is shown: %t, want %t, in\n%s", secret, !show, show, all)
			}
		}
		if e := r.Journal()[1]; !strings.Contains(string(e.Body), key) || e.Request.Model != key {
			t.Errorf("in Go the entry has the body %s", e.Body)
		}
	}
}
