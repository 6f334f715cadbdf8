package answer

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func (p *builder) fixedBody(b *scenarios.Body) (*Answer, error) {
	unit, err := fixedUnit(p.Selection, b)
	switch {
	case err != nil:
		return nil, err
	case unit.Raw == nil || path.Ext(b.File) == ".json" || looksLikeJSON(b.Text.Source) && json.Valid([]byte(*unit.Raw)):
		return p.wholeBody(unit, "application/json")
	}
	return p.wholeBody(unit, looksLike(b.Text, *unit.Raw))
}

func looksLikeJSON(source string) bool {
	source = strings.TrimLeft(source, " \r\n\t")
	return strings.HasPrefix(source, "[") || strings.HasPrefix(source, "{") && !strings.HasPrefix(source, "{{")
}

// looksLike is the content type that a text looks like as its author wrote it. What a request brings
// into a template does not count: it could be a document that a browser runs.
func looksLike(t scenarios.Text, rendered string) string {
	if t.IsTemplate() {
		rendered = action().ReplaceAllString(t.Source, "")
	}
	return http.DetectContentType([]byte(rendered))
}

var action = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\{\{.*?\}\}`) })

func fixedUnit(sel *scenarios.Selection, b *scenarios.Body) (compile.Unit, error) {
	if !b.JSON.IsAbsent() {
		json, err := render.Value(sel, b.JSON)
		return compile.Unit{Kind: kindBody, JSON: json, FinalNewline: true}, render.Placed(b.Pos, err)
	}
	text, err := render.Text(sel, b.Text)
	return compile.Unit{Kind: kindBody, Raw: &text}, err
}

// wholeBody answers with a body. The content type is its usual one.
func (p *builder) wholeBody(body compile.Unit, contentType string) (a *Answer, err error) {
	a = p.onePiece(body)
	a.ID, a.Created = p.keptBody(), p.createdAt
	a.Header, err = p.header(contentType, p.Manner.Wire.ContentType)
	return a, err
}

func (p *builder) onePiece(body compile.Unit) *Answer {
	values := new(player.Values)
	o := compile.Options{Manner: *p.Manner, FromMessage: p.Reply.Message != nil, Complete: p.Surface.Info().Complete}
	return &Answer{Program: compile.Body(nil, body, &o, p.request(values, false)), Values: values, Status: cmp.Or(p.Manner.Wire.Status, http.StatusOK)}
}

func (p *builder) httpError(e *scenarios.APIError) (*Answer, error) {
	body, err := script.ErrorBody(p.Selection, e)
	if err != nil {
		return nil, err
	}
	a, err := p.errorBody(script.ErrorStatus(e), body)
	if err != nil {
		return nil, err
	}
	if e.RetryAfter != nil {
		retryAfter(a.Header, *e.RetryAfter)
	}
	if e.Body != nil {
		text, err := render.Text(p.Selection, *e.Body)
		if err != nil {
			return nil, err
		}
		a.Program = p.onePiece(compile.Unit{Kind: kindBody, Raw: &text}).Program
		if p.errorType() == nil {
			a.Header.Set("Content-Type", looksLike(*e.Body, text))
		}
	}
	for _, list := range [][]scenarios.Header{p.Manner.Wire.Headers, e.Headers} {
		if err := p.addHeaders(a.Header, list); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// errorBody answers with the JSON of an error. Status 0 stands for 500.
func (p *builder) errorBody(status int, json ojson.Value) (*Answer, error) {
	status = cmp.Or(status, apierror.DefaultStatus)
	body := compile.Unit{Kind: "error", JSON: json}
	shape := apierror.Standard
	if status == http.StatusUnauthorized && len(p.Manner.Damage) == 0 {
		// The real service lays out this one error in another way.
		shape = apierror.Auth
		text := string(shape.Layout(body.JSON))
		body = compile.Unit{Kind: "error", Raw: &text}
	}
	a := p.onePiece(body)
	a.Status = status
	var err error
	a.Header, err = p.header(shape.ContentType(), p.errorType())
	return a, err
}

// retryAfter sets the headers that ask a client to wait: whole seconds in Retry-After,
// and also the exact time in Retry-After-Ms if it is not a whole number of seconds.
// Both are rounded up, so that the client never waits too short a time.
func retryAfter(h http.Header, d time.Duration) {
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	if d%time.Second != 0 {
		h.Set("Retry-After-Ms", strconv.FormatInt(int64(math.Ceil(float64(d)/float64(time.Millisecond))), 10))
	}
}

func contentType(want script.Want, m *scenarios.Manner) string {
	switch {
	case !want.Stream:
		return "application/json"
	case m.Wire.Format == "ndjson":
		return "application/x-ndjson"
	}
	return "text/event-stream; charset=utf-8"
}

// acceptsGzip reports whether the client's Accept-Encoding names gzip with a weight
// above 0.
func acceptsGzip(req *scenarios.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(req.Header["Accept-Encoding"], ","), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";q=")
		if strings.EqualFold(name, "gzip") {
			q, err := strconv.ParseFloat(weight, 64)
			return weight == "" || err == nil && q > 0
		}
	}
	return false
}

// errorType is the content type that the scenario writes for an error; nil for none. A
// content type written for completions does not count.
func (p *builder) errorType() *scenarios.Text {
	answers := func(r scenarios.Reply) bool { return r.Error == nil }
	switch {
	case p.Reply.Error == nil:
		return nil
	case !slices.ContainsFunc(p.Scenario.Replies, answers):
		return p.Manner.Wire.ContentType
	}
	return p.Reply.Wire.ContentType
}

func fixedHeader(m *scenarios.Manner) bool {
	w := &m.Wire
	return (w.Gzip == "" || w.GzipForced) && (w.ContentType == nil || !w.ContentType.IsTemplate()) &&
		!slices.ContainsFunc(w.Headers, func(h scenarios.Header) bool { return h.Value.IsTemplate() })
}

// header builds the header of the answer: the content type (as written, if it is), and
// the fields that the scenario adds.
func (p *builder) header(contentType string, written *scenarios.Text) (http.Header, error) {
	h := http.Header{}
	w := &p.Manner.Wire
	h.Set("Content-Type", contentType)
	if written != nil {
		text, err := render.Text(p.Selection, *written)
		if err != nil {
			return nil, err
		}
		text = headerValue(text)
		h.Set("Content-Type", text)
		if text == "" {
			h["Content-Type"] = nil
		}
	}
	if w.Gzip != "" && (w.GzipForced || acceptsGzip(p.Request)) {
		h.Set("Content-Encoding", "gzip")
	}
	if w.Connection == "close" {
		h.Set("Connection", "close")
	}
	if w.Length == "close" {
		h.Set("Transfer-Encoding", "identity") // this stops net/http from sending chunks
	}
	return h, p.addHeaders(h, w.Headers)
}

// addHeaders sets the fields of the list. Listing a name several times sends several
// fields; a field that was set before is replaced.
func (p *builder) addHeaders(h http.Header, list []scenarios.Header) error {
	for _, field := range list {
		h.Del(field.Name)
	}
	for _, field := range list {
		if field.Removed {
			h[http.CanonicalHeaderKey(field.Name)] = nil // with a nil value, net/http sends no field, not even its own Date
			continue
		}
		text, err := render.Text(p.Selection, field.Value)
		if err != nil {
			return err
		}
		h.Add(field.Name, headerValue(text))
	}
	return nil
}

// headerValue makes a text valid as the value of a header field. Line ends become
// spaces, as in net/http; other control characters, which a template can bring, are
// removed. HTTP allows neither, and HTTP/2 would drop the whole header.
func headerValue(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\n':
			return ' '
		case r < ' ' && r != '\t' || r == 0x7f:
			return -1
		}
		return r
	}, text)
}

// React returns the request and reply from which an answer is made after a message has ended the wait of a step;
// the message is Absent if the wait ended without one. The new answer begins with the same frames, up to the wait.
// The result is nil if nothing behind the step depends on the message. Steers says that the message asks for
// another answer: the reply then ends at the step, unless it has finished, or has calls that the client answers.
func (a *Asked) React(step int, message ojson.Value, steers bool) *Asked {
	before := (*a.Reply.Stream)[:step+1]
	if u := before[step].Until; u == nil || len(u.Message) == 0 {
		return nil
	}
	sel, next := *a.Selection, *a
	sel.Heard = append(slices.Clip(sel.Heard), scenarios.Heard{Step: step, Message: message})
	next.Selection, next.program = &sel, nil
	if steers && !slices.ContainsFunc(before, a.goesOnAt) {
		reply, manner := *a.Reply, *a.Manner
		steps := append(slices.Clip(before), scenarios.Step{Finish: scenarios.Some(scenarios.Text{Source: "stop"})})
		reply.Stream = &steps
		manner.Envelope.Response = &scenarios.Response{
			Status: scenarios.ResponseIncomplete, IncompleteDetails: ojson.Object(ojson.M("reason", ojson.String("steered"))),
		}
		sel.Reply, sel.Manner, next.alone = &reply, &manner, true
		return &next
	}
	if !render.UsesMessage(a.Reply) {
		return nil
	}
	return &next
}

// goesOnAt reports whether an answer is not ended by a message that steers it after a step: because the step finishes
// it, or has a call that the client answers.
func (a *Asked) goesOnAt(st scenarios.Step) bool {
	asks := a.Surface.Info().AsksClient
	return st.Finish.Present || st.Call() != nil || len(st.Fragments) > 0 || st.ToolCalls != nil || st.Item != nil && asks != nil && asks(st.Item.Type())
}
