package compat

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// documentScenarios answer with what came in with the request.
const documentScenarios = `
- { name: path, when: { path: '/path/{id}' }, wire: { body: '{{ .match.id }}' } }
- { name: query, when: { path: /query }, wire: { body: '{{ .request.q }}' } }
- { name: form, when: { path: /form, method: POST }, wire: { body: '{{ .request.q }}' } }
- { name: header, when: { path: /header }, wire: { body: '{{ header "Cookie" }}' } }
- { name: html, when: { path: /html }, wire: { body: '<!doctype html><p>{{ .request.q }}' } }
- { name: html-form, when: { path: /html-form, method: POST }, wire: { body: '<!doctype html><p>{{ .request.q }}' } }
- { name: xhtml, when: { path: /xhtml }, wire: { content_type: Application/XHTML+XML, body: '{{ .request.q }}' } }
- { name: xml, when: { path: /xml }, wire: { content_type: application/xml, body: '{{ .request.q }}' } }
- { name: any-xml, when: { path: /any-xml }, wire: { content_type: application/x+xml, body: '{{ .request.q }}' } }
- { name: svg, when: { path: /svg }, wire: { content_type: image/svg+xml, body: '{{ .request.q }}' } }
- { name: type, when: { path: /type }, wire: { content_type: '{{ .request.type }}', body: '{{ .request.q }}' } }
- { name: none, when: { path: /none }, wire: { headers: { Content-Type: null, X-Content-Type-Options: null }, body: '{{ .request.q }}' } }
- { name: empty, when: { path: /empty }, wire: { content_type: '', headers: { X-Content-Type-Options: null }, body: '{{ .request.q }}' } }
- { name: two, when: { path: /two }, wire: { headers: { Content-Type: [text/plain, text/html] }, body: '{{ .request.q }}' } }
- { name: weak, when: { path: /weak }, wire: { content_type: text/html, headers: { Content-Security-Policy: sandbox allow-scripts allow-same-origin }, body: '{{ .request.q }}' } }
- { name: parts, when: { path: /parts }, wire: { content_type: multipart/x-mixed-replace;boundary=x, body: "--x\r\nContent-Type: text/html\r\n\r\n{{ .request.q }}\r\n--x--" } }
- { name: moved, when: { path: /moved }, wire: { status: 302, headers: { Location: '{{ .request.to }}' }, body: '' } }
- { name: refreshed, when: { path: /refreshed }, wire: { content_type: text/html, headers: { Refresh: '0;url={{ .request.to }}' }, body: a } }
`

// A web page cannot run a script of its own in a document of the server's origin: not by a link, a form, a
// window or a hidden frame, with no value of the request, and in no type that a browser renders.
func TestNoAnswerRunsInChromium(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "documents.yaml")
	text := strings.NewReplacer("\n- { ", "\n---\n{ ").Replace(documentScenarios)
	if err := os.WriteFile(file, []byte(strings.TrimPrefix(text, "\n---")), 0o600); err != nil {
		t.Fatal(err)
	}
	fake := serve(t, build(t), file)

	var ran sync.Map // the documents whose script ran
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ran" {
			ran.Store(r.URL.RawQuery, true)
			return
		}
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		_, _ = io.WriteString(w, r.URL.Query().Get("q"))
	}))
	t.Cleanup(site.Close)
	script := func(what, form string) string {
		code := fmt.Sprintf("new Image().src=%q", site.URL+"/ran?"+url.QueryEscape(what))
		switch form {
		case "svg":
			return `<svg xmlns="http://www.w3.org/2000/svg"><script>document.createElementNS("http://www.w3.org/1999/xhtml","img").src=` + fmt.Sprintf("%q", site.URL+"/ran?"+url.QueryEscape(what)) + `</script></svg>`
		case "xml":
			return `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>` + code + `</script></html>`
		case "javascript":
			return "javascript:" + code
		}
		return "<script>" + code + "</script>"
	}
	b := startBrowser(t, "--disable-popup-blocking")
	b.open(site.URL + "/?type=text/html&q=" + url.QueryEscape("<!doctype html><body>"))
	// go opens an address in one of the ways that a page has.
	run[any](b, `window.go = (way, address, form) => {
		const add = (name, attributes) => { const e = Object.assign(document.createElement(name), attributes); document.body.append(e); return e }
		if (way === 'frame') add('iframe', { src: address, hidden: true })
		if (way === 'open') window.open(address)
		if (way === 'link') add('a', { href: address, target: '_blank' }).click()
		if (way === 'form') {
			add('iframe', { name: 'f' + document.forms.length, hidden: true })
			const sent = add('form', { action: address, method: 'post', target: 'f' + document.forms.length })
			sent.append(Object.assign(document.createElement('input'), { name: 'q', value: form }))
			sent.submit()
		}
	}`)
	opens := func(way, address, form string) {
		run[any](b, fmt.Sprintf("go(%q, %q, %q)", way, address, form))
	}
	asked := 0
	for _, way := range []string{"frame", "open", "link"} {
		try := func(what, path string, query ...string) {
			asked++
			values := url.Values{}
			for i := 0; i < len(query); i += 2 {
				values.Set(query[i], query[i+1])
			}
			opens(way, fake+path+"?"+values.Encode(), "")
		}
		for _, form := range []string{"html", "svg", "xml"} {
			what := func(place string) string { return way + " " + place + " " + form }
			try(what("path"), "/path/"+url.PathEscape(script(what("path"), form)))
			run[any](b, fmt.Sprintf("document.cookie = %q", script(what("header"), form)))
			try(what("header"), "/header")
			for _, place := range []string{"query", "html", "svg", "xml"} {
				try(what(place), "/"+place, "q", script(what(place), form))
			}
			if way != "frame" {
				continue // in which way a document is opened makes no difference to its type
			}
			for _, place := range []string{"xhtml", "any-xml", "none", "empty", "two", "weak", "parts"} {
				try(what(place), "/"+place, "q", script(what(place), form))
			}
			for _, kind := range []string{"text/html", "TEXT/HTML ; a=b", "text/plain,text/html", "image/svg+xml", "text/xml", "application/xml", "unknown/unknown", "*/*", "html"} {
				try(what(kind), "/type", "q", script(what(kind), form), "type", kind)
			}
		}
		try(way+" moved", "/moved", "to", script(way+" moved", "javascript"))
		try(way+" refreshed", "/refreshed", "to", script(way+" refreshed", "javascript"))
	}
	for _, form := range []string{"html", "svg", "xml"} {
		for _, place := range []string{"form", "html-form"} {
			asked++
			opens("form", fake+"/"+place, script("form "+place+" "+form, form))
		}
	}
	target, err := url.Parse(fake)
	if err != nil {
		t.Fatal(err)
	}
	b.eventually(func() bool { return journalOf(t, target) >= asked })
	// Scripts of the site's own documents, which came later, do run.
	own := map[string]string{"html": "text/html", "svg": "image/svg+xml", "xml": "application/xml"}
	for form, kind := range own {
		for _, way := range []string{"frame", "open", "link"} {
			opens(way, site.URL+"/?"+url.Values{"type": {kind}, "q": {script("own "+way+" "+form, form)}}.Encode(), "")
		}
	}
	did := func() (list []string) {
		ran.Range(func(what, _ any) bool { list = append(list, what.(string)); return true })
		slices.Sort(list)
		return list
	}
	isOwn := func(what string) bool { return strings.HasPrefix(what, "own") }
	b.eventually(func() bool {
		return len(slices.DeleteFunc(did(), func(what string) bool { return !isOwn(what) })) == 3*len(own)
	})
	if list := slices.DeleteFunc(did(), isOwn); len(list) > 0 {
		t.Errorf("of %d documents these ran their scripts:\n%s", asked, strings.Join(list, "\n"))
	}
}
