package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// prepared is a reply made ready for one request: nothing about it can fail any
// more but the connection.
type prepared struct {
	program *player.Program
	values  *player.Values
	status  int
	header  http.Header

	farewell []byte // what its stream gets last when the server shuts down
}

// prepare makes the selected reply ready for its request.
func (s *Server) prepare(req *scenarios.Request, sel *scenarios.Selection) (*prepared, error) {
	p := preparation{server: s, req: req, sel: sel, manner: &sel.Manner}
	a, err := p.answer()
	if err != nil {
		return nil, fmt.Errorf("scenario %q, reply %d: %w", sel.Scenario.Name, sel.Index+1, err)
	}
	if a.status == http.StatusNoContent || a.status == http.StatusNotModified {
		a.leaveBodyOut()
	}
	return a, nil
}

// leaveBodyOut keeps what an answer waits for and drops what it sends, for a
// status that has no body in HTTP.
func (a *prepared) leaveBodyOut() {
	bare := *a.program // the program itself may be shared
	bare.Frames = slices.DeleteFunc(slices.Clone(bare.Frames), func(f player.Frame) bool { return f.Hold == "" })
	a.program, a.farewell = &bare, nil
}

// preparation is the work of making one answer ready.
type preparation struct {
	server *Server
	req    *scenarios.Request
	sel    *scenarios.Selection
	manner *scenarios.Manner
}

func (p *preparation) answer() (*prepared, error) {
	if p.sel.Reply.Error != nil {
		return p.failure(p.sel.Reply.Error)
	}
	if p.manner.Wire.Body != nil {
		return p.fixedBody(*p.manner.Wire.Body)
	}
	values, err := p.values()
	if err != nil {
		return nil, err
	}
	c, err := p.compiled(values)
	if errors.Is(err, compile.ErrUnknownID) {
		return p.failure(p.manner.Wire.UnknownID)
	}
	if err != nil {
		return nil, err
	}
	if c.failure != nil {
		return p.errorBody(c.failure.Status, c.failure.Error)
	}
	p.fillDrawn(values, c.drawn)
	p.fillUsage(values, c.tokens)
	a := &prepared{program: c.program, values: values, status: p.status()}
	if a.farewell, err = p.farewell(values); err != nil {
		return nil, err
	}
	a.header, err = p.header(c.contentType)
	return a, err
}

// fixedBody answers with bytes that stand in place of what the reply says.
func (p *preparation) fixedBody(t scenarios.Text) (*prepared, error) {
	values := player.NewValues(nil)
	if fill, ok := script.FillOf(t); ok {
		h, err := p.header(http.DetectContentType([]byte(fill.Unit)))
		body := compile.Unit{Kind: compile.KindBody, Fill: &fill}
		return &prepared{program: compile.Body(nil, body, p.options(values)), values: values, status: p.status(), header: h}, err
	}
	text, err := render.Text(p.sel, t)
	if err != nil {
		return nil, err
	}
	h, err := p.header(http.DetectContentType([]byte(text)))
	return &prepared{program: p.whole(text), values: values, status: p.status(), header: h}, err
}

// whole is the program of an answer that is a text in one piece.
func (p *preparation) whole(text string) *player.Program {
	return compile.Body(nil, compile.Unit{Kind: compile.KindBody, Raw: &text}, p.options(player.NewValues(nil)))
}

func (p *preparation) status() int {
	if s := p.manner.Wire.Status; s != 0 {
		return s
	}
	return http.StatusOK
}

// streams reports whether the answer is sent piece by piece: as the request
// asks, unless the scenario's wire answers in another format.
func (p *preparation) streams() bool {
	switch p.manner.Wire.Format {
	case "":
		return p.req.Stream
	case "json":
		return false
	}
	return true
}

// compiled is a program with what is needed to fill in its holes.
type compiled struct {
	program     *player.Program
	drawn       []script.DrawnID
	tokens      int // of the completion
	contentType string
	failure     *chat.Failure // with which an answer that is not streamed breaks off
}

// variant is what tells the programs of one reply apart.
type variant struct {
	reply       *scenarios.Reply
	ask         script.Ask
	obfuscation bool
}

// compiled takes the reply's program from the cache, or compiles it: at the
// first request of its kind, or for every request if it depends on what the
// request says.
func (p *preparation) compiled(values *player.Values) (*compiled, error) {
	v := variant{reply: p.sel.Reply, ask: p.ask(), obfuscation: p.req.IncludeObfuscation}
	after := p.after()
	if c := p.server.programs.get(v); c != nil && after == "" {
		return c, nil
	}
	lines, err := script.Expand(p.sel, v.ask)
	if err != nil {
		return nil, err
	}
	if compile.Bytewise(p.manner) || after != "" {
		// The bytes of a frame are needed now, so what they are made of is, too.
		p.fillDrawn(values, lines.Drawn)
		p.fillUsage(values, lines.CompletionTokens)
	}
	c, err := p.compile(lines, values)
	if err != nil {
		return nil, err
	}
	if lines.Static && after == "" && !compile.Bytewise(p.manner) && !templated(p.manner) {
		p.server.programs.put(v, c)
	}
	return c, nil
}

// after is the id of the event after which the client wants a stream to go on,
// or "".
func (p *preparation) after() string {
	if !p.streams() {
		return ""
	}
	return http.Header(p.req.Header).Get("Last-Event-Id")
}

func (p *preparation) ask() script.Ask {
	ask := askOf(p.sel)
	ask.Fold = !p.streams()
	return ask
}

func (p *preparation) compile(lines *script.Lines, values *player.Values) (*compiled, error) {
	c := &compiled{drawn: lines.Drawn, tokens: lines.CompletionTokens}
	envelope := p.manner.Envelope
	extra, err := render.Value(p.sel, envelope.Extra)
	if err != nil {
		return nil, err
	}
	envelope.Extra = extra
	o := chat.Options{
		Envelope: envelope, Render: func(t scenarios.Text) (string, error) { return render.Text(p.sel, t) },
		Usage: p.req.IncludeUsage, Obfuscation: p.req.IncludeObfuscation,
	}
	co := p.options(values)
	co.Fills, co.After = lines.Fills, p.after()
	if p.streams() {
		c.contentType = "text/event-stream; charset=utf-8"
		if p.manner.Wire.Format == "ndjson" {
			c.contentType = "application/x-ndjson"
		}
		c.program, err = p.stream(lines, o, co)
		return c, err
	}
	c.contentType = "application/json"
	folded, err := chat.Fold(lines, o)
	if err != nil {
		return nil, err
	}
	if folded.Failure != nil {
		c.failure = folded.Failure
		return c, nil
	}
	units, err := chat.Encode(lines, o)
	if err != nil {
		return nil, err
	}
	c.program = compile.Body(units, compile.Unit{Kind: compile.KindBody, JSON: folded.Body}, co)
	return c, nil
}

func (p *preparation) options(values *player.Values) compile.Options {
	return compile.Options{
		Manner: *p.manner, FromMessage: p.sel.Reply.Message != nil, Render: func(t scenarios.Text) (string, error) { return render.Text(p.sel, t) },
		Gzip: acceptsGzip(p.req), Rand: draw.Rand(p.sel, "pace"), Chance: draw.RequestRand(p.sel, fmt.Sprint("chance ", p.req.Attempt)),
		Values: values,
	}
}

func (p *preparation) stream(lines *script.Lines, o chat.Options, co compile.Options) (*player.Program, error) {
	units, err := chat.Encode(lines, o)
	if err != nil {
		return nil, err
	}
	return compile.Stream(units, co)
}

// templated reports whether a text of the manner depends on the request.
func templated(m *scenarios.Manner) bool {
	texts := []*scenarios.Text{m.Wire.CommentsBetween, m.Wire.EventName, m.Wire.AfterDone, m.Wire.Body, &m.Envelope.Object.Value}
	for _, t := range texts {
		if t != nil && strings.Contains(t.Source, "{{") {
			return true
		}
	}
	return strings.Contains(m.Envelope.Extra.String(), "{{")
}

// acceptsGzip reports whether the client names gzip and does not rule it out by
// a weight of 0.
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

// header is the answer's own header: its content type and what the scenario
// adds.
func (p *preparation) header(contentType string) (http.Header, error) {
	h := http.Header{}
	w := &p.manner.Wire
	h.Set("Content-Type", contentType)
	if w.ContentType != nil {
		text, err := render.Text(p.sel, *w.ContentType)
		if err != nil {
			return nil, err
		}
		h.Set("Content-Type", text)
		if text == "" {
			h["Content-Type"] = nil
		}
	}
	if w.Gzip != "" && (w.GzipForced || acceptsGzip(p.req)) {
		h.Set("Content-Encoding", "gzip")
	}
	if w.Connection == "close" {
		h.Set("Connection", "close")
	}
	if w.Length == "close" {
		h.Set("Transfer-Encoding", "identity") // tells net/http to send no chunks
	}
	return h, p.addHeaders(h, w.Headers)
}

// addHeaders sets the fields of the list. A name that is listed again gets
// several fields; what had the name before the list is replaced.
func (p *preparation) addHeaders(h http.Header, list []scenarios.Header) error {
	for _, field := range list {
		h.Del(field.Name)
	}
	for _, field := range list {
		text, err := render.Text(p.sel, field.Value)
		if err != nil {
			return err
		}
		h.Add(field.Name, text)
	}
	return nil
}
