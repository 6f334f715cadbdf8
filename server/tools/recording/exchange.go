// Package recording turns recorded answers of a real endpoint into scenarios that send the same bytes at the same times; it
// serves the command and the helper for tests, and may change in any version.
//
// An [Exchange] is a request and its answer, byte for byte. [Write] turns it into a
// scenario: a chunk that a step such as content can send becomes that step, any other
// chunk is written literally. Write plays each scenario before it returns it, and
// returns an error if the bytes are not those of the recording.
package recording

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Exchange is one request and its answer.
type Exchange struct {
	Method string      // Method is the method of the request.
	Path   string      // Path is the path below the base URL, such as /v1/chat/completions, with its query.
	Header http.Header // Header is the header of the request.
	Body   []byte      // Body is the body of the request.

	Status       int           // Status is the status of the answer; 0 if the connection ended before it.
	AnswerHeader http.Header   // AnswerHeader is the header of the answer.
	HeaderAt     time.Duration // HeaderAt is when the header of the answer came, counted from the request.
	Pieces       []Piece       // Pieces are the body of the answer.
	Ending       Ending        // Ending is how the answer ended.
	// TooLong says that a body was longer than the limit of the session, and is missing
	// here.
	TooLong bool
	// Packed is why the content coding of a body could not be decoded; nil if all could.
	Packed error
}

// size is about how many bytes of memory an exchange takes while it waits.
func (x *Exchange) size() int64 {
	n := 4096 + len(x.Path) + len(x.Body) + len(fmt.Sprint(x.Header, x.AnswerHeader))
	for _, p := range x.Pieces {
		n += 64 + len(p.Data)
	}
	return int64(n)
}

// Piece is the bytes of a body that one read returned.
type Piece struct {
	At   time.Duration // At is when the bytes came, counted from the request.
	Data []byte
}

// Ending is how an answer ended.
type Ending string

// The endings of answers.
const (
	EndedComplete Ending = ""      // EndedComplete is the regular end of an HTTP body.
	EndedCut      Ending = "cut"   // EndedCut is a connection closed before the end of the body.
	EndedReset    Ending = "reset" // EndedReset is a connection that was reset.
	EndedStall    Ending = "stall" // EndedStall is silence for longer than the timeout of the session.
	// EndedByClient is a client that left before the end of the answer.
	EndedByClient Ending = "left"
)

// IsStream reports whether the answer is a stream of server-sent events: by its content
// type, or by its first line if the type is missing or wrong.
func (x *Exchange) IsStream() bool {
	kind, _, _ := strings.Cut(x.AnswerHeader.Get("Content-Type"), ";")
	if strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") {
		return true
	}
	name, _, ok := strings.Cut(strings.TrimLeft(strings.TrimPrefix(string(x.bodyBytes()), sse.ByteOrderMark), "\r\n"), ":")
	return ok && slices.Contains([]string{"", "data", "event", "id", "retry"}, name)
}

// bodyBytes is the whole body of the answer.
func (x *Exchange) bodyBytes() []byte {
	var body []byte
	for _, p := range x.Pieces {
		body = append(body, p.Data...)
	}
	return body
}

// cameAt is when the byte at an offset of the body came; HeaderAt beyond the body.
func (x *Exchange) cameAt(offset int) time.Duration {
	for _, p := range x.Pieces {
		if offset < len(p.Data) {
			return p.At
		}
		offset -= len(p.Data)
	}
	return x.HeaderAt
}

// endOf is the end of a scenario for an answer without a regular end.
func endOf(x *Exchange) scenarios.End {
	kinds := map[Ending]scenarios.EndKind{EndedCut: scenarios.EndCut, EndedByClient: scenarios.EndCut, EndedReset: scenarios.EndReset, EndedStall: scenarios.EndStall}
	kind := kinds[x.Ending]
	return scenarios.End{Kind: kind, All: kind != ""}
}
