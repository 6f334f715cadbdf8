package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// A condition is one member of a [When], in the form in which it is tried on requests. All that
// is done with the members of a [When] is done with these.
type condition struct {
	word string // word is the member's word in YAML.
	// ofAPI says that only requests to the APIs have what it looks at.
	ofAPI bool
	// captures is the names of the parts of a request that it captures.
	captures []string
	// description is the condition in words; equal conditions have equal
	// descriptions.
	description private
	holds       func(req *Request, t *trial) bool // holds reports whether the condition holds.
	// reason says in words why the condition does not hold for a request, to whoever sent it.
	reason func(req *Request) string
	// value returns the part of a request for which the condition holds; nil if the description says all.
	value func(req *Request) string
	// weight is how many other conditions must hold to make up for this one if it does not hold, for the nearest scenario.
	weight int
}

// trial is the search for a reply to a request. A nil trial captures nothing, and goes on to the end.
type trial struct {
	ctx   context.Context   // ctx ends when nobody waits for the answer any more.
	found map[string]string // found gets what named groups capture; nil leaves it out.
	bytes int               // bytes counts what was compared since the last look at ctx.
	over  bool              // over says that ctx has ended: from then on, no condition on texts holds.
}

// mayCompare reports whether a text of this length is compared: not if the client has left. It looks for that
// seldom, so that the answer to a client that leaves at once does not depend on when it left.
func (t *trial) mayCompare(bytes int) bool {
	const between, least = 1 << 20, 64
	if t == nil {
		return true
	}
	if t.bytes += bytes + least; t.bytes > between {
		t.bytes, t.over = 0, t.ctx.Err() != nil
	}
	return !t.over
}

// private is a text for the author of a scenario. Who sends a request must not see it, because it can hold
// the key with which a condition compares. In a text that is put together it is masked.
type private string

func (private) String() string { return "…" }

// conditions returns the members of w that are set, in the order in which they are
// tried: those that are cheap to try come first.
func (w *When) conditions() []condition {
	var list []condition
	list = append(list, w.valueConditions()...)
	list = append(list, w.textConditions()...)
	for _, name := range w.Tools {
		list = append(list, toolCondition(name))
	}
	for i := range w.ToolResults {
		list = append(list, toolResultCondition(&w.ToolResults[i]))
	}
	for _, h := range w.Header {
		list = append(list, headerCondition(h))
	}
	for _, b := range w.Body {
		list = append(list, bodyCondition(b))
	}
	if w.Not != nil {
		list = append(list, w.Not.excluded())
	}
	return list
}

// excluded is the condition that not all conditions of w hold. What they capture is not known then.
func (w *When) excluded() condition {
	var words, described []string
	list := w.conditions()
	for _, c := range list {
		if !slices.Contains(words, c.word) {
			words = append(words, c.word)
		}
		described = append(described, string(c.description))
	}
	return condition{
		word:        "not",
		description: private("not: " + strings.Join(described, " and ")),
		holds: func(r *Request, t *trial) bool {
			plain := &trial{ctx: context.Background()}
			if t != nil {
				plain.ctx = t.ctx
			}
			return slices.ContainsFunc(list, func(c condition) bool { return !c.holds(r, plain) })
		},
		reason: func(*Request) string { return "what not excludes holds: " + strings.Join(words, ", ") },
	}
}

// formConditions returns the conditions that follow from the form of the reply: an answer in one piece
// is for its own API, a message or a stream for those that stream, and errors and bodies that are written
// out are for each API. A reply with a condition on the path is for requests to other paths, and no other
// reply is. Faults are for all requests.
func (r *Reply) formConditions(of *Scenario) []condition {
	switch whole := r.Whole(); {
	case isFaults(of):
		return nil
	case of.API(r) == SurfaceOther:
		return elsewhere
	case whole != "":
		return []condition{isAPI, valueCondition("surface", whole, func(r *Request) string { return r.Surface })}
	case r.Error != nil || r.Wire.Body != nil || of.Wire.Body != nil:
		return onAPIs
	}
	return onStreams
}

// These are made once, because most replies have one of them.
var elsewhere, onAPIs, onStreams = []condition{isElsewhere}, []condition{isAPI}, []condition{isAPI, isStreamed}

var isElsewhere = condition{
	description: "the path is that of no API",
	holds:       func(r *Request, _ *trial) bool { return r.Surface == SurfaceOther },
	reason: func(r *Request) string {
		return "it has a reply for another path, and the request is for the surface " + r.Surface
	},
}

var isAPI = condition{
	description: "the path belongs to an API",
	weight:      100,
	holds:       func(r *Request, _ *trial) bool { return r.Surface != SurfaceOther },
	reason: func(r *Request) string {
		return fmt.Sprintf("it has no condition on the path, and the request is for %s", r.Path)
	},
}

// isStreamed is the condition that the API of a request streams its answers. Of other paths, isAPI speaks.
var isStreamed = condition{
	description: "the surface streams",
	holds:       func(r *Request, _ *trial) bool { return !slices.Contains(wholeSurfaces, r.Surface) },
	reason:      func(r *Request) string { return "it has no reply for the surface " + r.Surface },
}

// Conditions returns each condition of w in words; none if w holds for every request.
func (w *When) Conditions() []string {
	var list []string
	for _, c := range w.conditions() {
		list = append(list, string(c.description))
	}
	return list
}

// Test returns a function that reports whether all conditions of w hold for a request.
// Several goroutines may call it; the caller must not change w afterwards.
func (w *When) Test() func(req *Request) bool {
	list := w.conditions()
	return func(req *Request) bool {
		for i := range list {
			if !list[i].holds(req, nil) {
				return false
			}
		}
		return true
	}
}

func (w *When) valueConditions() []condition {
	var list []condition
	if len(w.Path) > 0 {
		list = append(list, w.pathCondition())
	}
	if len(w.Method) > 0 {
		list = append(list, w.methodCondition())
	}
	if w.Surface != "" {
		list = append(list, ofAPI(valueCondition("surface", w.Surface, func(r *Request) string { return r.Surface })))
	}
	if len(w.Model) > 0 {
		list = append(list, w.modelCondition())
	}
	if w.Stream != nil {
		list = append(list, valueCondition("stream", *w.Stream, func(r *Request) bool { return r.Stream }))
	}
	if w.Turn != 0 {
		list = append(list, ofAPI(valueCondition("turn", w.Turn, func(r *Request) int { return r.Turn })))
	}
	if w.PromptTokens != nil {
		list = append(list, ofAPI(w.PromptTokens.condition("prompt_tokens", func(r *Request) int { return r.PromptTokens })))
	}
	if w.Attempt != 0 {
		list = append(list, valueCondition("attempt", w.Attempt, func(r *Request) int { return r.Attempt }))
	}
	return list
}

// ofAPI returns c, which looks at something that only requests to the APIs have.
func ofAPI(c condition) condition {
	c.ofAPI = true
	return c
}

func valueCondition[T comparable](name string, want T, get func(*Request) T) condition {
	return condition{
		word:        name,
		description: private(fmt.Sprintf("%s is %v", name, want)),
		holds:       func(r *Request, _ *trial) bool { return get(r) == want },
		reason:      func(r *Request) string { return fmt.Sprintf("%s is %v, not %v", name, get(r), want) },
	}
}

func (b *Bounds) condition(name string, get func(*Request) int) condition {
	words := fmt.Sprintf("at least %d and at most %d", b.Min, b.Max)
	switch {
	case b.Max == 0:
		words = fmt.Sprintf("at least %d", b.Min)
	case b.Min == 0:
		words = fmt.Sprintf("at most %d", b.Max)
	}
	return condition{
		word:        name,
		description: private(name + " is " + words),
		holds:       func(r *Request, _ *trial) bool { return get(r) >= b.Min && (b.Max == 0 || get(r) <= b.Max) },
		reason:      func(r *Request) string { return fmt.Sprintf("%s is %d, not %s", name, get(r), words) },
		value:       func(r *Request) string { return strconv.Itoa(get(r)) },
	}
}

func (w *When) modelCondition() condition {
	quoted := make([]string, len(w.Model))
	for i, glob := range w.Model {
		quoted[i] = strconv.Quote(glob)
	}
	return condition{
		word:        "model",
		description: private("model fits " + strings.Join(quoted, " or ")),
		holds:       func(r *Request, _ *trial) bool { return w.NamesModel(r.Model) },
		reason: func(r *Request) string {
			which := quoted[0] + " does not match"
			if len(quoted) > 1 {
				which = "none of " + diag.Shorten(strings.Join(quoted, ", ")) + " matches"
			}
			return fmt.Sprintf("model is %s, which %s", diag.Quote(r.Model), which)
		},
		value: func(r *Request) string { return diag.Quote(r.Model) },
	}
}

// textConditions returns the conditions on the texts of the request's messages, and on
// the API key.
func (w *When) textConditions() []condition {
	var list []condition
	add := func(word string, m *TextMatch, of textKind, name string, texts func(*Request) []string) {
		if m != nil {
			c := textCondition(word, m, of, name, texts)
			c.ofAPI = word != "api_key" // requests to other paths have no messages
			list = append(list, c)
		}
	}
	add("user", w.User, oneText, "the last user message", lastUserText)
	add("system", w.System, someTexts, "system or developer message", func(r *Request) []string { return r.texts("system", "developer") })
	add("messages", w.Messages, someTexts, "message", func(r *Request) []string { return r.texts() })
	add("api_key", w.APIKey, secretText, "the API key", func(r *Request) []string { return []string{r.APIKey} })
	return list
}

type textKind int

const (
	someTexts  textKind = iota
	oneText             // oneText is at most one.
	secretText          // secretText must not be repeated in messages.
)

// textCondition returns the condition that m holds for one of the texts. Name is what
// messages call such a text.
func textCondition(word string, m *TextMatch, of textKind, name string, texts func(*Request) []string) condition {
	return condition{
		word:        word,
		captures:    m.groupNames(),
		description: private(name+" ") + m.describe(),
		holds:       func(r *Request, t *trial) bool { return m.holdsForOne(texts(r), t) },
		reason: func(r *Request) string {
			list := texts(r)
			switch {
			case len(list) == 0:
				return "there is no " + strings.TrimPrefix(name, "the last ")
			case of == secretText:
				return name + " does not fit"
			case of == oneText:
				return fmt.Sprintf("%s is %s, which %s", name, diag.Quote(list[0]), m.describeFailure())
			}
			return fmt.Sprintf("there is no %s that %s", name, diag.Shorten(string(m.describe())))
		},
		value: func(r *Request) string {
			list := texts(r)
			i := slices.IndexFunc(list, func(text string) bool { return m.holds(text, nil) })
			if of == secretText || i < 0 {
				return ""
			}
			return diag.Quote(list[i])
		},
	}
}

// lastUser is the index of the last user message; -1 if there is none.
func (r *Request) lastUser() int {
	i := len(r.Messages) - 1
	for i >= 0 && r.Messages[i].Role != "user" {
		i--
	}
	return i
}

func lastUserText(r *Request) []string {
	if i := r.lastUser(); i >= 0 {
		return []string{r.Messages[i].Text}
	}
	return nil
}

// texts returns the texts of the messages with one of the roles, or of all messages if
// no role is given.
func (r *Request) texts(roles ...string) []string {
	var list []string
	for _, m := range r.Messages {
		if len(roles) == 0 || slices.Contains(roles, m.Role) {
			list = append(list, m.Text)
		}
	}
	return list
}

func toolCondition(name string) condition {
	return condition{
		word:        "tools",
		ofAPI:       true,
		description: private(fmt.Sprintf("tool %q is offered", name)),
		holds: func(r *Request, _ *trial) bool {
			return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == name })
		},
		reason: func(r *Request) string {
			if len(r.Tools) == 0 {
				return fmt.Sprintf("the tool %q is not offered (no tool is)", name)
			}
			offered := make([]string, len(r.Tools))
			for i, t := range r.Tools {
				offered[i] = t.Name
			}
			return fmt.Sprintf("the tool %q is not offered (offered are %s)", name, diag.Shorten(strings.Join(offered, ", ")))
		},
	}
}

func toolResultCondition(m *ToolResultMatch) condition {
	asked := "tool result"
	if m.ID != "" {
		asked += " for " + strconv.Quote(m.ID)
	}
	words := private(asked)
	if m.Content != nil {
		words += " that " + m.Content.describe()
	}
	return condition{
		word:        "tool_result",
		ofAPI:       true,
		captures:    m.Content.groupNames(),
		description: words,
		holds: func(r *Request, t *trial) bool {
			results := r.toolResults(m.ID)
			return len(results) > 0 && (m.Content == nil || m.Content.holdsForOne(results, t))
		},
		reason: func(r *Request) string {
			results := r.toolResults(m.ID)
			if len(results) == 0 {
				return "the request brings no " + asked
			}
			return fmt.Sprintf("the %s is %s, which %s", asked, diag.Quote(results[len(results)-1]), m.Content.describeFailure())
		},
	}
}

// toolResults returns the results in the request of the call with that id, or of all
// calls if id is "". Only results after the last assistant message count: earlier ones
// were answered in an earlier turn.
func (r *Request) toolResults(id string) []string {
	var list []string
	for _, m := range r.Messages {
		switch m.Role {
		case "assistant":
			list = nil
		case "tool", "function":
			of := m.ToolCallID
			if m.Role == "function" { // the deprecated form has no ids
				of = m.Name
			}
			if id == "" || of == id {
				list = append(list, m.Text)
			}
		}
	}
	return list
}

func headerCondition(h HeaderMatch) condition {
	name := "header " + h.Name
	if h.Match == nil {
		return presence("header", name+" is there", "there is no "+name, func(r *Request) bool { return len(r.HeaderValues(h.Name)) > 0 })
	}
	of := oneText
	if IsSecretHeader(h.Name) {
		of = secretText
	}
	return textCondition("header", h.Match, of, name, func(r *Request) []string { return r.HeaderValues(h.Name) })
}

// presence is the condition that something is there, or is not.
func presence(word, description, reason string, holds func(*Request) bool) condition {
	return condition{
		word:        word,
		description: private(description),
		holds:       func(r *Request, _ *trial) bool { return holds(r) },
		reason:      func(*Request) string { return reason },
	}
}

// secretParts are the parts of names of header fields for secrets, and secretEnds the last words of such
// names, behind a hyphen. The fields in noSecrets hold none.
var (
	secretParts = []string{"api-key", "apikey", "secret", "password", "authorization", "authentication", "credential", "signature", "cookie", "jwt", "bearer", "client-cert", "session-id"}
	secretEnds  = []string{"token", "auth", "key", "organization", "project"}
	noSecrets   = []string{"access-control-allow-credentials", "idempotency-key", "sec-websocket-key"}
)

// IsSecretHeader reports whether the values of a header field are secret and must not
// appear in messages, logs or recordings: keys, cookies, certificates, ids of organisations.
func IsSecretHeader(name string) bool {
	name = strings.ToLower(name)
	isPart := func(part string) bool { return strings.Contains(name, part) }
	isSecret := slices.ContainsFunc(secretParts, isPart) || slices.Contains(secretEnds, name[strings.LastIndexByte(name, '-')+1:]) || name == "sec-websocket-protocol"
	return isSecret && !slices.Contains(noSecrets, name)
}

func bodyCondition(b BodyMatch) condition {
	path := b.Path.String()
	value := func(r *Request) ojson.Value { return r.Body.Find(b.Path.Path) }
	switch {
	case b.Exists != nil && *b.Exists:
		return presence("body", "there is "+path+" in the body", "there is no "+path+" in the body", func(r *Request) bool { return !value(r).IsAbsent() })
	case b.Exists != nil:
		return presence("body", "there is no "+path+" in the body", "there is "+path+" in the body", func(r *Request) bool { return value(r).IsAbsent() })
	case b.Equals != nil:
		want := *b.Equals
		return condition{
			word:        "body",
			description: private(fmt.Sprintf("%s in the body is %s", path, want)),
			holds:       func(r *Request, _ *trial) bool { return ojson.Same(value(r), want) },
			reason: func(r *Request) string {
				if value(r).IsAbsent() {
					return fmt.Sprintf("there is no %s in the body", path)
				}
				return fmt.Sprintf("%s in the body is %s, not %s", path, diag.Shorten(value(r).String()), diag.Shorten(want.String()))
			},
		}
	}
	return textCondition("body", b.Match, oneText, path+" in the body", func(r *Request) []string { return jsonTexts(value(r)) })
}

// jsonTexts returns the text of a JSON value for a condition on texts: a string itself,
// anything else as JSON, no text if there is no value.
func jsonTexts(v ojson.Value) []string {
	switch v.Kind() {
	case ojson.Absent:
		return nil
	case ojson.StringKind:
		return []string{v.Text()}
	}
	return []string{v.String()}
}
