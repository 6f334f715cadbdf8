package server

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/requestid"
)

// What the service says of itself, as the values of fields. Nobody changes them.
var (
	organization  = []string{"fakeopenai"}
	openAIVersion = []string{"2020-10-01"}
	azureRegion   = []string{"Sweden Central"}
	noSniff       = []string{"nosniff"}
)

// fields sets fields of a header that have one value each.
type fields struct {
	header http.Header
	values []string // values are those of all fields, to save memory for each.
}

func (f *fields) set(name, value string) {
	f.values = append(f.values, value)
	last := len(f.values)
	f.header[name] = f.values[last-1 : last : last]
}

// setHeader fills in what the service says beside an answer, then what the
// answer says itself.
func (x *exchange) setHeader(own http.Header) {
	if x.turn != nil { // messages have no header: an error tells of what is its own
		maps.Copy(x.w.Header(), own)
		return
	}
	f := fields{header: x.w.Header(), values: make([]string, 0, 8)}
	if x.entry.Status != http.StatusUnauthorized {
		x.setServiceHeader(&f)
	}
	f.set("X-Request-Id", x.requestIDText())
	f.header["X-Content-Type-Options"] = noSniff
	maps.Copy(f.header, own)
}

func (x *exchange) setServiceHeader(f *fields) {
	azure := isAzure(x.r)
	if x.tellsLimits() {
		x.limitStatus().Tell(f.set, azure)
	}
	if azure {
		f.set("Apim-Request-Id", x.requestIDText())
		f.header["X-Ms-Region"] = azureRegion
		return
	}
	f.header["Openai-Organization"], f.header["Openai-Version"] = organization, openAIVersion
	f.set("Openai-Processing-Ms", strconv.FormatInt(time.Since(x.entry.Time).Milliseconds(), 10))
}

// tellsLimits reports whether the header tells how far limits are used: recorded
// streams of responses do not have such fields.
func (x *exchange) tellsLimits() bool {
	req := x.entry.Request
	return req != nil && !(req.Stream && req.Surface == "responses" && x.entry.Status == http.StatusOK)
}

// limitStatus is how far the limits are used, which the real service tells where a
// model works.
func (x *exchange) limitStatus() limits.Status {
	rules := x.rules
	if rules == nil {
		rules = x.server.limitRules(x.entry.Request.Model, nil)
	}
	return x.server.limiter.Status(x.entry.APIKey, rules)
}

// countUnread counts a request that was not read as one of a surface, and draws
// its id. Such requests are the same if their method, URL and body are.
func (x *exchange) countUnread() {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", x.r.Method, x.r.URL.RequestURI())
	h.Write(x.entry.Body)
	sum := [sha256.Size]byte(h.Sum(nil))
	x.setRequestID(sum, x.server.counters.Attempt(x.entry.APIKey, sum))
}

func (x *exchange) setRequestID(body [sha256.Size]byte, attempt int) {
	e := &x.entry
	x.requestID = requestid.Draw(x.server.config.Seed, &requestid.Request{Method: e.Method, Path: e.Path, APIKey: e.APIKey, Body: body, Attempt: attempt})
}

// requestIDText is the request's id as the service writes it that is asked.
func (x *exchange) requestIDText() string {
	if x.requestID == (requestid.ID{}) {
		x.countUnread()
	}
	if isAzure(x.r) {
		return x.requestID.Azure()
	}
	return x.requestID.OpenAI()
}
