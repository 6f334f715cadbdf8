package admin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/gorilla/mux"
)

// Endpoint is an endpoint in the list of GET /_fake/.
type Endpoint struct {
	Method     string   `json:"method"`
	Path       string   `json:"path"`
	Parameters []string `json:"parameters,omitempty"` // Parameters are the names of its query parameters.
	Does       string   `json:"does"`                 // Does says in words what the endpoint does.
}

// listEndpoints lists the endpoints as JSON. Browsers get a page that shows what happened.
func (h *Handler) listEndpoints(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if wantsPage(r) {
		servePage(w, http.StatusOK)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"endpoints": h.endpoints})
}

// Greet answers GET / with what this server is, as JSON or for browsers as an HTML page.
func (h *Handler) Greet(w http.ResponseWriter, r *http.Request) {
	const message = "This is fakeopenai, a fake of the OpenAI API for tests. Its base URL is this one with /v1."
	w.Header().Set("Vary", "Accept")
	about, link := map[string]string{"message": message}, ""
	if !h.fake.HealthOnly && (h.fake.Token != "" || h.exposedBy(r) == nil) {
		about["endpoints"] = Path
		link = `<p><a href="` + Path + `">What it was asked, and its endpoints</a></p>`
	}
	if wantsPage(r) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		_, _ = fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>fakeopenai</title>\n<h1>fakeopenai</h1>\n<p>%s</p>\n%s\n</html>\n", message, link)
		return
	}
	writeJSON(w, http.StatusOK, about)
}

// wantsPage reports whether a browser asks. Only browsers accept text/html by name.
func wantsPage(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

// The page that shows what happened. It has nothing of the server in itself: its script asks the other
// endpoints, as any program does, or reads the data in a page that was written to a file.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/*.js
	pageParts embed.FS
)

// pageScript is the script of the page: its parts, each of which uses those before it when it begins.
var pageScript = sync.OnceValue(func() string {
	var script strings.Builder
	for _, name := range []string{"elements", "server", "list", "request", "answer", "stream", "views"} {
		part, err := pageParts.ReadFile("page/" + name + ".js")
		if err != nil {
			panic(err)
		}
		script.Write(part)
	}
	return script.String()
})

// pagePolicy lets the page run its own script and style and nothing else, and ask its own server alone.
var pagePolicy = sync.OnceValue(func() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(pageScript()) + "; style-src " + hash(pageStyle) +
		"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
})

// pageWith returns the page with data inside, as JSON.
func pageWith(data []byte) []byte {
	return []byte(strings.NewReplacer("POLICY", pagePolicy(), "STYLE", pageStyle, "DATA", string(data), "SCRIPT", pageScript()).Replace(pageHTML))
}

// servePage answers with the page. It is for everybody, because nothing in it is secret: without the
// token of the server it asks for that.
func servePage(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy()+"; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(pageWith([]byte("null")))
}

// WritePage writes the page with what the journal remembers inside: by the path of each endpoint below
// Path that the page asks for, what the endpoint would answer.
func (h *Handler) WritePage(w io.Writer) error {
	changes, err := h.fake.Journal.Since(context.Background(), "", 0)
	if err != nil {
		return err
	}
	data, none := map[string]any{"requests/events": h.rows(changes)}, &http.Request{URL: new(url.URL)}
	add := func(path string, endpoint answer, r *http.Request) {
		if v, wrong := endpoint(r); wrong == nil {
			data[path] = v
		}
	}
	add("scenarios", h.listScenarios, none)
	add("usage", h.showUsage, none)
	for _, e := range changes.Entries {
		id := strconv.FormatInt(e.ID, 10)
		r := mux.SetURLVars(none, map[string]string{"id": id})
		add("requests/"+id, h.oneRequest, r)
		add("requests/"+id+"/timeline", h.oneTimeline, r)
		add("requests/"+id+"/why", h.whyAnswered, r)
	}
	text, err := json.Marshal(data) // with < as \u003c, so that no text ends the script
	if err == nil {
		_, err = io.Copy(w, bytes.NewReader(pageWith(text)))
	}
	return err
}

// openAPI describes the endpoints in OpenAPI 3.1. Endpoints that a server leaves out are in
// it, too. OpenAI itself describes those of its API.
//
//go:embed openapi.json
var openAPI []byte

func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI)
}
