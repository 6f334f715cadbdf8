package fakeopenai

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// Request is one request that the server got, and what became of it.
type Request struct {
	// ID is the number of the request in the server's journal, from 1: what
	// [server.Attempt] and /_fake/requests call it by. [Server.AwaitEnd] and
	// [Server.Transcript] take its position in [Server.Requests] instead, from 0.
	ID int64

	Model    string                     // as the client asked for it
	Stream   bool                       // the body's stream member
	Messages []scenarios.RequestMessage // the conversation, oldest first
	Tools    []scenarios.Tool           // the tools and functions offered
	Method   string
	Path     string // with the query
	Header   http.Header
	Body     []byte // as it was sent

	Scenario string   // what answered; "" when nothing matched
	Reply    int      // its reply, from 0; -1 when nothing matched
	Problem  string   // why nothing matched, or what was wrong with the request
	Status   int      // 0 while there is none
	Drawn    []string // what chance decided, in words; see [server.Record]
	Delivery server.Delivery
}

// String is the request and its answer in one line.
func (r Request) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Method, r.Path)
	if r.Model != "" {
		fmt.Fprintf(&b, " model=%s stream=%t messages=%d", r.Model, r.Stream, len(r.Messages))
	}
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, " tools=%d", len(r.Tools))
	}
	fmt.Fprintf(&b, " -> %d", r.Status)
	if r.Scenario != "" {
		fmt.Fprintf(&b, " %s[%d] %d of %d frames, %s", r.Scenario, r.Reply, r.Delivery.Frames, r.Delivery.Planned, r.Delivery.Ended)
	}
	if r.Delivery.Left != "" {
		fmt.Fprintf(&b, " (%s)", r.Delivery.Left)
	}
	if r.Problem != "" {
		fmt.Fprintf(&b, ": %s", r.Problem)
	}
	return b.String()
}

func newRequest(rec server.Record) Request {
	r := Request{
		ID: rec.ID, Method: rec.Method, Path: rec.Path, Header: rec.Header.Clone(), Body: slices.Clone(rec.Body),
		Scenario: rec.Scenario, Reply: rec.Reply, Problem: rec.Problem, Status: rec.Status, Delivery: rec.Delivery, Drawn: slices.Clone(rec.Drawn),
	}
	if q := rec.Request; q != nil {
		r.Model, r.Stream = q.Model, q.Stream
		r.Messages, r.Tools = slices.Clone(q.Messages), slices.Clone(q.Tools)
	}
	return r
}

// Requests are copies of all requests so far, in order of arrival. While an
// answer goes on, the [Request.Delivery] of its request is open and holds no
// figures; [Server.AwaitEnd] waits for them.
func (s *Server) Requests() []Request {
	records := s.core.Journal()
	requests := make([]Request, len(records))
	for i, rec := range records {
		requests[i] = newRequest(rec)
	}
	return requests
}

// Transcript is the bytes of the answer to request i, counted from 0: all that
// was written to the client. It waits until the answer has ended, as
// [Server.AwaitEnd] does.
func (s *Server) Transcript(i int) []byte {
	s.tb.tb.Helper()
	return s.awaitEnd("Transcript", i).Transcript
}

// AwaitEnd waits until the answer to request i, counted from 0, has ended, and
// returns the request. A client may have read the last byte a moment before the
// server knows that it has; after AwaitEnd, [Request.Delivery] is final. It fails
// the test, in whose goroutine it must be called, if the end cannot come or when
// the test's time is nearly up.
func (s *Server) AwaitEnd(i int) Request {
	s.tb.tb.Helper()
	return newRequest(s.awaitEnd("AwaitEnd", i))
}

func (s *Server) awaitEnd(method string, i int) server.Record {
	s.tb.tb.Helper()
	ctx, stop := s.whileWaiting()
	defer stop()
	for {
		ended := s.ends.wait()
		list := s.core.Journal()
		if i >= 0 && i < len(list) && list[i].Delivery.Ended != server.EndedOpen {
			return list[i]
		}
		select {
		case <-ended:
		case <-ctx.Done():
			s.tb.tb.Fatalf("fakeopenai: %s(%d): %v, but not the answer's end; there were %d requests", method, i, context.Cause(ctx), len(list))
		}
	}
}

// observer counts what was given, and fails the test at a request that nothing
// answers or whose history cannot be.
func (s *Server) observer(o *settings) func(server.Record) {
	return func(r server.Record) {
		s.tally.count(r)
		if r.Unmatched && !o.allowUnmatched {
			s.tb.errorf("fakeopenai: %s %s: %s", r.Method, r.Path, r.Problem)
			s.giveUp(fmt.Errorf("%s %s was not answered: %s", r.Method, r.Path, r.Problem))
		}
		if r.BadHistory && !o.allowBadHistory {
			s.tb.errorf("fakeopenai: %s %s: the history cannot be: %s", r.Method, r.Path, r.Problem)
			s.giveUp(fmt.Errorf("%s %s was refused: %s", r.Method, r.Path, r.Problem))
		}
		s.ends.announce()
	}
}
