package recording

import (
	"cmp"
	"net/http"
	"path"
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
	for _, s := range answer.Surfaces() {
		if p := s.Info().Path; strings.HasSuffix(path, p) && len(p) > len(longest) {
			name, longest = s.Info().Name, p
		}
	}
	return name, longest != ""
}

// IsKept reports whether a path is that of a response or conversation that a server keeps, and answers for
// by itself. What was recorded there tells how other requests go on from it.
func IsKept(at string) bool {
	at, _, _ = strings.Cut(at, "?")
	surface, ok := SurfaceOf(path.Dir(at))
	return ok && speaksItems(surface) || strings.Contains(at+"/", "/conversations/")
}

// read parses the request of an exchange.
func read(x *Exchange, surface string) (*scenarios.Request, error) {
	path, _, _ := strings.Cut(x.Path, "?")
	req, err := readFrom(path, surface, x.Header, x.Body)
	if err == nil {
		req.Scenario = "" // The header was for an upstream that is a fake server itself.
	}
	return req, err
}

// asked is the request of an exchange; empty if it cannot be read.
func asked(x *Exchange) *scenarios.Request {
	surface, _ := SurfaceOf(x.Path)
	req, err := read(x, surface)
	if err != nil {
		return &scenarios.Request{}
	}
	return req
}

// readFrom parses a request for an escaped path.
func readFrom(path, surface string, header http.Header, body []byte) (*scenarios.Request, error) {
	req, err := answer.SurfaceNamed(surface).Read(header, body)
	if err == nil {
		req.Model = cmp.Or(req.Model, request.Deployment(path))
	}
	return req, err
}
