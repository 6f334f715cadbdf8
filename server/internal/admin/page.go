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
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/journal"
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
	for _, name := range []string{"elements", "server", "list", "request", "copies", "compare", "answer", "stream", "try", "views"} {
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

func pageWith(data []byte) []byte {
	return []byte(strings.NewReplacer("POLICY", pagePolicy(), "STYLE", pageStyle, "DATA", string(data), "SCRIPT", pageScript()).Replace(pageHTML))
}

// servePage answers with the page. Everybody may have the page, because nothing in it is secret: it asks for the token
// of the server before it shows requests.
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

// aboutInfo says of which run a page in a file is.
type aboutInfo struct {
	Written time.Time `json:"written"`
	Version string    `json:"version"`
	Command string    `json:"command"`           // Command has the arguments of the program.
	Address string    `json:"address,omitempty"` // Address is that of the listener; "" if the server has none.
	LeftOut int       `json:"left_out"`          // LeftOut counts the oldest requests, of which the file has the rows alone.
}

func (h *Handler) about() aboutInfo {
	info := aboutInfo{Written: time.Now(), Version: "(unknown)"}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.Version = build.Main.Version
	}
	info.Command = h.masks(new(journal.Entry)).Text(strings.Join(os.Args, " "))
	if h.fake.Token != "" {
		info.Command = strings.ReplaceAll(info.Command, h.fake.Token, "…")
	}
	if addr := h.bound.Load(); addr != nil {
		info.Address = (*addr).String()
	}
	return info
}

// mostInFile is about how many bytes of JSON a page in a file has.
const mostInFile = 16 << 20

// pageData is what a page in a file has inside: by the path of each endpoint below Path that the page asks for, what the
// endpoint would answer.
type pageData struct {
	parts  map[string]any
	size   int
	trials []scenarios.Trial // trials are the trials of all requests, equal ones once.
	at     map[string]int    // at is where a trial is in trials, by its JSON.
}

func (d *pageData) add(path string, v any) {
	text, _ := json.Marshal(v) // without an error: it has only texts, numbers and times
	d.parts[path] = json.RawMessage(text)
	d.size += len(text)
}

func (d *pageData) trial(t scenarios.Trial) int {
	text, _ := json.Marshal(t) // without an error: it has only texts
	at, known := d.at[string(text)]
	if !known {
		at = len(d.trials)
		d.at[string(text)], d.trials, d.size = at, append(d.trials, t), d.size+len(text)
	}
	return at
}

func (h *Handler) addRequest(d *pageData, e *journal.Entry) {
	path := fmt.Sprintf("requests/%d", e.ID)
	shown := h.showEntry(*e)
	shown.Shown.Body = nil
	d.add(path, shown)
	if body := h.masks(e).Body(e.Body); utf8.Valid(body) {
		d.add(path+"/body", string(body))
	} else {
		d.add(path+"/body", map[string][]byte{"base64": body})
	}
	if trace, err := h.fake.TraceOf(e); err == nil {
		d.add(path+"/timeline", showTrace(trace, h.masks(e)))
	}
	why := h.why(e)
	short := map[string]any{"because": why.Because, "more": why.More}
	if why.Picked != nil {
		short["picked"] = d.trial(*why.Picked)
	}
	others := []int{}
	for _, t := range why.Others {
		others = append(others, d.trial(t))
	}
	short["others"] = others
	d.add(path+"/why", short)
}

// WritePage writes the page with what the journal remembers inside. If that is too much for a file, it leaves out the oldest
// requests, and says so.
func (h *Handler) WritePage(w io.Writer) error {
	changes, err := h.fake.Journal.Since(context.Background(), "", 0)
	if err != nil {
		return err
	}
	d, none := pageData{parts: map[string]any{}, at: map[string]int{}}, &http.Request{URL: new(url.URL)}
	d.add("requests/events", h.rows(changes))
	for path, endpoint := range map[string]answer{"scenarios": h.listScenarios, "scenarios/sends": h.listSent, "usage": h.showUsage} {
		if v, wrong := endpoint(none); wrong == nil {
			d.add(path, v)
		}
	}
	about := h.about()
	for i, e := range slices.Backward(changes.Entries) {
		if d.size > mostInFile {
			about.LeftOut = i + 1
			break
		}
		h.addRequest(&d, &e)
	}
	d.parts["about"], d.parts["trials"] = about, d.trials
	text, err := json.Marshal(d.parts) // with < as \u003c, so that no text ends the script
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

func describe(*http.Request) (any, *apierror.Error) {
	return raw{"application/json", openAPI}, nil
}
