package server

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
)

// Values of header fields that are the same in all answers. They are shared: never change
// them.
var (
	organization  = []string{"fakeopenai"}
	openAIVersion = []string{"2020-10-01"}
	azureRegion   = []string{"Sweden Central"}
	noSniff       = []string{"nosniff"}
)

// setHeader sets the header fields that the service adds to every answer, and then own,
// those of the answer itself.
func (x *exchange) setHeader(own http.Header) {
	if x.turn != nil { // a message has no header; only an error message shows own fields
		maps.Copy(x.w.Header(), own)
		return
	}
	h := x.w.Header()
	if x.entry.Status != http.StatusUnauthorized {
		x.setServiceHeader(h)
	}
	h["X-Request-Id"] = []string{x.requestIDText()}
	h["X-Content-Type-Options"] = noSniff
	maps.Copy(h, own)
}

func (x *exchange) setServiceHeader(h http.Header) {
	azure := isAzure(x.r)
	if x.tellsLimits() {
		x.limitStatus().Tell(h, azure)
	}
	if azure {
		h["Apim-Request-Id"] = []string{x.requestIDText()}
		h["X-Ms-Region"] = azureRegion
		return
	}
	h["Openai-Organization"], h["Openai-Version"] = organization, openAIVersion
	h["Openai-Processing-Ms"] = []string{strconv.FormatInt(time.Since(x.entry.Time).Milliseconds(), 10)}
}

// tellsLimits reports whether the header has the X-Ratelimit fields. Recorded streams of
// some APIs have none.
func (x *exchange) tellsLimits() bool {
	req := x.entry.Request
	if req == nil || !req.Stream || x.entry.Status != http.StatusOK {
		return req != nil
	}
	return !answer.SurfaceNamed(req.Surface).Info().QuietStreams
}

// limitStatus is how far the API key has used the limits of the request.
func (x *exchange) limitStatus() limits.Status {
	rules := x.rules
	if rules == nil {
		rules = x.server.limitRules(x.entry.Request.Model, nil)
	}
	return x.server.limiter.Status(x.entry.APIKey, rules)
}

// countUnread counts an attempt at a request that no surface has read, and draws its id.
// Two such requests are the same if their methods, URLs and bodies are.
func (x *exchange) countUnread() {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", x.r.Method, x.r.URL.RequestURI())
	h.Write(x.entry.Body)
	sum := [sha256.Size]byte(h.Sum(nil))
	x.setRequestID(sum, x.server.counters.Attempt(x.entry.APIKey, sum))
}

func (x *exchange) setRequestID(body [sha256.Size]byte, attempt int) {
	e := &x.entry
	x.requestID = (&identity{Method: e.Method, Path: e.Path, APIKey: e.APIKey, Body: body, Attempt: attempt}).id(x.server.config.Seed)
}

// requestIDText is the request's id as OpenAI or Azure writes it.
func (x *exchange) requestIDText() string {
	if x.requestID == (requestID{}) {
		x.countUnread()
	}
	if isAzure(x.r) {
		return x.requestID.azure()
	}
	return x.requestID.openAI()
}
