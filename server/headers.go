package server

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// What the service says of itself, as the values of fields. Nobody changes them.
var (
	organization  = []string{"fakeopenai"}
	openAIVersion = []string{"2020-10-01"}
	azureRegion   = []string{"Sweden Central"}
	noSniff       = []string{"nosniff"}
)

// requestIDBytes is the length of a request's id before it is written out.
const requestIDBytes = 16

// requestID is drawn from the seed and the request, so that the same request,
// made as often before, has the same id.
func requestID(seed int64, e *journal.Entry, body [sha256.Size]byte, attempt int) [requestIDBytes]byte {
	text := make([]byte, 0, 256)
	text = append(strconv.AppendInt(text, seed, 10), ' ')
	text = append(append(text, e.Method...), ' ')
	text = append(append(text, e.Path...), ' ')
	text = append(strconv.AppendQuote(text, e.APIKey), ' ')
	text = append(strconv.AppendInt(text, int64(attempt), 10), ' ')
	sum := sha256.Sum256(append(text, body[:]...))
	return [requestIDBytes]byte(sum[:])
}

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
	x.requestID, x.hasRequestID = requestID(x.server.config.Seed, &x.entry, body, attempt), true
}

// requestIDText is the request's id as OpenAI writes it, or as Azure does: a
// UUID.
func (x *exchange) requestIDText() string {
	if !x.hasRequestID {
		x.countUnread()
	}
	id := x.requestID[:]
	if !isAzure(x.r) {
		const prefix = "req_"
		return string(hex.AppendEncode(append(make([]byte, 0, len(prefix)+2*requestIDBytes), prefix...), id))
	}
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		binary.BigEndian.Uint32(id), binary.BigEndian.Uint16(id[4:]), binary.BigEndian.Uint16(id[6:])&0xfff,
		binary.BigEndian.Uint16(id[8:])&0xfff, id[10:])
}
