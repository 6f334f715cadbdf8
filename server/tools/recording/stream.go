package recording

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// stream is a recorded stream while it is turned into a scenario.
type stream struct {
	exchange *Exchange
	base     scenarios.Scenario
	frames   []frame
	done     int // done is how many of the last frames the server sends by itself: [DONE] or none.
	layout   scenarios.Layout
	extra    ojson.Value // extra are members that all chunks have; absent if there are none.
	order    []string    // order is the order of the members of chunks; nil for the order of the layout.
	common   []edit      // common are the edits of the layout that most chunks need.
	parts    []part      // parts are the steps for all other frames, in order.
}

// streamScenario turns a stream into a scenario.
func streamScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	s := &stream{exchange: x, base: base, frames: framesOf(x)}
	for i := range s.frames {
		if isWide(s.frames[i].value) {
			s.frames[i].value = ojson.Value{} // It is written as bytes.
		}
	}
	s.base.Wire, s.base.End = wireOf(x, s.frames), endOf(x)
	s.base.Wire.ContentType, s.base.Wire.Status = unusual(x, "text/event-stream; charset=utf-8")
	if s.isResponses() && unnamed(s.frames) {
		s.base.Wire.EventName = scenarios.NullOf[scenarios.Text]()
	}
	if s.isAPI() && !requestOf(x).Stream {
		s.base.Wire.Format = "sse"
	}
	if s.base.Wire.BOM != nil && len(s.frames) == 0 {
		return nil, errors.New("the stream is nothing but a byte order mark")
	}
	if n := len(s.frames); n > 0 && s.frames[n-1].data == "[DONE]" {
		s.leaveDone(1)
	} else {
		s.leaveDone(0)
	}
	if s.isAPI() {
		if !s.isResponses() {
			s.extra = extraIn(s.values())
		}
		s.chooseLayout()
	}
	return s.settle()
}

// leaveDone leaves the last frames, one [DONE] or none, to the server.
func (s *stream) leaveDone(frames int) {
	s.done, s.base.Wire.Done = frames, nil
	if sentAnyway := s.isAPI() && !s.isResponses(); sentAnyway != (frames > 0) {
		s.base.Wire.Done = &frames
	}
}

// isAPI reports whether the stream is that of an API. The events of any other are written out.
func (s *stream) isAPI() bool { return len(s.base.When.Path) == 0 }

func (s *stream) isResponses() bool { return speaksItems(s.base.When.Surface) }

// maxRounds is how often steps are replaced. Most streams need one or two rounds; after half
// of them every event is written literally.
const maxRounds = 24

// settle proposes steps for the events, plays them, and replaces those that do not send the
// recorded bytes, until all do. Then it adds the header fields that the server does not send by
// itself.
func (s *stream) settle() (*scenarios.Scenario, error) {
	s.propose(len(s.frames))
	for round := range maxRounds {
		if round == maxRounds/2 {
			s.propose(0)
		}
		sc := s.scenario()
		answer, same, err := s.play(&sc)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(same, false):
			s.replace(same, answer)
		default:
			sc.Wire.Headers = headersOf(s.exchange, answer.Header)
			return &sc, checkHeaders(sc.Wire.Headers)
		}
	}
	return nil, errors.New("the scenario does not give the recorded bytes")
}

// checkHeaders plays header fields with a short answer: the language may refuse them.
func checkHeaders(list []scenarios.Header) error {
	hello := scenarios.Message{Content: scenarios.Some(literal("Hello"))}
	short := scenarios.Scenario{Name: "headers", Replies: []scenarios.Reply{{Message: &hello}}}
	short.Wire.Headers = list
	_, problems, err := WithQuirks(&short)
	return cmp.Or(err, problems.Err())
}

// play plays a scenario and reports for each event whether it comes out as recorded. If the
// language refuses the scenario, no event does, and answer is nil.
func (s *stream) play(sc *scenarios.Scenario) (answer *server.Plan, same []bool, err error) {
	answer, err = replay(sc, s.exchange)
	same = make([]bool, len(s.frames))
	switch {
	case err != nil && !slices.ContainsFunc(s.parts, func(p part) bool { return p.form < bare }):
		return nil, nil, fmt.Errorf("as bytes alone: %w", err)
	case err != nil:
		return nil, same, nil
	}
	for i := range s.frames {
		want := s.frames[i].Raw
		if i == 0 && s.base.Wire.BOM != nil {
			want = append([]byte(sse.ByteOrderMark), want...)
		}
		same[i] = i < len(answer.Frames) && bytes.Equal(answer.Frames[i].Bytes, want)
	}
	if n := len(same); n > 0 && len(answer.Frames) > n { // The last step sends more than was recorded.
		same[n-1] = false
	}
	return answer, same, nil
}

// replace edits the steps that do not send the recorded events, or replaces them.
func (s *stream) replace(same []bool, answer *server.Plan) {
	isWrong := func(p part) bool { return slices.Contains(same[p.first:p.end], false) }
	firstWrong := slices.IndexFunc(s.parts, func(p part) bool { return p.form == typed && isWrong(p) })
	mended := s.mend(same, answer)
	if firstWrong >= 0 && (answer == nil || s.isResponses()) { // On responses an event depends on all events before.
		if !mended[firstWrong] {
			s.propose(s.parts[firstWrong].first)
		}
		return
	}
	var parts []part
	found := false
	for n, p := range s.parts {
		if found = found || isWrong(p); !isWrong(p) || mended[n] {
			parts = append(parts, p)
			continue
		}
		if p.end == p.first+1 {
			parts = append(parts, s.literally(p.first, p.form+1))
			continue
		}
		for i := p.first; i < p.end; i++ {
			parts = append(parts, s.typed(i))
		}
		parts = append(parts, s.parts[n+1:]...) // Only this call may be wrong: it may have sent too many events.
		break
	}
	if s.parts = parts; !found {
		s.leaveDone(0)
		s.parts = append(s.parts, s.literally(len(s.frames)-1, whole))
	}
}
