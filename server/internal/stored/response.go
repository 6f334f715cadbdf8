package stored

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"slices"
	"sync"
	"unsafe"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// Response is an answer in the store: a response or a chat completion. It holds no events but the request and the selected
// reply, from which the same answer is made again whenever it is asked for.
type Response struct {
	store  *Store
	name   name
	made   Made
	mu     sync.Mutex // mu guards the fields below.
	played int        // played is the number of frames of its record that are sent by now; math.MaxInt is all.
	holds  int        // holds is the number of holds that the response has passed while it was made.
	over   bool       // over says that no more frames come.
	// cancelled says that a client cancelled it before it was complete.
	cancelled bool
	changed   chan struct{}   // changed is closed and replaced whenever a field from played to cancelled changes.
	making    context.Context // making ends when the response is no longer made in the background; nil in the foreground.
	cancel    func()          // cancel ends making.
	record    *answer.Record  // record is the record while the response is made in the background; else nil.
	metadata  ojson.Value     // metadata is the metadata of a chat completion: as in its request, until a client changes it.
	output    []ojson.Value   // output caches the output items; hasOutput says that it is filled.
	hasOutput bool
}

// Made is what an answer was made from.
type Made struct {
	Maker   *answer.Maker
	Asked   *answer.Asked
	ID      string
	Created int64
	Lane    *Lane // Lane is the lane of the turn that asked for the answer; nil over HTTP.
	// RequestID is the number of the request in its id.
	RequestID [16]byte
}

// responseSize is roughly how many bytes a response takes beside its request.
const responseSize = 2048

// Keep stores an answer that is about to be sent, and returns it; nil if its request does not
// want it kept. The response is in progress until [Response.Complete].
func (s *Store) Keep(m Made) *Response {
	req := m.Asked.Request
	if m.ID == "" || !s.Wants(req, m.Lane) {
		return nil
	}
	r := s.newResponse(m)
	if s.stores(req) {
		s.put(r.name, r, responseSize+requestSize(req))
	}
	m.Lane.remember(r)
	conversation := responses.Conversation(req)
	if c, ok := s.get(name{kindConversation, req.APIKey, conversation}).(*Conversation); ok && conversation != "" {
		c.Expect(r)
	}
	return r
}

// newResponse returns a response in progress that the store does not have yet.
func (s *Store) newResponse(m Made) *Response {
	sel := *m.Asked.Selection
	sel.Context = nil
	asked := *m.Asked
	asked.Selection, m.Asked = &sel, &asked
	kind := map[bool]string{true: kindResponse, false: kindCompletion}[asked.Surface.Info().Items]
	return &Response{store: s, name: name{kind, sel.Request.APIKey, m.ID}, made: m, changed: make(chan struct{}), metadata: sel.Request.Body.Get("metadata")}
}

// Wants reports whether the answer to a request is kept if it has an id: in the store, in a
// conversation, or in the lane of a turn over WebSocket, which is nil over HTTP.
func (s *Store) Wants(req *scenarios.Request, lane *Lane) bool {
	return s.stores(req) || responses.Conversation(req) != "" || lane != nil
}

// stores reports whether the answer to a request is kept in the store itself.
func (s *Store) stores(req *scenarios.Request) bool {
	return s.Keeps() && answer.SurfaceNamed(req.Surface).Info().Stores(req)
}

// Past returns the items that precede a request: before has the items of its previous response or of
// its conversation, referred the kept items that its item references name, by id. The error is one of
// the real service. A turn over WebSocket gives its lane, because it can also go on from what its
// connection remembers; over HTTP the lane is nil.
func (s *Store) Past(req *scenarios.Request, lane *Lane) (before []ojson.Value, referred map[string]ojson.Value, wrong *apierror.Error) {
	if before, wrong = s.previousItems(req, lane); wrong == nil {
		referred, wrong = s.referred(req)
	}
	return before, referred, wrong
}

// previousItems returns the items of the previous response or of the conversation that a request names. Nil says that
// they are not known.
func (s *Store) previousItems(req *scenarios.Request, lane *Lane) ([]ojson.Value, *apierror.Error) {
	previous, conversation := responses.Previous(req), responses.Conversation(req)
	switch {
	case responses.InBackground(req) && !responses.Stores(req):
		return nil, apierror.Bad("background", "", "Background mode requires 'store' to be true.")
	case responses.InBackground(req) && !s.Keeps():
		return nil, apierror.Refusal(http.StatusBadRequest, apierror.CodeNotKept,
			"This server keeps no responses, and one that is made in the background has to be kept. Let it keep some: --store (Config.StoreSize) is their number.")
	case previous != "" && conversation != "":
		return nil, apierror.Bad("", "mutually_exclusive_parameters",
			"Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.")
	}
	var items []ojson.Value
	if previous != "" {
		wrong := responses.PreviousIsAnID(req)
		if wrong == nil {
			items, wrong = s.previous(req.APIKey, previous, lane)
		}
		if wrong != nil {
			return nil, wrong
		}
	}
	if conversation != "" {
		c, wrong := s.Conversation(req.APIKey, conversation)
		switch {
		case wrong == nil:
			items = append(items, c.items()...)
		case !s.limits.AnyID:
			return nil, wrong
		}
	}
	return items, nil
}

// previous returns all items up to the end of a complete response; nil if the response is unknown,
// with AnyID.
func (s *Store) previous(apiKey, id string, lane *Lane) ([]ojson.Value, *apierror.Error) {
	r := cmp.Or(s.response(apiKey, id), lane.find(apiKey, id))
	switch {
	case r == nil && s.limits.AnyID:
		return nil, nil
	case r == nil || !r.IsOver() || r.Cancelled():
		return nil, apierror.Bad("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", id)
	}
	items, err := r.Whole()
	return items, fault(err)
}

// requestSize is roughly how many bytes a request takes.
func requestSize(req *scenarios.Request) int64 {
	n := len(req.RawBody) + req.Body.Size() + cap(req.Messages)*int(unsafe.Sizeof(scenarios.RequestMessage{}))
	for i := range req.Messages {
		n += len(req.Messages[i].Text)
	}
	for _, item := range req.Referred {
		n += item.Size()
	}
	for _, item := range req.Before {
		n += item.Size()
	}
	return int64(n)
}

// ID is the id of the response, as the client saw it.
func (r *Response) ID() string { return r.name.id }

// Request is the request that the response answers.
func (r *Response) Request() *scenarios.Request { return r.made.Asked.Request }

// Complete marks the response as complete, even if its client does not get all of it.
func (r *Response) Complete() { r.advance(math.MaxInt) }

// Abandon forgets a response in the foreground that is not complete, because its client has
// left. A response in the background goes on.
func (r *Response) Abandon() {
	if !r.InBackground() && r.finish(false) {
		r.Forget()
	}
}

// finish ends the response where it is. It reports false if the response was over already.
func (r *Response) finish(cancelled bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return false
	}
	r.over, r.cancelled = true, cancelled
	r.notify()
	return true
}

// Forget removes the response from the store.
func (r *Response) Forget() { r.store.drop(r.name, r) }

// IsOver reports whether no more of the response comes.
func (r *Response) IsOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

// InBackground reports whether the response is made even after its client has left.
func (r *Response) InBackground() bool { return r.made.Asked.Want.Background }

// advance notes that this many frames of the record are sent; [math.MaxInt] is all.
func (r *Response) advance(frames int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	r.played = max(r.played, frames)
	r.over = frames == math.MaxInt
	r.notify()
}

// notify wakes the goroutines in await. The mutex is held.
func (r *Response) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// recorded returns the record with what these values of include add; without padded, its events have no
// obfuscation. It is made again, unless the response is being made in the background as its request
// wants it.
func (r *Response) recorded(include []string, padded bool) (*answer.Record, error) {
	asked := *r.made.Asked
	if keeper, ok := asked.Surface.(surface.Keeper); ok && len(include) > 0 {
		asked.Want = keeper.Include(asked.Want, include)
	}
	asked.Want.Padding = asked.Want.Padding && padded
	if asked.Want == r.made.Asked.Want {
		r.mu.Lock()
		rec := r.record
		r.mu.Unlock()
		if rec != nil {
			return rec, nil
		}
	}
	return r.made.Maker.Record(&asked, r.made.Created)
}

// Queued returns the response object with the status queued and no output.
func (r *Response) Queued() (ojson.Value, error) {
	rec, err := r.recorded(nil, true)
	if err != nil {
		return ojson.Value{}, err
	}
	return responses.WithBilling(withStatus(rec, "queued")), nil
}

// Snapshot returns the response object as it is by now, with what these values of include add.
// The error says why the record could not be made.
func (r *Response) Snapshot(include ...string) (ojson.Value, error) {
	rec, err := r.recorded(include, true)
	if err != nil {
		return ojson.Value{}, err
	}
	r.mu.Lock()
	played, cancelled := r.played, r.cancelled || r.over && r.endsCancelled()
	r.mu.Unlock()
	v := rec.Last(played)
	switch {
	case cancelled:
		v = withStatus(rec, "cancelled")
	case v.IsAbsent() && r.InBackground():
		v = withStatus(rec, "queued")
	case v.IsAbsent():
		v = withStatus(rec, "in_progress")
	}
	return responses.WithBilling(v), nil
}

// endsCancelled reports whether the scenario gives the response the status cancelled, which no
// event of its stream tells.
func (r *Response) endsCancelled() bool {
	return r.made.Asked.Selection.Manner.Envelope.Response.Ends() == scenarios.ResponseCancelled
}

// withStatus returns the first response object of a record, which has no output, with this
// status.
func withStatus(rec *answer.Record, status string) ojson.Value {
	v := rec.Last(math.MaxInt)
	if len(rec.Events) > 0 {
		v = rec.Last(rec.Events[0].Frame)
	}
	v = v.Clone()
	v.Set("status", ojson.String(status))
	return v
}

// Output returns the output items of a complete response.
func (r *Response) Output() ([]ojson.Value, error) {
	r.mu.Lock()
	output, known := r.output, r.hasOutput
	r.mu.Unlock()
	if known {
		return output, nil
	}
	rec, err := r.recorded(nil, true)
	if err != nil {
		return nil, err
	}
	last := rec.Last(math.MaxInt).Get("output")
	r.mu.Lock()
	known = r.hasOutput
	r.output, r.hasOutput = last.Items(), true
	r.mu.Unlock()
	if !known {
		r.store.grow(r.name, r, int64(last.Size()))
	}
	return last.Items(), nil
}

// Input returns the input items of the request as the service keeps them.
func (r *Response) Input() []ojson.Value {
	items := Normalised(r.Request().Body.Get("input"), r.ID())
	for i, item := range items {
		if referred, ok := r.Request().Referred[item.Get("id").Text()]; ok && responses.IsReference(item) {
			items[i] = referred
		}
	}
	return items
}

// items returns the input and the output of a complete response.
func (r *Response) items() []ojson.Value {
	if r.name.kind != kindResponse || !r.IsOver() || r.Cancelled() {
		return nil
	}
	output, _ := r.Output() // too large to be made again
	return slices.Concat(r.Input(), output)
}

// Whole returns all items up to the end of the response: the past of its request, its input and
// its output. The list is never nil, even if it is empty.
func (r *Response) Whole() ([]ojson.Value, error) {
	output, err := r.Output()
	return append([]ojson.Value{}, slices.Concat(r.Request().Before, r.Input(), output)...), err
}
