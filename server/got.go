package server

import (
	"net/http"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// got says what the client got as the answer, which has ended. It notes in the entry what there was of
// an answer that is not whole.
func (x *exchange) got() journal.Answer {
	asked, _ := x.entry.Made.(*answer.Asked)
	d := &x.entry.Delivery
	broke := d.Ended == journal.EndedByClient || d.Ended == journal.EndedByShutdown
	switch {
	case x.entry.Status == 0:
		return journal.AnswerNone
	case x.entry.Status >= http.StatusBadRequest:
		if x.made != nil && asked != nil {
			x.entry.ErrorCode = x.made.Got(asked, d.Bytes, !broke).Code
		}
		return journal.AnswerRefused
	case x.made == nil || asked == nil:
		return map[bool]journal.Answer{false: journal.AnswerWhole, true: journal.AnswerBroken}[broke]
	}
	whole, known := x.hasFrames(asked)
	if !known {
		got := x.made.Got(asked, d.Bytes, !broke)
		x.entry.ErrorCode = got.Code
		x.entry.Said = &journal.Said{ID: got.Named, Text: got.Text, Calls: got.Calls}
		switch {
		case got.Failed:
			return journal.AnswerFailed
		case got.Error:
			return journal.AnswerError
		case got.Open:
			return journal.AnswerUnknown
		}
		whole = got.Whole
	}
	if !whole {
		return journal.AnswerBroken
	}
	x.entry.Said = nil
	return x.wasRead(asked)
}

// hasFrames reports whether the frames that were sent have all that a client needs, as far as their
// kinds tell.
func (x *exchange) hasFrames(asked *answer.Asked) (whole, known bool) {
	p := x.made.Program
	all, last, fails := countFrames(p)
	if asked.Surface == answer.Other {
		last = all
	} else if last == 0 || fails || !x.made.IsPlain(asked) {
		return false, false
	}
	return x.entry.Delivery.Frames >= last, !p.Ending.Authored
}

// wasRead says what the client got of an answer of which all that it needs was sent.
func (x *exchange) wasRead(asked *answer.Asked) journal.Answer {
	d := &x.entry.Delivery
	unread := d.Unread.Bytes
	switch {
	case d.Ended == journal.EndedComplete, d.Ended == journal.EndedAsAuthored && d.End != "reset" && (x.r.ProtoMajor < 2 || d.End == "linger" || d.End == ""):
		return journal.AnswerWhole
	case d.Left == journal.LeftFIN && unread == 0:
		return journal.AnswerWhole
	case unread == 0:
		return journal.AnswerUnknown // what waits on the client's side, the server cannot know
	case d.Left == journal.LeftFIN && x.made.Got(asked, d.Bytes-unread, false).Whole:
		return journal.AnswerWhole
	}
	if got := x.made.Got(asked, d.Bytes-unread/framingShare, false); !got.Whole && !got.Open {
		return journal.AnswerBroken
	}
	return journal.AnswerUnknown
}

// framingShare says how little of the bytes that are unread can belong to the body: of a chunk with one
// byte, five more are HTTP's framing.
const framingShare = 8
