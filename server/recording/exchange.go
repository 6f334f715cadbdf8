// Package recording writes what a real endpoint answered as scenarios, which
// give the same bytes at the same times again.
//
// An [Exchange] is a request and its answer, byte for byte. [Write] says it in
// the words of the scenario language: a chunk that a typed step sends is written
// as that step, and the rest literally. Whatever it writes is played before it is
// returned, so that a scenario which does not give the recorded bytes is a mistake
// that shows at once.
package recording

import (
	"net/http"
	"time"
)

// Exchange is one request and what answered it.
type Exchange struct {
	Method string      // Method is the method of the request.
	Path   string      // Path is the path below the base URL, such as /v1/chat/completions, with its query.
	Header http.Header // Header is that of the request.
	Body   []byte      // Body is that of the request.

	Status       int           // Status is that of the answer; 0 if the connection ended before there was one.
	AnswerHeader http.Header   // AnswerHeader is that of the answer.
	HeaderAt     time.Duration // HeaderAt is when the answer's header came, counted from the request.
	Pieces       []Piece       // Pieces are the answer's body.
	Ending       Ending        // Ending is how the answer ended.
	// TooLong says that a body was longer than the recorder keeps, so that it is not
	// here.
	TooLong bool
	// Packed says why a body could not be had in plain, which came in a content coding;
	// nil if all could.
	Packed error
}

// Piece is bytes of a body that came together.
type Piece struct {
	At   time.Duration // At is when they came, counted from the request.
	Data []byte
}

// Ending is how an answer ended.
type Ending string

// The endings of answers.
const (
	EndedComplete Ending = ""      // EndedComplete is the orderly end of an HTTP body.
	EndedCut      Ending = "cut"   // EndedCut is a body without its end.
	EndedReset    Ending = "reset" // EndedReset is a connection that was reset.
	EndedStall    Ending = "stall" // EndedStall is silence for as long as the recorder waited.
	// EndedByClient is an answer of which the client did not want the rest.
	EndedByClient Ending = "left"
)

// bodyBytes is the whole body of the answer.
func (x *Exchange) bodyBytes() []byte {
	var body []byte
	for _, p := range x.Pieces {
		body = append(body, p.Data...)
	}
	return body
}

// cameAt is when the byte at an offset of the body came.
func (x *Exchange) cameAt(offset int) time.Duration {
	for _, p := range x.Pieces {
		if offset < len(p.Data) {
			return p.At
		}
		offset -= len(p.Data)
	}
	return x.HeaderAt
}
