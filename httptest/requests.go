package fakeopenai

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Request is one request that the server received, and how it was answered.
type Request struct {
	// ID is the number of the request in the server's journal, from 1. [journal.Attempt]
	// and /_fake/requests use it. [Server.AwaitEnd] and [Server.Transcript] take the
	// position in [Server.Requests] instead, from 0.
	ID int64

	Model    string                     // Model is the model that the client asked for.
	Stream   bool                       // Stream is the body's stream member.
	Messages []scenarios.RequestMessage // Messages are the conversation, oldest first.
	Tools    []scenarios.Tool           // Tools are the tools and functions that the request offers.
	// Items are the input items of a request to the Responses API, as they were sent;
	// nil if the input is a text, and on other APIs. Messages has the same conversation
	// in the form of chat completions: the items of an answer as one message with its
	// ToolCalls, the outputs of tools as messages of the role tool.
	Items  []ojson.Value
	Method string
	Path   string // Path includes the query.
	Header http.Header
	Body   []byte // Body is the body as it was sent.

	Scenario string   // Scenario is the name of the scenario that answered; "" if none matched.
	Reply    int      // Reply is the position of the scenario's reply, from 0; -1 if none matched.
	Problem  string   // Problem says why no scenario matched, or what was wrong with the request.
	Limit    string   // Limit is the limit that refused the request, such as "rpm: 3 of scenario weather"; "" for none.
	Status   int      // Status is the HTTP status of the answer; 0 before it is sent.
	Chance   []string // Chance describes what was decided by chance; see [journal.Entry].
	Injected string   // Injected names the fault that struck the answer, such as "503 of brownout"; "" for none.
	Delivery journal.Delivery

	body ojson.Value // body is the request's body as JSON; absent if it is not JSON.
	tb   *reporter
}

// Value returns the value at a path in the JSON body. Paths are written as in
// scenarios: tools[0].function.name, messages[-1].tool_calls[0].id. If the body has no
// such place, the value is absent ([ojson.Value.IsAbsent]). Text returns the text of a
// string, String the JSON of any value. A path that cannot be parsed fails the test.
func (r Request) Value(path string) ojson.Value {
	p, err := ojson.ParsePath(path)
	if err != nil {
		r.tb.test.Helper()
		hint := ""
		if wrong, ok := errors.AsType[*ojson.PathError](err); ok && wrong.Instead != "" {
			hint = "; write " + wrong.Instead
		}
		r.tb.errorf("fakeopenai: Value: %v%s", err, hint)
		return ojson.Value{}
	}
	return r.body.Find(p).Clone()
}

// String describes the request and its answer in one line, with API keys and other secrets
// masked.
func (r Request) String() string {
	var b strings.Builder
	shown := journal.Entry{Path: r.Path, Header: r.Header, Problem: r.Problem}.Masked()
	fmt.Fprintf(&b, "%s %s", r.Method, shown.Path)
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
	if r.Injected != "" {
		fmt.Fprintf(&b, ", fault %s", r.Injected)
	}
	if r.Delivery.Left != "" {
		fmt.Fprintf(&b, " (%s)", r.Delivery.Left)
	}
	if r.Problem != "" {
		fmt.Fprintf(&b, ": %s", shown.Problem)
	}
	return b.String()
}

func (s *Server) newRequest(e journal.Entry) Request {
	r := Request{
		tb: s.tb,
		ID: e.ID, Method: e.Method, Path: e.Path, Header: e.Header.Clone(), Body: slices.Clone(e.Body),
		Scenario: e.Scenario, Reply: e.Reply, Problem: e.Problem, Limit: e.Limit, Injected: e.Injected, Status: e.Status, Delivery: e.Delivery, Chance: slices.Clone(e.Chance),
	}
	if q := e.Request; q != nil {
		r.Model, r.Stream = q.Model, q.Stream
		r.body = q.Body
		if server.SurfaceNamed(q.Surface).Items {
			r.Items = slices.Clone(q.Body.Get("input").Clone().Items())
		}
		r.Messages, r.Tools = slices.Clone(q.Messages), slices.Clone(q.Tools)
		for i := range r.Messages {
			r.Messages[i].ToolCalls = slices.Clone(r.Messages[i].ToolCalls)
		}
	}
	return r
}

// Requests returns copies of all requests so far, in order of arrival. While an answer
// is being sent, Delivery.Ended of its request is [journal.EndedOpen] and Delivery says
// how far the answer is; [Server.AwaitEnd] waits for the end. With filters it returns only the
// requests that all filters select, as in Requests(journal.Filter{Status: "429"}).
func (s *Server) Requests(filters ...journal.Filter) []Request {
	entries := s.core.Journal(filters...)
	requests := make([]Request, len(entries))
	for i, e := range entries {
		requests[i] = s.newRequest(e)
	}
	return requests
}

// Last returns the request that came last. As in [Server.Requests], its answer may
// not have ended. Last fails the test if there was no request; it must be called
// in the goroutine of the test.
func (s *Server) Last() Request {
	s.tb.test.Helper()
	entries := s.core.Journal()
	if len(entries) == 0 {
		s.tb.test.Fatalf("fakeopenai: Last: there was no request")
	}
	return s.newRequest(entries[len(entries)-1])
}

// Transcript returns all bytes of the body that were written in answer to request i,
// counted from 0. It waits until the answer has ended, and fails the test, as
// [Server.AwaitEnd] does.
func (s *Server) Transcript(i int) []byte {
	s.tb.test.Helper()
	return slices.Clone(s.awaitEnd("Transcript", i).Transcript)
}

// AwaitEnd waits until the answer to request i, counted from 0, has ended, and returns
// the request, whose [Request.Delivery] is then final. A client can read the last byte
// a moment before the server records the end. AwaitEnd fails the test if the answer
// cannot end any more, if nothing moves for a while (see [WithPatience]), or shortly
// before go test's timeout; it must be called in the goroutine of the test.
func (s *Server) AwaitEnd(i int) Request {
	s.tb.test.Helper()
	return s.newRequest(s.awaitEnd("AwaitEnd", i))
}

func (s *Server) awaitEnd(method string, i int) journal.Entry {
	s.tb.test.Helper()
	if i < 0 {
		s.tb.test.Fatalf("fakeopenai: %s(%d): requests are counted from 0; Last and Requests give the last one", method, i)
	}
	ctx, stop := s.waitContext()
	defer stop()
	e, err := s.core.AwaitEnd(ctx, i)
	if err != nil {
		s.tb.test.Fatalf("fakeopenai: %s(%d): %v; %s", method, i, err, s.whatCame())
	}
	return e
}

// whatCame describes the requests so far, for errors: their number and the last ones.
func (s *Server) whatCame() string {
	const shown = 10
	requests := s.Requests()
	first := max(0, len(requests)-shown)
	var b strings.Builder
	fmt.Fprintf(&b, "requests: %d", len(requests))
	for i, r := range requests[first:] {
		fmt.Fprintf(&b, "\n\trequest %d: %s", first+i, r)
	}
	return b.String()
}

// observer returns the function that the core calls after each answer. It counts the
// replies, and fails the test at a request that no scenario answers, for which the
// reply cannot be made, or whose history cannot be.
func (s *Server) observer(o *settings) func(journal.Entry) {
	return func(r journal.Entry) {
		s.replies.Count(&r)
		for _, kind := range r.Wrong() {
			switch {
			case kind == journal.KindFault:
				s.failFor(r, "the answer cannot be made: ", "", "not answered")
			case kind == journal.KindUnmatched && !o.allowUnmatched:
				s.failFor(r, "", o.hint, "not answered")
			case kind == journal.KindHistory && !o.allowBadHistory:
				s.failFor(r, "the history cannot be: ", "", "wrong")
			}
		}
	}
}

// failFor fails the test because of a request, and ends all waits.
func (s *Server) failFor(r journal.Entry, reason, hint, outcome string) {
	r = r.Masked() // Logs of tests are public: no API keys.
	request := r.Method + " " + r.Path
	s.tb.errorf("fakeopenai: %s: %s%s%s", request, reason, r.Problem, hint)
	s.endWaits(fmt.Errorf("%s was %s: %s", request, outcome, r.Problem))
}

func (s *Server) reportRetries() {
	if !s.failRetries {
		return
	}
	for _, f := range journal.Judge(s.core.Journal(), false) {
		e := f.Entry.Masked()
		s.tb.errorf("fakeopenai: request %d: %s %s: %s", e.ID, e.Method, e.Path, e.Problem)
	}
}

// Calls returns the requests so far, each grouped with its retries, with the pauses
// between them and the pauses that the answers asked for. [journal.Call] says which
// requests belong together. The field Request of an attempt is the [Request.ID] of a
// request. While an attempt is being answered it has not failed, so a request after it
// counts as a call of its own; use [Server.AwaitEnd] first.
func (s *Server) Calls() []journal.Call { return s.core.Calls() }

// evidenceLimit is how many of the last requests a failed test shows.
const evidenceLimit = 50

// logEvidence logs the requests and answers if the test has failed.
func (s *Server) logEvidence() {
	entries := s.core.Journal()
	if !s.tb.test.Failed() || len(entries) == 0 {
		return
	}
	first := max(0, len(entries)-evidenceLimit)
	var block strings.Builder
	block.WriteString("fakeopenai: what was asked and answered:")
	if first > 0 {
		fmt.Fprintf(&block, "\n\tthe first %d of %d requests are not shown", first, len(entries))
	}
	for i, e := range entries[first:] {
		fmt.Fprintf(&block, "\n\trequest %d: %s", first+i, s.newRequest(e))
		for _, line := range linesShown(e.Transcript) {
			block.WriteString("\n\t\t" + line)
		}
	}
	if kept := flag.Lookup("test.artifacts"); kept != nil && kept.Value.String() == "true" {
		dir, err := os.MkdirTemp(s.tb.test.ArtifactDir(), "fakeopenai-")
		if err == nil {
			err = writeEvidence(dir, first, entries[first:])
		}
		if err != nil {
			fmt.Fprintf(&block, "\n\trequests and transcripts cannot be kept: %v", err)
		} else {
			fmt.Fprintf(&block, "\n\trequests and transcripts are in %s", dir)
		}
	}
	s.tb.logf("%s", &block)
}

// linesShown are the first lines of an answer that are not blank, and the last two. The middle of a long line is left out:
// events begin with their type, and end with what is new in them.
func linesShown(answer []byte) (list []string) {
	const first, last, head, tail = 6, 2, 60, 160
	for line := range strings.Lines(string(answer)) {
		if line = diag.OneLine(strings.TrimSpace(line)); len(line) > head+tail {
			line = strings.ToValidUTF8(line[:head], "") + "…" + strings.ToValidUTF8(line[len(line)-tail:], "")
		}
		if line != "" {
			list = append(list, line)
		}
	}
	if more := len(list) - first - last; more > 1 {
		list = slices.Concat(list[:first], []string{fmt.Sprintf("… %d more lines", more)}, list[len(list)-last:])
	}
	return list
}

// writeEvidence writes two files for each request: its body and the bytes of its answer.
func writeEvidence(dir string, first int, entries []journal.Entry) error {
	for i, e := range entries {
		name := filepath.Join(dir, fmt.Sprintf("request-%d", first+i))
		if err := os.WriteFile(name+".json", e.Body, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(name+".answer", e.Transcript, 0o666); err != nil {
			return err
		}
	}
	return nil
}
