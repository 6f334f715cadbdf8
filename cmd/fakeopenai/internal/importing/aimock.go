package importing

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// readAimock reads a file of fixtures of CopilotKit's aimock. They become the replies of
// one scenario, because in both the first match answers.
func readAimock(data []byte, a *adding) {
	file, err := ojson.Parse(bytes.TrimPrefix(a.redacted(data), []byte("\xef\xbb\xbf")))
	if err != nil {
		a.unread("", fmt.Errorf("it is no JSON: %w", err))
		return
	}
	all := scenarios.Scenario{Name: a.name}
	next := map[string]int64{}
	for i, fixture := range file.Get("fixtures").Items() {
		place := fmt.Sprintf("fixtures[%d]", i)
		r, names, err := aimockReply(fixture)
		if err == nil {
			err = inSequence(fixture.Get("match"), next)
		}
		if err == nil && names != nil {
			slices.Sort(names)
			a.Notes = append(a.Notes, Remark{place, strings.Join(names, ", ") + ": left out, as it has no effect on answers of OpenAI's API in aimock"})
		}
		if err == nil {
			err = acceptable(&scenarios.Scenario{Name: a.name, Replies: []scenarios.Reply{*r}})
		}
		if err != nil {
			a.remark(place, err)
			continue
		}
		all.Replies = append(all.Replies, *r)
	}
	if len(all.Replies) == 0 {
		if len(a.Unread)+len(a.Skipped) == 0 {
			a.unread("fixtures", errors.New("there is no fixture"))
		}
		return
	}
	if err := acceptable(&all); err != nil {
		a.unread("", err)
		return
	}
	a.addScenario(&all)
	a.Imported += len(all.Replies) - 1
}

// acceptable sets the quirks of a scenario. The error is the problem for which a server would
// still refuse it.
func acceptable(sc *scenarios.Scenario) error {
	_, problems, err := recording.WithQuirks(sc)
	if err == nil && len(problems) > 0 {
		err = errors.New(problems[0].Message)
	}
	return err
}

// inSequence returns an error if the sequenceIndex of a fixture is not the next one in
// the file for the same other conditions, because replies are used up in their order.
// Next has the next index by those conditions, and is updated.
func inSequence(match ojson.Value, next map[string]int64) error {
	index, ok := match.Get("sequenceIndex").Int()
	if !ok {
		return nil
	}
	others := match.Clone()
	others.Remove(ojson.Path{{Name: "sequenceIndex"}})
	key := others.String()
	if want := next[key]; index != want {
		return fmt.Errorf("match: sequenceIndex: it is %d where %d follows; put the fixtures of a sequence in its order, without gaps", index, want)
	}
	next[key]++
	return nil
}

// aimockReply is the reply of a fixture, and its members without effect: those that only
// affect answers of other APIs.
func aimockReply(fixture ojson.Value) (r *scenarios.Reply, withoutEffect []string, err error) {
	answer := fixture.Get("response")
	if at := fixture.Get("match").Get("endpoint").Text(); at != "" && at != "chat" && at != "embedding" {
		return nil, nil, fmt.Errorf("endpoint %s: %w", at, errSkipped)
	}
	r = new(scenarios.Reply)
	if withoutEffect, err = readMembers(r, "", fixture); err != nil {
		return nil, nil, err
	}
	switch {
	case r.Message == nil && r.Error == nil && r.Embeddings == nil:
		return nil, nil, errors.New("the response has neither content nor toolCalls nor embedding nor error")
	case r.Message != nil && (r.Embeddings != nil || r.When.Surface != ""):
		return nil, nil, errors.New("a request for embeddings is answered with a message; take one of them out")
	case r.Error != nil && !(r.Embeddings == nil && answer.Get("content").IsAbsent() && answer.Get("toolCalls").IsAbsent() && fixture.Get("chunkSize").IsAbsent()):
		return nil, nil, errors.New("the response has an error and another answer; take one of them out")
	case r.Error != nil:
		r.Message = nil
	case r.Embeddings != nil && r.Pace.First != nil:
		r.Wire.HeaderDelay, r.Pace = &r.Pace.First.Mean, scenarios.Pace{} // they come in one piece
	}
	if part, err := number(fixture.Get("streamingProfile").Get("jitter")); err == nil && part > 0 && r.Pace.TokensPerSecond > 0 {
		pause := time.Duration(float64(time.Second) / r.Pace.TokensPerSecond)
		jitter := min(time.Duration(part*float64(pause)).Round(time.Millisecond), pause, longest)
		r.Pace.Jitter = &jitter
	}
	return r, withoutEffect, nil
}

// readMembers reads the members of the object at a path of a fixture by [aimockWords]. An
// unknown member is an error, so that nothing is ignored. It returns the members without effect.
func readMembers(r *scenarios.Reply, path string, object ojson.Value) (withoutEffect []string, err error) {
	if object.Kind() != ojson.ObjectKind {
		return nil, errors.New("it is no object")
	}
	for _, m := range object.Members() {
		at := strings.TrimPrefix(path+"."+m.Name, ".")
		read, known := aimockWords[at]
		switch {
		case read != nil:
			err = read(r, m.Value)
		case known:
			withoutEffect = append(withoutEffect, at)
		case slices.Contains(aimockObjects, at):
			var inside []string
			inside, err = readMembers(r, at, m.Value)
			withoutEffect = append(withoutEffect, inside...)
		default:
			err = errors.New("scenarios have no counterpart of it; take it out and say it in YAML afterwards")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return withoutEffect, nil
}

// word reads the value of one member of a fixture into a reply.
type word func(r *scenarios.Reply, v ojson.Value) error

// aimockObjects are the members of a fixture whose own members have words.
var aimockObjects = []string{"match", "response", "response.error", "chaos", "streamingProfile", "recordedTimings"}

// Reasons for refusing what scenarios cannot say.
const (
	afterTime = "scenarios end after a number of events or bytes, not after a time; take it out and write end: {cut: {after: N}} afterwards"
	byChance  = "it is an answer that comes by chance, drawn anew in each run; take it out and write another reply with a chance, or damage, afterwards"
)

// aimockWords reads the members of a fixture, by their paths. Those that only affect
// answers of other APIs have nil.
var aimockWords = map[string]word{
	"match.userMessage":        text(func(r *scenarios.Reply, s string) { r.When.User = recording.Containing(s) }),
	"match.systemMessage":      systemTexts,
	"match.toolResultContains": text(func(r *scenarios.Reply, s string) { toolResult(r).Content = recording.Containing(s) }),
	"match.toolCallId":         text(func(r *scenarios.Reply, s string) { toolResult(r).ID = s }),
	"match.toolName":           text(func(r *scenarios.Reply, s string) { r.When.Tools = append(r.When.Tools, s) }),
	"match.model":              text(func(r *scenarios.Reply, s string) { r.When.Model = []string{strings.ReplaceAll(s, "*", "?")} }), // ? fits a few other names, too
	"match.responseFormat":     text(func(r *scenarios.Reply, s string) { bodyEquals(r, "response_format.type", s) }),
	"match.turnIndex":          count(0, 1<<20, func(r *scenarios.Reply, n int) { r.When.Turn = n + 1 }),
	"match.sequenceIndex":      count(0, 1<<20, func(r *scenarios.Reply, _ int) { r.Times = 1 }), // inSequence checks the order
	"match.hasToolResult":      hasToolResult,
	"match.endpoint": text(func(r *scenarios.Reply, s string) { // aimockReply has checked that it is chat or embedding
		if s == "embedding" {
			r.When.Surface = scenarios.SurfaceEmbeddings
		}
	}),
	"match.inputText": text(func(r *scenarios.Reply, s string) {
		r.When.Surface, r.When.Messages = scenarios.SurfaceEmbeddings, recording.Containing(s) // inputs count as messages
	}),
	"match.context": refuse("it asks for a member of requests that aimock's own client sends; take it out and write when: {header} or {body} afterwards"),

	"response.content":      content,
	"response.embedding":    embedding,
	"response.toolCalls":    toolCalls,
	"response.blocks":       blocks,
	"response.reasoning":    text(func(r *scenarios.Reply, s string) { message(r).Reasoning = &scenarios.Reasoning{Text: literal(s)} }),
	"response.refusal":      text(func(r *scenarios.Reply, s string) { message(r).Refusal = literal(s) }),
	"response.finishReason": text(finishReason),
	"response.usage": func(r *scenarios.Reply, v ojson.Value) error {
		message(r).Usage = &scenarios.Usage{Object: v}
		return nil
	},
	"response.role":               role,
	"response.id":                 text(func(r *scenarios.Reply, s string) { r.Envelope.ID = literal(s) }),
	"response.model":              text(func(r *scenarios.Reply, s string) { r.Envelope.Model = literal(s) }),
	"response.systemFingerprint":  text(func(r *scenarios.Reply, s string) { r.Envelope.SystemFingerprint = literal(s) }),
	"response.created":            count(0, math.MaxInt, func(r *scenarios.Reply, n int) { r.Envelope.Created = scenarios.Some(int64(n)) }),
	"response.provider":           nil,
	"response.nativeFinishReason": nil,
	"response.fallthrough":        nil,
	"response.reasoningSignature": nil,
	"response.redactedThinking":   nil,
	"response.webSearches":        refuse("a message has no calls of the service's own tools; take it out and write web_search in a stream afterwards"),
	"response.json":               refuse("it is an answer of another API; take it out and write wire: {body} afterwards"),

	"response.status":         count(400, 599, func(r *scenarios.Reply, n int) { apiError(r).Status = n }),
	"response.retryAfter":     count(0, 1<<20, func(r *scenarios.Reply, n int) { apiError(r).RetryAfter = new(time.Duration(n) * time.Second) }),
	"response.error.message":  text(func(r *scenarios.Reply, s string) { apiError(r).Message = literal(s) }),
	"response.error.type":     text(func(r *scenarios.Reply, s string) { apiError(r).Type = literal(s) }),
	"response.error.code":     text(func(r *scenarios.Reply, s string) { apiError(r).Code = literal(s) }),
	"response.error.param":    errorParam,
	"response.error.metadata": nil,

	"chunkSize":            count(1, math.MaxInt32, func(r *scenarios.Reply, n int) { message(r).By = scenarios.Cut{Size: n} }),
	"truncateAfterChunks":  truncate,
	"latency":              milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Pace.First, r.Pace.Every = &scenarios.First{Mean: d}, &d }),
	"replaySpeed":          replaySpeed,
	"chaos.disconnectRate": disconnect,
	"chaos.dropRate":       refuse(byChance),
	"chaos.malformedRate":  refuse(byChance),
	"disconnectAfterMs":    refuse(afterTime),
	"metadata":             ignored, // hashes by which aimock finds outdated fixtures
	"openRouterProcessing": nil,

	"streamingProfile.ttft": milliseconds(firstAfter),
	"streamingProfile.tps": func(r *scenarios.Reply, v ojson.Value) (err error) {
		r.Pace.TokensPerSecond, err = number(v)
		return err
	},
	"streamingProfile.jitter": func(_ *scenarios.Reply, v ojson.Value) error { _, err := number(v); return err }, // aimockReply reads it when tps is known

	"recordedTimings.ttftMs":             milliseconds(firstAfter),
	"recordedTimings.interChunkDelaysMs": recordedPauses,
	"recordedTimings.totalDurationMs":    ignored, // the sum of the others
}

// embedding sets the vector of all inputs.
func embedding(r *scenarios.Reply, v ojson.Value) error {
	var vector []float64
	for _, item := range v.Items() {
		n, err := strconv.ParseFloat(item.String(), 64)
		if item.Kind() != ojson.NumberKind || err != nil {
			return fmt.Errorf("%s is no number", item)
		}
		vector = append(vector, n)
	}
	if len(vector) == 0 {
		return errors.New("it is no list of numbers")
	}
	r.Embeddings = &scenarios.Embeddings{Rules: []scenarios.EmbeddingRule{{Vector: vector}}}
	return nil
}

// ignored is the word of a member that says nothing more.
func ignored(*scenarios.Reply, ojson.Value) error { return nil }

// refuse returns a word that always fails. Why says that scenarios have no counterpart
// of the member, and what to write instead.
func refuse(why string) word {
	return func(*scenarios.Reply, ojson.Value) error { return errors.New(why) }
}

func text(set func(r *scenarios.Reply, s string)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		if v.Kind() != ojson.StringKind {
			return errors.New("it is no text")
		}
		set(r, v.Text())
		return nil
	}
}

// literal returns a text for an answer: fixtures have no templates.
func literal(s string) scenarios.Opt[scenarios.Text] {
	return scenarios.Some(scenarios.Text{Source: s, Literal: true})
}

func count(least, most int64, set func(r *scenarios.Reply, n int)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		n, ok := v.Int()
		if !ok || n < least || n > most {
			return fmt.Errorf("%s is no whole number from %d to %d", v, least, most)
		}
		set(r, int(n))
		return nil
	}
}

func milliseconds(set func(r *scenarios.Reply, d time.Duration)) word {
	return func(r *scenarios.Reply, v ojson.Value) error {
		ms, err := number(v)
		if err == nil {
			set(r, min(time.Duration(ms*float64(time.Millisecond)), longest))
		}
		return err
	}
}

// number reads a number from 0 to the milliseconds of a day.
func number(v ojson.Value) (float64, error) {
	n, err := strconv.ParseFloat(v.String(), 64)
	if v.Kind() != ojson.NumberKind || err != nil || n < 0 || n > float64(longest/time.Millisecond) {
		return 0, fmt.Errorf("%s is no number from 0 to %d", v, longest/time.Millisecond)
	}
	return n, nil
}

func message(r *scenarios.Reply) *scenarios.Message {
	if r.Message == nil {
		r.Message = new(scenarios.Message)
	}
	return r.Message
}

func apiError(r *scenarios.Reply) *scenarios.APIError {
	if r.Error == nil {
		r.Error = new(scenarios.APIError)
	}
	return r.Error
}

func toolResult(r *scenarios.Reply) *scenarios.ToolResultMatch {
	if len(r.When.ToolResults) == 0 {
		r.When.ToolResults = make([]scenarios.ToolResultMatch, 1)
	}
	return &r.When.ToolResults[0]
}

// bodyEquals adds a condition on a text in the request's body.
func bodyEquals(r *scenarios.Reply, path, want string) {
	at, _ := ojson.ParsePath(path) // no error: the paths are constants
	r.When.Body = append(r.When.Body, scenarios.BodyMatch{Path: scenarios.Path{Path: at}, Match: &scenarios.TextMatch{Equals: &want}})
}

func hasToolResult(r *scenarios.Reply, v ojson.Value) error {
	has, ok := v.Bool()
	if !ok {
		return errors.New("it is neither true nor false")
	}
	last := "user"
	if has {
		last = "tool"
	}
	bodyEquals(r, "messages[-1].role", last)
	return nil
}

// systemTexts reads a text, or a list of texts, that the system message must contain in
// any order.
func systemTexts(r *scenarios.Reply, v ojson.Value) error {
	items := v.Items()
	if v.Kind() == ojson.StringKind {
		items = []ojson.Value{v}
	}
	const most = 3 // the expression lists all their orders
	if len(items) == 0 || len(items) > most {
		return fmt.Errorf("it is neither a text nor a list of 1 to %d texts", most)
	}
	var texts []string
	for _, item := range items {
		if item.Kind() != ojson.StringKind {
			return errors.New("it is no text")
		}
		texts = append(texts, regexp.QuoteMeta(item.Text()))
	}
	if len(items) == 1 {
		r.When.System = recording.Containing(items[0].Text())
		return nil
	}
	r.When.System = &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)" + strings.Join(orders(texts), "|"))}
	return nil
}

// orders returns expressions for the texts in all orders.
func orders(texts []string) []string {
	if len(texts) == 1 {
		return texts
	}
	var list []string
	for i, first := range texts {
		for _, order := range orders(slices.Delete(slices.Clone(texts), i, i+1)) {
			list = append(list, first+".*"+order)
		}
	}
	return list
}

// content reads a text, or an object or list that becomes its JSON text.
func content(r *scenarios.Reply, v ojson.Value) error {
	switch v.Kind() {
	case ojson.ObjectKind, ojson.ArrayKind:
		message(r).Content = literal(v.String())
	case ojson.StringKind:
		message(r).Content = literal(v.Text())
	default:
		return errors.New("it is neither a text nor an object")
	}
	return nil
}

func toolCalls(r *scenarios.Reply, v ojson.Value) error {
	if v.Kind() != ojson.ArrayKind {
		return errors.New("it is no list")
	}
	for i, item := range v.Items() {
		if err := toolCall(r, item); err != nil {
			return fmt.Errorf("[%d]%w", i, err)
		}
	}
	return nil
}

// toolCall reads a call of a tool. Its arguments are JSON, or its text in a string.
func toolCall(r *scenarios.Reply, v ojson.Value) error {
	var call scenarios.ToolCall
	members := map[string]*scenarios.Opt[scenarios.Text]{"arguments": &call.Arguments.Text, "name": &call.Name, "id": &call.ID}
	for _, m := range v.Members() {
		switch into := members[m.Name]; {
		case into == nil:
			return fmt.Errorf(".%s: scenarios have no counterpart of it", m.Name)
		case m.Value.Kind() == ojson.StringKind:
			*into = literal(m.Value.Text())
		case m.Name == "arguments":
			*into = literal(m.Value.String())
		default:
			return fmt.Errorf(".%s is no text", m.Name)
		}
	}
	if !call.Name.Present {
		return errors.New(" has no name")
	}
	message(r).ToolCalls = append(message(r).ToolCalls, call)
	return nil
}

// blocks reads a list of texts and calls. All texts must come before the calls, as in a
// message.
func blocks(r *scenarios.Reply, v ojson.Value) error {
	if v.Kind() != ojson.ArrayKind || len(v.Items()) == 0 {
		return errors.New("it is no list of blocks")
	}
	var said strings.Builder
	var calls []ojson.Value
	for i, block := range v.Items() {
		switch kind := block.Get("type").Text(); {
		case kind == "text" && block.Get("text").Kind() == ojson.StringKind && calls == nil:
			said.WriteString(block.Get("text").Text())
		case kind == "text" && calls != nil:
			return fmt.Errorf("[%d]: a message has its text before its calls; put it there, or write a stream afterwards", i)
		case kind == "toolCall":
			block = block.Clone()
			block.Remove(ojson.Path{{Name: "type"}})
			calls = append(calls, block)
		default:
			return fmt.Errorf("[%d]: it is neither a text nor a toolCall", i)
		}
	}
	if said.Len() > 0 {
		message(r).Content = literal(said.String())
	}
	return toolCalls(r, ojson.Array(calls...))
}

// finishReasons maps finish reasons of other APIs to those of chat completions.
var finishReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls",
	"STOP": "stop", "MAX_TOKENS": "length", "completed": "stop",
}

func finishReason(r *scenarios.Reply, reason string) {
	message(r).Finish = literal(cmp.Or(finishReasons[reason], reason))
}

func role(_ *scenarios.Reply, v ojson.Value) error {
	if v.Text() != "assistant" {
		return fmt.Errorf("%s: a message of scenarios is the assistant's; write another role in a stream", v)
	}
	return nil
}

// errorParam reads the param of an error, which may be null.
func errorParam(r *scenarios.Reply, v ojson.Value) error {
	if v.IsNull() {
		apiError(r).Param = scenarios.NullOf[scenarios.Text]()
		return nil
	}
	return text(func(r *scenarios.Reply, s string) { apiError(r).Param = literal(s) })(r, v)
}

func firstAfter(r *scenarios.Reply, d time.Duration) { r.Pace.First = &scenarios.First{Mean: d} }

func recordedPauses(r *scenarios.Reply, v ojson.Value) error {
	add := milliseconds(func(r *scenarios.Reply, d time.Duration) { r.Pace.Recorded = append(r.Pace.Recorded, d) })
	for _, item := range v.Items() {
		if err := add(r, item); err != nil {
			return err
		}
	}
	return nil
}

func replaySpeed(r *scenarios.Reply, v ojson.Value) (err error) {
	if r.Pace.Speed, err = number(v); err == nil && r.Pace.Speed == 0 {
		err = errors.New("it is 0; a speed is more than that")
	}
	return err
}

// truncate reads the number of events after which a stream breaks off.
func truncate(r *scenarios.Reply, v ojson.Value) error {
	var end scenarios.End
	err := count(0, 1<<30, func(_ *scenarios.Reply, n int) {
		end = scenarios.End{Kind: scenarios.EndCut, After: &n, Inside: new(bool)}
	})(r, v)
	if err != nil {
		return err
	}
	return endWith(r, end)
}

// disconnect reads the probability that the connection ends before the answer.
func disconnect(r *scenarios.Reply, v ojson.Value) error {
	chance, err := number(v)
	if err == nil && chance > 1 {
		err = errors.New("it is more than 1")
	}
	if err != nil || chance == 0 {
		return err
	}
	return endWith(r, scenarios.End{Kind: scenarios.EndRefuse, Chance: &chance})
}

// endWith sets the ending of a reply. A second ending is an error.
func endWith(r *scenarios.Reply, end scenarios.End) error {
	if r.End.Kind != "" {
		return errors.New("the answer has another ending already; take one of them out")
	}
	r.End = end
	return nil
}
