package recording

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/condition"
)

// Matching selects the conditions that recorded scenarios get.
type Matching string

// The ways to match.
const (
	// MatchTurn sets conditions on the model, the turn and the text of the last user
	// message, and on more if recorded requests agree in these. It is the default.
	MatchTurn Matching = condition.Turn
	// MatchLast sets conditions on the text of the last user message and the results of
	// tool calls, and on more if recorded requests agree in these.
	MatchLast Matching = condition.Last
	// MatchExact sets a condition on the whole body.
	MatchExact Matching = condition.Exact
)

// speaksItems reports whether the answers of a surface are lists of items.
func speaksItems(surface string) bool { return answer.SurfaceNamed(surface).Info().Items }

// surfaceOf is the name of the surface of a path; ok says that there is one.
func surfaceOf(path string) (name string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	longest := ""
	for _, s := range answer.Surfaces() {
		if p := s.Info().Path; strings.HasSuffix(path, p) && len(p) > len(longest) {
			name, longest = s.Info().Name, p
		}
	}
	return name, longest != ""
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

// readFrom parses a request for an escaped path.
func readFrom(path, surface string, header http.Header, body []byte) (*scenarios.Request, error) {
	req, err := answer.SurfaceNamed(surface).Read(header, body)
	if err == nil {
		req.Model = cmp.Or(req.Model, request.Deployment(path))
	}
	return req, err
}

// Containing is the condition that a text contains the given one, in which a
// placeholder of the [Redactor] stands for any text.
func Containing(text string) *scenarios.TextMatch { return condition.Contains(text) }
