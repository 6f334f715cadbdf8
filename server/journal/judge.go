package journal

import (
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Finding is something wrong that a run shows of a client, of a scenario or of a test.
type Finding struct {
	Kind Kind
	// Entry is the request that it is about. Its Problem says what is wrong, with the evidence.
	Entry Entry
}

// Kind is the kind of a [Finding].
type Kind string

// What can be wrong. [Judge] finds the last two.
const (
	KindUnmatched Kind = "unmatched" // KindUnmatched is [Entry.Unmatched].
	KindFault     Kind = "fault"     // KindFault is [Entry.Fault].
	KindHistory   Kind = "history"   // KindHistory is [Entry.BadHistory].
	KindRetry     Kind = "retry"     // KindRetry says that a request is a wrong retry, or was not retried.
	// KindAccepted says that a client took a broken answer for a whole one.
	KindAccepted Kind = "accepted_broken_answer"
)

// Wrong returns the findings about a request by itself.
func (e *Entry) Wrong() (kinds []Kind) {
	switch {
	case e.Fault:
		kinds = append(kinds, KindFault)
	case e.Unmatched:
		kinds = append(kinds, KindUnmatched)
	}
	if e.BadHistory {
		kinds = append(kinds, KindHistory)
	}
	return kinds
}

// Judge returns the wrong retries among requests, those that were not retried although they should
// have been, and the broken answers that a client took for whole. [Entry.Answer] says which answers
// are broken, and [Call] which requests are retries. A retry is wrong if
//
//   - it came before the end of the pause for which the answer before it asked, or
//   - that answer had X-Should-Retry: false, or
//   - that answer had a status of 400 to 499 other than 408, 409 and 429, which the same request gets
//     again, and not X-Should-Retry: true, unless the request itself says X-Stainless-Retry-Count: 0, or
//   - that answer was whole and ended in order, or failed with a code that stays.
//
// A request should have been retried if it is the only attempt of its call, and got the status 429 or
// one from 500 without X-Should-Retry: false, insufficient_quota or a pause of more than a minute.
//
// A client took an answer for whole that broke off or has failed, while the client stayed, if it did
// not ask again and either the next request of the conversation goes on from what there was of the
// answer, or succeeded says that the client ended in success, and nothing was asked after the answer.
//
// The entries must be in order of arrival.
func Judge(entries []Entry, succeeded bool) (list []Finding) {
	found := func(kind Kind, e *Entry, why string) {
		if why != "" {
			shown := e.shown()
			shown.Problem = why
			list = append(list, Finding{kind, shown})
		}
	}
	calls, _ := group(entries)
	talks := sortTalks(entries)
	for _, c := range calls {
		first, report := (*c)[0], c.report(talks, succeeded)
		for i, a := range report.Attempts {
			found(KindRetry, (*c)[i], a.Problem)
			found(KindAccepted, (*c)[i], a.Accepted)
		}
		if len(*c) == 1 && first.retry() == retryDue {
			found(KindRetry, first, fmt.Sprintf("there was no retry after the status %d", first.Status))
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return int(a.Entry.ID - b.Entry.ID) })
	return list
}

// judge says whether the attempt, a request after the answer to another, is right. Right is nil if
// nobody can know.
func (a *Attempt) judge(before, e *Entry) (right *bool, why string) {
	should, is := before.shouldRetry(), before.retry()
	after := fmt.Sprintf("the status %d", before.Status)
	switch before.Answer {
	case AnswerWhole:
		after = "a whole answer"
	case AnswerFailed:
		after = "an answer that failed with " + before.ErrorCode
	}
	switch {
	case should != nil && !*should:
		return new(false), fmt.Sprintf("it is a retry after the status %d with X-Should-Retry: false", before.Status)
	case a.Verdict == VerdictEarly:
		return new(false), fmt.Sprintf("it is a retry %s after the status %d, which asked for a pause of %s", a.Gap.Round(time.Millisecond), before.Status, *a.Asked)
	case is == retryWrong && e.Header.Get(headerRetryCount) == "0" && e.Header.Get(headerIdempotency) == "", is == retryUnknown:
		return nil, ""
	case is == retryWrong:
		return new(false), "it is a retry after " + after + ", which allows no retry"
	}
	return new(true), ""
}

// conversation is the conversation that a request continues. Texts are hashes; 0 is no text.
type conversation struct {
	length   int      // length is how many messages there are.
	asked    uint64   // asked is the last message.
	before   uint64   // before is the message before the last one of the assistant.
	said     uint64   // said is the text of the latter.
	calls    []string // calls are the ids of the calls in the conversation.
	previous string   // previous is the id of the response that the request continues.
}

// hashOf is the hash of a text, without the blanks around it; 0 for none.
func hashOf(text string) uint64 {
	if text = strings.TrimSpace(text); text == "" {
		return 0
	}
	return maphash.String(bodies, text)
}

func (e *Entry) conversation() *conversation {
	if e.kept != nil || e.Request == nil {
		return e.kept
	}
	c, list := new(conversation), e.Request.Messages
	c.previous = e.Request.Body.Get("previous_response_id").Text()
	hash := func(i int) uint64 {
		if i < 0 || i >= len(list) {
			return 0
		}
		return hashOf(list[i].Role + " " + list[i].ToolCallID + " " + list[i].Text)
	}
	c.length, c.asked = len(list), hash(len(list)-1)
	for i := range slices.Backward(list) {
		if list[i].Role == "assistant" {
			c.before, c.said = hash(i-1), hashOf(list[i].Text)
			for _, call := range list[i].ToolCalls {
				c.calls = append(c.calls, call.ID)
			}
			break
		}
	}
	return c
}

// KeepConversation keeps what [Judge] looks at in Request, which need not be kept then. A changed
// Body must still differ where bodies differ.
func (e *Entry) KeepConversation() { e.kept = e.conversation() }

// talks are the requests of a run, by the conversations that they continue.
type talks struct {
	entries []Entry
	by      map[talkKey][]*Entry
}

// talkKey is the key of a conversation among the requests of an API key: the last question
// and its position, the text before the last answer, or the response that they continue.
type talkKey struct {
	apiKey        string
	asked, before uint64
	length        int
	previous      string
}

// sortTalks sorts requests by the conversations that they continue. It reads nothing if no answer is broken.
func sortTalks(entries []Entry) *talks {
	t := &talks{entries: entries, by: map[talkKey][]*Entry{}}
	if !slices.ContainsFunc(entries, func(e Entry) bool { return e.isBrokenForClient() }) {
		return t
	}
	for i := range entries {
		e := &entries[i]
		c := e.conversation()
		if c == nil {
			continue
		}
		for _, k := range []talkKey{{asked: c.asked, length: c.length}, {before: c.before}, {previous: c.previous}} {
			k.apiKey = e.APIKey
			t.by[k] = append(t.by[k], e)
		}
	}
	return t
}

// isBrokenForClient reports whether the client, which stayed, got the beginning of an answer that
// broke off or has failed.
func (e *Entry) isBrokenForClient() bool {
	broke := e.Answer == AnswerBroken || e.Answer == AnswerError || e.Answer == AnswerFailed
	return broke && e.Delivery.Left == "" && e.Delivery.Ended != EndedByShutdown
}

// accepted says what shows that a client took the answer to the last attempt of a call for a whole
// one; "" if nothing does.
func (t *talks) accepted(e *Entry, succeeded bool) string {
	c := e.conversation()
	if !e.isBrokenForClient() || c == nil {
		return ""
	}
	if len(t.laterWith(e, talkKey{asked: c.asked, length: c.length})) > 0 {
		return "" // the client asked again
	}
	last := &t.entries[len(t.entries)-1]
	why := t.continuedBy(e, c)
	if why == "" && succeeded && (last.ID <= e.ID || !e.endedBy(last.Time)) {
		why = "the command ended with exit code 0 and did not ask again"
	}
	if why == "" {
		return ""
	}
	return e.howBroken() + ", and " + why
}

// continuedBy says which later request continues the conversation after the answer to e, and how; "" if none does.
func (t *talks) continuedBy(e *Entry, c *conversation) string {
	said := e.Said
	if said == nil {
		return ""
	}
	for _, next := range t.laterWith(e, talkKey{previous: said.ID}) {
		if said.ID != "" && !t.fetchedBefore(said.ID, next) {
			return fmt.Sprintf("request %d continues the response %s", next.ID, said.ID)
		}
	}
	for _, next := range t.laterWith(e, talkKey{before: c.asked}) {
		following := next.conversation()
		if text := hashOf(said.Text); text != 0 && following.said == text {
			return fmt.Sprintf("request %d goes on from its text %s", next.ID, quoted(said.Text))
		}
		for _, id := range said.Calls {
			if slices.Contains(following.calls, id) {
				return fmt.Sprintf("request %d goes on from its call %s", next.ID, id)
			}
		}
	}
	return ""
}

// laterWith returns the requests with this key that came after the answer to e had ended.
func (t *talks) laterWith(e *Entry, k talkKey) (list []*Entry) {
	k.apiKey = e.APIKey
	for _, other := range t.by[k] {
		if other.ID > e.ID && e.endedBy(other.Time) {
			list = append(list, other)
		}
	}
	return list
}

// fetchedBefore reports whether the client asked for the response by its id before a later request.
func (t *talks) fetchedBefore(id string, later *Entry) bool {
	return slices.ContainsFunc(t.entries, func(e Entry) bool { return e.ID < later.ID && strings.Contains(e.Path, id) && e.Answer == AnswerWhole })
}

func (e *Entry) howBroken() string {
	switch {
	case e.Answer == AnswerFailed:
		return "its answer failed with " + e.ErrorCode
	case e.Answer == AnswerError:
		return "its answer has an error in place of the rest"
	case e.Delivery.End != "":
		return "its answer ended early (" + e.Delivery.End + ")"
	}
	return "its answer ended without what makes it whole"
}

func quoted(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

// Played counts which replies requests got. The zero value has counted none. It is safe for concurrent
// use.
type Played struct {
	mu      sync.Mutex
	given   map[string][]int // given has by scenario how often each of its replies was given; guarded by mu.
	refused bool             // refused says that the server refused something; guarded by mu.
}

// Count counts the reply to a request. One whose place a fault took counts as refused, and its scenario
// as played: a retry may get it.
func (p *Played) Count(e *Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.given == nil {
		p.given = map[string][]int{}
	}
	struck := e.Injected != "" && e.Failed
	p.refused = p.refused || struck || e.Scenario == "" && e.Status >= http.StatusBadRequest
	if e.Scenario == "" {
		return
	}
	counts := p.given[e.Scenario]
	if e.Reply >= 0 && !struck {
		counts = slices.Grow(counts, e.Reply+1)[:max(len(counts), e.Reply+1)]
		counts[e.Reply]++
	}
	p.given[e.Scenario] = counts
}

// Refuse notes that the server refuses connections.
func (p *Played) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = true
}

// Refused reports whether the server refused a request or connections.
func (p *Played) Refused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Given returns how often a reply of a scenario was given.
func (p *Played) Given(scenario string, reply int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if counts := p.given[scenario]; reply < len(counts) {
		return counts[reply]
	}
	return 0
}

// Unused returns the names of the scenarios of a set that no request played. One that a played one
// extends, or that is left to chance, counts as played.
func (p *Played) Unused(set *scenarios.Set) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := map[string]bool{}
	for name := range p.given {
		for s := set.Lookup(name); s != nil && !used[s.Name]; s = set.Lookup(s.Extends) {
			used[s.Name] = true
		}
	}
	for _, s := range set.Scenarios() {
		if !used[s.Name] && !s.IsLeftToChance() {
			names = append(names, s.Name)
		}
	}
	return names
}
