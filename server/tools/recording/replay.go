package recording

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// replay writes a scenario as YAML, which cannot hold every value, and plays that for the request of
// an exchange, with the quirks of [WithQuirks].
func replay(s *scenarios.Scenario, x *Exchange) (*server.Plan, error) { return played(s, x, asYAML) }

// rehearse is replay of the scenario as it is, which takes a third of the time.
func rehearse(s *scenarios.Scenario, x *Exchange) (*server.Plan, error) { return played(s, x, setOf) }

func played(s *scenarios.Scenario, x *Exchange, load loading) (*server.Plan, error) {
	set, problems, err := withQuirks(s, load)
	if err := cmp.Or(err, problems.Err()); err != nil {
		return nil, err
	}
	fake, err := server.New(server.Config{Scenarios: set, Default: s.Name, JournalSize: -1, Speed: 1, AnyID: true})
	if err != nil {
		return nil, err
	}
	defer fake.Close()
	return ask(fake, s, x)
}

// loading makes a set of a scenario. The error says why it cannot be written.
type loading func(*scenarios.Scenario) (*scenarios.Set, diag.List, error)

func asYAML(s *scenarios.Scenario) (*scenarios.Set, diag.List, error) {
	text, err := yamlfile.Format(s)
	if err != nil {
		return nil, nil, err
	}
	set, problems := server.CheckFiles(yamlfile.Source{Name: s.Name + ".yaml", Data: text, Beside: bodyDirectory(s)})
	return set, problems, nil
}

func setOf(s *scenarios.Scenario) (*scenarios.Set, diag.List, error) {
	s = s.Clone()
	if len(s.Replies) == 0 { // as a file with nothing but a body is read
		s.Replies = []scenarios.Reply{{Stream: &[]scenarios.Step{}}}
	}
	set, problems := scenarios.Build(nil, s)
	return set, append(problems, server.Check(set)...), nil
}

// WithQuirks sets the quirks of a scenario to the protocol rules that it breaks, because a
// recording may break them. It returns the scenario as it is after it was written as YAML, and
// the problems that are left. The scenario is judged on the API on which it was recorded. The error
// says why it cannot be written.
func WithQuirks(s *scenarios.Scenario) (set *scenarios.Set, problems diag.List, err error) {
	return withQuirks(s, asYAML)
}

func withQuirks(s *scenarios.Scenario, load loading) (set *scenarios.Set, problems diag.List, err error) {
	s.Quirks = nil
	for {
		on := *s
		onDefault(&on)
		if set, problems, err = load(&on); err != nil {
			return nil, nil, err
		}
		quirks := broken(problems)
		if s.Quirks != nil || quirks == nil {
			return set, problems, nil
		}
		s.Quirks = quirks
	}
}

// onDefault has a scenario, or those of its replies that name no API, answer on the default one alone.
func onDefault(s *scenarios.Scenario) {
	if s.When.API() != "" {
		return
	}
	if !slices.ContainsFunc(s.Replies, func(r scenarios.Reply) bool { return s.API(&r) != "" }) {
		s.When.Surface = scenarios.DefaultSurface
		return
	}
	s.Replies = slices.Clone(s.Replies)
	for i := range s.Replies {
		if s.API(&s.Replies[i]) == "" {
			s.Replies[i].When.Surface = scenarios.DefaultSurface
		}
	}
}

// broken are quirks for the rules that the problems name; nil if a problem names no rule.
func broken(problems diag.List) []scenarios.Quirk {
	var list []scenarios.Quirk
	for _, p := range problems {
		if p.Rule == "" {
			return nil
		}
		if !slices.ContainsFunc(list, func(q scenarios.Quirk) bool { return q.Rule == p.Rule }) {
			list = append(list, scenarios.Quirk{Rule: p.Rule})
		}
	}
	slices.SortFunc(list, func(a, b scenarios.Quirk) int { return bytes.Compare([]byte(a.Rule), []byte(b.Rule)) })
	return list
}

// ask makes the request of an exchange. The server plans the answer, but does not play it.
func ask(fake *server.Server, s *scenarios.Scenario, x *Exchange) (*server.Plan, error) {
	var plan *server.Plan
	ctx := server.WithPlan(context.Background(), func(p server.Plan) { plan = &p })
	req, err := http.NewRequestWithContext(ctx, x.Method, "http://localhost"+x.Path, bytes.NewReader(x.Body))
	if err != nil {
		return nil, err
	}
	for name, values := range x.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	req.Header.Set("X-Fakeopenai-Scenario", s.Name)
	refused := refusal{header: http.Header{}}
	fake.ServeHTTP(&refused, req)
	if plan == nil {
		return nil, fmt.Errorf("%d: %s", refused.status, bytes.TrimSpace(refused.body.Bytes()))
	}
	return plan, nil
}

// bodyIn is the body of a planned answer.
func bodyIn(p *server.Plan) []byte {
	var body []byte
	for _, f := range p.Frames {
		body = append(body, f.Bytes...)
	}
	return body
}

// refusal records an answer that was written instead of planned: the error.
type refusal struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (r *refusal) Header() http.Header { return r.header }

// WriteHeader records the status.
func (r *refusal) WriteHeader(status int) { r.status = status }

// Write records a part of the body.
func (r *refusal) Write(p []byte) (int, error) { return r.body.Write(p) }
