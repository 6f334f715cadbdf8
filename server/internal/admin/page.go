package admin

import (
	"bytes"
	_ "embed"
	"net/http"
	"strings"
	"sync"
	"text/template"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Endpoint is an endpoint in the list of GET /_fake/.
type Endpoint struct {
	Method     string   `json:"method"`
	Path       string   `json:"path"`
	Parameters []string `json:"parameters,omitempty"` // Parameters are the names of its query parameters.
	Does       string   `json:"does"`                 // Does says in words what the endpoint does.
}

// listEndpoints lists the endpoints, as JSON or for browsers as an HTML page.
func (h *Handler) listEndpoints(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if wantsPage(r) {
		writePage(w, page{Endpoints: h.endpoints})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"endpoints": h.endpoints})
}

// Greet answers GET / with what this server is, as JSON or for browsers as an HTML page.
func (h *Handler) Greet(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	p := page{Message: "This is fakeopenai, a fake of the OpenAI API for tests. Its base URL is this one with /v1."}
	if !h.fake.HealthOnly && (h.fake.Token != "" || h.exposedBy(r) == nil) {
		p.Link = Path
	}
	if wantsPage(r) {
		writePage(w, p)
		return
	}
	about := map[string]string{"message": p.Message}
	if p.Link != "" {
		about["endpoints"] = p.Link
	}
	writeJSON(w, http.StatusOK, about)
}

// wantsPage reports whether a browser asks. Only browsers accept text/html by name.
func wantsPage(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/html")
}

// page is the content of an HTML page.
type page struct {
	Message   string
	Link      string // Link is where the endpoints are listed, or "".
	Endpoints []Endpoint
}

// CanOpen reports whether the page links to the endpoint, because a GET of its path alone
// answers at once.
func (e Endpoint) CanOpen() bool {
	return e.Method == http.MethodGet && !strings.Contains(e.Path, "{") && !strings.HasSuffix(e.Path, "/wait")
}

// pageTemplate is a text/template: html/template would make every program with a fake
// larger, and the page shows only texts of this package.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>fakeopenai</title>
<h1>fakeopenai</h1>
{{with .Message}}<p>{{html .}}</p>
{{end}}{{with .Link}}<p><a href="{{html .}}">Its endpoints</a></p>
{{end}}{{with .Endpoints}}<table>
<tr><th>method</th><th>path</th><th>query</th><th>what it does</th></tr>
{{range .}}<tr><td>{{html .Method}}</td><td>{{if .CanOpen}}<a href="{{html .Path}}">{{html .Path}}</a>{{else}}{{html .Path}}{{end}}</td><td>{{range $i, $p := .Parameters}}{{if $i}}, {{end}}{{html $p}}{{end}}</td><td>{{html .Does}}</td></tr>
{{end}}</table>
{{end}}</html>
`))
})

func writePage(w http.ResponseWriter, p page) {
	var buf bytes.Buffer
	if err := pageTemplate().Execute(&buf, p); err != nil {
		writeError(w, apierror.Fault(http.StatusInternalServerError, apierror.CodeInternal, err.Error()))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(buf.Bytes())
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
