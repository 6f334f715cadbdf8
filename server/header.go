package server

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Values of header fields that are the same in all answers. They are shared: never change
// them.
var (
	anyOrigin     = []string{"*"}
	exposedFields = []string{"X-Request-ID"}
	organization  = []string{"fakeopenai"}
	openAIVersion = []string{"2020-10-01"}
	azureRegion   = []string{"Sweden Central"}
	noSniff       = []string{"nosniff"}
	chunked       = []string{"chunked"}
)

// preflight answers a browser's question, by the rules of the WHATWG Fetch standard: pages may
// use the methods of the API, and the header fields that they ask for. In place of these a
// wildcard would not do: for browsers it does not include Authorization. No page can name a fault.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Del("Access-Control-Expose-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
	h.Set("Access-Control-Max-Age", "86400")
	h.Add("Vary", "Access-Control-Request-Headers")
	asked := strings.Split(r.Header.Get("Access-Control-Request-Headers"), ",")
	asked = slices.DeleteFunc(asked, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), faultHeader) })
	if allowed := strings.Join(asked, ","); allowed != "" {
		h.Set("Access-Control-Allow-Headers", allowed)
	}
	w.WriteHeader(http.StatusNoContent)
}

// writeHeader writes the status and the header, once. From then on the journal has the status.
// Own are the fields of the answer itself. A message over WebSocket has no header; only an error
// message shows own fields.
func (x *exchange) writeHeader(status int, own http.Header) {
	if x.headerWritten {
		return
	}
	x.headerWritten = true
	x.entry.Status, x.entry.Advice = status, journal.AdviceIn(own, time.Now)
	if x.turn == nil {
		x.setServiceHeader()
	}
	maps.Copy(x.w.Header(), own)
	if x.turn == nil {
		forbidScripts(x.w.Header())
	}
	if x.countsWire() {
		var torn time.Duration
		if x.made != nil {
			torn = x.made.Program.Torn
		}
		x.conn.Tear(torn)
	}
	x.server.journal.Put(&x.entry)
	x.w.WriteHeader(status)
}

// forbidScripts lets browsers run no scripts in an answer that they may take for a document, whatever
// else its header says: such scripts could use the endpoints below /_fake/. Beside a policy of the
// scenario, another one can only forbid more.
func forbidScripts(h http.Header) {
	if types := h["Content-Type"]; len(types) == 1 && (types[0] == "text/event-stream; charset=utf-8" || types[0] == "application/json") || isInert(types) {
		return // the two most frequent are compared as they are, because every answer comes here
	}
	h["X-Content-Type-Options"] = noSniff
	if policies := h["Content-Security-Policy"]; !slices.Contains(policies, "sandbox") {
		h["Content-Security-Policy"] = append(slices.Clip(policies), "sandbox")
	}
}

// isInert reports whether a Content-Type names data in which no browser runs scripts. One that is
// written in an unusual way does not count: browsers read such in different ways, and take for example
// a second type behind a comma.
func isInert(types []string) bool {
	const usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._; ="
	if len(types) != 1 || strings.TrimLeft(types[0], usual) != "" {
		return false
	}
	name, _, _ := strings.Cut(types[0], ";")
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "application/json", "application/octet-stream", "application/x-ndjson", "text/event-stream", "text/plain",
		"image/gif", "image/jpeg", "image/png", "image/webp":
		return true
	}
	return strings.HasPrefix(name, "audio/") || strings.HasPrefix(name, "video/")
}

func (x *exchange) setServiceHeader() {
	h, azure, id := x.w.Header(), request.IsAzure(x.r), []string{x.requestIDText()}
	h["X-Request-Id"], h["X-Content-Type-Options"] = id, noSniff
	if x.entry.Status == http.StatusUnauthorized {
		return
	}
	req := x.entry.Request
	// Recorded streams of some APIs have no X-Ratelimit fields.
	if req != nil && (!req.Stream || x.entry.Status != http.StatusOK || !answer.SurfaceNamed(req.Surface).Info().QuietStreams) {
		rules, status := x.rules, limits.Unlimited
		if rules == nil {
			rules = x.server.limitRules(req.Model, nil)
		}
		if len(rules) > 0 {
			status = x.server.limiter.Status(x.entry.APIKey, rules)
		}
		status.Tell(h, azure)
	}
	if azure {
		h["Apim-Request-Id"], h["X-Ms-Region"] = id, azureRegion
		return
	}
	h["Openai-Organization"], h["Openai-Version"] = organization, openAIVersion
	h["Openai-Processing-Ms"] = []string{strconv.FormatInt(time.Since(x.entry.Time).Milliseconds(), 10)}
}

// requestID is the id of a request, which answers have in a header so that clients can tell
// which request they mean. The zero requestID stands for none.
type requestID [16]byte

// drawID draws the id of the request, whose body has this hash. The same request at the same
// attempt has the same id.
func (x *exchange) drawID(body [sha256.Size]byte, attempt int) {
	e, text := &x.entry, make([]byte, 0, 256)
	seed := x.server.config.Seed
	if e.Request != nil {
		seed = cmp.Or(e.Request.Seed, seed)
	}
	text = append(strconv.AppendInt(text, seed, 10), ' ')
	text = append(append(text, e.Method...), ' ')
	text = append(append(text, e.Path...), ' ')
	text = append(strconv.AppendQuote(text, e.APIKey), ' ')
	text = append(strconv.AppendInt(text, int64(attempt), 10), ' ')
	sum := sha256.Sum256(append(text, body[:]...))
	x.requestID = requestID(sum[:len(requestID{})])
}

// countUnread counts an attempt at a request that no surface has read, and draws its id.
func (x *exchange) countUnread() {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s", x.r.Method, x.r.URL.RequestURI(), x.entry.Body))
	x.drawID(sum, x.server.counters.Attempt(x.key, sum))
}

// requestIDText is the request's id as OpenAI writes it or, as a UUID, Azure.
func (x *exchange) requestIDText() string {
	if x.requestID == (requestID{}) {
		x.countUnread()
	}
	id := x.requestID[:]
	if request.IsAzure(x.r) {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", id[:4], id[4:6],
			binary.BigEndian.Uint16(id[6:])&0xfff, binary.BigEndian.Uint16(id[8:])&0xfff, id[10:])
	}
	return "req_" + hex.EncodeToString(id)
}
