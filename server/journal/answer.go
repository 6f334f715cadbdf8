package journal

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Answer says what a client got as the answer to its request. How the connection ended comes second:
// a stream that breaks behind all that a client needs is whole.
type Answer string

// What a client can get. An answer that is still open has none of these.
const (
	// AnswerWhole says that the client got what it needs. In a stream of chat completions or
	// completions each choice that was asked for has its finish, although the usage or [DONE] may be
	// unread; in one of the Responses API there is the event that ends it. Of an answer in one piece,
	// and of one to another path, the client got all of it.
	AnswerWhole Answer = "whole"
	// AnswerBroken says that the client did not get that: the answer broke off, lacks its end, or was
	// not read to it.
	AnswerBroken Answer = "broken"
	// AnswerError says that the stream has an error in place of the rest.
	AnswerError Answer = "error"
	// AnswerFailed says that the answer is whole and that it says it has failed, as response.failed does.
	AnswerFailed  Answer = "failed"
	AnswerRefused Answer = "refused" // AnswerRefused says that the status is 400 or more.
	AnswerNone    Answer = "none"    // AnswerNone says that the connection ended without an answer.
	// AnswerUnknown says that all a client needs was sent, and that nobody can know whether the client
	// read it or what it made of it: the client left with bytes unread, the connection was reset, or an
	// event is no JSON.
	AnswerUnknown Answer = "unknown"
)

// IsFailure reports whether the client certainly did not get a whole answer, or got one that has failed.
func (a Answer) IsFailure() bool { return a != "" && a != AnswerWhole && a != AnswerUnknown }

// Said is what a client can take over from an answer that it did not get whole.
type Said struct {
	ID    string   // ID is the id of the answer.
	Text  string   // Text is the text of its first choice.
	Calls []string // Calls are the ids of the calls of tools.
}

// size is about how many bytes of memory it takes.
func (s *Said) size() (n int) {
	if s != nil {
		n = len(s.Text) + fieldSize*(1+len(s.Calls))
	}
	return n
}

// retry is a verdict on a request that is sent again.
type retry uint8

const (
	retryUnknown retry = iota // retryUnknown says that nobody can know whether it is right.
	retryRight                // retryRight says that a client may send it again.
	retryDue                  // retryDue says that clients send it again, as a rule.
	retryWrong                // retryWrong says that a client has no reason to.
)

// longPause is the pause above which clients give up.
const longPause = time.Minute

// retry returns the verdict on a retry after the answer.
func (e *Entry) retry() retry {
	if should := e.shouldRetry(); should != nil && !*should {
		return retryWrong
	} else if should != nil && e.Answer != AnswerRefused {
		return retryRight
	}
	switch e.Answer {
	case AnswerBroken, AnswerError, AnswerNone:
		return retryRight
	case AnswerFailed:
		return afterError(e.ErrorCode)
	case AnswerRefused:
		return e.afterStatus()
	case AnswerWhole:
		if e.Delivery.endsInOrder() {
			return retryWrong
		}
	}
	return retryUnknown
}

// afterStatus is retry for an answer with a status of 400 or more.
func (e *Entry) afterStatus() retry {
	advice := e.Advice
	switch {
	case e.Status != http.StatusTooManyRequests && e.Status < http.StatusInternalServerError:
		if e.Status == http.StatusRequestTimeout || e.Status == http.StatusConflict || e.shouldRetry() != nil {
			return retryRight
		}
		return retryWrong
	case e.ErrorCode == "insufficient_quota", advice != nil && advice.RetryAfter != nil && *advice.RetryAfter > longPause:
		return retryRight // and some clients give up
	}
	return retryDue
}

// afterError is retry for an answer that says it has failed with the code.
func afterError(code string) retry {
	final := []string{"invalid_", "image_", "unsupported_", "empty_image", "failed_to_download", "context_length", "content_filter", "cyber_policy"}
	switch {
	case slices.Contains([]string{"rate_limit_exceeded", "server_error", "vector_store_timeout"}, code):
		return retryRight
	case slices.ContainsFunc(final, func(begin string) bool { return strings.HasPrefix(code, begin) }):
		return retryWrong
	}
	return retryUnknown
}

// shouldRetry is X-Should-Retry of the answer; nil if it has none.
func (e *Entry) shouldRetry() *bool {
	if e.Advice == nil {
		return nil
	}
	return e.Advice.ShouldRetry
}

// endsInOrder reports whether the client could read the answer to an end in order.
func (d *Delivery) endsInOrder() bool {
	return d.Ended == EndedComplete || d.Ended == EndedAsAuthored && d.End == "linger"
}
