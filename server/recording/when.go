package recording

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/urls"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/condition"
)

// Matching is how narrow the conditions of recorded scenarios are.
type Matching string

// The ways to match.
const (
	// MatchTurn asks for the model, the turn and the text of the last user message, and
	// for more where that does not tell recorded requests apart. It is the default.
	MatchTurn Matching = condition.Turn
	// MatchLast asks for the text of the last user message and the results of calls
	// alone, and for more where that does not tell recorded requests apart.
	MatchLast Matching = condition.Last
	// MatchExact asks for the whole body.
	MatchExact Matching = condition.Exact
)

// chatSurface is the API of scenarios that name none.
const chatSurface = "chat"

// surfaceOf is the name of the API that a path belongs to; ok says that scenarios
// can answer there.
func surfaceOf(path string) (name string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	longest := ""
	for _, s := range answer.Surfaces() {
		if p := s.Path(); strings.HasSuffix(path, p) && len(p) > len(longest) {
			name, longest = s.Name(), p
		}
	}
	return name, longest != ""
}

// read is the request of an exchange, as conditions see it.
func read(x *Exchange, surface string) (*scenarios.Request, error) {
	path, _, _ := strings.Cut(x.Path, "?")
	req, err := readFrom(path, surface, x.Header, x.Body)
	if err == nil {
		req.Scenario = "" // one of the upstream's
	}
	return req, err
}

// readFrom is a request for a path, whose escapes it has.
func readFrom(path, surface string, header http.Header, body []byte) (*scenarios.Request, error) {
	req, err := answer.SurfaceNamed(surface).Read(header, body)
	if err == nil {
		req.Model = cmp.Or(req.Model, urls.Deployment(path))
	}
	return req, err
}

// Containing is the condition that a text contains this one. In the place of what
// was redacted stands any text, as in derived conditions.
func Containing(text string) *scenarios.TextMatch { return condition.Contains(text) }
