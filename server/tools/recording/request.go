package recording

import (
	"cmp"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// speaksItems reports whether the answers of a surface are lists of items.
func speaksItems(surface string) bool { return answer.SurfaceNamed(surface).Info().Items }

// SurfaceOf is the name of the surface of a path, behind whatever prefix; ok says that there is one.
func SurfaceOf(path string) (name string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	longest := ""
	for _, s := range answer.All() {
		if p := s.Info().Path; strings.HasSuffix(path, p) && len(p) > len(longest) {
			name, longest = s.Info().Name, p
		}
	}
	return name, longest != ""
}

// surfaceOf is the name of the API that a server has on a path; [scenarios.SurfaceOther] for any other path.
func surfaceOf(method, path string) string {
	path, _, _ = strings.Cut(path, "?")
	_, below := request.CutPrefix(path)
	for _, s := range answer.All() {
		if info := s.Info(); info.Path == below && method == http.MethodPost {
			return info.Name
		}
	}
	return scenarios.SurfaceOther
}

// surface is the name of the API that an exchange is for, or [scenarios.SurfaceOther].
func (x *Exchange) surface() string { return surfaceOf(x.Method, x.Path) }

// streams reports whether the answers of a surface are streamed, so that messages and steps say them.
func streams(surface string) bool { return slices.Contains(scenarios.Surfaces(), surface) }

// isKept reports whether a path is that of a response or conversation that a server keeps, and answers for
// by itself. What was recorded there tells how other requests go on from it. What it counts or compacts is
// not kept.
func isKept(at string) bool {
	at, _, _ = strings.Cut(at, "?")
	surface, ok := SurfaceOf(path.Dir(at))
	return ok && speaksItems(surface) && !slices.Contains([]string{"input_tokens", "compact"}, path.Base(at)) || strings.Contains(at+"/", "/conversations/")
}

// isOwn reports whether a server answers a request by itself, whatever the scenarios are.
func isOwn(method, at string) bool {
	at, _, _ = strings.Cut(at, "?")
	return isKept(at) || method == http.MethodOptions || strings.HasPrefix(at, "/_fake/") || at == "/favicon.ico" ||
		at == "/" && (method == http.MethodGet || method == http.MethodHead)
}

// read parses the request of an exchange.
func read(x *Exchange) (*scenarios.Request, error) {
	req, err := readFrom(x.Method, x.Path, x.Header, x.Body)
	if err == nil {
		req.Scenario = "" // The header was for an upstream that is a fake server itself.
	}
	return req, err
}

// requestOf is the request of an exchange; empty if it cannot be read.
func requestOf(x *Exchange) *scenarios.Request {
	req, err := read(x)
	if err != nil {
		return &scenarios.Request{Surface: x.surface()}
	}
	return req
}

// readFrom parses a request for an escaped path with its query.
func readFrom(method, at string, header http.Header, body []byte) (*scenarios.Request, error) {
	path, query, _ := strings.Cut(at, "?")
	req, err := answer.SurfaceNamed(surfaceOf(method, path)).Read(header, body)
	if err == nil && req.Surface == scenarios.SurfaceOther {
		if err = request.SetPath(req, method, path); err == nil && len(body) == 0 {
			req.Body, err = request.ReadQuery(query)
		}
	}
	if err != nil {
		return nil, err
	}
	req.Model = cmp.Or(req.Model, request.Deployment(path))
	return req, nil
}

// withoutForm makes JSON of a request whose body is a form: the object that conditions see. No file is kept
// then, and secrets are found in each field.
func (x *Exchange) withoutForm() {
	kind, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type"))
	if x.surface() != scenarios.SurfaceOther || kind != "multipart/form-data" && kind != "application/x-www-form-urlencoded" {
		return
	}
	if req, err := request.ParseAny(scenarios.SurfaceOther, x.Header, x.Body); err == nil {
		x.Body = req.Body.Append(nil)
		x.Header.Set("Content-Type", "application/json")
	}
}
