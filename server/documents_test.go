package server_test

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// No answer is a document in which a browser runs scripts: one whose type may be rendered as such has
// the policy sandbox beside what the scenario authored, and its type is not sniffed.
func TestNoAnswerIsADocumentThatRuns(t *testing.T) {
	t.Parallel()
	const script = "<script>alert(1)</script>"
	from := url.QueryEscape(script)
	for name, c := range map[string]struct {
		wire      string // wire is in the scenario of the path /echo/{id}.
		kind      string // kind is the Content-Type; "" for none.
		sandboxed bool
	}{
		"a path":                 {`{ body: '{{ .match.id }}' }`, "text/plain; charset=utf-8", false},
		"a query":                {`{ body: '{{ .request.q }}' }`, "text/plain; charset=utf-8", false},
		"a form":                 {`{ body: '{{ .request.form | default "" }}{{ .request.q }}' }`, "text/plain; charset=utf-8", false},
		"a header":               {`{ body: '{{ header "X-Q" }}' }`, "text/plain; charset=utf-8", false},
		"an action with text":    {`{ body: '{{ "<html>" }}{{ .match.id }}' }`, "text/plain; charset=utf-8", false},
		"what comes first":       {`{ body: '{{ .match.id }} was asked for' }`, "text/plain; charset=utf-8", false},
		"an error":               {`{ status: 502, body: '{{ .match.id }}' }`, "text/plain; charset=utf-8", false},
		"JSON":                   {`{ body: { a: '{{ .match.id }}' } }`, "application/json", false},
		"JSON as a text":         {`{ body: '{"a":{{ json .match.id }}}' }`, "application/json", false},
		"an event":               {`{ body: 'data: {{ .match.id }}', content_type: text/event-stream }`, "text/event-stream", false},
		"a file for download":    {`{ body: '{{ .match.id }}', content_type: application/octet-stream }`, "application/octet-stream", false},
		"authored HTML":          {`{ body: '<html>{{ .match.id }}' }`, "text/html; charset=utf-8", true},
		"authored XML":           {`{ body: '<?xml version="1.0"?>{{ .match.id }}' }`, "text/xml; charset=utf-8", true},
		"HTML after an action":   {`{ body: '{{ $a := .match.id }} <html>{{ $a }}' }`, "text/html; charset=utf-8", true},
		"HTML by name":           {`{ body: a, content_type: text/html }`, "text/html", true},
		"HTML by header":         {`{ body: a, headers: { content-type: text/html } }`, "text/html", true},
		"in capitals":            {`{ body: a, content_type: ' TEXT/HTML ;charset=x' }`, "TEXT/HTML ;charset=x", true},
		"XHTML":                  {`{ body: a, content_type: application/xhtml+xml }`, "application/xhtml+xml", true},
		"SVG":                    {`{ body: a, content_type: image/svg+xml }`, "image/svg+xml", true},
		"XML of any name":        {`{ body: a, content_type: audio/x+xml }`, "audio/x+xml", true},
		"PDF":                    {`{ body: '%PDF-1.7' }`, "application/pdf", true},
		"documents in parts":     {`{ body: a, content_type: 'multipart/x-mixed-replace;boundary=x' }`, "multipart/x-mixed-replace;boundary=x", true},
		"a type of the request":  {`{ body: a, content_type: '{{ .request.type }}' }`, "text/html", true},
		"two types in one":       {`{ body: a, content_type: 'text/plain, text/html' }`, "text/plain, text/html", true},
		"two types in a quote":   {`{ body: a, content_type: 'text/plain; a=",text/html' }`, `text/plain; a=",text/html`, true},
		"two types in two lines": {`{ body: a, headers: { Content-Type: [text/plain, text/html] } }`, "text/plain", true},
		"no valid type":          {`{ body: a, content_type: htm }`, "htm", true},
		"an empty type":          {`{ body: a, content_type: '' }`, "", true},
		"an unknown type":        {`{ body: a, content_type: unknown/unknown }`, "unknown/unknown", true},
		"no type":                {`{ body: '{{ .match.id }}', headers: { Content-Type: null } }`, "", true},
		"HTML without its wall":  {`{ body: a, content_type: text/html, headers: { Content-Security-Policy: null, X-Content-Type-Options: null } }`, "text/html", true},
		"HTML with another wall": {`{ body: a, content_type: text/html, headers: { content-security-policy: sandbox allow-scripts allow-same-origin, X-Content-Type-Options: sniff } }`, "text/html", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\nwhen: { path: '/echo/{id}' }\nwire: "+c.wire, server.Config{})
			wantWall(t, r.do("GET", "/echo/"+url.PathEscape(script)+"?q="+from+"&type=text/html&form="+from, "", "X-Q: "+script), c.kind, c.sandboxed)
		})
	}
}

// The same holds for the errors of scenarios, for faults, and for streams.
func TestNoErrorIsADocumentThatRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		yaml, fault, kind string
		sandboxed         bool
	}{
		"a body of the request":  {yaml: `error: { status: 502, body: '{{ .request.user }}' }`, kind: "text/plain; charset=utf-8"},
		"an authored body":       {yaml: `error: { status: 502, body: '<html>{{ .request.user }}' }`, kind: "text/html; charset=utf-8", sandboxed: true},
		"a header of the error":  {yaml: `error: { status: 502, body: Bad, headers: { Content-Type: text/html, Content-Security-Policy: null } }`, kind: "text/html", sandboxed: true},
		"a fault":                {yaml: `message: Hi.`, fault: `{ error: { status: 502, body: '<!doctype html>{{ .request.user }}' } }`, kind: "text/html; charset=utf-8", sandboxed: true},
		"a fault of the request": {yaml: `message: Hi.`, fault: `{ error: { status: 502, body: '{{ .request.user }}' } }`, kind: "text/plain; charset=utf-8"},
		"a stream":               {yaml: "wire: { content_type: text/html }\nmessage: Hi.", kind: "text/html", sandboxed: true},
		"the usual stream":       {yaml: "message: Hi.", kind: "text/event-stream; charset=utf-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\n"+c.yaml, server.Config{})
			if c.fault != "" {
				r.ask("PUT", "/_fake/faults", "faults: ["+c.fault+"]", http.StatusOK, "Content-Type: application/yaml")
			}
			wantWall(t, r.chat(`{"model": "gpt-4o", "stream": true, "user": "<script>alert(1)</script>", "messages": [{"role": "user", "content": "Hi"}]}`), c.kind, c.sandboxed)
		})
	}
}

// wantWall fails the test if a response has another type, or if a browser might run what it holds.
func wantWall(t *testing.T, resp *http.Response, kind string, sandboxed bool) {
	t.Helper()
	if got := strings.TrimSpace(resp.Header.Get("Content-Type")); got != kind {
		t.Errorf("the Content-Type is %q, want %q", got, kind)
	}
	policies, sniff := resp.Header["Content-Security-Policy"], resp.Header["X-Content-Type-Options"]
	if slices.Contains(policies, "sandbox") != sandboxed || !slices.Equal(sniff, []string{"nosniff"}) {
		t.Errorf("status %d, %s, sandboxed is wanted to be %t: the policies are %q and X-Content-Type-Options is %q", resp.StatusCode, kind, sandboxed, policies, sniff)
	}
}

// Of the server's own answers only the page runs scripts, its own; the others are no documents.
func TestOnlyThePageRuns(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{KeepTranscripts: true})
	r.chat(strings.Replace(ask, `"hi"`, `"<script>"`, 1))
	r.ended()
	for _, path := range []string{"requests", "requests/1", "requests/1/transcript", "requests/1/why", "openapi.json", "healthz", "nowhere/<script>", "scenarios?x=<script>"} {
		h := r.do("GET", "/_fake/"+path, "", "Accept: text/html").Header
		if h.Get("Content-Security-Policy") != "sandbox" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has the header %v", path, h)
		}
	}
	for path, policy := range map[string]string{"/_fake/": "default-src 'none'; script-src 'sha256-", "/": "default-src 'none'"} {
		h := r.do("GET", path, "", "Accept: text/html").Header
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), policy) {
			t.Errorf("%s has the header %v", path, h)
		}
	}
}

// A text of the client that a template repeats cannot leave the field in which the template
// stands.
func TestTextsOfTheRequestDoNotLeaveTheirFields(t *testing.T) {
	t.Parallel()
	const said = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"a\u0000b\r\nevent: x\n\ndata: [DONE]\rdata: y"}]}`
	for name, tt := range map[string]struct{ yaml, wire, want string }{
		"event":            {`event: { event: "{{ .last_user }}", data: x }`, "", "event: a\ufffdb event: x  data: [DONE] data: y\ndata: x\n\n"},
		"id":               {`event: { id: "{{ .last_user }}" }`, "", "id: a\ufffdb event: x  data: [DONE] data: y\n\n"},
		"retry":            {`event: { retry: "{{ .last_user }}", data: x }`, "", "retry: a\ufffdb event: x  data: [DONE] data: y\ndata: x\n\n"},
		"data":             {`event: { data: "{{ .last_user }}" }`, "", "data: a\x00b\ndata: event: x\ndata:\ndata: data: [DONE]\ndata: data: y\n\n"},
		"comment":          {`comment: "{{ .last_user }}"`, "", ": a\x00b\n: event: x\n:\n: data: [DONE]\n: data: y\n\n"},
		"the wire's event": {`comment: a`, "wire: { event_name: \"{{ .last_user }}\" }", ": a\n\nevent: a\ufffdb event: x  data: [DONE] data: y\ndata: {"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\nstream:\n  - "+tt.yaml+"\n  - { role: assistant, content: Hi. }\n  - finish: stop\n"+tt.wire, server.Config{})
			if got := text(t, r.chat(said)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestHeadersOfTemplatesHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	const said = `{"model":"gpt-4o","messages":[{"role":"user","content":"a\u0000b\tc\r\nX-Other: d\u007f"}]}`
	const want = "ab\tc  X-Other: d"
	for name, yaml := range map[string]string{
		"of an answer": `wire: { headers: { X-User: "{{ .last_user }}" } }` + "\nmessage: Hi.",
		"of an error":  `error: { status: 400, headers: { X-User: "{{ .last_user }}" } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\n"+yaml, server.Config{})
			conn := r.rawDial()
			conn.send(http.MethodPost, "/v1/chat/completions", said, "Connection: close")
			raw, err := io.ReadAll(conn.in)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
			if !strings.Contains(head, "\r\nX-User: "+want+"\r\n") {
				t.Errorf("the header is not there in %q", head)
			}
		})
	}
	r := start(t, "name: a\nwire: { content_type: \"text/{{ .last_user }}\" }\nmessage: Hi.", server.Config{})
	if got := r.chat(said).Header.Get("Content-Type"); got != "text/"+want {
		t.Errorf("Content-Type is %q", got)
	}
}
